from __future__ import annotations

import pycountry
import pytest

from knowledge.countries import country_name, is_country, parse_country
from knowledge.errors import UnknownCountry


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("GB", "GB"), ("uk", "GB"), ("UK", "GB"), (" in ", "IN"), ("DEU", "DE"),
        ("germany", "DE"), ("United States", "US"), ("usa", "US"), ("the Netherlands", "NL"),
        ("Vietnam", "VN"), ("no", "NO"),
    ],
)  # fmt: skip
def test_a_country_is_known_by_code_or_name_in_any_case(given: str, code: str) -> None:
    assert parse_country(given) == code


@pytest.mark.parametrize("given", ["", "  ", "XX", "Europe", "Narnia", "1"])
def test_what_is_no_country_is_refused_with_what_to_write(given: str) -> None:
    with pytest.raises(UnknownCountry, match="ISO 3166") as caught:
        parse_country(given)
    assert caught.value.given == given


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("GB", "United Kingdom"), ("US", "United States"), ("IN", "India"), ("DE", "Germany"),
        ("KR", "South Korea"), ("TW", "Taiwan"), ("BO", "Bolivia"), ("VN", "Vietnam"),
    ],
)  # fmt: skip
def test_a_country_is_named_as_people_name_it(code: str, name: str) -> None:
    assert country_name(code) == name


def test_no_two_countries_have_the_same_name() -> None:
    codes = [country.alpha_2 for country in pycountry.countries]
    assert len({country_name(code) for code in codes}) == len(codes)


def test_a_code_that_is_no_country_has_no_name() -> None:
    with pytest.raises(UnknownCountry):
        country_name("ZZ")


def test_a_country_in_a_table_is_told_from_a_department() -> None:
    assert all(map(is_country, ("Germany", "UK", "US", "USA", "the United Kingdom")))
    assert not any(map(is_country, ("IT", "HR", "A", "", "Hamburg", "All countries")))
