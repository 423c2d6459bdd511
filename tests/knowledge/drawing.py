"""PDFs for the tests: from bare content streams, or as plain policies of headings and clauses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate

Fonts = Callable[[PdfWriter], dict[str, DictionaryObject]]


def name(text: str) -> NameObject:
    return NameObject(text)


def helvetica(**extra: object) -> DictionaryObject:
    """Standard Helvetica with WinAnsi."""
    font = DictionaryObject(
        {
            name("/Type"): name("/Font"),
            name("/Subtype"): name("/Type1"),
            name("/BaseFont"): name("/Helvetica"),
            name("/Encoding"): name("/WinAnsiEncoding"),
        }
    )
    for key, value in extra.items():
        font[name(f"/{key}")] = value
    return font


def without_widths() -> DictionaryObject:
    """An embedded-looking TrueType font that states no widths."""
    return helvetica(Subtype=name("/TrueType"), BaseFont=name("/QWERTY+Grotesk"))


def to_unicode(writer: PdfWriter, *pairs: str) -> object:
    """A ToUnicode map with these `<code> <text>` pairs."""
    stream = StreamObject()
    lines = (
        "/CIDInit /ProcSet findresource begin",
        "1 begincodespacerange",
        "<00> <FF>",
        "endcodespacerange",
        f"{len(pairs)} beginbfchar",
        *pairs,
        "endbfchar",
        "end",
    )
    stream.set_data("\n".join(lines).encode())
    return writer._add_object(stream)


def glyph_numbers_only(writer: PdfWriter) -> dict[str, DictionaryObject]:
    """A font whose codes are glyph numbers, with nothing that ties them to characters."""
    info = DictionaryObject(
        {
            name("/Registry"): TextStringObject("Adobe"),
            name("/Ordering"): TextStringObject("Identity"),
            name("/Supplement"): NumberObject(0),
        }
    )
    descendant = DictionaryObject(
        {
            name("/Type"): name("/Font"),
            name("/Subtype"): name("/CIDFontType2"),
            name("/BaseFont"): name("/Blind"),
            name("/CIDSystemInfo"): info,
        }
    )
    font = DictionaryObject(
        {
            name("/Type"): name("/Font"),
            name("/Subtype"): name("/Type0"),
            name("/BaseFont"): name("/Blind"),
            name("/Encoding"): name("/Identity-H"),
            name("/DescendantFonts"): ArrayObject([writer._add_object(descendant)]),
        }
    )
    return {"/F1": font}


def draw_streams(path: Path, *streams: str, fonts: Fonts | None = None) -> Path:
    """A PDF with one A4 page for each content stream; F1 is Helvetica, F2 states no widths."""
    writer = PdfWriter()
    for content in streams:
        page = writer.add_blank_page(595, 842)
        chosen = fonts(writer) if fonts else {"/F1": helvetica(), "/F2": without_widths()}
        resources = DictionaryObject({name(key): font for key, font in chosen.items()})
        page[name("/Resources")] = DictionaryObject({name("/Font"): resources})
        stream = StreamObject()
        stream.set_data(content.encode("latin-1"))
        page[name("/Contents")] = writer._add_object(stream)
    writer.write(path)
    return path


def placed(*words: tuple[float, float, str], size: float = 11) -> str:
    """A content stream with each text at its (x, y)."""
    shown = " ".join(f"1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in words)
    return f"BT /F1 {size} Tf {shown} ET"


def draw_policy(path: Path, *pages: Sequence[str], title: str = "") -> Path:
    """A plain policy: lines that begin with `# ` are headings, all others clauses."""
    body = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13, spaceAfter=6)
    heading = ParagraphStyle("head", fontName="Helvetica-Bold", fontSize=14, leading=18)
    flow: list[Flowable] = []
    for number, page in enumerate(pages):
        if number:
            flow.append(PageBreak())
        for line in page:
            style = heading if line.startswith("# ") else body
            flow.append(Paragraph(line.removeprefix("# "), style))
    path.parent.mkdir(parents=True, exist_ok=True)
    SimpleDocTemplate(str(path), pagesize=A4, title=title or None).build(flow)
    return path
