"""Answer + sources -> a verdict for each sentence.

A sentence is supported when a citation is there, each number names a given source, and at least
one cited source entails the claim and holds its quantities. Several sources are never read as one
text: a rule that neither of them states must not pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grounding.actors import other_actor
from grounding.answer import CheckedSentence, Evidence, Problem
from grounding.citations import DraftSentence, parse_answer
from grounding.entailment import NliModel, Verdict
from grounding.features import compare
from grounding.generality import overgeneral
from grounding.guidance import is_guidance
from grounding.polarity import turned_round
from grounding.quantities import missing_quantities
from grounding.quoting import is_quote
from grounding.scope import other_country
from grounding.weighing import WEIGHED_THRESHOLD
from grounding.windows import Window, best_windows
from grounding.words import content_words
from knowledge.countries import country_name
from knowledge.sources import Source, dates_in_words

_YEAR = re.compile(r"\b20\d\d\b")
_WINDOW_WORDS = 40
_WINDOWS = 1
_LEANS = "it leans on the sentence before it, which is not supported"

BAND = 1e-3
"""A score this close to the threshold counts as not supported: batching moves the last digits."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One window of one cited source, as read for one claim."""

    source: Source
    window: Window
    header: str
    hypothesis: str

    @property
    def premise(self) -> str:
        """The window, under the header where the claim leans on it: else it only distracts.

        On 500 dev pairs a header that no claim needed took the first model's AUC from 0.67 to 0.66.
        """
        text = self.window.text
        extra = set(content_words(self.hypothesis)) - set(content_words(text))
        leans = _YEAR.search(self.hypothesis) or extra.intersection(content_words(self.header))
        return _under(self.header, text) if leans else text

    @property
    def whole(self) -> str:
        return _under(self.header, self.source.text)


@dataclass(frozen=True, slots=True)
class _Outcome:
    problem: Problem | None
    detail: str
    score: float
    evidence: Evidence | None = None


class Checker:
    """Checks sentences against the sources that they cite.

    `nli` None leaves entailment out; `guards` False leaves out the guards and the comparisons:
    both only to measure what each adds. Raises CheckerUnavailable when the model cannot be loaded
    or trusted.
    """

    def __init__(self, nli: NliModel | None, *, guards: bool = True) -> None:
        self._nli = nli
        self._guards = guards

    def check(self, answer_text: str, sources: Sequence[Source]) -> tuple[CheckedSentence, ...]:
        """Every sentence of a draft, in order; all pairs go to the model in one batch."""
        return self._check(parse_answer(answer_text), sources)

    def check_claim(
        self, claim: str, sources: Sequence[Source], lead_in: str | None = None
    ) -> CheckedSentence:
        """One claim against `sources`, all of them taken as cited."""
        cited = tuple(source.n for source in sources)
        return self._check([DraftSentence(claim, claim, cited, lead_in)], sources)[0]

    def _check(
        self, drafts: Sequence[DraftSentence], sources: Sequence[Source]
    ) -> tuple[CheckedSentence, ...]:
        by_number = {source.n: source for source in sources}
        marks = [_check_marks(draft, by_number) for draft in drafts]
        groups: list[list[_Reading]] = []
        for index, draft in enumerate(drafts):
            cited = [by_number[n] for n in draft.citations] if marks[index] is None else []
            shared = drafts[index - 1].citations if index else draft.citations
            groups.append([r for source in cited for r in self._read(draft, source, shared)])
        verdicts = self._score([reading for group in groups for reading in group])
        results: list[CheckedSentence] = []
        for draft, done, group in zip(drafts, marks, groups, strict=True):
            if done is None:
                done = self._judge(draft, [(reading, next(verdicts)) for reading in group])
                if done.supported and draft.lead_in and results and not results[-1].supported:
                    done = replace(done, problem=Problem.NOT_SUPPORTED, detail=_LEANS)
            results.append(done)
        return tuple(results)

    def _read(self, draft: DraftSentence, source: Source, shared: Sequence[int]) -> list[_Reading]:
        """The windows of one source for one claim; none when the pair would not fit whole."""
        claim = draft.claim
        hypothesis = f"{draft.lead_in} {claim}" if draft.lead_in and source.n in shared else claim
        header = header_of(source)
        for max_words in (_WINDOW_WORDS, _WINDOW_WORDS // 2):
            windows = best_windows(source.text, hypothesis, max_words=max_words, limit=_WINDOWS)
            readings = [_Reading(source, window, header, hypothesis) for window in windows]
            if self._nli is None or all(self._nli.fits(r.premise, r.hypothesis) for r in readings):
                return readings
        return []

    def _score(self, readings: Sequence[_Reading]) -> Iterator[Verdict]:
        if self._nli is None:
            return iter([Verdict(1.0, 0.0, 0.0)] * len(readings))
        return iter(self._nli.score([(r.premise, r.hypothesis) for r in readings]))

    def _judge(
        self, draft: DraftSentence, read: Sequence[tuple[_Reading, Verdict]]
    ) -> CheckedSentence:
        outcomes = [
            self._judge_source(draft, [pair for pair in read if pair[0].source.n == n])
            for n in draft.citations
        ]
        evidence = tuple(o.evidence for o in outcomes if o.problem is None and o.evidence)
        best = max(outcomes, key=lambda outcome: (outcome.problem is None, outcome.score))
        return CheckedSentence(
            draft.text, draft.citations, best.problem, best.detail, evidence, best.score
        )

    def _judge_source(
        self, draft: DraftSentence, read: Sequence[tuple[_Reading, Verdict]]
    ) -> _Outcome:
        if not read:
            return _Outcome(Problem.NOT_SUPPORTED, "too long to check, or an empty source", 0.0)
        reading, verdict = max(read, key=lambda pair: pair[1].entailment)
        if self._guards and is_quote(draft.claim, reading.source):
            return _Outcome(None, "", 1.0, _evidence(reading, verdict.entailment))
        score, threshold = self._weigh(draft, reading, verdict)
        problem = self._guard(draft, reading) if self._guards else None
        # Contradiction and neutral are not told apart: the model is trained on "follows" and "does
        # not", and a sentence that is not entailed stays unposted either way.
        if problem is None and self._nli is not None and score < threshold + BAND:
            problem = Problem.NOT_SUPPORTED, f"source {reading.source.n} does not say this"
        if problem is not None:
            return _Outcome(*problem, score)
        return _Outcome(None, "", score, _evidence(reading, verdict.entailment))

    def _guard(self, draft: DraftSentence, reading: _Reading) -> tuple[Problem, str] | None:
        """What the words alone rule out, whatever the NLI score."""
        where, text = f"source {reading.source.n}", reading.whole
        missing = missing_quantities(draft.claim, text)
        if missing:
            return Problem.QUANTITY, f"{where} does not say {', '.join(missing)}"
        turned = turned_round(draft.claim, text)
        if turned:
            return Problem.CONTRADICTED, f"{where} says {turned}"
        if other_actor(draft.claim, text):
            return Problem.CONTRADICTED, f"{where} names somebody else"
        country = other_country(draft.claim, text, reading.source.scope)
        if country:
            return Problem.NOT_SUPPORTED, f"{where} is not for {country}"
        general = overgeneral(draft.claim, reading.window.text, text)
        if general:
            return Problem.NOT_SUPPORTED, f'{where} sets limits where this says "{general}"'
        return None

    def _weigh(
        self, draft: DraftSentence, reading: _Reading, verdict: Verdict
    ) -> tuple[float, float]:
        """The score that decides, and what it has to reach."""
        if self._nli is None:
            return 1.0, 0.0
        if not self._guards or self._nli.weights is None:
            return verdict.entailment, self._nli.threshold
        features = compare(draft.claim, reading.window.text, reading.whole)
        return self._nli.weights.score(verdict.entailment, features), WEIGHED_THRESHOLD


def _evidence(reading: _Reading, entailment: float) -> Evidence:
    source, start, end = reading.source, reading.window.start, reading.window.end
    return Evidence(source.n, source.page_at(start), source.text[start:end], entailment, start, end)


def _under(header: str, text: str) -> str:
    return f"{header}\n{text}" if header else text


def header_of(source: Source) -> str:
    """What the source's header says, in one line: title, scope and dates, as far as known."""
    if not (source.title or source.scope or source.effective_from or source.effective_to):
        return ""
    dates = dates_in_words(source.effective_from, source.effective_to)
    whom = ", ".join(country_name(code) for code in source.scope) or "everyone"
    parts = (source.title, f"Applies to: {whom}", dates and f"In force {dates}")
    return " ".join(f"{part}." for part in parts if part)


def _check_marks(draft: DraftSentence, by_number: dict[int, Source]) -> CheckedSentence | None:
    """The verdict where the marks alone decide it."""
    if not draft.citations:
        if is_guidance(draft.text):
            return CheckedSentence(draft.text, (), guidance=True, score=1.0)
        return CheckedSentence(draft.text, (), Problem.NO_CITATION, "no source is cited")
    unknown = [n for n in draft.citations if n not in by_number]
    if unknown:
        named = ", ".join(f"[{n}]" for n in unknown)
        return CheckedSentence(
            draft.text, draft.citations, Problem.UNKNOWN_SOURCE, f"{named} was not given"
        )
    return None
