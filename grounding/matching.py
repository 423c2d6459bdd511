"""Whether two quantities say the same: "two weeks" and "14 days", "£45" and "45 pounds"."""

from __future__ import annotations

import re
from datetime import date

from grounding.measures import (
    DOLLARS,
    SMALL_CHANGE,
    UNIT_SIZES,
    Kind,
    Quantity,
    currencies_in,
)

DURATIONS = frozenset({Kind.CLOCK, Kind.WORKDAY, Kind.CALENDAR})
_DAY = 1440
_WORKING_WEEK = 5
_YEAR_OF_WEEKS = 52 * 7 * _DAY
_PERCENT_WORD = re.compile(r"%|per\s?cent", re.IGNORECASE)


def says(held: Quantity, claimed: Quantity, source_text: str) -> bool:
    """Whether `held`, a quantity of the source, is the one that the claim gives.

    A part that the claim leaves out is no difference: "31 March" for "31 March 2026".
    """
    kinds = {claimed.kind, held.kind}
    if kinds == {Kind.DATE}:
        return _same_date(claimed, held)
    if kinds == {Kind.TIME}:
        apart = claimed.value - held.value
        return apart == 0 if claimed.exact and held.exact else apart % 720 == 0
    if Kind.ORDINAL in kinds:
        # "From the eighth day" is "after seven days".
        apart = _number(held) - _number(claimed)
        return abs(apart) <= 1 if claimed.kind is Kind.ORDINAL else apart in (0, 1)
    if len(kinds) == 2:
        return _across_kinds(claimed, held, source_text)
    if claimed.kind is Kind.MONEY and not _same_currency(claimed.unit, held.unit):
        return False
    if claimed.kind is Kind.LABEL and claimed.unit != held.unit:
        return False
    return _close(claimed.value, held.value)


def same_kind(one: Quantity, other: Quantity) -> bool:
    """Whether one could stand where the other does."""
    if one.kind in DURATIONS:
        return other.kind in DURATIONS
    if one.kind is Kind.COUNT and other.kind is Kind.COUNT:
        return one.unit == other.unit
    return one.kind is other.kind


def _across_kinds(claimed: Quantity, held: Quantity, source_text: str) -> bool:
    kinds = {claimed.kind, held.kind}
    if kinds == {Kind.CLOCK, Kind.WORKDAY}:
        clock, work = (claimed, held) if claimed.kind is Kind.CLOCK else (held, claimed)
        weeks = work.value / _WORKING_WEEK * 7 * _DAY
        plain = clock.unit != "calendar day" and clock.value == work.value * _DAY
        return plain or clock.value == weeks
    if kinds == {Kind.CLOCK, Kind.CALENDAR}:
        return {claimed.value, held.value} == {float(_YEAR_OF_WEEKS), 12.0}
    if kinds == {Kind.TIMES, Kind.PERCENT}:
        times, percent = (claimed, held) if claimed.kind is Kind.TIMES else (held, claimed)
        return _close(100 * times.value, percent.value)
    if kinds == {Kind.PERCENT, Kind.COUNT}:
        return claimed.value == held.value and _PERCENT_WORD.search(source_text) is not None
    return _bare(claimed, held) or _bare(held, claimed) or _in_table(claimed, held, source_text)


def _bare(one: Quantity, other: Quantity) -> bool:
    """ "Within five" stands for five of whatever the text speaks of."""
    return one.kind is Kind.COUNT and not one.unit and one.value == _number(other)


def _in_table(claimed: Quantity, held: Quantity, source_text: str) -> bool:
    """A table names its currency once, in its head."""
    return (
        claimed.kind is Kind.MONEY
        and held.kind is Kind.COUNT
        and claimed.value == held.value
        and any(_same_currency(claimed.unit, unit) for unit in currencies_in(source_text))
    )


def _number(quantity: Quantity) -> float:
    """The number as written, in the quantity's own unit."""
    scaled = quantity.kind in (Kind.CLOCK, Kind.CALENDAR)
    return round(quantity.value / (UNIT_SIZES.get(quantity.unit, 1.0) if scaled else 1.0), 4)


def _same_currency(one: str, other: str) -> bool:
    if "$" in (one, other):
        return {one, other} <= DOLLARS
    return one == other or other in SMALL_CHANGE.get(one, ()) or one in SMALL_CHANGE.get(other, ())


def _same_date(claimed: Quantity, held: Quantity) -> bool:
    parts = zip(claimed.date, held.date, strict=True)
    return all(c is None or h is None or c == h for c, h in parts) or _next_to(claimed, held)


def _next_to(one: Quantity, other: Quantity) -> bool:
    """The last day of a month and the first of the next: "until 31 March", "from 1 April"."""
    first, second = _day(one), _day(other)
    if first is None or second is None or 1 not in (first.day, second.day):
        return False
    if one.date[2] is None or other.date[2] is None:
        return abs((first.replace(year=2023) - second.replace(year=2023)).days) in (1, 364)
    return abs((first - second).days) == 1


def _day(quantity: Quantity) -> date | None:
    day, month, year = quantity.date
    try:
        return (
            date(year or 2023, month, min(day, 28) if month == 2 else day)
            if day and month
            else None
        )
    except ValueError:
        return None


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-3 * max(abs(one), abs(other), 1e-9)
