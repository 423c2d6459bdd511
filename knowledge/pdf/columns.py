"""Reading order: columns one after the other, with what spans them in between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import mean

from knowledge.pdf.tables import Table
from knowledge.pdf.words import Fragment

Item = Fragment | Table

ENUMERATOR = re.compile(
    r"[A-Z]{0,3}\d+(?:\.\d+)*[.)]?|\(?(?:\d+|[a-zA-Z]|[ivxlIVX]+)[.)]|[•‣▪◦–—·○●■□✓-]"
)
_PROSE_WORDS = 3.0
_MID_SENTENCE = 0.2
_GUTTER = 7.0
_NARROWEST = 0.28
_MAX_SPLITS = 4


def reading_order(items: Sequence[Item], depth: int = 0) -> list[list[Item]]:
    """The items as columns in reading order; within a column they run from the top down."""
    gutter = _gutter(items) if depth < _MAX_SPLITS else None
    if gutter is None:
        return [sorted(items, key=lambda item: (-_top(item), _x0(item)))]
    bands: list[list[Item]] = []
    spanning = sorted((i for i in items if _crosses(i, gutter)), key=_top, reverse=True)
    rest = [item for item in items if not _crosses(item, gutter)]
    for item in spanning:
        beside = [other for other in rest if abs(_top(other) - _top(item)) < 3]
        above = [other for other in rest if _top(other) > _top(item) and other not in beside]
        rest = [other for other in rest if other not in above and other not in beside]
        title = _title_of(above, gutter)
        bands += _halves([other for other in above if other not in title], gutter, depth)
        bands.append([*title, *sorted([*beside, item], key=_x0)])
    return [band for band in bands + _halves(rest, gutter, depth) if band]


def _halves(items: list[Item], gutter: float, depth: int) -> list[list[Item]]:
    left = [item for item in items if _x0(item) < gutter]
    right = [item for item in items if _x0(item) >= gutter]
    return [column for half in (left, right) if half for column in reading_order(half, depth + 1)]


def _title_of(above: list[Item], gutter: float) -> list[Item]:
    """The heading, below both columns, of what spans them next."""
    lowest = min(above, key=_top, default=None)
    if not isinstance(lowest, Fragment) or not lowest.bold or lowest.x0 >= gutter:
        return []
    others = [item for item in above if item is not lowest]
    clear = all(_top(item) > lowest.y + 1.5 * lowest.size for item in others)
    return [lowest] if clear and any(_x0(item) >= gutter for item in others) else []


def _gutter(items: Sequence[Item]) -> float | None:
    """Where the right column begins, if the items stand in two columns of running text."""
    if len(items) < 4:
        return None
    left, right = min(map(_x0, items)), max(map(_x1, items))
    best: tuple[float, float] | None = None
    for start in sorted({round(_x0(item)) for item in items}):
        if not left + _NARROWEST * (right - left) <= start <= right - _NARROWEST * (right - left):
            continue
        gutter = start - 2.0
        before = [i for i in items if _x1(i) <= gutter - _GUTTER]
        after = [i for i in items if _x0(i) >= gutter]
        crossing = len(items) - len(before) - len(after)
        if not (_is_prose(before) and _is_prose(after) and _side_by_side(before, after)):
            continue
        # One item in four may span the columns, a title or a table.
        fewer = min(len(_texts(before)), len(_texts(after)))
        if crossing > max(1, len(items) / 4):
            continue
        score = fewer - 4.0 * crossing
        if best is None or score > best[0]:
            best = (score, gutter)
    return best[1] if best else None


def _is_prose(items: Sequence[Item]) -> bool:
    """Whether these are lines of running text: several words long, some in mid-sentence.

    A table's cells may be as long, but each begins anew.
    """
    texts = _texts(items)
    if len(texts) < 2 or mean(len(text.split()) for text in texts) < _PROSE_WORDS:
        return False
    return sum(text[0].islower() for text in texts) >= _MID_SENTENCE * len(texts)


def _texts(items: Sequence[Item]) -> list[str]:
    """The texts of the fragments, without those that are only a number or a bullet."""
    return [i.text for i in items if isinstance(i, Fragment) and not ENUMERATOR.fullmatch(i.text)]


def _side_by_side(before: Sequence[Item], after: Sequence[Item]) -> bool:
    low, high = min(map(_top, after)), max(map(_top, after))
    beside = [item for item in before if low - 3 <= _top(item) <= high + 3]
    return len(beside) > 1


def _crosses(item: Item, gutter: float) -> bool:
    return _x0(item) < gutter and _x1(item) > gutter - _GUTTER


def _top(item: Item) -> float:
    return item.top if isinstance(item, Table) else item.y


def _x0(item: Item) -> float:
    return item.x0


def _x1(item: Item) -> float:
    return item.x1
