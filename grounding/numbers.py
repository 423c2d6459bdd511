"""Numbers in a text, in figures or in words: `1,50,000`, `twenty-five`, `one and a half`, `3rd`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ONE_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_PLACE_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_ONES = {word: value for value, word in enumerate(_ONE_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS.split(), 2)}
_SCALES = {
    "hundred": 100, "dozen": 12, "thousand": 1000, "k": 1000, "lakh": 100_000, "lakhs": 100_000,
    "lac": 100_000, "lacs": 100_000, "million": 1_000_000, "m": 1_000_000, "crore": 10_000_000,
    "crores": 10_000_000, "bn": 10**9, "billion": 10**9,
}  # fmt: skip
_ORDINALS = {word: value for value, word in enumerate(_PLACE_WORDS.split(), 1)}
_ORDINALS |= {
    "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60,
    "ninetieth": 90, "hundredth": 100,
}  # fmt: skip
_PARTS = {
    "half": 0.5, "halves": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25,
    "quarters": 0.25, "fifth": 0.2, "fifths": 0.2, "tenth": 0.1, "tenths": 0.1,
}  # fmt: skip
_GLYPHS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}

_SCALE = r"hundred|dozen|thousand|lakhs?|lacs?|million|crores?|billion"
_BASE = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(list(_ONES)[1:10])})\b)?|{'|'.join(_ONES)})"
_CARDINAL = (
    rf"(?:(?:{_BASE}|an?)(?:[ -](?:{_SCALE})\b)+"
    rf"(?:,? (?:and )?{_BASE}\b(?:[ -](?:{_SCALE})\b)*)*|{_BASE})"
)
_NUMBER = re.compile(
    r"(?<![\w.,:/#])(?<![A-Za-z]-)(?:"
    r"(?P<figure>\d{1,3}(?:[,'’]\d{2,3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?!\d)"
    r"|\d{1,3}(?: \d{3})+(?!\d)|\d+(?:\.\d+)?)(?!\d|[.,]\d)"
    r"(?:(?P<glyph>[½¼¾⅓⅔])|(?P<suffix>st|nd|rd|th)\b"
    rf"|(?P<scale>(?:[km]|bn)\b|\s?(?:{_SCALE})\b))?"
    r"|(?P<lone>[½¼¾⅓⅔])"
    r"|(?P<dozen>half a dozen)\b"
    rf"|(?P<part>(?:(?P<over>an?|one|two|three|four)[- ])?(?:(?P<below>half|halves|quarters?)"
    r"(?=[- ](?:of|the|an?|as|that|their|your|his|its|normal|full|basic|pay|price|hour|day|month"
    r"|year|rate|salary|board|hourly|will|is|may|must)\b)"
    r"|(?P<rare>thirds?|fifths?|tenths?)(?= of\b)))"
    r"|(?P<share>(?:one|two|three|four)[- ](?:thirds?|quarters?|fifths?|tenths?)"
    r"|an? (?:fifth|tenth))\b"
    rf"|(?P<ordinal>(?:(?:{'|'.join(_TENS)})[- ])?(?:{'|'.join(_ORDINALS)}))(?![\w])"
    rf"|(?P<word>{_CARDINAL})(?![\w])"
    r")(?P<more>[- ]and[- ](?:a[- ])?(?P<fraction>half|quarter|third|three[- ]quarters))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """`text[start:end]` reads as `value`; an ordinal counts a place ("the third day")."""

    start: int
    end: int
    value: float
    ordinal: bool = False
    in_words: bool = False
    part: bool = False


def find_numbers(text: str) -> list[Number]:
    """The numbers of `text`, in order, not overlapping."""
    return [_read(match) for match in _NUMBER.finditer(text)]


def _read(match: re.Match[str]) -> Number:
    held = match.groupdict()
    start, end = match.span()
    extra = {None: 0.0, "half": 0.5, "quarter": 0.25, "third": 1 / 3}.get(
        held["fraction"] and held["fraction"].lower(), 0.75
    )
    if held["figure"]:
        value = _figure(held["figure"]) + _GLYPHS.get(held["glyph"] or "", 0.0) + extra
        value *= _SCALES[held["scale"].strip().lower()] if held["scale"] else 1
        return Number(start, end, round(value, 6), ordinal=held["suffix"] is not None)
    if held["dozen"]:
        return Number(start, end, 6.0, in_words=True)
    if held["lone"]:
        return Number(start, end, round(_GLYPHS[held["lone"]], 6), part=True)
    if held["part"]:
        over = (held["over"] or "one").lower()
        value = (1 if over in ("a", "an") else _ONES[over]) * _PARTS[
            (held["below"] or held["rare"]).lower()
        ]
        return Number(start, end, round(value, 6), in_words=True, part=True)
    if held["share"]:
        over, _, below = held["share"].lower().replace("-", " ").partition(" ")
        value = (_ONES.get(over) or 1) * _PARTS[below]
        return Number(start, end, round(value, 6), in_words=True, part=True)
    if held["ordinal"]:
        tens, _, last = held["ordinal"].lower().replace("-", " ").rpartition(" ")
        value = _TENS.get(tens, 0) + _ORDINALS[last]
        return Number(start, end, value, ordinal=True, in_words=True)
    return Number(start, end, round(_words(held["word"]) + extra, 6), in_words=True)


def _figure(figure: str) -> float:
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", figure):
        figure = figure.replace(".", "")
    return float(re.sub(r"[,'’ ]", "", figure))


def _words(words: str) -> float:
    total = current = 0
    for word in re.split(r"[- ]+", words.lower()):
        if word in ("and", ""):
            continue
        if word in ("a", "an"):
            current += 1
        elif word in _SCALES and _SCALES[word] < 1000:
            current = (current or 1) * _SCALES[word]
        elif word in _SCALES:
            total += (current or 1) * _SCALES[word]
            current = 0
        else:
            current += _ONES.get(word, 0) + _TENS.get(word, 0)
    return total + current
