"""Fonts, colours and measures of the sample policies."""

from __future__ import annotations

from dataclasses import dataclass

from reportlab.lib.colors import Color, HexColor, black, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle

from knowledge.samples.draw.blocks import Layout

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 68.0
TOP, BOTTOM = 88.0, 78.0
GUTTER = 22.0
NAVY: Color = HexColor(0x12304F)
SEA: Color = HexColor(0x2E7D9A)
SHADE: Color = HexColor(0xDDE7EE)
RULE: Color = HexColor(0x9DB0BF)
GREY: Color = HexColor(0x55636F)


@dataclass(frozen=True, slots=True)
class Look:
    """The paragraph styles and fonts of one layout."""

    font: str
    bold: str
    size: float
    indent: float
    leading: float = 1.38

    def body(self, left: float = 0, hang: float = 0) -> ParagraphStyle:
        """Running text; `left` is its indent, `hang` where its number or bullet stands."""
        return ParagraphStyle(
            "body",
            fontName=self.font,
            bulletFontName=self.font,
            fontSize=self.size,
            bulletFontSize=self.size,
            leading=self.size * self.leading,
            spaceBefore=self.size * 0.62,
            spaceAfter=self.size * 0.62,
            leftIndent=left,
            bulletIndent=hang,
            allowWidows=0,
            allowOrphans=0,
        )

    def item(self, depth: int) -> ParagraphStyle:
        """A list item, set in under the text of the clause that it belongs to."""
        hang = self.indent + depth * 15
        style = self.body(left=hang + 14, hang=hang)
        style.spaceBefore = style.spaceAfter = self.size * 0.38
        return style

    def heading(self, level: int) -> ParagraphStyle:
        """A section heading (level 1) or a sub heading."""
        size = self.size * (1.36 if level == 1 else 1.1)
        return ParagraphStyle(
            f"heading{level}",
            fontName=self.bold,
            fontSize=size,
            leading=size * 1.25,
            spaceBefore=self.size * (1.3 if level == 1 else 0.7),
            spaceAfter=self.size * 0.6,
            textColor=NAVY if level == 1 else SEA,
        )

    def cell(self, header: bool = False) -> ParagraphStyle:
        """A table cell."""
        size = self.size - 1.2
        return ParagraphStyle(
            "cell",
            fontName=self.bold if header else self.font,
            fontSize=size,
            leading=size * 1.28,
            textColor=NAVY if header else black,
        )

    def detail(self, bold: bool = False, left: float = 0) -> ParagraphStyle:
        """A line of the cover's details or of the contents."""
        font = self.bold if bold else self.font
        return ParagraphStyle("detail", fontName=font, fontSize=11, leading=15, leftIndent=left)

    def cover(self, size: float) -> ParagraphStyle:
        """White text on the cover's band."""
        return ParagraphStyle(
            "cover", fontName=self.bold, fontSize=size, leading=size * 1.2, textColor=white
        )


_SANS = Look("Helvetica", "Helvetica-Bold", 10.5, 36)
LOOKS: dict[Layout, Look] = {
    "single": _SANS,
    "two-column": Look("Helvetica", "Helvetica-Bold", 9.5, 28),
    "roman": Look("Times-Roman", "Times-Bold", 11.5, 38),
}
