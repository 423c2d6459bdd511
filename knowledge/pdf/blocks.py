"""Lines and tables of a page -> blocks: headings, paragraphs, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from knowledge.pdf.hyphens import Hyphens
from knowledge.pdf.lines import Line
from knowledge.pdf.pages import Block, Kind
from knowledge.pdf.tables import Table, row_texts

_BULLET = re.compile(r"[•‣▪◦●○■□▫✓➢➤]\s*|[–—*-]\s+(?=\S)")
_CLAUSE = re.compile(r"(?:[A-Z]{1,3}\.?)?\d{1,3}(?:\.\d{1,3})+\.?(?=\s+[A-Z“\"'(\[])|§\s*\d+")
_NUMBER = re.compile(r"(?:[A-Z]{1,3}\.?)?\d{1,3}(?:\.\d{1,3})+\.?")
_ITEM = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]\s+(?=\S)|\([A-Z]\)\s+")
_NUMBERED = re.compile(
    r"(?:(?:section|part|article|chapter|schedule|appendix|annex)\s+)?"
    r"(?P<number>\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]{1,5})[.:)]?\s+(?P<title>[A-Z“\"'(].*)",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?:;,…][\"'”’)\]]*$")
_LEADER_LINE = re.compile(r"(?:\s*[.·…_]){4,}\s*(?:\d+|[ivxlc]+)$")
_TOC_ROW = re.compile(r".*\D\s(?:\|\s)?(?:\d{1,3}|[ivxlc]{1,5})$")
_CONTENTS = re.compile(r"(?:table of )?contents|inhalt(?:sverzeichnis)?", re.IGNORECASE)
_LARGER = 1.08
_HEADING_WORDS = 14


@dataclass(frozen=True, slots=True)
class Style:
    """What the document's running text looks like: font size, in points, and outline titles."""

    body: float
    outline: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Former:
    """What carries over from one page to the next: an open table, an open table of contents."""

    header: tuple[str, ...] | None = None
    columns: tuple[float, ...] = ()
    contents: bool = False


def page_blocks(
    columns: Sequence[Sequence[Line | Table]], style: Style, hyphens: Hyphens, former: Former
) -> list[Block]:
    """The blocks of one page, in reading order, without its table of contents."""
    blocks: list[Block] = []
    for column in columns:
        for new in _column_blocks(column, style, hyphens, former):
            if blocks and runs_on(blocks[-1], new):
                last = blocks[-1]
                blocks[-1] = Block(hyphens.join(last.text, new.text), last.kind, last.level)
            else:
                blocks.append(new)
    return _without_contents(blocks, former)


def runs_on(before: Block, after: Block) -> bool:
    """Whether `after` goes on in the middle of a sentence of `before`, over a break."""
    if before.kind not in (Kind.TEXT, Kind.ITEM) or after.kind is not Kind.TEXT:
        return False
    if _CLAUSE.match(after.text) or _ITEM.match(after.text):
        return False
    if after.text[:1].islower() and not re.search(r"[.!?…:][\"'”’)\]]*$", before.text):
        return True
    return (not _END.search(before.text) and len(before.text.split()) > 5) or before.text.endswith(
        (",", "-")
    )


def _column_blocks(
    column: Sequence[Line | Table], style: Style, hyphens: Hyphens, former: Former
) -> Iterator[Block]:
    paragraph: list[Line] = []
    right = max((item.x1 for item in column), default=0.0)
    for item in column:
        if isinstance(item, Table):
            yield from _paragraph(paragraph, style, hyphens)
            paragraph = []
            yield from _rows(item, former)
            continue
        former.header = None
        if paragraph and _starts_new(paragraph, item, right, style):
            yield from _paragraph(paragraph, style, hyphens)
            paragraph = []
        paragraph.append(item)
    yield from _paragraph(paragraph, style, hyphens)


def _starts_new(paragraph: list[Line], line: Line, right: float, style: Style) -> bool:
    last, text = paragraph[-1], line.text
    gap = last.y - line.y
    if gap < 0 or gap > 1.75 * max(last.size, line.size):
        return True
    if len(paragraph) > 1 and gap > 1.22 * (paragraph[-2].y - last.y) > 0:
        return True
    if abs(last.size - line.size) > 0.06 * last.size:
        return True
    if last.bold != line.bold:
        # A bold word or two at the head of a paragraph does not end it.
        title = last.bold and len(paragraph) == 1 and _looks_like_title(last.text)
        return title or _END.search(last.text) is not None
    if _BULLET.match(text) or _CLAUSE.match(text):
        return True
    if len(line.fragments) > 1 and _NUMBER.fullmatch(line.fragments[0].text):
        return True
    if _ITEM.match(text) and (_END.search(last.text) or _ITEM.match(paragraph[0].text)):
        return True
    if _heading_level(paragraph, style):
        return not _goes_on_in_heading(last, line, gap)
    if _NUMBERED.match(text) and _END.search(last.text) and _looks_like_title(text):
        return True
    # A line that ends its sentence well before the edge ends the paragraph.
    width = right - paragraph[0].x0
    ended = re.search(r"[.!?:;][\"'”’)\]]*$", last.text) is not None
    return ended and width > 0 and last.x1 < right - 0.2 * width and text[:1].isupper()


def _goes_on_in_heading(last: Line, line: Line, gap: float) -> bool:
    """Whether a line is the second of a heading that is too long for one."""
    if _NUMBERED.match(line.text) or gap > 1.5 * last.size:
        return False
    return line.bold == last.bold and (last.bold or line.text[:1].islower() or line.text[0] == "(")


def _paragraph(lines: list[Line], style: Style, hyphens: Hyphens) -> Iterator[Block]:
    if not lines:
        return
    text = ""
    for line in lines:
        text = hyphens.join(text, line.text) if text else line.text
    text = " ".join(_LEADER_LINE.sub(" …", text).split())
    level = _heading_level(lines, style)
    if level:
        yield Block(text, Kind.HEADING, level)
    elif _BULLET.match(text):
        yield Block(_BULLET.sub("• ", text, count=1), Kind.ITEM)
    elif _ITEM.match(text) and not _CLAUSE.match(text):
        yield Block(text, Kind.ITEM)
    else:
        yield Block(text)


def _rows(table: Table, former: Former) -> Iterator[Block]:
    header = table.header
    same = len(former.columns) == len(table.columns) and all(
        abs(a - b) < 4 for a, b in zip(former.columns, table.columns, strict=False)
    )
    if header is None and same:
        header = former.header
    former.header, former.columns = header, table.columns
    for text in row_texts(table, header):
        yield Block(text, Kind.ROW)


def _heading_level(lines: list[Line], style: Style) -> int:
    """1 for the outermost headings; 0 where the lines are no heading."""
    text = " ".join(line.text for line in lines)
    if (
        len(text.split()) > _HEADING_WORDS
        or _BULLET.match(text)
        or not re.search(r"[^\W\d_]", text)
    ):
        return 0
    listed = style.outline.get(outline_key(text))
    if listed:
        return listed
    numbered = _NUMBERED.match(text)
    larger = all(line.size >= _LARGER * style.body for line in lines)
    bold = all(line.bold for line in lines)
    if _END.search(text) and not text.endswith(("?", "…")):
        return 0
    if larger or bold:
        if numbered:
            return numbered["number"].count(".") + 1
        return 1 if larger and max(line.size for line in lines) >= 1.25 * style.body else 2
    if numbered and "." not in numbered["number"] and _looks_like_title(text) and len(lines) == 1:
        return 1
    return 0


def _looks_like_title(text: str) -> bool:
    """`4. Carrying leave over`: numbered, short, without a verb's sentence end or a figure."""
    numbered = _NUMBERED.match(text)
    if numbered is None or not re.match(r"\d", text):
        return numbered is None and len(text.split()) <= 8 and not _END.search(text)
    title = numbered["title"]
    return len(title.split()) <= 8 and not _END.search(title) and not re.search(r"\d", title)


def outline_key(text: str) -> str:
    """A heading as it is compared with the outline: small letters and digits alone."""
    return re.sub(r"[\W_]+", "", text.lower())


def _without_contents(blocks: list[Block], former: Former) -> list[Block]:
    """Drop a table of contents: its lines name rules, they state none."""
    kept: list[Block] = []
    for block in blocks:
        if _CONTENTS.fullmatch(block.text.strip()):
            former.contents = True
        elif block.text.endswith(" …") or (former.contents and _TOC_ROW.match(block.text)):
            continue
        else:
            former.contents = False
            kept.append(block)
    return kept
