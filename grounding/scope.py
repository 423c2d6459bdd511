"""A claim about another country than those that its source is for."""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.countries import parse_country
from knowledge.errors import UnknownCountry

_NAME = re.compile(r"(?<![\w’'-])(?:[A-Z][a-z]+(?: [A-Z][a-z]+)*|UK|USA?|UAE)(?![\w’'-])")
_SHORTEST = 4


def other_country(claim: str, source_text: str, scope: tuple[str, ...]) -> str | None:
    """The country that `claim` names although the source is for others and does not mention it.

    None for a source without a scope: it is for everybody.
    """
    if not scope:
        return None
    for run in _NAME.findall(claim):
        words = run.split(" ")
        # "In Germany": the words before a name may begin with a capital too.
        for name in (" ".join(words[first:]) for first in range(len(words))):
            code = _country(name)
            if code and code not in scope and name not in source_text:
                return name
    return None


@lru_cache(maxsize=1024)
def _country(name: str) -> str | None:
    """No two-letter codes but UK and US: "IT" and "IN" are words too."""
    if len(name) < _SHORTEST and name not in ("UK", "US", "USA", "UAE"):
        return None
    try:
        return parse_country(name)
    except UnknownCountry:
        return None
