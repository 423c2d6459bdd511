"""The pages of a sample policy: the cover's band, and the running header and footer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from knowledge.samples.draw.blocks import Cover, Heading
from knowledge.samples.draw.styles import (
    BOTTOM,
    GREY,
    LOOKS,
    MARGIN,
    NAVY,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    RULE,
    SEA,
    TOP,
)

COMPANY = "Harbourline Shipping Group plc"
BAND = 330.0
"""The height of the cover's coloured band."""
_ADDRESS = "Head office: Southampton, United Kingdom"
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi")
_OnPage = Callable[[Canvas, BaseDocTemplate], None]


@dataclass(slots=True)
class Pages:
    """Where things came to stand: measured by one pass, printed by the next.

    `body` is the physical page that the first section starts on, `end` the height above the foot
    of the last page at which the text ends.
    """

    total: int = 99
    body: int = 2
    end: float = 0
    headings: list[tuple[Heading, int]] = field(default_factory=list)


def templates(cover: Cover, known: Pages) -> list[PageTemplate]:
    """The cover, the upright page of the body and its landscape twin."""
    return [
        PageTemplate(
            "cover",
            [_frame(A4, top=60, bottom=60)],
            onPage=_cover_page(cover, known),
            pagesize=A4,
        ),
        *(
            PageTemplate(
                name,
                [_frame(size, TOP, BOTTOM)],
                onPage=_running(cover, known, size),
                pagesize=size,
            )
            for name, size in (("body", A4), ("landscape", landscape(A4)))
        ),
    ]


def page_words(page: int, known: Pages, cover: Cover) -> str:
    """What the footer calls a physical page."""
    if cover.layout != "roman":
        return f"Page {page} of {known.total}"
    front = known.body - 1
    if page <= front:
        return f"Page {_ROMAN[page]} of {_ROMAN[front]}"
    return f"Page {page - front} of {known.total - front}"


def _frame(size: tuple[float, float], top: float, bottom: float) -> Frame:
    width, height = size
    box = (MARGIN, bottom, width - 2 * MARGIN, height - top - bottom)
    return Frame(*box, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0, id="main")


def _cover_page(cover: Cover, known: Pages) -> _OnPage:
    def on_page(canvas: Canvas, _doc: BaseDocTemplate) -> None:
        canvas.setFillColor(NAVY)
        canvas.rect(0, PAGE_HEIGHT - BAND, PAGE_WIDTH, BAND, stroke=0, fill=1)
        canvas.setFillColor(SEA)
        canvas.rect(0, PAGE_HEIGHT - BAND - 8, PAGE_WIDTH, 8, stroke=0, fill=1)
        canvas.setFillColor(GREY)
        canvas.setFont(LOOKS[cover.layout].font, 9.5)
        canvas.drawString(MARGIN, 62, _ADDRESS)
        if cover.layout == "roman":
            canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
            canvas.addPageLabel(known.body - 1, style="ARABIC", start=1)

    return on_page


def _running(cover: Cover, known: Pages, size: tuple[float, float]) -> _OnPage:
    width, height = size
    footer = f"{cover.reference}  |  Version {cover.version}  |  Effective {cover.effective}"

    def on_page(canvas: Canvas, _doc: BaseDocTemplate) -> None:
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.6)
        canvas.line(MARGIN, height - 64, width - MARGIN, height - 64)
        canvas.line(MARGIN, 56, width - MARGIN, 56)
        canvas.setFillColor(GREY)
        canvas.setFont(LOOKS[cover.layout].font, 8.5)
        canvas.drawString(MARGIN, height - 57, COMPANY)
        canvas.drawRightString(width - MARGIN, height - 57, cover.title)
        canvas.drawString(MARGIN, 43, footer)
        words = page_words(canvas.getPageNumber(), known, cover)
        canvas.drawRightString(width - MARGIN, 43, words)

    return on_page
