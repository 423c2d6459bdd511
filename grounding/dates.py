"""Dates, weekdays and times of day in a text."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_SHORT = {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_LONG_MONTH = "|".join(name.capitalize() for name in _MONTHS)
_MONTH = rf"(?:{_LONG_MONTH}|{'|'.join(name.capitalize() for name in _SHORT)})\b\.?"
_DAY = r"(?<![\d.,])(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d(?![\d.,]*\d)"
_EDGE = r"(?P<edge>(?i:end|close|last day|start|beginning|first day|middle|mid))[- ](?:of )?"
_DATE = re.compile(
    rf"(?<!\w)(?<![A-Za-z]-)(?:{_EDGE})?(?:(?P<day>{_DAY})(?:\s+(?:of\s+)?|-)(?P<month>{_MONTH})"
    rf"|(?P<month2>{_MONTH})\s+(?P<day2>{_DAY})(?!\d)(?=[\s,.;:)–-]|$)"
    rf"|(?P<month3>{_MONTH}))(?:,?\s+(?P<year>{_YEAR}))?"
)
_PAIR = re.compile(rf"({_DAY})\s*(?:-|–|to|and|or|until)\s*(?={_DAY}\s+(?:of\s+)?({_MONTH}))")
_MONTH_BEFORE = re.compile(rf"(?:{_LONG_MONTH}|{'|'.join(n.capitalize() for n in _SHORT)})\.?\s$")
_NUMERIC = re.compile(
    r"(?<![\d/.-])(?:(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)"
    r"|(?P<d2>\d{1,2})[./](?P<m2>\d{1,2})[./](?P<y2>(?:19|20)\d\d))(?![\d/-])"
)
_LONE_YEAR = re.compile(
    rf"(?<![\d.,:/£$€₹#-])(?<![A-Z]{{3}} )(?<!\w[- ]v)(?P<year>{_YEAR})(?![\d/%]|\.\d| ?[€£%])"
)
_MAY_BEFORE = re.compile(
    r"(?:\b(?:in|of|by|from|since|until|till|before|after|during|to|and|or|each|every|this|next|last"
    r"|early|late|mid|between|through|for|end|start|the|on|–|-|,))\s*-?$",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b(?=[-–\s.]*"
    r"(?:to|[-–]|and|\d))"
)
_TIME = re.compile(
    r"(?<![\d.,:£$€₹])(?:(?P<h>[01]?\d|2[0-4])[:.](?P<min>[0-5]\d)(?![\d:]|\.\d|\s?%)\s*"
    r"(?P<ampm>[ap]\.?\s?m\b\.?)?(?P<uhr>\s*(?:h|hrs|hours|Uhr)\b)?"
    r"|(?P<h2>1[0-2]|0?[1-9])\s*(?P<ampm2>[ap]\.?m\b\.?)"
    r"|(?P<word>noon|midday|midnight)\b"
    r"|(?P<h3>1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?:\s+o['’]clock|\s+in\s+the\s+(?P<part>morning|afternoon|evening)))",
    re.IGNORECASE,
)
_HOUR_WORDS = "one two three four five six seven eight nine ten eleven twelve"


@dataclass(frozen=True, slots=True)
class DateMention:
    """`text[start:end]` names a day, a month or a year; what it does not name is None."""

    start: int
    end: int
    day: int | None
    month: int | None
    year: int | None


@dataclass(frozen=True, slots=True)
class TimeMention:
    """`text[start:end]` is a time of day, in minutes from midnight.

    `exact` is False where a.m. or p.m. was left open ("6.30").
    """

    start: int
    end: int
    minutes: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Weekday:
    """`text[start:end]` names a day of the week, Monday being 0."""

    start: int
    end: int
    number: int


def find_dates(text: str) -> list[DateMention]:
    """The dates, months and years of `text`, in order, not overlapping."""
    found = [_numeric(match) for match in _NUMERIC.finditer(text)]
    for match in _PAIR.finditer(text):
        if _MONTH_BEFORE.search(text[max(0, match.start() - 11) : match.start()]):
            continue
        month = _month(match.group(2))
        found.append(
            DateMention(match.start(), match.end(1), _leading(match.group(1)), month, None)
        )
    for match in _DATE.finditer(text):
        mention = _worded(text, match)
        if mention is not None:
            found.append(mention)
    taken = [(mention.start, mention.end) for mention in found]
    for match in _LONE_YEAR.finditer(text):
        if not any(start <= match.start() < end for start, end in taken):
            found.append(DateMention(*match.span(), None, None, int(match["year"])))
    return sorted(found, key=lambda mention: mention.start)


def find_times(text: str) -> list[TimeMention]:
    """The times of day of `text`, in order. A bare "6.30" is none: it may be a number."""
    return [time for match in _TIME.finditer(text) if (time := _time(match)) is not None]


def find_weekdays(text: str) -> list[Weekday]:
    """The days of the week named in `text`, in order."""
    starts = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    return [
        Weekday(match.start(), match.end(), starts.index(match.group()[:3].lower()))
        for match in _WEEKDAY.finditer(text)
    ]


def _numeric(match: re.Match[str]) -> DateMention:
    if match["y"]:
        return DateMention(*match.span(), int(match["d"]), int(match["m"]), int(match["y"]))
    return DateMention(*match.span(), int(match["d2"]), int(match["m2"]), int(match["y2"]))


def _worded(text: str, match: re.Match[str]) -> DateMention | None:
    month_word = match["month"] or match["month2"] or match["month3"]
    month, year = _month(month_word), int(match["year"]) if match["year"] else None
    day = _leading(match["day"] or match["day2"]) if match["day"] or match["day2"] else None
    edge = (match["edge"] or "").lower()
    if day is None and not edge and year is None:
        before = text[max(0, match.start() - 12) : match.start()]
        short = month_word.rstrip(".") not in _LONG_MONTH.split("|")
        if short or (month_word in ("May", "March") and not _MAY_BEFORE.search(before)):
            return None
    if edge and day is None and edge not in ("middle", "mid"):
        last = 28 if month == 2 else calendar.monthrange(2026, month)[1]
        day = last if edge in ("end", "close", "last day") else 1
    return DateMention(match.start(), match.end(), day, month, year)


def _time(match: re.Match[str]) -> TimeMention | None:
    if match["word"]:
        return TimeMention(*match.span(), 0 if match["word"].lower() == "midnight" else 720)
    if match["h3"]:
        word = match["h3"].lower()
        hour = int(word) if word.isdigit() else _HOUR_WORDS.split().index(word) + 1
        if match["part"]:
            late = match["part"].lower() != "morning" and hour < 12
            return TimeMention(*match.span(), 60 * (hour + 12 * late))
        return TimeMention(*match.span(), 60 * hour, exact=False)
    half = (match["ampm"] or match["ampm2"] or "").lower()
    hour, minutes = int(match["h"] or match["h2"]), int(match["min"] or 0)
    if half:
        return TimeMention(*match.span(), 60 * (hour % 12 + 12 * half.startswith("p")) + minutes)
    if ":" in match.group() or match["uhr"] or match["h"].startswith("0"):
        exact = hour == 0 or hour > 12 or match["h"].startswith("0")
        return TimeMention(*match.span(), (60 * hour + minutes) % 1440, exact)
    return None


def _month(word: str) -> int:
    name = word.lower().rstrip(".")
    return _SHORT.get(name) or _MONTHS[name]


def _leading(day: str) -> int:
    return int(re.sub(r"\D", "", day))
