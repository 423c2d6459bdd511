from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from grounding.answer import Answer, CheckedSentence, Reason, Status
from grounding.answering import CHECKING, SEARCHING, answer_question
from grounding.checker import Checker
from grounding.errors import CheckerUnavailable, ModelUnavailable
from grounding.generation import Generator
from grounding.ranking import Ranker
from grounding.relevance import Relevance
from knowledge.embedding import Embedder
from knowledge.errors import IndexUnavailable
from knowledge.retrieval import Retrieval
from knowledge.sources import PageStart, Source

LOCKERS = Source(
    1,
    "4.1 A locker may be rented for GBP 4 a month. 4.2 The key is handed out by the porter.",
    title="Lockers",
    policy="lockers",
    page_starts=(PageStart(0, 2), PageStart(46, 3)),
)
YARD = Source(2, "7.1 The yard is locked at 22:00.", title="Yard", policy="yard")
QUESTION = "What is the rent of a locker?"
RELEVANCE = Relevance()
DAY = date(2030, 5, 1)
RIGHT = "A locker may be rented for GBP 4 a month [1]."
WRONG = "A locker may be rented for GBP 9 a month [1]."
EXTRA = "Visitors pay a fee of GBP 7 [2]."


@dataclass
class Script:
    """A generator that writes what a test gave it, draft by draft."""

    drafts: list[str]
    seen: list[dict[str, Any]] = field(default_factory=list)

    def draft(self, question: str, sources: Sequence[Source], **given: Any) -> str:
        self.seen.append({"question": question, "sources": sources, **given})
        return self.drafts.pop(0)


@pytest.fixture(scope="module")
def index() -> Any:
    return SimpleNamespace(embedder=Embedder())


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What retrieval gives, to be changed by a test; `query` is what it was asked."""
    state: dict[str, Any] = {"sources": (LOCKERS, YARD), "others": (), "query": None}

    def retrieve(index: Any, query: str, **given: Any) -> Retrieval:
        if isinstance(state["sources"], Exception):
            raise state["sources"]
        state["query"] = query
        relevance = tuple(0.5 for _ in state["sources"])
        return Retrieval(state["sources"], relevance, state["others"], given["country"], DAY)

    monkeypatch.setattr("grounding.sourcing.retrieve", retrieve)
    return state


def ask(index: Any, script: Generator, **more: Any) -> Answer:
    return answer_question(
        more.pop("question", QUESTION),
        index=index,
        ranker=Ranker(index.embedder, RELEVANCE),
        checker=more.pop("checker", Checker(None)),
        generator=script,
        **more,
    )


def texts(sentences: Sequence[CheckedSentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


def test_a_supported_draft_is_the_answer(index: Any, found: dict[str, Any]) -> None:
    answer = ask(index, Script([RIGHT]))
    assert answer.status is Status.ANSWERED
    assert answer.reason is None
    assert texts(answer.sentences) == ["A locker may be rented for GBP 4 a month."]
    assert answer.sentences[0].citations == (1,)
    assert answer.sentences[0].evidence[0].page == 2
    assert answer.sources == (LOCKERS, YARD)
    assert set(answer.timings_ms) == {"retrieve", "draft", "check"}


def test_a_flagged_extra_is_dropped_when_the_rest_answers(
    index: Any, found: dict[str, Any]
) -> None:
    script = Script([f"{EXTRA} {RIGHT}"])
    answer = ask(index, script)
    assert texts(answer.sentences) == ["A locker may be rented for GBP 4 a month."]
    assert texts(answer.removed) == ["Visitors pay a fee of GBP 7."]
    assert script.drafts == []


def test_a_flagged_main_claim_is_written_again_with_the_findings(
    index: Any, found: dict[str, Any]
) -> None:
    script = Script([f"{WRONG} The yard is locked at 22:00 [2].", RIGHT])
    answer = ask(index, script)
    assert texts(answer.sentences) == ["A locker may be rented for GBP 4 a month."]
    first, second = script.seen
    assert first["findings"] == ()
    assert texts(second["findings"]) == [
        "A locker may be rented for GBP 9 a month.",
        "The yard is locked at 22:00.",
    ]
    assert len(answer.attempts) == 2


def test_what_fails_twice_goes_to_hr_with_its_trail(index: Any, found: dict[str, Any]) -> None:
    answer = ask(index, Script([WRONG, WRONG]))
    assert answer.status is Status.NEEDS_HUMAN
    assert answer.reason is Reason.UNSUPPORTED
    assert answer.sentences == ()
    assert texts(answer.removed) == ["A locker may be rented for GBP 9 a month."]
    assert [attempt.draft for attempt in answer.attempts] == [WRONG, WRONG]
    assert answer.sources == (LOCKERS, YARD)


def test_nothing_flagged_is_ever_in_an_answer(index: Any, found: dict[str, Any]) -> None:
    for first in (f"{RIGHT} {WRONG}", WRONG, f"{EXTRA} {RIGHT} {EXTRA}", "", "No idea."):
        for second in (f"{WRONG} {RIGHT}", EXTRA, "", "Rent is GBP 4."):
            answer = ask(index, Script([first, second]))
            assert all(sentence.supported for sentence in answer.sentences)
            assert (answer.status is Status.ANSWERED) == bool(answer.sentences)


def test_an_empty_draft_means_that_no_source_answers(index: Any, found: dict[str, Any]) -> None:
    assert ask(index, Script([""])).reason is Reason.NO_SOURCE


def test_without_sources_nothing_is_drafted(index: Any, found: dict[str, Any]) -> None:
    found["sources"] = ()
    script = Script([RIGHT])
    assert ask(index, script).reason is Reason.NO_SOURCE
    assert script.seen == []


def test_only_courtesies_are_no_answer(index: Any, found: dict[str, Any]) -> None:
    courtesy = "Please contact HR for more help."
    assert ask(index, Script([courtesy, courtesy])).status is Status.NEEDS_HUMAN


def test_a_citation_that_does_not_entail_loses_its_button(
    index: Any, found: dict[str, Any]
) -> None:
    answer = ask(index, Script(["A locker may be rented for GBP 4 a month [1][2]."]))
    assert answer.sentences[0].citations == (1,)


def test_steps_are_told_as_they_begin(index: Any, found: dict[str, Any]) -> None:
    steps: list[str] = []
    ask(index, Script([RIGHT]), on_step=steps.append)
    assert steps == [SEARCHING, CHECKING]


def test_a_follow_up_is_searched_for_in_its_whole(index: Any, found: dict[str, Any]) -> None:
    script = Script([RIGHT])
    ask(index, script, question="And the key?", previous="Who hands out lockers?")
    assert found["query"] == "Who hands out lockers? And the key?"
    assert script.seen[0]["previous"] == "Who hands out lockers?"


def test_the_generator_is_told_the_reader_and_the_day(index: Any, found: dict[str, Any]) -> None:
    script = Script([RIGHT])
    ask(index, script, country="IN")
    assert script.seen[0]["country"] == "IN"
    assert script.seen[0]["day"] == DAY
    assert script.seen[0]["relevance"] == (0.5, 0.5)


def test_other_countries_are_named_only_where_the_readers_is_unknown(
    index: Any, found: dict[str, Any]
) -> None:
    found["others"] = ("GB", "IN")
    assert ask(index, Script([RIGHT])).other_countries == ("GB", "IN")
    assert ask(index, Script([RIGHT]), country="DE").other_countries == ()
    assert ask(index, Script([""])).other_countries == ()


def test_versions_for_two_countries_that_disagree_are_a_conflict(
    index: Any, found: dict[str, Any]
) -> None:
    here = Source(1, "A locker may be rented for GBP 4 a month.", policy="lockers")
    there = Source(2, "A locker may be rented for GBP 6 a month.", policy="lockers", scope=("IN",))
    found["sources"] = (here, there)

    class EachCited:
        def draft(self, question: str, sources: Sequence[Source], **given: Any) -> str:
            return " ".join(f"{source.text.rstrip('.')} [{source.n}]." for source in sources)

    answer = ask(index, EachCited())
    assert answer.reason is Reason.CONFLICT
    assert answer.sentences == ()


class Broken:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def draft(self, *_: Any, **__: Any) -> str:
        raise self.error

    def check(self, *_: Any) -> tuple[CheckedSentence, ...]:
        raise self.error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (IndexUnavailable("gone"), Reason.INDEX_UNAVAILABLE),
        (ModelUnavailable("gone"), Reason.MODEL_UNAVAILABLE),
        (CheckerUnavailable("gone"), Reason.CHECKER_UNAVAILABLE),
    ],
)
def test_a_part_out_of_order_is_a_reason_and_no_error(
    index: Any,
    found: dict[str, Any],
    error: Exception,
    reason: Reason,
    caplog: pytest.LogCaptureFixture,
) -> None:
    script: Any = Script([RIGHT])
    checker: Any = Checker(None)
    if reason is Reason.INDEX_UNAVAILABLE:
        found["sources"] = error
    elif reason is Reason.MODEL_UNAVAILABLE:
        script = Broken(error)
    else:
        checker = Broken(error)
    answer = ask(index, script, checker=checker)
    assert answer.reason is reason
    assert answer.sentences == ()
    assert "gone" in caplog.text


def test_an_error_that_is_nobodys_reason_is_raised(index: Any, found: dict[str, Any]) -> None:
    script: Any = Broken(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        ask(index, script)
