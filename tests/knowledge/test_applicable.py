"""Which versions hold for a reader on a day."""

from __future__ import annotations

from datetime import date

import pytest

from knowledge.applicable import applicable, countries_with_own
from knowledge.catalog import Version

EARLIER = Version("leave", "Leave", "leave-1.pdf", date(2023, 1, 1), date(2025, 12, 31))
NOW = Version("leave", "Leave", "leave-2.pdf", date(2026, 1, 1))
COMING = Version("leave", "Leave", "leave-3.pdf", date(2027, 1, 1))
INDIA = Version("leave", "Leave", "leave-in.pdf", date(2025, 4, 1), scope=("IN",))
BOTH = Version("leave", "Leave", "leave-de-at.pdf", date(2026, 1, 1), scope=("DE", "AT"))
ALL = (COMING, INDIA, NOW, BOTH, EARLIER)


def shown(day: date, country: str | None = None) -> tuple[list[str], list[str]]:
    found = list(applicable(ALL, day, country))
    return (
        [version.file for each in found for version in each.own],
        [version.file for each in found for version in each.common],
    )


@pytest.mark.parametrize(
    ("day", "files"),
    [
        (date(2022, 12, 31), []),
        (date(2023, 1, 1), ["leave-1.pdf"]),
        (date(2025, 12, 1), ["leave-1.pdf"]),
        (date(2025, 12, 2), ["leave-1.pdf", "leave-2.pdf"]),
        (date(2025, 12, 31), ["leave-1.pdf", "leave-2.pdf"]),
        (date(2026, 1, 1), ["leave-2.pdf"]),
        (date(2026, 12, 1), ["leave-2.pdf"]),
        (date(2026, 12, 2), ["leave-2.pdf", "leave-3.pdf"]),
        (date(2027, 1, 1), ["leave-3.pdf"]),
    ],
)
def test_one_version_holds_and_the_next_shows_thirty_days_before(
    day: date, files: list[str]
) -> None:
    assert shown(day) == ([], files)


def test_a_version_whose_end_was_left_open_gives_way_to_the_one_that_follows() -> None:
    assert shown(date(2028, 6, 1)) == ([], ["leave-3.pdf"])


@pytest.mark.parametrize(
    ("country", "own"),
    [
        ("IN", ["leave-in.pdf"]),
        ("AT", ["leave-de-at.pdf"]),
        ("DE", ["leave-de-at.pdf"]),
        ("GB", []),
        (None, []),
    ],
)
def test_a_reader_has_the_version_of_their_country(country: str | None, own: list[str]) -> None:
    assert shown(date(2026, 6, 1), country) == (own, ["leave-2.pdf"])


def test_a_version_of_another_country_is_never_shown() -> None:
    only = (INDIA,)
    assert list(applicable(only, date(2026, 6, 1), "GB")) == []
    assert list(applicable(only, date(2026, 6, 1), None)) == []


def test_the_countries_with_rules_of_their_own_are_those_of_that_day() -> None:
    assert countries_with_own(ALL, date(2025, 6, 1)) == {"leave": {"IN"}}
    assert countries_with_own(ALL, date(2026, 6, 1)) == {"leave": {"IN", "DE", "AT"}}
