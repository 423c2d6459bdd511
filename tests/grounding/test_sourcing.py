"""Sources in the order of what they say, not of how alike they look."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from grounding.ranking import Ranker
from grounding.relevance import Relevance
from grounding.sourcing import LOOKED_AT, find_sources
from knowledge.embedding import Embedder
from knowledge.retrieval import Retrieval
from knowledge.sources import Source

DAY = date(2031, 2, 3)
QUESTION = "who do I tell if my laptop gets nicked"
LAPTOPS = Source(1, "3.1 A laptop is replaced every four years.", title="Devices", file="it.pdf")
BAGS = Source(2, "5.2 A laptop bag may be bought for GBP 40.", title="Spending", file="money.pdf")
THEFT = Source(
    3,
    "3.4 A stolen device is reported to the service desk within one hour.",
    title="Devices",
    file="it.pdf",
)
NOTHING = Source(4, "", title="Devices", file="it.pdf")


@pytest.fixture(scope="module")
def ranker() -> Ranker:
    return Ranker(Embedder(), Relevance())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What retrieval was asked."""
    seen: dict[str, Any] = {}

    def retrieve(index: Any, question: str, **given: Any) -> Retrieval:
        seen.update(given, question=question)
        return Retrieval(
            (LAPTOPS, BAGS, THEFT, NOTHING), (0.9, 0.8, 0.4, 0.1), ("IN",), given["country"], DAY
        )

    monkeypatch.setattr("grounding.sourcing.retrieve", retrieve)
    return seen


def test_what_answers_comes_first_and_is_numbered_so(ranker: Ranker, asked: dict[str, Any]) -> None:
    found = find_sources(None, ranker, QUESTION, country="GB", day=DAY, limit=3)  # type: ignore[arg-type]
    assert [source.n for source in found.sources] == [1, 2, 3]
    assert found.sources[0].text == THEFT.text
    assert found.relevance[0] == 0.4
    assert {source.text for source in found.sources[1:]} == {LAPTOPS.text, BAGS.text}
    assert (found.country, found.day, found.other_countries) == ("GB", DAY, ("IN",))


def test_a_source_that_states_nothing_comes_last(ranker: Ranker, asked: dict[str, Any]) -> None:
    found = find_sources(None, ranker, QUESTION, limit=9)  # type: ignore[arg-type]
    assert [source.text for source in found.sources][-1] == ""
    assert len(found.sources) == 4
    assert asked["limit"] == LOOKED_AT


def test_a_question_that_leans_on_another_is_searched_for_whole(
    ranker: Ranker, asked: dict[str, Any]
) -> None:
    find_sources(None, ranker, "And if it is stolen?", previous="When do I get a laptop?", limit=1)  # type: ignore[arg-type]
    assert asked["question"] == "When do I get a laptop? And if it is stolen?"
