"""Fragments of one column -> lines, and the tables that stand between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.pdf.columns import ENUMERATOR, Item
from knowledge.pdf.tables import Table, aligned_table
from knowledge.pdf.words import Fragment

_SAME_LINE = 0.35
_ROW_GAP = 2.6
_LEADER = re.compile(r"(?:\s*[.·…_]){3,}\s*")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text in a column; `fragments` run from left to right."""

    fragments: tuple[Fragment, ...]

    @property
    def text(self) -> str:
        return " ".join(fragment.text for fragment in self.fragments)

    @property
    def x0(self) -> float:
        return self.fragments[0].x0

    @property
    def x1(self) -> float:
        return max(fragment.x1 for fragment in self.fragments)

    @property
    def y(self) -> float:
        return self.main.y

    @property
    def size(self) -> float:
        return self.main.size

    @property
    def bold(self) -> bool:
        return sum(len(f.text) for f in self.fragments if f.bold) * 2 > len(self.text)

    @property
    def main(self) -> Fragment:
        """The fragment with the most text."""
        return max(self.fragments, key=lambda fragment: len(fragment.text))


def lines_and_tables(column: Sequence[Item]) -> list[Line | Table]:
    """The lines of a column from the top down; lines that form a table become one."""
    found: list[Line | Table] = []
    row: list[Fragment] = []
    for item in column:
        if isinstance(item, Table):
            found += _line(row)
            row = []
            found.append(item)
        elif row and abs(row[0].y - item.y) <= _SAME_LINE * max(row[0].size, item.size):
            row.append(item)
        else:
            found += _line(row)
            row = [item]
    found += _line(row)
    return _with_aligned_tables(found)


def _line(row: list[Fragment]) -> list[Line | Table]:
    return [Line(tuple(sorted(row, key=lambda f: f.x0)))] if row else []


def _with_aligned_tables(found: list[Line | Table]) -> list[Line | Table]:
    kept: list[Line | Table] = []
    run: list[Line] = []
    for item in found:
        if (
            isinstance(item, Line)
            and run
            and run[-1].y - item.y < _ROW_GAP * item.size
            and (_cells(item) > 1 or _continues_a_cell(run, item))
        ):
            run.append(item)
            continue
        kept += _closed(run)
        run = []
        if isinstance(item, Line) and _cells(item) > 1:
            run = [item]
        else:
            kept.append(item)
    return kept + _closed(run)


def _closed(run: list[Line]) -> list[Line | Table]:
    # A table needs two rows of several cells; a wrapped cell at the end belongs to the text below.
    loose: list[Line] = []
    while run and _cells(run[-1]) < 2:
        loose.insert(0, run.pop())
    rows = [list(line.fragments) for line in run]
    table = aligned_table(rows) if len(run) > 1 else None
    return [*([table] if table else run), *loose]


def _cells(line: Line) -> int:
    """How many cells a line would have as a table row: its number and leaders are none."""
    own = [f for f in line.fragments if not _LEADER.fullmatch(f.text)]
    if own and ENUMERATOR.fullmatch(own[0].text) and len(own) == 2:
        return 1
    return len(own)


def _continues_a_cell(run: list[Line], line: Line) -> bool:
    """Whether a lone fragment stands under a later cell of the row above it."""
    starts = [fragment.x0 for fragment in run[-1].fragments[1:]] or [
        fragment.x0 for fragment in run[0].fragments[1:]
    ]
    return any(abs(line.x0 - start) < 3 for start in starts) and line.x0 > run[0].x0 + 12
