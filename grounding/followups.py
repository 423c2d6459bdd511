"""Questions that lean on the one before."""

from __future__ import annotations

import re

_SHORT = 5
_LEANS = re.compile(
    r"^(?:and|but|or|so|also|then|what about|how about|what if|same|even|only|why|really)\b"
    r"|\b(?:it|its|that|this|those|these|they|them|their|there|one|ones|same|instead|else|too)\b",
    re.IGNORECASE,
)


def self_contained(question: str, previous: str | None) -> str:
    """`question`, after `previous` where it cannot be understood without it.

    A question leans on the one before when it is short (up to five words) or points back
    ("And for Band D?", "Does it lapse?").
    """
    if not previous or not previous.strip():
        return question
    if len(question.split()) <= _SHORT or _LEANS.search(question):
        return f"{previous.strip()} {question.strip()}"
    return question
