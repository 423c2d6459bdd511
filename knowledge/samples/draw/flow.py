"""Blocks of a sample policy as reportlab flowables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise, takewhile

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import (
    BalancedColumns,
    CallerMacro,
    CondPageBreak,
    Flowable,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    Paragraph,
    Table,
)

from knowledge.samples.draw.blocks import Block, Clause, Heading, Item, Rows, Text
from knowledge.samples.draw.styles import GUTTER, MARGIN, PAGE_HEIGHT, PAGE_WIDTH, RULE, SHADE, Look

COLUMN_COLUMNS = 3
"""The most columns of a table that still fits into one of two text columns."""
WIDTH = PAGE_WIDTH - 2 * MARGIN
COLUMN_WIDTH = (WIDTH - GUTTER) / 2
LANDSCAPE_WIDTH = PAGE_HEIGHT - 2 * MARGIN
SHORT_LIST = 4
"""A list of at most so many items is kept on one page."""
SHORT_TABLE = 14
"""A table of at most so many rows is kept on one page."""
ROOM = 130
"""The height that a longer table with its lead-in needs on the page that it begins on."""
MOST = 300.0
"""The width up to which a long cell claims more room than its neighbours."""
_PADDING = 12.0
_UNBROKEN = re.compile(r"[A-Z]{3} [\d.,]+\S*|\S+")

OnHeading = Callable[[Heading, int], None]
"""Called as each heading is drawn, with its physical page."""


def single(blocks: Sequence[Block], look: Look, on_heading: OnHeading) -> list[Flowable]:
    """All blocks down the full width of the page."""
    draw = Pen(look, on_heading)
    return _without_blank_end([part for group in _groups(blocks) for part in draw.across(group)])


def two_columns(blocks: Sequence[Block], look: Look, on_heading: OnHeading) -> list[Flowable]:
    """Blocks in two balanced columns; wide tables, with what must stay by them, across both."""
    draw = Pen(look, on_heading)
    flow: list[Flowable] = []
    for wide, groups in groupby(_groups(blocks), key=_is_wide):
        if wide:
            flow += [part for group in groups for part in draw.across(group)]
        else:
            flow.append(_balanced([part for group in groups for part in draw.in_column(group)]))
    return _without_blank_end(flow)


def _without_blank_end(flow: list[Flowable]) -> list[Flowable]:
    return flow[:-1] if isinstance(flow[-1], PageBreak) else flow


def _balanced(parts: list[Flowable]) -> Flowable:
    _collapse(parts)
    parts[0].spaceBefore = 0
    return BalancedColumns(
        parts,
        nCols=2,
        needed=90,
        innerPadding=GUTTER,
        leftPadding=0,
        rightPadding=0,
        topPadding=0,
        bottomPadding=0,
        name="columns",
    )


def _collapse(parts: list[Flowable]) -> None:
    """Put the space between parts after the first of two: it must not push down a column's head."""
    for part, after in pairwise(parts):
        part.spaceAfter = max(part.getSpaceAfter(), after.getSpaceBefore())
        after.spaceBefore = 0


def _is_wide(group: Sequence[Block]) -> bool:
    return any(
        isinstance(block, Rows) and (block.landscape or len(block.rows[0]) > COLUMN_COLUMNS)
        for block in group
    )


def _groups(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Runs of blocks that no page break may part: what leads in, a short list, a table."""
    group: list[Block] = []
    for at, block in enumerate(blocks):
        group.append(block)
        if not _stays(blocks, at):
            yield group
            group = []


def _stays(blocks: Sequence[Block], at: int) -> bool:
    """Whether the block must stand on the page on which the next one begins."""
    block, after = blocks[at], next(iter(blocks[at + 1 : at + 2]), None)
    if after is None or isinstance(block, Rows):
        return False
    if isinstance(block, Item):
        return isinstance(after, Item) and _list_length(blocks, at) <= SHORT_LIST
    return isinstance(block, Heading) or isinstance(after, Rows | Item)


def _list_length(blocks: Sequence[Block], at: int) -> int:
    """How many items the list has that the item at `at` belongs to."""
    before = takewhile(_is_item, reversed(blocks[:at]))
    return sum(1 for _ in chain(before, takewhile(_is_item, blocks[at:])))


def _is_item(block: Block) -> bool:
    return isinstance(block, Item)


@dataclass(frozen=True, slots=True)
class Pen:
    """Draws groups of blocks in one look."""

    look: Look
    on_heading: OnHeading

    def across(self, group: list[Block]) -> list[Flowable]:
        """The group at the full width of its page."""
        last = group[-1]
        if isinstance(last, Rows) and last.landscape:
            turn, back = NextPageTemplate("landscape"), NextPageTemplate("body")
            return [turn, PageBreak(), *self._parts(group, LANDSCAPE_WIDTH), back, PageBreak()]
        parts = self._parts(group, WIDTH)
        if len(group) == 1:
            return parts
        return [CondPageBreak(ROOM), *parts] if _is_long(last) else [KeepTogether(parts)]

    def in_column(self, group: list[Block]) -> list[Flowable]:
        """The group in one of two columns."""
        parts = self._parts(group, COLUMN_WIDTH)
        return parts if len(group) == 1 or _is_long(group[-1]) else [_box(parts)]

    def _parts(self, group: list[Block], width: float) -> list[Flowable]:
        return [part for block in group for part in self._draw(block, width)]

    def _draw(self, block: Block, width: float) -> list[Flowable]:
        look = self.look
        match block:
            case Heading(level=level, text=text):
                style = look.heading(level)
                title = Paragraph(text, style)
                title.spaceBefore = 0
                return [self._mark(block, style.spaceBefore), title]
            case Clause(number=number, text=text):
                return [Paragraph(text, look.body(left=look.indent), bulletText=number)]
            case Item(depth=depth, mark=mark, text=text):
                return [Paragraph(text, look.item(depth), bulletText=mark or None)]
            case Text(text=text):
                return [Paragraph(text, look.body())]
            case Rows(rows=rows):
                return [table(rows, look, width)]

    def _mark(self, heading: Heading, space_before: float) -> Flowable:
        """Puts the heading into the PDF's outline where it is drawn.

        It takes over the heading's space: KeepTogether counts none before a second part.
        """

        def draw(macro: CallerMacro, *_size: float) -> None:
            canvas = macro.canv
            page = canvas.getPageNumber()
            key = f"{heading.text}, page {page}"
            canvas.bookmarkHorizontal(key, 0, 22)
            canvas.addOutlineEntry(_plain(heading.text), key, heading.level - 1)
            self.on_heading(heading, page)

        mark = CallerMacro(drawCallable=draw)
        mark.spaceBefore = space_before
        return mark


def _is_long(block: Block) -> bool:
    return isinstance(block, Rows) and len(block.rows) > SHORT_TABLE


def _box(parts: list[Flowable]) -> Flowable:
    """Parts that stay together in a column, where KeepTogether does nothing."""
    corner = (0, 0), (-1, -1)
    sides = ("LEFTPADDING", "RIGHTPADDING", "TOPPADDING", "BOTTOMPADDING")
    style = [(side, *corner, 0) for side in sides]
    _collapse(parts)
    return Table(
        [[parts]],
        colWidths=[COLUMN_WIDTH],
        style=style,
        spaceBefore=parts[0].getSpaceBefore(),
        spaceAfter=parts[-1].getSpaceAfter(),
    )


def table(rows: list[list[str]], look: Look, width: float) -> Table:
    """A ruled table with a shaded header that is repeated on each page."""
    header = [Paragraph(text, look.cell(header=True)) for text in rows[0]]
    body = [[Paragraph(text, look.cell()) for text in row] for row in rows[1:]]
    return Table(
        [header, *body],
        colWidths=_widths(rows, look, width),
        repeatRows=1,
        hAlign="LEFT",
        spaceBefore=look.size * 0.8,
        spaceAfter=look.size * 1.2,
        style=[
            ("GRID", (0, 0), (-1, -1), 0.5, RULE),
            ("BACKGROUND", (0, 0), (-1, 0), SHADE),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), _PADDING / 2),
            ("RIGHTPADDING", (0, 0), (-1, -1), _PADDING / 2),
            ("TOPPADDING", (0, 0), (-1, -1), 4),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4.5),
        ],
    )


def _widths(rows: list[list[str]], look: Look, width: float) -> list[float]:
    """Column widths in proportion to their texts, each wide enough for what may not be broken."""
    columns = [[_plain(text) for text in column] for column in zip(*rows, strict=True)]

    def widest(texts: Iterable[str]) -> float:
        points: list[float] = [stringWidth(text, look.bold, look.size - 1.2) for text in texts]
        return max(points) + _PADDING + 1

    wished = [min(widest(column), MOST) for column in columns]
    for short in (14, 0):
        least = [
            widest(part for text in column for part in _parts(text, short)) for column in columns
        ]
        if sum(least) <= width:
            break
    extra = [max(wish - low, 0) + 8 for wish, low in zip(wished, least, strict=True)]
    spare = width - sum(least)
    return [low + spare * more / sum(extra) for low, more in zip(least, extra, strict=True)]


def _parts(text: str, short: int) -> list[str]:
    """What a cell is not broken within: a short text, a word, an amount with its currency."""
    return [text] if len(text) <= short else _UNBROKEN.findall(text) or [""]


def _plain(markup: str) -> str:
    for tag in ("<b>", "</b>", "<i>", "</i>"):
        markup = markup.replace(tag, "")
    markup = markup.replace("<br/>", " ").replace("\n", " ")
    return markup.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
