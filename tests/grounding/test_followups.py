from __future__ import annotations

import pytest

from grounding.followups import self_contained

BEFORE = "What is the rent of a locker in Leeds for band B?"


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("And in York?", "What is the rent of a locker in York for band B?"),
        ("What about York?", "What is the rent of a locker in York for band B?"),
        ("and for band D?", "What is the rent of a locker in Leeds for band D?"),
        ("What about band D?", "What is the rent of a locker in Leeds for band D?"),
    ],
)
def test_what_is_named_takes_the_place_of_what_was_named_before(question: str, whole: str) -> None:
    assert self_contained(question, BEFORE) == whole


def test_a_question_that_points_back_follows_the_one_before() -> None:
    assert (
        self_contained("Does it go up each year?", BEFORE) == f"{BEFORE} Does it go up each year?"
    )


def test_a_question_that_stands_alone_is_left_alone() -> None:
    question = "How many visitors may come into the yard on a Sunday?"
    assert self_contained(question, BEFORE) == question
    assert self_contained("And York?", None) == "And York?"
    assert self_contained(" And York? ", "  ") == "And York?"
