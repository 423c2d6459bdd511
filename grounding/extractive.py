"""The answer model that needs no model: it picks the policies' own sentences.

It says one to three of them as they stand, or nothing where none answers. On a change-over it says
what each version states, with its dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from grounding.answer import CheckedSentence
from grounding.asked import Asked, read_question, text_stems
from grounding.ranking import Ranked, Ranker
from grounding.rows import rows_with, told
from grounding.statements import Statement, statements
from knowledge.countries import country_name
from knowledge.sources import Source, long_date

if TYPE_CHECKING:
    from knowledge.embedding import Embedder

ANSWERS_FROM = 5.1
"""The confidence from which the best statement is taken for an answer.

Chosen on the tuning questions as the lowest that hands over 95 in 100 of the unanswerable ones.
"""

_AGREEING = 5
_CLOSE = 0.35
_PARALLEL = 0.8
_SAME_RULE = 0.7
_MOST = 3
_WORDS = 110
_QUALIFIES = re.compile(
    r"(?:however|but|there is one exception|the (?:only )?exceptions?|except|(?:this|it) does not"
    r"|they do not|otherwise|unless)\b",
    re.IGNORECASE,
)


class ExtractiveGenerator:
    """Answers with whole sentences of the sources, or with nothing."""

    def __init__(self, embedder: Embedder) -> None:
        self._ranker = Ranker(embedder)

    def draft(
        self,
        question: str,
        sources: Sequence[Source],
        *,
        relevance: Sequence[float] = (),
        findings: Sequence[CheckedSentence] = (),
        previous: str | None = None,
        country: str | None = None,
        day: date | None = None,
    ) -> str:
        """See grounding.generation.Generator."""
        asked = read_question(question, previous)
        flagged = " ".join(finding.text for finding in findings if not finding.supported)
        made = [
            statement
            for source in sources
            for statement in statements(source)
            if statement.text.rstrip(".") not in flagged
        ]
        place = country_name(country) if country else None
        ranked = self._ranker.rank(asked, made, place)
        if not ranked or confidence(ranked, sources, relevance) < ANSWERS_FROM:
            return ""
        return " ".join(_Writer(self._ranker, asked, sources, made, ranked, place, day).sentences())


def confidence(
    ranked: Sequence[Ranked], sources: Sequence[Source], relevance: Sequence[float]
) -> float:
    """How sure it is that the best statement answers; compare with ANSWERS_FROM.

    Sure is a high score, from a source that retrieval finds near, with the next best statements
    in the same file: a question on which policies are silent finds a little in each of several.
    """
    files = [
        next(source.file for source in sources if source.n == each.statement.source)
        for each in ranked[:_AGREEING]
    ]
    near = relevance[ranked[0].statement.source - 1] if relevance else 0.5
    return ranked[0].score + 2.0 * near + 1.5 * files.count(files[0]) / _AGREEING


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence of the answer, and the statement that it begins with."""

    text: str
    statement: Statement


class _Writer:
    """Writes the answer to one question from its ranked statements."""

    def __init__(
        self,
        ranker: Ranker,
        asked: Asked,
        sources: Sequence[Source],
        made: Sequence[Statement],
        ranked: Sequence[Ranked],
        place: str | None,
        day: date | None,
    ) -> None:
        self._ranker, self._asked, self._place, self._day = ranker, asked, place, day
        self._ranked = ranked
        self._sources = {source.n: source for source in sources}
        self._made = {(statement.source, statement.order): statement for statement in made}

    def sentences(self) -> Iterator[str]:
        """The answer's sentences with their marks."""
        best = self._ranked[0]
        counterpart = self._counterpart(best)
        if counterpart is None:
            told = self._pick(self._version(best.statement), _MOST)
            dated = self._is_coming(best.statement)
        else:
            versions = {self._version(each.statement) for each in (best, counterpart)}
            told = [one for version in sorted(versions) for one in self._pick(version, 1)]
            dated = True
        for one in told:
            yield self._marked(one, dated)

    def _pick(self, version: tuple[str, str], most: int) -> list[_Told]:
        """The best statements of a version and those nearly as good, in reading order."""
        own = [each for each in self._ranked if self._version(each.statement) == version]
        chosen: list[_Told] = []
        groups: set[tuple[int, int]] = set()
        for each in own:
            if own[0].score - each.score > _CLOSE or len(chosen) >= most:
                break
            group = (each.statement.source, each.statement.group or -each.statement.order)
            fresh = [one for one in self._told(each) if all(one.text != c.text for c in chosen)]
            words = sum(len(one.text.split()) for one in (*chosen, *fresh))
            if group in groups or (chosen and (words > _WORDS or each.signals.key < 0)):
                continue
            groups.add(group)
            chosen += fresh
        return sorted(chosen, key=lambda one: (one.statement.source, one.statement.order))

    def _told(self, each: Ranked) -> list[_Told]:
        """A statement with what it cannot be read without."""
        if each.statement.cells:
            rows = rows_with(each, self._ranked)
            return [_Told(told(self._asked, rows, self._place), rows[0])] if rows else []
        chain = [self._whole_list(each.statement)]
        while (before := chain[0].leans_on) is not None:
            chain.insert(0, self._made[chain[0].source, before])
        after = self._made.get((chain[-1].source, chain[-1].order + 1))
        if after and after.leans_on == chain[-1].order and _QUALIFIES.match(after.text):
            chain.append(after)
        return [_Told(statement.text, statement) for statement in chain]

    def _whole_list(self, item: Statement) -> Statement:
        """The whole list, where the question is about its lead-in and not about this item."""
        if item.group is None or item.whole:
            return item
        wholes = [s for s in self._made.values() if s.whole and _same_group(s, item)]
        own = text_stems(item.text.removeprefix(item.lead_in))
        if not wholes or any(term.in_stems(own) for term in self._asked.subject):
            return item
        return wholes[0]

    def _counterpart(self, best: Ranked) -> Ranked | None:
        """What the other version of the same policy says of the same, where it says otherwise."""
        policy, start = self._version(best.statement)
        others = [
            each
            for each in self._ranked
            if self._version(each.statement)[0] == policy
            and self._version(each.statement)[1] != start
            and best.score - each.score <= _PARALLEL
        ]
        alike = self._ranker.likeness(best.statement, [each.statement for each in others])
        if not others or max(alike) < _SAME_RULE:
            return None
        nearest = others[max(range(len(others)), key=lambda at: alike[at])]
        return None if nearest.statement.text == best.statement.text else nearest

    def _version(self, statement: Statement) -> tuple[str, str]:
        source = self._sources[statement.source]
        start = source.effective_from.isoformat() if source.effective_from else ""
        return f"{source.policy} {' '.join(source.scope)}", start

    def _is_coming(self, statement: Statement) -> bool:
        start = self._sources[statement.source].effective_from
        return start is not None and self._day is not None and start > self._day

    def _marked(self, one: _Told, dated: bool) -> str:
        source = self._sources[one.statement.source]
        when = _when(source, self._is_coming(one.statement)) if dated else ""
        return f"{when}{one.text.removesuffix('.')} [{source.n}]."


def _when(source: Source, coming: bool) -> str:
    if coming or (source.effective_to is None and source.effective_from):
        return f"From {long_date(source.effective_from)}: " if source.effective_from else ""
    return f"Until {long_date(source.effective_to)}: " if source.effective_to else ""


def _same_group(one: Statement, other: Statement) -> bool:
    return (one.source, one.group) == (other.source, other.group)
