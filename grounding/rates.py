"""What a quantity is counted by: `£45 a day`, `twice per month`, `five days in each year`."""

from __future__ import annotations

import re

from grounding.measures import Quantity

_RATE = re.compile(
    r"(?:\s+[\w'’-]+){0,4}?\s*(?:\b(?:per|a|an|each|every|in an?|in any|in each|in every|in one"
    r"|in the)\s+|/\s?)(?P<number>\w+ )?"
    r"(?P<unit>hour|day|night|week|fortnight|month|quarter|year)s?\b"
    r"|\s*(?P<adverb>hourly|daily|weekly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_ADVERBS = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year",
    "annually": "year",
}  # fmt: skip
_TWELVE = ("twelve ", "12 ")


def rate_of(text: str, quantity: Quantity) -> str | None:
    """The unit of time by which the quantity is counted, None where none is named."""
    match = _RATE.match(text, quantity.end)
    if match is None:
        return None
    if match["adverb"]:
        return _ADVERBS[match["adverb"].lower()]
    unit = match["unit"].lower()
    yearly = unit == "month" and (match["number"] or "").lower() in _TWELVE
    return "year" if yearly else unit
