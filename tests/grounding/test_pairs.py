"""The figures of `policypal check`."""

from typing import Any

import pytest

from grounding.checker import Checker
from grounding.pairs import check_pairs

PREMISE = "Full-time employees receive 25 days of annual leave in each calendar year."
ROWS: list[dict[str, Any]] = [
    {"id": "a", "label": "supported", "premise": PREMISE,
     "hypothesis": "Full-time employees get 25 days of annual leave."},
    {"id": "b", "label": "unsupported", "error_type": "number", "premise": PREMISE,
     "hypothesis": "Full-time employees get 28 days of annual leave."},
    {"id": 3, "premise": PREMISE, "hypothesis": "Helmets must be worn on site by visitors.",
     "label": "unsupported", "error_type": "added", "note": None},
]  # fmt: skip


def test_rates_are_counted_over_their_own_rows(checker: Checker) -> None:
    figures = check_pairs(ROWS, checker, with_rows=True)
    assert figures["n"] == 3
    assert figures["false_flag_rate"] == 0
    assert figures["miss_rate"] == 0
    assert figures["balanced_accuracy"] == 1
    assert figures["by_error_type"] == {
        "added": {"n": 1, "wrong": 0}, "none": {"n": 1, "wrong": 0}, "number": {"n": 1, "wrong": 0},
    }  # fmt: skip
    assert figures["ms_per_pair"] > 0
    assert [row["id"] for row in figures["rows"]] == ["a", "b", "3"]
    assert figures["rows"][1]["problem"] == "quantity"
    assert figures["rows"][1]["verdict"] == "unsupported"


def test_guards_alone_miss_what_holds_no_quantity() -> None:
    figures = check_pairs(ROWS, Checker(None))
    assert figures["miss_rate"] == 0.5
    assert figures["by_error_type"]["added"] == {"n": 1, "wrong": 1}


def test_no_rows_give_no_rates(checker: Checker) -> None:
    figures = check_pairs([], checker)
    assert figures["n"] == 0
    assert figures["balanced_accuracy"] is None
    assert figures["ms_per_pair"] is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"label": "entailed"}, "line 1: label"),
        ({"premise": None}, "line 1: premise"),
        ({"hypothesis": 4}, "line 1: hypothesis"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(
    checker: Checker, change: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        check_pairs([ROWS[0] | change], checker)
