"""What stands before the first section: the cover's texts, document control, the contents."""

from __future__ import annotations

from reportlab.platypus import Flowable, Paragraph, Spacer, Table

from knowledge.samples.draw.blocks import Cover
from knowledge.samples.draw.flow import WIDTH, table
from knowledge.samples.draw.pages import BAND, COMPANY, Pages
from knowledge.samples.draw.styles import RULE, Look


def cover_texts(cover: Cover, look: Look) -> list[Flowable]:
    """The company and the title on the band, the details under it."""
    title = Paragraph(cover.title.replace(" (", "<br/>("), look.cover(32))
    _, height = title.wrap(WIDTH, BAND)
    rows = [
        [Paragraph(name, look.detail(bold=True)), Paragraph(text, look.detail())]
        for name, text in _details(cover)
    ]
    return [
        Paragraph(COMPANY, look.cover(13)),
        Spacer(1, BAND - 140 - height),
        title,
        Spacer(1, 96),
        _ruled(rows, [96, WIDTH - 96], padding=7),
    ]


def control(cover: Cover, look: Look) -> list[Flowable]:
    """The document control page."""
    rows = [
        ["Item", "Entry"],
        ["Document", cover.title],
        *([name, text] for name, text in _details(cover)),
        ["Published in", "Compass, the HR self-service portal"],
    ]
    note = (
        "The copy published in Compass is the controlled copy. A printed copy is for information "
        "only and may be out of date."
    )
    heading = Paragraph("Document control", look.heading(1))
    return [heading, table(rows, look, WIDTH), Paragraph(note, look.body())]


def contents(look: Look, known: Pages) -> list[Flowable]:
    """The table of contents, with the page numbers that the footers print."""
    rows = [
        [
            Paragraph(heading.text, look.detail(left=(heading.level - 1) * 16)),
            Paragraph(str(page - known.body + 1), look.detail()),
        ]
        for heading, page in known.headings
    ]
    return [Paragraph("Contents", look.heading(1)), _ruled(rows, [WIDTH - 24, 24], padding=3)]


def _details(cover: Cover) -> list[tuple[str, str]]:
    return [
        ("Reference", cover.reference),
        ("Owner", cover.owner),
        ("Version", cover.version),
        ("Effective", cover.effective),
        ("Applies to", cover.scope),
    ]


def _ruled(rows: list[list[Paragraph]], widths: list[float], padding: float) -> Table:
    return Table(
        rows,
        colWidths=widths,
        style=[
            ("LINEBELOW", (0, 0), (-1, -1), 0.5, RULE),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("TOPPADDING", (0, 0), (-1, -1), padding),
            ("BOTTOMPADDING", (0, 0), (-1, -1), padding + 1),
        ],
    )
