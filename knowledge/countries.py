"""Countries by ISO 3166: codes for scopes, everyday names for readers."""

from __future__ import annotations

from functools import lru_cache

from knowledge.errors import UnknownCountry

# What people write that ISO 3166 does not list.
_EVERYDAY = {
    "UK": "GB",
    "BRITAIN": "GB",
    "GREAT BRITAIN": "GB",
    "ENGLAND": "GB",
    "SCOTLAND": "GB",
    "WALES": "GB",
    "NORTHERN IRELAND": "GB",
    "AMERICA": "US",
    "USA": "US",
    "U.S.": "US",
    "U.S.A.": "US",
    "U.K.": "GB",
    "UAE": "AE",
    "HOLLAND": "NL",
    "NETHERLANDS": "NL",
    "SOUTH KOREA": "KR",
    "RUSSIA": "RU",
    "TURKEY": "TR",
}
_SHORT_NAMES = {
    "CD": "Democratic Republic of the Congo",
    "KR": "South Korea",
    "RU": "Russia",
    "TR": "Turkey",
    "VG": "British Virgin Islands",
    "VI": "United States Virgin Islands",
}


@lru_cache(maxsize=512)
def parse_country(text: str) -> str:
    """The ISO 3166 alpha-2 code of a country given as a code (any case) or an English name.

    `UK` is read as `GB`. Raises UnknownCountry.
    """
    import pycountry

    given = " ".join(text.split()).upper()
    given = given.removeprefix("THE ")
    given = _EVERYDAY.get(given, given)
    if not given:
        raise UnknownCountry(text)
    try:
        found = pycountry.countries.lookup(given)
    except LookupError:
        raise UnknownCountry(text) from None
    return str(found.alpha_2)


@lru_cache(maxsize=512)
def country_name(code: str) -> str:
    """The everyday English name of the country with this code. Raises UnknownCountry."""
    import pycountry

    short = _SHORT_NAMES.get(code)
    if short:
        return short
    found = pycountry.countries.get(alpha_2=code)
    if found is None:
        raise UnknownCountry(code)
    name = found.common_name if "common_name" in found._fields else found.name
    return str(name).split(",")[0]


@lru_cache(maxsize=1024)
def is_country(text: str) -> bool:
    """Whether a text is the name of a country; "IT" by itself is a department, "UK" a country."""
    try:
        parse_country(text)
    except UnknownCountry:
        return False
    return len(text.strip()) > 3 or text.strip().upper() in {*_EVERYDAY, "US"}
