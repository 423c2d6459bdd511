"""The words of a checked answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from knowledge.sources import Source


class Problem(StrEnum):
    """Why a sentence is not clearly supported."""

    NO_CITATION = "no_citation"
    UNKNOWN_SOURCE = "unknown_source"
    NOT_SUPPORTED = "not_supported"
    CONTRADICTED = "contradicted"
    QUANTITY = "quantity"


class Status(StrEnum):
    ANSWERED = "answered"
    NEEDS_HUMAN = "needs_human"


class Reason(StrEnum):
    """Why a question goes to HR."""

    NO_SOURCE = "no_source"
    UNSUPPORTED = "unsupported"
    CONFLICT = "conflict"
    MODEL_UNAVAILABLE = "model_unavailable"
    CHECKER_UNAVAILABLE = "checker_unavailable"
    INDEX_UNAVAILABLE = "index_unavailable"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words of source `source` that entail a sentence.

    `page` is the physical page (from 1) where `text` begins, None for a text without pages.
    `score` is the NLI probability of entailment, 0 to 1. `start` and `end` are the character
    span of `text` in the source's text.
    """

    source: int
    page: int | None
    text: str
    score: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence of a draft with its verdict; `problem` is None when it is supported.

    `text` has no citation marks. `citations` are the source numbers as written, in order, each
    once, unknown ones included. `detail` says in plain words what is wrong. A guidance phrase is
    supported with no citations and no evidence.
    """

    text: str
    citations: tuple[int, ...]
    problem: Problem | None = None
    detail: str = ""
    evidence: tuple[Evidence, ...] = ()
    score: float = 0.0
    guidance: bool = False

    @property
    def supported(self) -> bool:
        return self.problem is None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One draft as the generator wrote it, and what the checker found: the trail for HR."""

    draft: str
    sentences: tuple[CheckedSentence, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """Checked sentences with citations, or a reason why there are none.

    `sentences` is empty unless `status` is answered. `sources` lists all that were given to the
    generator. `removed` are the findings that were left out. `timings_ms` maps a step to
    milliseconds. `other_countries` are the countries (ISO codes) that have a version of their own
    of a cited policy and were not asked for.
    """

    status: Status
    reason: Reason | None
    sentences: tuple[CheckedSentence, ...]
    sources: tuple[Source, ...]
    removed: tuple[CheckedSentence, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    other_countries: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
