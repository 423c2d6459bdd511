"""Answers without an index or models, and the parts that answers are made of.

`ScriptedEngine` stands in for `Engine` where a test is about Slack and not about policies: it
gives the answer that it was told to, keeps what it was asked, and can be slow or break.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bot.engine import Engine, Progress
from bot.settings import Settings
from grounding.answer import Answer, Attempt, CheckedSentence, Evidence, Problem, Reason, Status
from grounding.answering import CHECKING, SEARCHING
from knowledge.catalog import Catalog, Version
from knowledge.index import BuildReport
from knowledge.sources import PageStart, Source

SHA = "ab" * 32
REPORT = BuildReport(
    indexed=2, unchanged=1, removed=0, failed=(), warnings=(), pages=30, chunks=120
)


def source(n: int = 1, text: str = "Employees get 25 days of leave.", **rest: Any) -> Source:
    given: dict[str, Any] = {
        "title": "Annual leave policy",
        "policy": "annual-leave",
        "file": "annual-leave.pdf",
        "sha256": SHA,
        "page_starts": (PageStart(0, 4),),
    }
    return Source(n=n, text=text, **given | rest)


def sentence(text: str = "You get 25 days of leave.", *cited: tuple[int, int]) -> CheckedSentence:
    """A supported sentence; `cited` are (source, page)."""
    places = cited or ((1, 4),)
    return CheckedSentence(
        text=text,
        citations=tuple(n for n, _ in places),
        evidence=tuple(Evidence(n, page, text, 0.98, 0, len(text)) for n, page in places),
        score=0.98,
    )


def answered(*sentences: CheckedSentence, sources: Sequence[Source] = (), **rest: Any) -> Answer:
    return Answer(
        Status.ANSWERED,
        None,
        sentences or (sentence(),),
        tuple(sources) or (source(),),
        **rest,
    )


def handed_over(
    reason: Reason = Reason.UNSUPPORTED,
    draft: str = "You must tell your manager two weeks in advance. [1]",
    sources: Sequence[Source] = (),
) -> Answer:
    flagged = CheckedSentence(
        text=draft.partition(" [")[0],
        citations=(1,),
        problem=Problem.NOT_SUPPORTED,
        detail="source 1 does not say it",
    )
    return Answer(
        Status.NEEDS_HUMAN,
        reason,
        (),
        tuple(sources) or (source(),),
        removed=(flagged,),
        attempts=(Attempt(draft, (flagged,)),),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    country: str | None
    previous: str | None


Script = Answer | Callable[[Asked], Answer]


class ScriptedEngine(Engine):
    """`script` is the answer to everything, or a function of what was asked; it may raise.

    `asked` keeps every question in order. `rebuild` is what `reindex` does; `rebuilt` keeps the
    folders that it was given.
    """

    def __init__(self, settings: Settings, script: Script | None = None) -> None:
        super().__init__(settings, base_url="http://127.0.0.1:9")
        self.script: Script = script or answered()
        self.asked: list[Asked] = []
        self.rebuild: Callable[[Progress], BuildReport] = lambda progress: REPORT
        self.rebuilt: list[Path | None] = []
        self.broken: Exception | None = None
        self._building = threading.Lock()

    def answer(
        self,
        question: str,
        country: str | None = None,
        day: date | None = None,
        previous: str | None = None,
        on_step: Callable[[str], None] | None = None,
    ) -> Answer:
        asked = Asked(question, country, previous)
        self.asked.append(asked)
        for step in (SEARCHING, CHECKING):
            if on_step:
                on_step(step)
        return self.script if isinstance(self.script, Answer) else self.script(asked)

    def index(self) -> Any:
        if self.broken:
            raise self.broken
        versions = (Version("travel", "Travel <policy> & more", "travel.pdf"),)
        return SimpleNamespace(
            catalog=Catalog("Europe/London", versions),
            generation=SimpleNamespace(built_at=datetime(2026, 3, 1, 8, 30, tzinfo=UTC)),
        )

    @property
    def checker(self) -> Any:
        return None

    def warm_up(self) -> None:
        pass

    def reindex(
        self, progress: Progress | None = None, policies: Path | None = None
    ) -> BuildReport:
        self.rebuilt.append(policies)
        return self.rebuild(progress or (lambda what, done, total: None))


def with_country(answer: Answer, *countries: str) -> Answer:
    return replace(answer, other_countries=countries)
