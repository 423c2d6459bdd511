"""Table rows as an answer shows them: the rows that were asked for, the columns that apply."""

from __future__ import annotations

from collections.abc import Sequence

from grounding.asked import Asked, Wants, bands_in, text_stems
from grounding.ranking import Ranked, fits
from grounding.statements import Statement, rows_text
from knowledge.countries import is_country

MOST_ROWS = 6
"""A table with more rows than this is not told whole."""
_AS_WELL = 0.7
"""In log-odds: half as likely to answer is not as well."""


def rows_with(best: Ranked, ranked: Sequence[Ranked]) -> list[Statement]:
    """The rows to tell along with `best`: those asked for, else the whole of a small table.

    Of a larger table of which no row is named, it is the rows that answer about as well as `best`.
    """
    table = [
        each
        for each in ranked
        if each.statement.cells
        and (each.statement.source, each.statement.group)
        == (best.statement.source, best.statement.group)
    ]
    asked_for = [
        each
        for each in table
        if each.signals.key == best.signals.key and each.signals.case == best.signals.case
    ]
    if len(asked_for) > MOST_ROWS:
        asked_for = [
            each for each in asked_for if best.signals.answers - each.signals.answers < _AS_WELL
        ][:MOST_ROWS]
    return sorted((each.statement for each in asked_for), key=lambda row: row.order)


def told(asked: Asked, rows: Sequence[Statement], place: str | None, topic: bool) -> str:
    """Rows of one table as a sentence, without the columns for other bands or countries."""
    kept = [_columns(asked, row.cells, place) for row in rows]
    return rows_text(rows[0].topic if topic else "", kept)


def _columns(
    asked: Asked, cells: tuple[tuple[str, str], ...], place: str | None
) -> tuple[tuple[str, str], ...]:
    key, values = cells[0], cells[1:]
    if asked.bands and any(bands_in(name) & asked.bands for name, _ in values):
        values = tuple(
            (name, value)
            for name, value in values
            if not bands_in(name) or bands_in(name) & asked.bands
        )
    countries = [name for name, _ in values if is_country(name)]
    wanted = {name for name in countries if _named(asked, name)} or {
        name for name in countries if name == place
    }
    if wanted:
        values = tuple(
            (name, value) for name, value in values if name in wanted or name not in countries
        )
    if asked.wants in (Wants.AMOUNT, Wants.TIME):
        values = tuple(cell for cell in values if fits(asked, cell[1])) or values
    return (key, *values)


def _named(asked: Asked, country: str) -> bool:
    held = text_stems(country)
    return any(term.in_stems(held) for term in asked.subject)
