"""Questions that lean on the one before: made into one that can be understood alone."""

from __future__ import annotations

import re

_SHORT = 5
_LEANS = re.compile(
    r"^(?:and|but|or|so|also|then|what about|how about|what if|same|even|only|why|really)\b"
    r"|\b(?:it|its|that|this|those|these|they|them|their|there|one|ones|same|instead|else|too)\b",
    re.IGNORECASE,
)
_PREPOSITION = r"(?:in|for|to|from|with|at|on|as|by)"
_INSTEAD = re.compile(
    rf"(?:and |but |or |so )?(?:(?:what|how) about |what if )?(?P<preposition>{_PREPOSITION} )?"
    r"(?:the )?(?P<object>[\w'’-]+(?: [\w'’-]+){0,2})\W*",
    re.IGNORECASE,
)
_BAND = re.compile(r"\bbands? [A-Z]\d?\b", re.IGNORECASE)
_PROPER = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][a-z]+(?: [A-Z][a-z]+)*")


def self_contained(question: str, previous: str | None) -> str:
    """`question` as it can be understood without `previous`.

    A question leans on the one before when it is short (up to five words) or points back. "And in
    London?" takes the place of the "in Mumbai" of the one before; else the one before is put
    ahead of it.
    """
    before = (previous or "").strip()
    asked = question.strip()
    if not before or (len(asked.split()) > _SHORT and not _LEANS.search(asked)):
        return asked
    return _instead(asked, before) or f"{before} {asked}"


def _instead(question: str, previous: str) -> str | None:
    """`previous` with what `question` names in place of what it named, None where unclear."""
    match = _INSTEAD.fullmatch(question)
    if match is None:
        return None
    named, preposition = match["object"], (match["preposition"] or "").strip()
    if preposition:
        place = re.compile(
            rf"\b{preposition} (?:the )?[\w'’-]+(?: [\w'’-]+)??"
            rf"(?=\s+{_PREPOSITION}\b|[^\w\s'’-]|$)",
            re.IGNORECASE,
        )
        return _replaced_once(place, f"{preposition} {named}", previous)
    if _BAND.fullmatch(named):
        return _replaced_once(_BAND, named, previous)
    return _replaced_once(_PROPER, named, previous) if named[0].isupper() else None


def _replaced_once(pattern: re.Pattern[str], new: str, text: str) -> str | None:
    if len(pattern.findall(text)) != 1:
        return None
    return pattern.sub(new, text)
