"""Answers without a language model: it picks the policies' own sentences.

It says one to three of them as they stand, or nothing where none answers. On a change-over it says
what each version states, with its dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from grounding.answer import CheckedSentence
from grounding.asked import Asked, read_question, text_stems
from grounding.ranking import Ranked, Ranker, fits
from grounding.rows import rows_with, told
from grounding.statements import Statement, statements
from knowledge.countries import country_name
from knowledge.sources import Source, long_date

ANSWERS_FROM = 4.8
"""The score from which the best statement is taken for an answer.

On the sample questions that may be tuned on it hands over 94 in 100 of the unanswerable ones, on
questions to other companies' policies, all of them near misses, 83.
"""

_CLOSE = 2.0
"""In score. So what answers is told in 84 of 100 cases, with the best alone in 75; no more than 1.7
statements are told on average.
"""
_PARALLEL = 3.0
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

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker

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
        made = [statement for source in sources for statement in statements(source)]
        place = country_name(country) if country else None
        ranked = self._ranker.rank(asked, made, relevance, place)
        if not ranked or ranked[0].score < ANSWERS_FROM:
            return ""
        flagged = " ".join(finding.text for finding in findings if not finding.supported)
        if _holds(flagged, ranked[0].statement):
            # What answers best was not supported; the next best would be another answer.
            return ""
        ranked = [each for each in ranked if not _holds(flagged, each.statement)]
        writer = _Writer(self._ranker, asked, sources, made, ranked, place, day)
        return " ".join(writer.sentences(topics=not findings))


def _holds(flagged: str, statement: Statement) -> bool:
    """Whether a flagged sentence is this statement. A row can be told again, in fewer words."""
    return not statement.cells and statement.text.removesuffix(".") in flagged


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
        self._ranked, self._topics = ranked, True
        self._sources = {source.n: source for source in sources}
        self._made = {(statement.source, statement.order): statement for statement in made}

    def sentences(self, *, topics: bool) -> Iterator[str]:
        """The answer's sentences with their marks. `topics` puts a table's lead-in before its rows.

        A row alone is the closer quote, a row with its lead-in the better reading.
        """
        self._topics = topics
        best = self._ranked[0]
        counterpart = self._counterpart(best)
        if counterpart and counterpart.statement.text == best.statement.text:
            # What both versions say needs no dates: the one in force says it.
            best = counterpart if self._is_coming(best.statement) else best
            counterpart = None
        if counterpart is None:
            picked = self._pick(best)
            dated = self._is_coming(best.statement)
        else:
            pair = sorted((best, counterpart), key=lambda each: self._version(each.statement))
            picked = [one for each in pair for one in self._told(each)]
            dated = True
        for one in picked:
            yield self._marked(one, dated)

    def _pick(self, best: Ranked) -> list[_Told]:
        """The best statement, then those of its version that are nearly as good, as they stand."""
        version = self._version(best.statement)
        own = [each for each in self._ranked if self._version(each.statement) == version]
        first = self._told(best)
        if not first:
            return []
        rest: list[_Told] = []
        groups = {_group(best.statement)}
        for each in own:
            if best.score - each.score > _CLOSE or len(first) + len(rest) >= _MOST:
                break
            said = {one.text for one in (*first, *rest)}
            fresh = [one for one in self._told(each) if one.text not in said]
            words = sum(len(text.split()) for text in (*said, *(one.text for one in fresh)))
            if _group(each.statement) in groups or words > _WORDS or each.signals.key < 0:
                continue
            if not self._stands_alone(each.statement, [*first, *rest]):
                continue
            groups.add(_group(each.statement))
            rest += fresh
        rest.sort(key=lambda one: (one.statement.source, one.statement.order))
        return [*first, *rest]

    def _stands_alone(self, statement: Statement, told: Sequence[_Told]) -> bool:
        """Whether a sentence opens its clause, or what stands before it there is told as well.

        What a clause says first may be the case that the rest of it is about.
        """
        before = (statement.source, statement.order - 1)
        return statement.first or any(
            (one.statement.source, one.statement.order) == before for one in told
        )

    def _told(self, each: Ranked) -> list[_Told]:
        """A statement with what it cannot be read without."""
        if each.statement.cells:
            rows = rows_with(each, self._ranked)
            text = told(self._asked, rows, self._place, self._topics) if rows else ""
            return [_Told(text, rows[0])] if rows else []
        chain = [self._whole_list(each.statement)]
        while (before := chain[0].leans_on) is not None:
            chain.insert(0, self._made[chain[0].source, before])
        last = chain[-1]
        after = self._made.get((last.source, last.order + 1))
        if after and after.leans_on == last.order and self._belongs(after, last):
            chain.append(after)
        return [_Told(statement.text, statement) for statement in chain]

    def _belongs(self, after: Statement, told: Statement) -> bool:
        """Whether a sentence that leans on `told` limits it, or is the one that answers."""
        fits_better = fits(self._asked, after.text) > fits(self._asked, told.text)
        return fits_better or _QUALIFIES.match(after.text) is not None

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
        """What the other version of the same policy says of the same."""
        policy, start = self._version(best.statement)
        others = [
            each
            for each in self._ranked
            if self._version(each.statement)[0] == policy
            and self._version(each.statement)[1] != start
            and best.score - each.score <= _PARALLEL
        ]
        if not others:
            return None
        alike = self._ranker.likeness(best.statement, [each.statement for each in others])
        if max(alike) >= _SAME_RULE:
            return others[max(range(len(others)), key=lambda at: alike[at])]
        # A rule that is yet to come is never told alone where one in force answers as well.
        in_force = [each for each in others if not self._is_coming(each.statement)]
        return in_force[0] if in_force and self._is_coming(best.statement) else None

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


def _group(statement: Statement) -> tuple[int, int]:
    return statement.source, statement.group or -statement.order


def _same_group(one: Statement, other: Statement) -> bool:
    return (one.source, one.group) == (other.source, other.group)
