"""Employees' own words and the policies' words for the same."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

_FILE = "synonyms.yml"


def expand(question: str) -> str:
    """The question with the policies' words for what it names in everyday ones put after it."""
    added: list[str] = []
    for pattern, terms in _synonyms():
        if pattern.search(question):
            added += [term for term in terms if term.lower() not in question.lower()]
    return " ".join([question, *dict.fromkeys(added)])


@lru_cache(maxsize=1)
def _synonyms() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    from ruamel.yaml import YAML

    text = files("knowledge").joinpath(_FILE).read_text(encoding="utf-8")
    rows: dict[str, list[str]] = YAML(typ="safe", pure=True).load(text)
    return tuple(
        (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), tuple(terms))
        for words, terms in rows.items()
    )
