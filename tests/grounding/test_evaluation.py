from __future__ import annotations

import pytest

from grounding.answer import Answer, CheckedSentence, Evidence, Reason, Status
from grounding.evaluation import Row, evaluate, holds_key, result_row
from knowledge.sources import PageStart, Source

PAGE_2 = Source(1, "Rent is GBP 4.", file="a/lockers.pdf", page_starts=(PageStart(0, 2),))
PAGE_5 = Source(2, "Keys.", file="a/lockers.pdf", page_starts=(PageStart(0, 5),))
OTHER = Source(3, "Yard.", file="yard.pdf", page_starts=(PageStart(0, 2),))


def answered(text: str, source: Source) -> Answer:
    evidence = Evidence(1, source.pages[0], source.text, 0.9, 0, 3)
    sentence = CheckedSentence(text, (1,), evidence=(evidence,))
    return Answer(Status.ANSWERED, None, (sentence,), (source,))


HANDED = Answer(Status.NEEDS_HUMAN, Reason.NO_SOURCE, (), (OTHER,))
RENT = Row("r", "Rent?", True, file="lockers.pdf", pages=(2,), key=("four",), kind="amount")
SILENT = Row("s", "Dogs?", False, kind="silent")


@pytest.mark.parametrize(
    ("text", "key", "held"),
    [
        ("Rent is GBP 4 a month.", ("four",), True),
        ("Rent is four pounds.", ("4",), True),
        ("Twenty-five days of leave.", ("25",), True),
        ("A limit of 9,000 a night.", ("9000",), True),
        ("INR 11,500 per night.", ("inr 11500",), True),
        ("It is 40 a month.", ("4",), False),
        ("It is 1.4 a month.", ("4",), False),
        ("Managers decide.", ("manager",), False),
        ("A MANAGER decides.", ("manager", "decides"), True),
        ("A manager decides.", ("manager", "HR"), False),
        ("50% of pay", ("50 per cent",), True),
        ("£350 once", ("GBP 350",), True),
    ],
)
def test_a_key_is_held_as_whole_words(text: str, key: tuple[str, ...], held: bool) -> None:
    assert holds_key(text, key) is held


def test_figures_of_a_small_set() -> None:
    rows = [RENT, Row("w", "Rent?", True, file="lockers.pdf", pages=(2,), key=("four",)), SILENT]
    given = {"r": answered("Four.", PAGE_2), "w": answered("Five.", PAGE_5), "s": HANDED}
    found = {"r": [OTHER, PAGE_2], "w": [PAGE_2], "s": [OTHER]}
    figures, results = evaluate(rows, lambda row: given[row.id], lambda row: found[row.id])
    assert figures["n"] == 3
    assert figures["recall"] == {"1": 0.5, "3": 1.0, "5": 1.0, "10": 1.0}
    assert figures["answerable"] == {"n": 2, "answered_rate": 1.0}
    assert figures["unanswerable"] == {"n": 1, "handed_over_rate": 1.0}
    assert figures["citation_page_accuracy"] == 0.5
    assert figures["key_accuracy"] == 0.5
    assert figures["by_kind"]["amount"]["key_accuracy"] == 1.0
    assert figures["by_kind"]["silent"]["unanswerable"] == {"n": 1, "handed_over_rate": 1.0}
    assert set(figures["ms"]) == {"median", "p95"}
    assert [result.rank for result in results] == [2, 1, None]


def test_a_question_handed_over_counts_against_the_key_and_not_against_the_page() -> None:
    figures, _ = evaluate([RENT], lambda row: HANDED, lambda row: [])
    assert figures["answerable"]["answered_rate"] == 0.0
    assert figures["key_accuracy"] == 0.0
    assert figures["citation_page_accuracy"] is None
    assert figures["recall"]["10"] == 0.0
    assert figures["unanswerable"] == {"n": 0, "handed_over_rate": None}


def test_a_page_of_another_file_is_no_gold_page() -> None:
    figures, _ = evaluate([RENT], lambda row: answered("Four.", OTHER), lambda row: [OTHER])
    assert figures["citation_page_accuracy"] == 0.0
    assert figures["recall"]["10"] == 0.0


def test_a_result_tells_what_was_answered_and_what_was_right() -> None:
    _, (result,) = evaluate([RENT], lambda row: answered("Four.", PAGE_2), lambda row: [PAGE_2])
    told = result_row(result)
    assert told.pop("ms") >= 0
    assert told == {
        "id": "r",
        "status": "answered",
        "reason": None,
        "answer": "Four.",
        "cited": [{"file": "a/lockers.pdf", "page": 2}],
        "rank": 1,
        "page_right": True,
        "key_right": True,
    }
