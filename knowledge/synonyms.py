"""Employees' own words and the policies' words for the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

_FILE = "synonyms.yml"


@dataclass(frozen=True, slots=True)
class Synonym:
    """What a question says at `start` to `end`, and the policies' words for it."""

    start: int
    end: int
    terms: tuple[str, ...]


def synonyms_in(question: str) -> list[Synonym]:
    """The everyday words of a question, with the policies' words for each."""
    return [
        Synonym(found.start(), found.end(), terms)
        for pattern, terms in _synonyms()
        for found in pattern.finditer(question)
    ]


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
