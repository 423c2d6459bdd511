"""Quantities in a text: numbers with what they measure, dates, times, weekdays and labels."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from snowballstemmer import stemmer

from grounding.dates import find_dates, find_times, find_weekdays
from grounding.numbers import Number, find_numbers


class Kind(StrEnum):
    """What a quantity measures; two quantities of different kinds never equal each other."""

    CLOCK = "minutes"
    WORKDAY = "working days"
    CALENDAR = "months"
    MONEY = "money"
    PERCENT = "percent"
    MEASURE = "measure"
    TIMES = "times"
    DATE = "date"
    TIME = "time"
    WEEKDAY = "weekday"
    LABEL = "label"
    ORDINAL = "ordinal"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Quantity:
    """`text[start:end]` in one shape, whatever the words.

    `value` counts minutes, months, percent or units of `unit`; for a date, `date` holds day, month
    and year as far as named. `unit` is a currency, a measure, the noun of a label ("band") or the
    stem of the noun that is counted, "" where there is none.
    """

    kind: Kind
    start: int
    end: int
    value: float
    unit: str = ""
    date: tuple[int | None, int | None, int | None] = (None, None, None)
    exact: bool = True


_CLOCK = {"minute": 1, "min": 1, "hour": 60, "hr": 60, "h": 60, "day": 1440, "week": 10080,
          "fortnight": 20160, "second": 1 / 60, "weekday": 1440}  # fmt: skip
_CALENDAR = {"month": 1, "quarter": 3, "year": 12, "yr": 12, "decade": 120}
UNIT_SIZES = {**_CLOCK, **_CALENDAR, "calendar day": 1440}
"""Minutes of a unit of the clock, months of one of the calendar."""
_MEASURE = {
    "km": "km", "kilometre": "km", "kilometer": "km", "mile": "mile", "metre": "metre",
    "meter": "metre", "m": "metre", "cm": "cm", "mm": "mm", "kg": "kg", "kilo": "kg",
    "kilogram": "kg", "gram": "gram", "g": "gram", "litre": "litre", "liter": "litre", "gb": "gb",
    "mb": "mb", "tb": "tb", "degree": "degree", "night": "night", "nights": "night",
    "shift": "shift", "m²": "m²", "c": "degree", "°c": "degree", "mbps": "mbps", "ml": "ml",
    "kwh": "kwh",
    "point": "point", "page": "page", "word": "word", "character": "character", "mph": "mph",
}  # fmt: skip
_SYMBOLS = {
    "£": "GBP", "€": "EUR", "₹": "INR", "¥": "JPY", "us$": "USD", "a$": "AUD", "au$": "AUD",
    "s$": "SGD", "c$": "CAD", "ca$": "CAD", "nz$": "NZD", "hk$": "HKD", "r$": "BRL", "$": "$",
    "rs": "INR", "rs.": "INR", "kr": "kr", "r": "ZAR", "zł": "PLN", "fr.": "CHF", "rm": "MYR",
}  # fmt: skip
_CODE_WORDS = (
    "GBP EUR INR JPY USD AUD SGD CAD NZD HKD BRL CHF SEK NOK DKK PLN ZAR AED MXN CLP PEN CNY RMB"
    " THB IDR MYR PHP VND KRW TWD CZK HUF RON BGN TRY ILS SAR QAR KES NGN EGP LKR PKR BDT COP ARS"
    " KWD OMR BHD GHS UGX TZS MAD ISK UAH"
)
_CODES = _CODE_WORDS.split()
_CURRENCY_WORDS = {
    "pound": "GBP", "quid": "GBP", "sterling": "GBP", "euro": "EUR", "rupee": "INR", "yen": "JPY",
    "dollar": "$", "franc": "CHF", "rand": "ZAR", "dirham": "AED", "krona": "SEK", "kronor": "SEK",
    "krone": "NOK", "kroner": "NOK", "zloty": "PLN", "peso": "peso", "sole": "PEN", "sol": "PEN",
    "ringgit": "MYR", "baht": "THB", "shilling": "KES", "naira": "NGN", "real": "BRL",
    "pence": "p", "penny": "p", "cent": "cent", "p": "p", "ct": "cent",
}  # fmt: skip
SMALL_CHANGE = {
    "p": frozenset({"GBP"}),
    "cent": frozenset({"$", "USD", "AUD", "SGD", "CAD", "NZD", "HKD", "EUR", "ZAR"}),
}
"""What a small coin is a hundredth of."""
DOLLARS = frozenset({"$", "USD", "AUD", "SGD", "CAD", "NZD", "HKD"})
_LABEL = (
    "band|grade|level|tier|stage|zone|step|category|class|group|annex|appendix|schedule|section"
    "|clause|article|art|para|paragraph|chapter|part|table|form|rule|item|question|phase|version"
    "|schengen|model|line|room|building|floor|gate|platform|code|type|list|box|figure|no"
    "|scale|pillar|stream|region|policy|page|note|point|priority|severity|sev|age|aged"
)
_LABEL_BEFORE = re.compile(rf"\b({_LABEL})s?\.?\s*(?:nos?\.?\s*)?[-–]?\s*$", re.IGNORECASE)
_LABEL_LIST = re.compile(r"\s*(?:,|or|and|to|–|-|/|&)\s*$")
_CURRENCY_BEFORE = re.compile(
    r"(?<![A-Za-z])(" + "|".join(map(re.escape, sorted(_SYMBOLS, key=len, reverse=True)))
    + "|" + "|".join(_CODES) + r")[\s ]*$",
    re.IGNORECASE,
)  # fmt: skip
_CURRENCY_ANYWHERE = re.compile(r"[£€₹¥$]|\b(?:" + "|".join(_CODES) + r")\b")
_ADJECTIVES = (
    "working|business|calendar|public|statutory|consecutive|full|paid|unpaid|further|additional|extra|more|other"
    "|whole|complete|completed|continuous|successive|separate|clear|untaken|unused|fixed|first"
    "|last|net|gross|normal|weekly|daily|ordinary|half|school|bank|single|solid|straight|unbroken"
    "|uninterrupted|additional|such|new|different|rolling|academic|financial|contractual|elapsed"
    "|us|australian|singapore|canadian|british|indian|swiss|hong kong|new zealand|sterling"
)
_UNIT_AFTER = re.compile(
    rf"[-\s ]*(?P<adjectives>(?:(?:{_ADJECTIVES})[-\s]+)*)"
    r"(?P<unit>%|°\s?C|€|£|₹|\$|m²|[^\W\d_]+)",
    re.IGNORECASE,
)
_PER_CENT = re.compile(r"\s*(?:%|per\s?cent\b|percent(?:age)?\b)", re.IGNORECASE)
_TIMES_WORD = re.compile(
    r"\b(time and a half|twice|thrice|double)\b(?! (?:as|the)\b)", re.IGNORECASE
)
_TIMES = {"twice": 2.0, "double": 2.0, "thrice": 3.0, "time and a half": 1.5}
_ONE_UNIT = re.compile(
    r"\b(?:an?|per|each|every|the)\s+"
    r"(?:(?:full|calendar|working|single|further|whole|additional)\s+)?"
    r"(?P<unit>minute|hour|day|night|week|fortnight|month|quarter|year)(?:['’]s)?\b"
    r"|\b(?P<alone>fortnight(?:ly)?|weekly|monthly|annual(?:ly)?|yearly|daily|hourly|quarterly)\b",
    re.IGNORECASE,
)
_ALONE = {
    "fortnight": "fortnight", "fortnightly": "fortnight", "weekly": "week", "monthly": "month",
    "annual": "year", "annually": "year", "yearly": "year", "daily": "day", "hourly": "hour",
    "quarterly": "quarter",
}  # fmt: skip
_SHARED_UNIT = re.compile(
    r"\s*(?:to|or|and|and then|but|respectively|-|–|—|,|,\s*or|,\s*and|/|plus)\s*(?:up to\s*)?",
    re.IGNORECASE,
)
_CLAUSE_NUMBER = re.compile(
    r"(?:^|(?<=\n))[ \t]*(?:[-*•]\s*)?\(?\d+(?:\.\d+)*[.)]?[ \t]+(?=[A-Z“\"'(])"
    r"|(?<=[.;:]\s)\(?\d+(?:\.\d+)+[.)]?\s+(?=[A-Z])|\(\d{1,2}\)\s"
)
_FUNCTION_WORDS = """
of or and to in on at by for from per a an the is are was be if when as that this with within
    must may can will shall should have has it they you who which than until before after each
    every only not no but also then there their your its between into out over under up twice once
    following them these those all any where whichever times about during so"""
_NO_NOUN = frozenset(_FUNCTION_WORDS.split())
_stem_words = stemmer("english").stemWord


@lru_cache(maxsize=512)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of `text` in order. Numbers of clauses and list items are left out."""
    found = [*_mentions(text)]
    taken = sorted([(q.start, q.end) for q in found] + _clause_numbers(text))
    numbers = [n for n in find_numbers(text) if not _overlaps(taken, n.start, n.end)]
    read: list[Quantity | None] = [None] * len(numbers)
    for index in range(len(numbers) - 1, -1, -1):
        number = numbers[index]
        following = read[index + 1] if index + 1 < len(numbers) else None
        read[index] = _read(text, number, following)
    _share_labels(text, read)
    found.extend(quantity for quantity in read if quantity is not None)
    return tuple(sorted(found, key=lambda quantity: quantity.start))


@lru_cache(maxsize=64)
def currencies_in(text: str) -> frozenset[str]:
    """The currencies that a text names anywhere, in a table's head as well."""
    return frozenset(
        _SYMBOLS.get(name.lower()) or name.upper() for name in _CURRENCY_ANYWHERE.findall(text)
    )


def unit_mentions(text: str) -> list[Quantity]:
    """ "A month", "weekly", "each year": a single unit without a number, for comparing."""
    found = []
    for match in _ONE_UNIT.finditer(text):
        word = (match["unit"] or _ALONE[match["alone"].lower()]).lower()
        half = text.startswith(" and a half", match.end())
        found.append(_in_unit(1.5 if half else 1.0, word, "", *match.span()))
    return [quantity for quantity in found if quantity is not None]


def _mentions(text: str) -> Iterable[Quantity]:
    times = find_times(text)
    taken = [(time.start, time.end) for time in times]
    for time in times:
        yield Quantity(Kind.TIME, time.start, time.end, time.minutes, exact=time.exact)
    for date in find_dates(text):
        if not _overlaps(taken, date.start, date.end):
            parts = (date.day, date.month, date.year)
            yield Quantity(Kind.DATE, date.start, date.end, 0.0, date=parts)
    for day in find_weekdays(text):
        yield Quantity(Kind.WEEKDAY, day.start, day.end, day.number)
    for match in _TIMES_WORD.finditer(text):
        yield Quantity(Kind.TIMES, *match.span(), _TIMES[match.group().lower()])


def _read(text: str, number: Number, following: Quantity | None) -> Quantity | None:
    before = text[max(0, number.start - 24) : number.start]
    start, end, value = number.start, number.end, number.value
    currency = _CURRENCY_BEFORE.search(before)
    if currency and not number.in_words and not number.ordinal:
        name = currency.group(1)
        unit = _SYMBOLS.get(name.lower()) or name.upper()
        if name not in ("R", "r") or name == "R":
            return Quantity(Kind.MONEY, start - len(currency.group()), end, value, unit)
    label = _LABEL_BEFORE.search(before)
    if label and not number.part:
        return Quantity(Kind.LABEL, start, end, value, label.group(1).lower())
    percent = _PER_CENT.match(text, end)
    if percent and not number.ordinal:
        return Quantity(Kind.PERCENT, start, percent.end(), value, "%")
    if number.part and (duration := _part_of_unit(text, number)):
        return duration
    if number.part:
        return Quantity(Kind.PERCENT, start, end, round(100 * value, 3), "%")
    after = _UNIT_AFTER.match(text, end)
    if number.ordinal:
        if value < 3 and number.in_words:
            return None
        unit = _noun(after) if after else ""
        return Quantity(Kind.ORDINAL, start, end, value, unit)
    if after:
        quantity = _in_unit(value, after["unit"], after["adjectives"], start, after.end())
        if quantity is not None:
            return quantity
        if after["unit"].lower() in ("time", "times"):
            return None
    if following and _SHARED_UNIT.fullmatch(text, end, max(following.start, end)):
        if following.kind is Kind.MONEY:
            return Quantity(Kind.MONEY, start, end, value, following.unit)
        return _like(following, number, text)
    if number.in_words and value == 1:
        return None
    return Quantity(Kind.COUNT, start, end, value, _noun(after) if after else "")


def _like(following: Quantity, number: Number, text: str) -> Quantity:
    """ "Two or three weeks": the first number has the unit of the second."""
    own = find_numbers(text[following.start : following.end])
    scale = following.value / own[0].value if own and own[0].value else 1.0
    start, end = number.start, number.end
    if following.kind in (Kind.DATE, Kind.TIME, Kind.WEEKDAY, Kind.LABEL, Kind.ORDINAL):
        return Quantity(Kind.COUNT, start, end, number.value)
    return Quantity(following.kind, start, end, number.value * scale, following.unit)


def _part_of_unit(text: str, number: Number) -> Quantity | None:
    """ "Half a day", "half an hour"."""
    match = re.compile(r"[- ](?:an? |of an? )?([a-z]+)").match(text, number.end)
    return _in_unit(number.value, match.group(1), "", number.start, match.end()) if match else None


def _in_unit(value: float, word: str, adjectives: str, start: int, end: int) -> Quantity | None:
    word = word.lower()
    single = word.removesuffix("s") if len(word) > 2 else word
    adjectives = adjectives.lower()
    if single in _CLOCK:
        if single == "weekday" or (single == "day" and re.search("working|business", adjectives)):
            return Quantity(Kind.WORKDAY, start, end, value, "day")
        unit = "calendar day" if single == "day" and "calendar" in adjectives else single
        return Quantity(Kind.CLOCK, start, end, round(value * _CLOCK[single], 4), unit)
    if single in _CALENDAR:
        return Quantity(Kind.CALENDAR, start, end, round(value * _CALENDAR[single], 4), single)
    if word in _SYMBOLS or word.upper() in _CODES:
        unit = _SYMBOLS.get(word) or word.upper()
        if word not in ("r", "rm", "rs", "kr") or word in ("rs", "kr"):
            return Quantity(Kind.MONEY, start, end, value, unit)
    if single in _CURRENCY_WORDS:
        unit = _currency_word(single, adjectives)
        value = value / 100 if unit in SMALL_CHANGE else value
        return Quantity(Kind.MONEY, start, end, round(value, 6), unit)
    if single == "time":
        return Quantity(Kind.TIMES, start, end, value) if value != 1 else None
    if word in _MEASURE or single in _MEASURE:
        return Quantity(Kind.MEASURE, start, end, value, _MEASURE.get(word) or _MEASURE[single])
    return None


def _currency_word(word: str, adjectives: str) -> str:
    nations = {"us": "USD", "australian": "AUD", "singapore": "SGD", "canadian": "CAD",
               "hong kong": "HKD", "new zealand": "NZD"}  # fmt: skip
    if word == "dollar":
        return next((code for name, code in nations.items() if name in adjectives), "$")
    return _CURRENCY_WORDS[word]


def _noun(after: re.Match[str]) -> str:
    word = after["unit"].lower()
    return "" if word in _NO_NOUN else str(_stem_words(word))


def _share_labels(text: str, read: list[Quantity | None]) -> None:
    """ "Bands 4 and 5": the second number is a label too."""
    for index in range(1, len(read)):
        before, here = read[index - 1], read[index]
        if (
            before is not None
            and here is not None
            and before.kind is Kind.LABEL
            and here.kind is Kind.COUNT
            and _LABEL_LIST.fullmatch(text, before.end, here.start)
        ):
            read[index] = Quantity(Kind.LABEL, here.start, here.end, here.value, before.unit)


def _clause_numbers(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _CLAUSE_NUMBER.finditer(text)]


def _overlaps(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect_left(taken, (end, end))
    return at > 0 and any(
        left < end and start < right for left, right in taken[max(0, at - 3) : at]
    )
