"""The sources that an answer is drafted from: what retrieval finds, put in order by reading it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from grounding.asked import read_question
from grounding.statements import statements
from knowledge.countries import country_name
from knowledge.retrieval import Retrieval, retrieve

if TYPE_CHECKING:
    from grounding.ranking import Ranker
    from knowledge.index import Index

LOOKED_AT = 20
"""How many chunks are read. Among the first 8 that retrieval gives, one in seven questions misses
the one that answers; among 20, one in twelve.
"""


def find_sources(
    index: Index,
    ranker: Ranker,
    question: str,
    *,
    country: str | None = None,
    day: date | None = None,
    previous: str | None = None,
    limit: int,
) -> Retrieval:
    """The `limit` sources with the statements that best answer `question`, best first.

    See knowledge.retrieval.retrieve; `previous` is the question that this one follows. Raises
    IndexUnavailable, EmbedderUnavailable, ModelUnavailable.
    """
    asked = read_question(question, previous)
    found = retrieve(index, asked.question, country=country, day=day, limit=max(limit, LOOKED_AT))
    made = [statement for source in found.sources for statement in statements(source)]
    place = country_name(country) if country else None
    best: dict[int, None] = {}
    for each in ranker.rank(asked, made, found.relevance, place):
        best.setdefault(each.statement.source)
    best |= {source.n: None for source in found.sources}
    return _in_order(found, list(best)[:limit])


def _in_order(found: Retrieval, numbers: Sequence[int]) -> Retrieval:
    """The sources with these numbers, in this order, numbered anew."""
    return replace(
        found,
        sources=tuple(replace(found.sources[n - 1], n=at) for at, n in enumerate(numbers, 1)),
        relevance=tuple(found.relevance[n - 1] for n in numbers),
    )
