"""Running headers and footers: what comes back at the same place on page after page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.pdf.content import Drawing, Rule
from knowledge.pdf.tables import Table
from knowledge.pdf.words import Fragment

_ZONE = 0.14
_GRID = 3.0
_PAGES = 0.4
_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*(?:page|p\.?|seite)?\s*(?:#|%)\s*(?:(?:of|/|von)\s*(?:#|%))?[-–—|\s]*"
)
_PAGE_IN_TEXT = re.compile(r"(?:page|p\.|seite)\s*\d+|\d+\s*(?:of|/|von)\s*\d+|^\W*\d+|\d+\W*$")
_FEW_WORDS = 4
_BARE = re.compile(r"[\W\d_]*(?:[#%a-z][\W_]*){1,4}")
_ROMAN = re.compile(r"\b[ivxlc]+\b")


@dataclass(slots=True)
class Layout:
    """A page's loose fragments and its ruled tables."""

    width: float
    height: float
    fragments: list[Fragment]
    tables: list[Table]


def without_running_rules(drawings: Sequence[Drawing]) -> list[list[Rule]]:
    """Each page's ruled lines without those of its running header and footer."""
    counts: dict[tuple[int, int, int], int] = {}
    for drawing in drawings:
        for place in {_place(rule) for rule in drawing.rules if rule.horizontal}:
            counts[place] = counts.get(place, 0) + 1
    enough = max(2, _PAGES * len(drawings))
    return [
        [
            rule
            for rule in drawing.rules
            if not rule.horizontal
            or _ZONE * drawing.height < rule.y0 < (1 - _ZONE) * drawing.height
            or counts[_place(rule)] < enough
            or any(_meets(rule, other) for other in drawing.rules if not other.horizontal)
        ]
        for drawing in drawings
    ]


def _meets(across: Rule, upright: Rule) -> bool:
    """Whether an upright line touches a horizontal one, as in a table's grid."""
    return (
        across.x0 - _GRID <= upright.x0 <= across.x1 + _GRID
        and upright.y0 - _GRID <= across.y0 <= upright.y1 + _GRID
    )


def _place(rule: Rule) -> tuple[int, int, int]:
    return round(rule.x0), round(rule.x1), round(rule.y0)


def without_furniture(pages: Sequence[Layout]) -> list[Layout]:
    """The pages without running headers, footers and page numbers."""
    counts: dict[tuple[str, int], set[int]] = {}
    for number, page in enumerate(pages):
        for text, place in _marks(page):
            for near in (-1, 0, 1):
                counts.setdefault((text, place + near), set()).add(number)
    enough = max(2, _PAGES * len(pages))

    def recurs(text: str, y: float, page: Layout) -> bool:
        return len(counts.get((_recurring(text), _depth(y, page)), ())) >= enough

    kept: list[Layout] = []
    for page in pages:
        gone = {
            id(f)
            for f in page.fragments
            if _in_zone(f.y, page) and (recurs(f.text, f.y, page) or _is_page_number(f, page))
        }
        # Clause numbers differ by their figures alone, so the text beside a bare number decides.
        loose = [
            f
            for f in page.fragments
            if id(f) not in gone
            or (
                _BARE.fullmatch(_key(f.text))
                and any(id(o) not in gone and abs(o.y - f.y) < _GRID for o in page.fragments)
            )
        ]
        tables = [
            table
            for table in page.tables
            if not (_in_zone(table.bottom, page) and recurs(_table_text(table), table.top, page))
        ]
        kept.append(Layout(page.width, page.height, loose, tables))
    return kept


def _marks(page: Layout) -> list[tuple[str, int]]:
    marks = [(_recurring(f.text), _depth(f.y, page)) for f in page.fragments if _in_zone(f.y, page)]
    tables = [table for table in page.tables if _in_zone(table.bottom, page)]
    return marks + [(_recurring(_table_text(table)), _depth(table.top, page)) for table in tables]


def _depth(y: float, page: Layout) -> int:
    """How far from the nearer edge a height is: the same on upright pages and on turned ones."""
    if y > page.height / 2:
        return round((page.height - y) / _GRID)
    return -round(y / _GRID) - 10


def _recurring(text: str) -> str:
    """A text as it comes back: the page's number in it may change, a figure amid words may not."""
    if len(text.split()) < _FEW_WORDS:
        return _key(text)
    return _ROMAN.sub("%", _PAGE_IN_TEXT.sub("#", text.lower()))


def _key(text: str) -> str:
    return _ROMAN.sub("%", re.sub(r"\d+", "#", text.lower()))


def _in_zone(y: float, page: Layout) -> bool:
    return y < _ZONE * page.height or y > (1 - _ZONE) * page.height


def _is_page_number(fragment: Fragment, page: Layout) -> bool:
    lowest = min((f.y for f in page.fragments), default=0.0)
    highest = max((f.y for f in page.fragments), default=0.0)
    outermost = fragment.y <= lowest + 1 or fragment.y >= highest - 1
    return outermost and _PAGE_NUMBER.fullmatch(_key(fragment.text)) is not None


def _table_text(table: Table) -> str:
    return " | ".join(cell.text for row in table.rows for cell in row)
