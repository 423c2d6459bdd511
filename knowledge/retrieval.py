"""Question + reader + day -> ranked sources."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

import numpy as np

from knowledge.applicable import Applicable, applicable, countries_with_own
from knowledge.errors import IndexUnavailable
from knowledge.generation import HISTORY, LIVE, IndexedVersion, version_id
from knowledge.index import Generation, Index
from knowledge.lexical import stems
from knowledge.sources import Source
from knowledge.synonyms import expand

_POOL = 40
_SPEAKS_OF_IT = 0.15
"""From this relevance on a country's version replaces the global one. Low on purpose: silence of
the country's own rules is safer than a rule that does not hold there."""
_LEXICAL_WEIGHT = 0.25
"""Best of 0.1 to 0.4 on the sample questions; BM25 at the same weight as the vectors does harm."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Sources for a question, best first, numbered from 1.

    `relevance` says for each source, from 0 to 1, how likely it speaks of what was asked.
    `other_countries` are the ISO codes of the countries, other than the reader's, that have a
    version of their own of a policy that was found. `country` and `day` are what was asked for.
    """

    sources: tuple[Source, ...]
    relevance: tuple[float, ...]
    other_countries: tuple[str, ...]
    country: str | None
    day: date


@dataclass(frozen=True, slots=True)
class _Hit:
    id: str
    score: float
    relevance: float


def retrieve(
    index: Index, question: str, *, country: str | None, day: date | None = None, limit: int = 5
) -> Retrieval:
    """Rank the chunks of the versions that hold for a reader in `country` on `day`.

    `country` is an ISO code, None where it is unknown: then only global versions are used. `day`
    defaults to today in the catalog's time zone. Raises IndexUnavailable.
    """
    while True:
        generation = index.current()
        try:
            return _retrieve(index, generation, question, country, day, limit)
        except IndexUnavailable:
            # Two builds may have ended since, and taken this generation away while it was read.
            if index.current() is generation:
                raise


def _retrieve(
    index: Index,
    generation: Generation,
    question: str,
    country: str | None,
    day: date | None,
    limit: int,
) -> Retrieval:
    catalog = generation.record.catalog
    day = day or catalog.today()
    policies = {each.policy: each for each in applicable(catalog.versions, day, country)}
    allowed = {
        version_id(version) for each in policies.values() for version in (*each.own, *each.common)
    }
    hits = _ranked(index, generation, question, allowed)
    hits = _own_first(generation, hits, policies, day)[:limit]
    sources = tuple(_source(generation, hit.id, n) for n, hit in enumerate(hits, start=1))
    others = countries_with_own(catalog.versions, day)
    return Retrieval(
        sources=sources,
        relevance=tuple(hit.relevance for hit in hits),
        other_countries=tuple(
            sorted({c for s in sources for c in others.get(s.policy, set()) if c != country})
        ),
        country=country,
        day=day,
    )


def _ranked(index: Index, generation: Generation, question: str, allowed: set[str]) -> list[_Hit]:
    expanded = expand(question)
    vector = index.embedder.encode([question, expanded]).mean(axis=0)
    vector /= float(np.linalg.norm(vector)) or 1.0
    words = stems(expanded)
    cosines: dict[str, float] = {}
    lexical: dict[str, float] = {}
    for name in (LIVE, HISTORY):
        held = {id for id in allowed if generation.versions[id].collection == name}
        # The history is opened only for a day on which an ended version was in force.
        if held:
            cosines.update(generation.store.nearest(name, vector, sorted(held), _POOL))
            lexical.update(generation.lexicon(name).scores(words, held))
    best = max(lexical.values(), default=0.0) or 1.0
    floor = min(cosines.values(), default=0.0)
    ids = set(cosines) | set(sorted(lexical, key=lambda id: -lexical[id])[:_POOL])
    hits = []
    for id in ids & generation.by_id.keys():
        cosine, score = cosines.get(id, floor), lexical.get(id, 0.0)
        hits.append(_Hit(id, cosine + _LEXICAL_WEIGHT * score / best, _relevance(cosine, score)))
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def _relevance(cosine: float, lexical: float) -> float:
    """Fitted by logistic regression on 140 questions about the samples, 32 of them unanswerable.

    Of those whose best source stays under 0.2, two in three are unanswerable.
    """
    strength = 6.0 * cosine + 0.54 * min(lexical, 15.0) - 5.5
    return 1 / (1 + math.exp(-strength))


def _own_first(
    generation: Generation, hits: list[_Hit], policies: dict[str, Applicable], day: date
) -> list[_Hit]:
    """Drop the global hits of each policy whose version for the reader's country speaks of it.

    A country's version that is yet to come replaces nothing: the global one is still in force.
    """
    versions_of_own = [version for each in policies.values() for version in each.own]
    own = {version_id(version) for version in versions_of_own}
    replacing = {version_id(version) for version in versions_of_own if version.in_force(day)}
    versions = {hit.id: generation.by_id[hit.id].version for hit in hits}
    replaced = {
        generation.versions[versions[hit.id]].version.policy
        for hit in hits
        if versions[hit.id] in replacing and hit.relevance >= _SPEAKS_OF_IT
    }
    return [
        hit
        for hit in hits
        if versions[hit.id] in own
        or generation.versions[versions[hit.id]].version.policy not in replaced
    ]


def _source(generation: Generation, id: str, n: int) -> Source:
    stored = generation.by_id[id]
    indexed: IndexedVersion = generation.versions[stored.version]
    version = indexed.version
    return Source(
        n=n,
        text=stored.chunk.text,
        title=version.title,
        policy=version.policy,
        file=version.file,
        sha256=stored.sha256,
        scope=version.scope,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        headings=stored.chunk.headings,
        page_starts=stored.chunk.page_starts,
        source_url=version.source_url,
    )
