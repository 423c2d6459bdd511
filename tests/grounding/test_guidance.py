"""Guidance phrases are known from end to end, so that nothing slips in."""

import pytest

from grounding.guidance import is_guidance


@pytest.mark.parametrize(
    "sentence",
    [
        "Please contact HR for more help.",
        "Please contact HR if you need more information.",
        "If you have any questions, please contact your HR team.",
        "You can also ask your manager or HR.",
        "Contact your local HR department with any questions",
        "I hope this helps!",
        "Let me know if you have any other questions.",
        "Here's what I found:",
        "I couldn't find an answer in the policies.",
    ],
)
def test_a_known_phrase_is_guidance(sentence: str) -> None:
    assert is_guidance(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Please contact HR within 5 days for more help.",
        "Please contact HR before you travel.",
        "Please contact HR to have your leave approved.",
        "Please contact HR for more help and a refund.",
        "Please contact HR for more help, as leave lapses in March.",
        "Your manager must approve it.",
        "Contact Payroll for more pay.",
        "I hope this helps you carry over 5 days.",
        "",
    ],
)
def test_a_sentence_that_states_a_fact_is_not(sentence: str) -> None:
    assert not is_guidance(sentence)
