"""Tables: cells by the ruled lines around them, or by the columns that their words stand in."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from knowledge.pdf.content import Rule
from knowledge.pdf.words import Fragment

_TOUCH = 3.0
_ROW_LIMIT = 120.0
_COLUMN_GAP = 6.0
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d(?:[/–-]\d{2,4})?")


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell and whether most of it is bold."""

    text: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table's rows, each with one cell for each column, and the box that it fills.

    `columns` are the left edges of the columns.
    """

    rows: tuple[tuple[Cell, ...], ...]
    columns: tuple[float, ...]
    x0: float
    x1: float
    top: float
    bottom: float

    @property
    def header(self) -> tuple[str, ...] | None:
        """The first row where it names the columns, else None."""
        if len(self.rows) < 2 or len(self.columns) < 2:
            return None
        first, rest = self.rows[0], self.rows[1:]
        if not any(cell.text for cell in first[1:]):
            return None
        bold = all(cell.bold for cell in first if cell.text)
        plain = any(not cell.bold for row in rest for cell in row if cell.text)
        if (bold and plain) or _names_numbers(first, rest):
            return tuple(cell.text for cell in first)
        return None


def row_texts(table: Table, header: tuple[str, ...] | None) -> list[str]:
    """Each row as one line, each cell tied to the name of its column where there is one."""
    rows = table.rows[1:] if header is not None and header == table.header else table.rows
    texts = []
    for row in rows:
        if header is None:
            cells = [cell.text or "–" for cell in row]
        else:
            cells = [
                f"{name}: {cell.text}" if name else cell.text
                for name, cell in zip(header, row, strict=True)
                if cell.text
            ]
        texts.append(" | ".join(cells))
    return [text for text in texts if text.strip(" |–")]


def ruled_tables(found: list[Fragment], rules: list[Rule]) -> tuple[list[Table], list[Fragment]]:
    """The tables that ruled lines show, and the fragments that are in none of them."""
    tables: list[Table] = []
    rest = found
    for group in _groups(rules):
        table, rest = _grid(group, rest)
        if table is not None:
            tables.append(table)
    return tables, rest


def _groups(rules: list[Rule]) -> list[list[Rule]]:
    """Lines that hang together: by touching, or one under the other with the same ends."""
    groups = _touching(rules)
    grids = [group for group in groups if any(not rule.horizontal for rule in group)]
    bare = [rule for group in groups if group not in grids for rule in group]
    return [*grids, *_stacks(bare)]


def _touching(rules: list[Rule]) -> list[list[Rule]]:
    parents = list(range(len(rules)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    order = sorted(range(len(rules)), key=lambda n: rules[n].x0)
    for place, n in enumerate(order):
        for m in order[place + 1 :]:
            if rules[m].x0 > rules[n].x1 + _TOUCH:
                break
            if _touch(rules[n], rules[m]):
                parents[root(m)] = root(n)
    groups: dict[int, list[Rule]] = {}
    for n, rule in enumerate(rules):
        groups.setdefault(root(n), []).append(rule)
    return list(groups.values())


def _stacks(bare: list[Rule]) -> list[list[Rule]]:
    """Horizontal lines with the same ends, each no further than a row from the next."""
    stacks: list[list[Rule]] = []
    for rule in sorted(bare, key=lambda r: -r.y0):
        for stack in stacks:
            last = stack[-1]
            same = abs(last.x0 - rule.x0) < _TOUCH and abs(last.x1 - rule.x1) < _TOUCH
            if same and last.y0 - rule.y0 < _ROW_LIMIT:
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return stacks


def _touch(a: Rule, b: Rule) -> bool:
    return (
        a.x0 - _TOUCH <= b.x1
        and b.x0 - _TOUCH <= a.x1
        and a.y0 - _TOUCH <= b.y1
        and b.y0 - _TOUCH <= a.y1
    )


def _grid(group: list[Rule], found: list[Fragment]) -> tuple[Table | None, list[Fragment]]:
    across = [rule for rule in group if rule.horizontal]
    upright = [rule for rule in group if not rule.horizontal]
    ys = _distinct([rule.y0 for rule in across])[::-1]
    if len(ys) < (2 if upright else 3):
        return None, found
    x0, x1 = min(rule.x0 for rule in across), max(rule.x1 for rule in across)
    wide = [f for f in found if x0 - _TOUCH <= f.x0 <= x1]
    inside = [f for f in wide if ys[-1] < _middle(f) < ys[0]]
    if not inside:
        return None, found
    if upright:
        xs = [x for x in _distinct([r.x0 for r in upright]) if x0 + _TOUCH < x < x1 - _TOUCH]
    else:
        xs = _gutters(inside)
        above = _row_above(wide, ys, median(f.size for f in inside))
        if above and _gutters(inside + above) == xs:
            ys.insert(0, max(_middle(f) for f in above) + 1)
            inside += above
    if not xs:
        return None, found
    bounds = [x0, *xs, x1]
    rows: list[tuple[Cell, ...]] = []
    lines: list[float] = []
    for top, bottom in itertools.pairwise(ys):
        own = [f for f in inside if bottom < _middle(f) <= top]
        if own:
            rows.append(_row(own, bounds))
            lines.append(top)
    rows = _filled(rows, lines, across, bounds)
    table = Table(tuple(rows), tuple(bounds[:-1]), x0, x1, ys[0], ys[-1])
    return table, [f for f in found if f not in inside]


def _row_above(wide: list[Fragment], ys: list[float], size: float) -> list[Fragment]:
    """The first row of a table that has no line on top: the lines close over its first line."""
    row: list[Fragment] = []
    top = ys[0]
    height = top + max(1.2 * size, 0.9 * (top - ys[1]))
    for fragment in sorted((f for f in wide if _middle(f) > top), key=_middle):
        if _middle(fragment) > height or fragment.size > 1.15 * size:
            break
        row.append(fragment)
        height = _middle(fragment) + 1.5 * size
    return row if len({round(f.x0) for f in row}) > 1 else []


def _middle(fragment: Fragment) -> float:
    return fragment.y + fragment.size / 3


def _row(own: list[Fragment], bounds: Sequence[float]) -> tuple[Cell, ...]:
    cells: list[list[Fragment]] = [[] for _ in bounds[1:]]
    for fragment in own:
        middle = fragment.x0 + min(fragment.x1 - fragment.x0, fragment.size) / 2
        at = max((n for n, x in enumerate(bounds[:-1]) if x <= middle), default=0)
        cells[at].append(fragment)
    return tuple(_cell(cell) for cell in cells)


def _cell(own: list[Fragment]) -> Cell:
    own = sorted(own, key=lambda f: (-round(f.y), f.x0))
    text = ""
    for fragment in own:
        if text.endswith("-") and fragment.text[:1].islower():
            text = text[:-1] + fragment.text
        else:
            text = f"{text} {fragment.text}".strip()
    return Cell(text, bool(own) and sum(f.bold for f in own) * 2 > len(own))


def _filled(
    rows: list[tuple[Cell, ...]],
    lines: list[float],
    across: list[Rule],
    bounds: list[float],
) -> list[tuple[Cell, ...]]:
    """A cell that is merged over several rows says the same in each of them.

    `lines` are the heights of the rows' upper edges.
    """
    filled = [list(row) for row in rows]
    for number in range(1, len(rows)):
        above, row = filled[number - 1], filled[number]
        for column, (left, right) in enumerate(itertools.pairwise(bounds)):
            middle = (left + right) / 2
            divided = any(
                abs(rule.y0 - lines[number]) < _TOUCH and rule.x0 - 1 <= middle <= rule.x1 + 1
                for rule in across
            )
            if divided:
                continue
            if not row[column].text:
                row[column] = above[column]
            elif not above[column].text:
                # The words stand in the middle of the merged cell, beside its second row.
                above[column] = row[column]
    return [tuple(row) for row in filled]


def aligned_table(lines: list[list[Fragment]]) -> Table | None:
    """Lines of several fragments as a table without ruled lines; None where they are none.

    `lines` run from the top down, each from left to right.
    """
    everything = [fragment for line in lines for fragment in line]
    starts = _gutters(everything)
    if not starts:
        return None
    x0, x1 = min(f.x0 for f in everything), max(f.x1 for f in everything)
    bounds = [x0, *starts, x1 + 1]
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        row = _row(line, bounds)
        if rows and not row[0].text and sum(1 for cell in row if cell.text) < len(row) - 1:
            before = rows[-1]
            wrapped = all(b.text or not c.text for b, c in zip(before, row, strict=True))
            if wrapped:
                rows[-1] = tuple(
                    replace(b, text=f"{b.text} {c.text}".strip())
                    for b, c in zip(before, row, strict=True)
                )
                continue
        rows.append(row)
    if len(rows) < 2:
        return None
    top = max(f.y + f.size for f in everything)
    return Table(tuple(rows), tuple(bounds[:-1]), x0, x1, top, min(f.y for f in everything))


def _gutters(found: list[Fragment]) -> list[float]:
    """Where columns begin: right of the gaps that no fragment crosses."""
    starts: list[float] = []
    edge: float | None = None
    for fragment in sorted(found, key=lambda f: f.x0):
        if edge is not None and fragment.x0 - edge >= _COLUMN_GAP:
            starts.append(fragment.x0 - _COLUMN_GAP / 2)
        edge = max(edge or fragment.x1, fragment.x1)
    return starts


def _names_numbers(first: tuple[Cell, ...], rest: tuple[tuple[Cell, ...], ...]) -> bool:
    """Whether words or years stand over numbers."""
    found = False
    for column, name in enumerate(first[1:], start=1):
        year = _YEAR.fullmatch(name.text) is not None
        if _DIGIT.search(name.text) and not year:
            return False
        below = [row[column].text for row in rest if row[column].text]
        numbers = all(_DIGIT.search(text) and not _YEAR.fullmatch(text) for text in below)
        # A name and a number below each other may as well be two facts in a list of facts.
        clear = year or len(below) > 1 or len(first) > 2
        found |= bool(name.text and below) and numbers and clear
    return found


def _distinct(values: list[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _TOUCH:
            found.append(value)
    return found
