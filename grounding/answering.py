"""Draft -> check -> drop, regenerate once or hand over -> Answer. Nothing flagged is posted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from time import perf_counter
from typing import TYPE_CHECKING

from grounding.answer import Answer, Attempt, CheckedSentence, Problem, Reason, Status
from grounding.errors import CheckerUnavailable, ModelUnavailable
from grounding.followups import self_contained
from grounding.sourcing import find_sources
from knowledge.errors import KnowledgeError, PolicyPalError
from knowledge.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grounding.checker import Checker
    from grounding.generation import Generator
    from grounding.ranking import Ranker
    from grounding.second_check import SecondCheck
    from knowledge.index import Index

log = logging.getLogger(__name__)

SOURCES = 8
"""How many sources a draft is written from."""

SEARCHING = "Searching policies…"
CHECKING = "Checking each sentence against its source…"

_REASONS: dict[type[PolicyPalError], Reason] = {
    KnowledgeError: Reason.INDEX_UNAVAILABLE,
    ModelUnavailable: Reason.MODEL_UNAVAILABLE,
    CheckerUnavailable: Reason.CHECKER_UNAVAILABLE,
}
UNAVAILABLE = tuple(_REASONS)
"""The errors that become a reason to hand over."""

Timings = dict[str, float]


def answer_question(
    question: str,
    *,
    index: Index,
    ranker: Ranker,
    checker: Checker | SecondCheck,
    generator: Generator,
    country: str | None = None,
    day: date | None = None,
    previous: str | None = None,
    on_step: Callable[[str], None] | None = None,
) -> Answer:
    """The checked answer to `question`, or the reason why HR must answer it.

    `country` is the reader's (ISO code, None where it is unknown), `day` the day to answer for
    (None: today in the catalog's zone), `previous` the question that this one follows. `on_step`
    is told what is being done. An index, model or checker that fails is logged and becomes a
    reason; other errors are raised.
    """
    work = _Work(question, checker, generator, previous, on_step or _say_nothing)
    try:
        work.tell(SEARCHING)
        with work.timed("retrieve"):
            query = self_contained(question, previous)
            found = find_sources(
                index,
                ranker,
                question,
                country=country,
                day=day,
                previous=previous,
                limit=SOURCES,
            )
        work.sources, work.relevance = found.sources, found.relevance
        work.country, work.day = country, found.day
        answer = _answer(work, lambda texts: ranker.answers(query, texts))
    except UNAVAILABLE as error:
        return unavailable(error, work.sources, work.timings)
    others = found.other_countries if country is None and answer.sentences else ()
    return replace(answer, other_countries=others)


def unavailable(
    error: PolicyPalError, sources: tuple[Source, ...] = (), timings: Timings | None = None
) -> Answer:
    """The answer when a part that it needs is out of order. `error` goes to the log only."""
    log.error("handed over: %s", error)
    reason = next(reason for kind, reason in _REASONS.items() if isinstance(error, kind))
    return Answer(Status.NEEDS_HUMAN, reason, (), sources, timings_ms=timings or {})


def _say_nothing(step: str) -> None:
    pass


@dataclass(slots=True)
class _Work:
    """One question under way."""

    question: str
    checker: Checker | SecondCheck
    generator: Generator
    previous: str | None
    tell: Callable[[str], None]
    sources: tuple[Source, ...] = ()
    relevance: tuple[float, ...] = ()
    country: str | None = None
    day: date | None = None
    attempts: list[Attempt] = field(default_factory=list)
    timings: Timings = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            spent = (perf_counter() - start) * 1000
            self.timings[step] = round(self.timings.get(step, 0.0) + spent, 1)

    def attempt(self, findings: Sequence[CheckedSentence] = ()) -> Attempt:
        """Draft and check once."""
        with self.timed("draft"):
            draft = self.generator.draft(
                self.question,
                self.sources,
                relevance=self.relevance,
                findings=findings,
                previous=self.previous,
                country=self.country,
                day=self.day,
            )
        self.tell(CHECKING)
        with self.timed("check"):
            checked = self.checker.check(draft, self.sources) if draft else ()
        self.attempts.append(Attempt(draft, checked))
        return self.attempts[-1]

    def hand_over(self, reason: Reason) -> Answer:
        drafted = self.attempts[-1].sentences if self.attempts else ()
        return self._answer(Status.NEEDS_HUMAN, reason, (), _drop_flagged(drafted)[1])

    def answered(
        self, kept: Sequence[CheckedSentence], removed: Sequence[CheckedSentence]
    ) -> Answer:
        return self._answer(Status.ANSWERED, None, tuple(map(_with_entailing, kept)), removed)

    def _answer(
        self,
        status: Status,
        reason: Reason | None,
        sentences: tuple[CheckedSentence, ...],
        removed: Sequence[CheckedSentence],
    ) -> Answer:
        return Answer(
            status=status,
            reason=reason,
            sentences=sentences,
            sources=self.sources,
            removed=tuple(removed),
            attempts=tuple(self.attempts),
            timings_ms=self.timings,
        )


Answering = Callable[[Sequence[str]], Sequence[float]]
"""How well each text answers the question."""


def _answer(work: _Work, answering: Answering) -> Answer:
    if not work.sources:
        return work.hand_over(Reason.NO_SOURCE)
    attempt = work.attempt()
    if not attempt.sentences:
        return work.hand_over(Reason.NO_SOURCE)
    if _main_claim_fails(attempt.sentences, answering):
        attempt = work.attempt(findings=attempt.sentences)
        if _main_claim_fails(attempt.sentences, answering):
            return work.hand_over(Reason.UNSUPPORTED)
    kept, removed = _drop_flagged(attempt.sentences)
    if _conflict(kept, work.sources, work.checker):
        return work.hand_over(Reason.CONFLICT)
    return work.answered(kept, removed)


def _main_claim_fails(sentences: Sequence[CheckedSentence], answering: Answering) -> bool:
    """Whether the sentence that answers the question best was flagged."""
    kept, _ = _drop_flagged(sentences)
    if not any(not sentence.guidance for sentence in kept):
        return True
    if len(kept) == len(sentences):
        return False
    claims = [sentence for sentence in sentences if not sentence.guidance]
    scores = answering([sentence.text for sentence in claims])
    main = max(range(len(claims)), key=lambda at: scores[at])
    return claims[main] not in kept


def _drop_flagged(
    sentences: Sequence[CheckedSentence],
) -> tuple[list[CheckedSentence], list[CheckedSentence]]:
    """What may be posted, and what is left out."""
    kept = [sentence for sentence in sentences if sentence.supported]
    return kept, [sentence for sentence in sentences if not sentence.supported]


def _with_entailing(sentence: CheckedSentence) -> CheckedSentence:
    """Citations that do not entail the sentence go: each button opens what supports it."""
    entailing = {evidence.source for evidence in sentence.evidence}
    return replace(sentence, citations=tuple(n for n in sentence.citations if n in entailing))


def _conflict(
    kept: Sequence[CheckedSentence], sources: Sequence[Source], checker: Checker | SecondCheck
) -> bool:
    """Whether a cited version contradicts a sentence that rests on another country's version."""
    cited = {n for sentence in kept for n in sentence.citations}
    for sentence in kept:
        for n in sentence.citations:
            rivals = [
                source
                for source in sources
                if source.n in cited
                and source.policy == sources[n - 1].policy
                and source.scope != sources[n - 1].scope
            ]
            for rival in rivals:
                verdict = checker.check_claim(sentence.text, [rival])
                if verdict.problem in (Problem.CONTRADICTED, Problem.QUANTITY):
                    return True
    return False
