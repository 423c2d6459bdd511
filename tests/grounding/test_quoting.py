from __future__ import annotations

from datetime import date

import pytest

from grounding.quoting import is_quote
from knowledge.sources import Source

SOURCE = Source(
    1,
    "4.1 A locker may be rented for GBP 4 a month, unless the renter is a guest. The key costs"
    " GBP 2 (see 4.6).\n\n"
    "4.2 A locker may be given only if:\n• the renter works on site; and\n• a deposit is paid.\n\n"
    "4.3 You must:\n• close the door;\n• return the key; or\n\n"
    "4.4 The rents for lockers in each yard are shown in the following table.\n"
    "Yard: Leeds | Small, per month: GBP 4 | Large, per month: GBP 7 (see 4.1) | Sites: A; B\n"
    "Yard: York | Small, per month: GBP 3 | Large, per month: GBP 5 | Sites: C",
    effective_from=date(2030, 1, 1),
    effective_to=date(2030, 12, 31),
)


@pytest.mark.parametrize(
    "claim",
    [
        "A locker may be rented for GBP 4 a month, unless the renter is a guest.",
        "A locker may be rented for GBP 4 a month unless the renter is a guest",
        "A locker may be given only if: the renter works on site; and a deposit is paid.",
        "Leeds – Small, per month: GBP 4.",
        "Yard: Leeds – Small, per month: GBP 4; Large, per month: GBP 7; Sites: A; B.",
        "York – Large, per month: GBP 5.",
        "Leeds – Small, per month: GBP 4; York – Small, per month: GBP 3.",
        "The rents for lockers in each yard: York – Small, per month: GBP 3.",
        "Until 31 December 2030: Leeds – Small, per month: GBP 4.",
        "From 1 January 2030: A locker may be rented for GBP 4 a month, unless the renter is a"
        " guest.",
    ],
)
def test_the_sources_own_words_are_a_quote(claim: str) -> None:
    assert is_quote(claim, SOURCE)


@pytest.mark.parametrize(
    "claim",
    [
        "A locker may be rented for GBP 4 a month.",
        "A locker may be rented for GBP 5 a month, unless the renter is a guest.",
        "A locker may not be rented for GBP 4 a month, unless the renter is a guest.",
        "A locker may be given only if: the renter works on site; and",
        "A locker may be given only if: a deposit is paid.",
        "You must: close the door; return the key; or",
        "Leeds – Small, per month: GBP 3.",
        "Leeds – Small, per month: GBP 7.",
        "Leeds – Large, per month: GBP 4.",
        "York – Small, per month: GBP 4.",
        "Small, per month: GBP 4.",
        "Leeds – ",
        "Lockers are free: Leeds – Small, per month: GBP 4.",
        "Until 31 December 2031: Leeds – Small, per month: GBP 4.",
        "From 31 December 2030: Leeds – Small, per month: GBP 4.",
        "",
        ".",
    ],
)
def test_a_word_more_or_less_is_no_quote(claim: str) -> None:
    assert not is_quote(claim, SOURCE)


def test_an_empty_source_holds_no_quote() -> None:
    assert not is_quote("A locker may be rented.", Source(1, ""))
