"""Draws the sample policies: `python -m knowledge.samples.draw [FOLDER]`.

Each `sources/<stem>.md` becomes `<stem>.pdf` beside it in `samples`, or in FOLDER. The same source
always gives the same bytes.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.platypus import (
    BaseDocTemplate,
    CallerMacro,
    Flowable,
    NextPageTemplate,
    PageBreak,
)

from knowledge.samples.draw.blocks import Document, Heading, SourceError, read
from knowledge.samples.draw.flow import single, two_columns
from knowledge.samples.draw.front import contents, control, cover_texts
from knowledge.samples.draw.pages import COMPANY, Pages, templates
from knowledge.samples.draw.styles import LOOKS, Look

SAMPLES = Path(__file__).parent.parent
LEADINGS = (1.38, 1.36, 1.34, 1.4, 1.32, 1.42, 1.3, 1.44)
LEAST_END = 620.0
"""Text that ends higher than this on its last page leaves that page all but empty."""


def draw(document: Document) -> bytes:
    """The document as a PDF: one pass finds the page numbers, the next prints them."""
    look, measured = _fit(document)
    pdf, again = _build(document, look, measured)
    if again != measured:
        raise SourceError(f"{document.cover.title}: page numbers moved between the passes")
    return pdf


def _fit(document: Document) -> tuple[Look, Pages]:
    """The line spacing nearest to the usual one that leaves no all but empty last page."""
    headings = [(block, 1) for block in document.blocks if isinstance(block, Heading)]
    usual = LOOKS[document.cover.layout]
    tried = []
    for leading in LEADINGS:
        look = replace(usual, leading=leading)
        _, measured = _build(document, look, Pages(headings=headings))
        if measured.end < LEAST_END:
            return look, measured
        tried.append((look, measured))
    return tried[0]


def draw_all(folder: Path = SAMPLES) -> list[Path]:
    """Draw every source into `folder`."""
    drawn = []
    for source in sorted((SAMPLES / "sources").glob("*.md")):
        target = folder / f"{source.stem}.pdf"
        target.write_bytes(draw(read(source)))
        drawn.append(target)
    return drawn


def _build(document: Document, look: Look, known: Pages) -> tuple[bytes, Pages]:
    cover = document.cover
    out, seen = BytesIO(), Pages()
    doc = BaseDocTemplate(
        out,
        pagesize=A4,
        pageTemplates=templates(cover, known),
        title=cover.title,
        author=COMPANY,
        subject=f"{cover.reference}, version {cover.version}",
        creator=COMPANY,
        lang="en-GB",
        invariant=1,
        pageCompression=0,  # compressed bytes differ from one zlib to another
    )
    doc.build(_story(document, look, known, seen))
    seen.total, seen.end = doc.page, vars(doc.frame)["_y"]  # no public name
    return out.getvalue(), seen


def _story(document: Document, look: Look, known: Pages, seen: Pages) -> list[Flowable]:
    cover = document.cover

    def on_heading(heading: Heading, page: int) -> None:
        seen.headings.append((heading, page))

    def on_body(macro: CallerMacro, *_size: float) -> None:
        seen.body = macro.canv.getPageNumber()

    layout = two_columns if cover.layout == "two-column" else single
    story = [*cover_texts(cover, look), NextPageTemplate("body"), PageBreak()]
    if cover.layout == "roman":
        story += [*control(cover, look), PageBreak(), *contents(look, known), PageBreak()]
    story.append(CallerMacro(drawCallable=on_body))
    return story + layout(document.blocks, look, on_heading)
