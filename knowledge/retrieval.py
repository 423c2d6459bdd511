"""Question + reader + day -> ranked sources."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from knowledge.applicable import Applicable, applicable, countries_with_own
from knowledge.generation import HISTORY, LIVE, IndexedVersion, version_id
from knowledge.index import Generation, Index
from knowledge.lexical import stems
from knowledge.sources import Source
from knowledge.synonyms import expand

_POOL = 40
_LEXICAL_WEIGHT = 0.15


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
    generation = index.current()
    catalog = generation.record.catalog
    day = day or catalog.today()
    policies = {each.policy: each for each in applicable(catalog.versions, day, country)}
    allowed = {
        version_id(version) for each in policies.values() for version in (*each.own, *each.common)
    }
    hits = _ranked(index, generation, question, allowed)
    hits = _own_first(generation, hits, policies)[:limit]
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
    [vector] = index.embedder.encode([expanded])
    words = stems(expanded)
    cosines: dict[str, float] = {}
    lexical: dict[str, float] = {}
    for name in (LIVE, HISTORY):
        held = {id for id in allowed if generation.versions[id].collection == name}
        # The history is opened only for a day on which an ended version was in force.
        if held:
            cosines.update(generation.store.nearest(name, vector, sorted(held), _POOL))
            lexical.update(generation.lexicon(name).scores(words, held))
    best = max(lexical.values(), default=1.0)
    floor = min(cosines.values(), default=0.0)
    ids = set(cosines) | set(sorted(lexical, key=lambda id: -lexical[id])[:_POOL])
    hits = [
        _Hit(
            id,
            cosines.get(id, floor) + _LEXICAL_WEIGHT * lexical.get(id, 0.0) / best,
            min(max(cosines.get(id, floor), 0.0), 1.0),
        )
        for id in ids
        if id in generation.by_id
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def _own_first(
    generation: Generation, hits: list[_Hit], policies: dict[str, Applicable]
) -> list[_Hit]:
    """Drop the global hits of a policy whose own country version answers as well."""
    own = {version_id(v) for each in policies.values() for v in each.own}
    best_own: dict[str, float] = {}
    best_common: dict[str, float] = {}
    for hit in hits:
        version = generation.by_id[hit.id].version
        policy = generation.versions[version].version.policy
        best = best_own if version in own else best_common
        best[policy] = max(best.get(policy, 0.0), hit.score)
    kept = []
    for hit in hits:
        version = generation.by_id[hit.id].version
        policy = generation.versions[version].version.policy
        if version in own or best_own.get(policy, 0.0) < 0.8 * best_common[policy]:
            kept.append(hit)
    return kept


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
