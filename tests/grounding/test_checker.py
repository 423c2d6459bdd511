"""The whole checker with the shipped model, on the faults that it exists for."""

from datetime import date
from pathlib import Path

import pytest

from grounding.answer import CheckedSentence, Problem
from grounding.checker import Checker, header_of
from grounding.entailment import NliModel
from grounding.errors import CheckerUnavailable
from knowledge.sources import PageStart, Source

LEAVE = (
    "Annual leave. Full-time employees receive 25 days of annual leave in each calendar year, in"
    " addition to public holidays. Up to five unused days may be carried over and must be taken by"
    " 31 March of the following year. Part-time employees receive leave in proportion to their"
    " hours. Leave is booked in the HR portal and approved by the line manager."
)
TRAVEL = (
    "Flights. Economy class is booked for flights of up to eight hours. For flights of more than"
    " eight hours, premium economy may be booked with the approval of the department head. Hotels"
    " are reimbursed up to £120 per night in London and £95 per night elsewhere. Meals are"
    " reimbursed up to £45 per day against receipts. Claims must be submitted within 30 days of the"
    " end of the trip."
)
SICKNESS = (
    "Sickness. Employees tell their manager before 9:30 am on the first day of absence. A doctor's"
    " certificate is required from the eighth calendar day. Sick pay is 100 % of salary for the"
    " first 13 weeks and 50 % for the following 13 weeks."
)
SOURCES = (
    Source(1, LEAVE, title="Leave policy"),
    Source(2, TRAVEL, title="Travel policy"),
    Source(3, SICKNESS, title="Sickness policy"),
)


def _one(checker: Checker, answer: str, sources: tuple[Source, ...] = SOURCES) -> CheckedSentence:
    (sentence,) = checker.check(answer, sources)
    return sentence


@pytest.mark.parametrize(
    "answer",
    [
        "Full-time employees get 25 days of annual leave each year. [1]",
        "If you work full time, you have 25 days of holiday a year on top of public holidays. [1]",
        "You can carry over up to five unused days. [1]",
        "Your leave is booked in the HR portal and approved by your line manager. [1]",
        "Part-timers get leave in proportion to their hours. [1]",
        "Economy class is booked on flights of up to eight hours. [2]",
        "On a nine-hour flight you may book premium economy if your department head approves. [2]",
        "Hotels in London are covered up to £120 a night. [2]",
        "You have to submit your claim within 30 days after the trip ends. [2]",
        "You need a doctor's certificate from the eighth day of absence. [3]",
        "Half of your salary is paid for the following 13 weeks. [3]",
        "You must tell your manager before 9:30 am on the first day you are off sick. [3]",
    ],
)
def test_a_true_sentence_passes_in_close_and_in_free_words(checker: Checker, answer: str) -> None:
    sentence = _one(checker, answer)
    assert sentence.supported, sentence.detail
    (evidence,) = sentence.evidence
    assert evidence.text == SOURCES[evidence.source - 1].text[evidence.start : evidence.end]


@pytest.mark.parametrize(
    "answer",
    [
        "Full-time employees receive 28 days of annual leave in each calendar year. [1]",
        "You get 28 days of annual leave if you work full time. [1]",
        "Up to eight unused days may be carried over. [1]",
        "You have until 31 May of the next year to use carried-over days. [1]",
        "Economy class is booked for flights of up to six hours. [2]",
        "Hotels in London are reimbursed up to £150 per night. [2]",
        "You can spend €45 a day on meals. [2]",
        "Claims must be submitted within 60 days of the end of the trip. [2]",
        "A doctor's certificate is required from the fifth calendar day. [3]",
        "Sick pay is 100 % of salary for the first 16 weeks. [3]",
        "Sick pay is 75 % for the following 13 weeks. [3]",
        "Employees must carry over at least five days. [1]",
    ],
)
def test_a_wrong_quantity_is_flagged_whatever_the_score(checker: Checker, answer: str) -> None:
    assert _one(checker, answer).problem is Problem.QUANTITY


@pytest.mark.parametrize(
    "answer",
    [
        "You must inform your manager two weeks in advance. [1]",
        "Economy class is standard for all flights. [2]",
        "You may carry over all unused days. [1]",
        "Contractors receive 25 days of annual leave. [1]",
        "Leave does not need approval. [1]",
        "Leave is not booked in the HR portal and approved by the line manager. [1]",
    ],
)
def test_an_addition_a_generality_and_a_turned_rule_are_flagged(
    checker: Checker, answer: str
) -> None:
    assert not _one(checker, answer).supported


def test_a_fact_of_another_source_does_not_support_a_sentence(checker: Checker) -> None:
    claim = "Full-time employees get 25 days of annual leave each year."
    assert not _one(checker, f"{claim} [2]").supported
    assert not _one(checker, f"{claim} [3]").supported
    both = _one(checker, f"{claim} [1, 2]")
    assert both.supported
    assert both.citations == (1, 2)
    assert [evidence.source for evidence in both.evidence] == [1]


@pytest.mark.parametrize("number", [0, 4, 9, -1])
def test_a_number_that_names_no_source_is_refused(checker: Checker, number: int) -> None:
    sentence = _one(
        checker, f"Full-time employees get 25 days of annual leave each year [{number}]."
    )
    assert sentence.problem is Problem.UNKNOWN_SOURCE
    assert sentence.citations == (number,)


def test_a_sentence_without_a_citation_is_flagged_unless_it_is_guidance(checker: Checker) -> None:
    checked = checker.check("You get 25 days. Please contact HR for more help.", SOURCES)
    assert [sentence.problem for sentence in checked] == [Problem.NO_CITATION, None]
    assert checked[1].guidance


def test_a_sentence_falls_with_the_one_that_it_leans_on(checker: Checker) -> None:
    answer = "You get 28 days of annual leave. [1] It is booked in the HR portal. [1]"
    checked = checker.check(answer, SOURCES)
    assert [sentence.supported for sentence in checked] == [False, False]


def test_evidence_names_the_page_of_the_words_that_support(checker: Checker) -> None:
    text = f"{LEAVE}\n{SICKNESS}"
    pages = (PageStart(0, 7), PageStart(len(LEAVE) + 1, 8))
    source = Source(1, text, page_starts=pages)
    answer = "You need a doctor's certificate from the eighth day of absence. [1]"
    (evidence,) = _one(checker, answer, (source,)).evidence
    assert evidence.page == 8
    assert "certificate" in evidence.text


def test_the_header_says_title_scope_and_dates_as_far_as_known() -> None:
    dated = Source(
        1, "x", title="Travel policy", scope=("IN",),
        effective_from=date(2026, 1, 1), effective_to=date(2026, 3, 31),
    )  # fmt: skip
    assert header_of(dated) == (
        "Travel policy. Applies to: India. In force from 1 January 2026 until 31 March 2026."
    )
    assert header_of(Source(1, "x", title="Leave")) == "Leave. Applies to: everyone."
    assert header_of(Source(1, "x")) == ""


def test_dates_of_the_header_may_be_said_and_other_dates_may_not(checker: Checker) -> None:
    source = Source(1, LEAVE, title="Leave policy", effective_to=date(2026, 12, 31))
    right = "Until 31 December 2026 full-time employees get 25 days of annual leave. [1]"
    wrong = "Until 30 June 2026 full-time employees get 25 days of annual leave. [1]"
    assert _one(checker, right, (source,)).supported
    assert _one(checker, wrong, (source,)).problem is Problem.QUANTITY


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Employees may carry over up to five days by the end of March 2026.", True),
        ("You can carry over up to five days until 31 March 2026.", True),
        ("Employees may carry over up to 6 days until 31 March 2026.", False),
        ("Employees may carry over up to 5 days until 31 May 2026.", False),
        ("Employees may carry over up to 5 days until 31 March 2025.", False),
        ("Employees may carry over at least 5 days until 31 March 2026.", False),
        ("Employees may carry over more than 5 days until 31 March 2026.", False),
        ("Employees may carry over up to 5 days after 31 March 2026.", False),
        ("Employees may carry over up to 5 weeks until 31 March 2026.", False),
        ("Employees must carry over up to 5 days until 31 March 2026.", False),
        ("Managers may carry over up to 5 days until 31 March 2026.", False),
    ],
)
def test_one_altered_word_in_a_rule_is_seen(checker: Checker, claim: str, right: bool) -> None:
    source = Source(1, "Employees may carry over up to 5 days until 31 March 2026.")
    assert _one(checker, f"{claim} [1]", (source,)).supported is right


def test_another_country_than_the_source_is_for_is_flagged(checker: Checker) -> None:
    text = "Hotels are reimbursed up to INR 8,000 per night. Alcohol is not reimbursed."
    source = Source(1, text, title="Travel policy", scope=("IN",))
    claim = "hotels are reimbursed up to INR 8,000 per night. [1]"
    assert _one(checker, f"In India {claim}", (source,)).supported
    assert not _one(checker, f"In Germany {claim}", (source,)).supported
    assert not _one(checker, f"In the UK {claim}", (source,)).supported


def test_a_short_rule_turned_round_is_flagged(checker: Checker) -> None:
    source = Source(1, "Hotels are reimbursed up to £95. Alcohol is not reimbursed.")
    wrong = _one(checker, "Alcohol is reimbursed. [1]", (source,))
    assert wrong.problem is Problem.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Leave is approved by your line manager.", True),
        ("Your leave has to be approved by the line manager.", True),
        ("Leave is approved by the HR director.", False),
        ("Annual leave is approved by Finance.", False),
    ],
)
def test_somebody_else_in_the_rule_is_seen(checker: Checker, claim: str, right: bool) -> None:
    source = Source(1, "Annual leave is approved by the line manager. HR keeps the records.")
    assert _one(checker, f"{claim} [1]", (source,)).supported is right


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_source_supports_nothing(checker: Checker, text: str) -> None:
    source = Source(1, text, title="Leave policy", effective_from=date(2026, 1, 1))
    answer = "The leave policy is in force from 1 January 2026. [1]"
    assert not _one(checker, answer, (source,)).supported


def test_nothing_is_cut_off_unseen(checker: Checker) -> None:
    endless = "You get 25 days of annual leave " * 300
    sentence = _one(checker, f"{endless.strip()}. [1]")
    assert sentence.problem is not None
    long_source = Source(1, "Leave is a matter of pride. " * 1000 + SICKNESS)
    answer = "You need a doctor's certificate from the eighth day of absence. [1]"
    assert _one(checker, answer, (long_source,)).supported


def test_odd_answers_are_checked_without_harm(checker: Checker) -> None:
    assert checker.check("", SOURCES) == ()
    assert checker.check("Yes [1].", ())[0].problem is Problem.UNKNOWN_SOURCE
    checked = checker.check("يحق للموظفين 25 يوما [1]. Enjoy 🎉🎉 [2]!", SOURCES)
    assert len(checked) == 2
    many = "".join(f"[{n}]" for n in range(1, 201))
    assert _one(checker, f"You get it {many}.").problem is Problem.UNKNOWN_SOURCE


def test_the_same_answer_gets_the_same_verdict_alone_and_among_others(nli: NliModel) -> None:
    claim = "If you work full time, you have 25 days of holiday a year. [1]"
    alone = _one(Checker(nli), claim)
    among = Checker(nli).check(f"{claim} Half of your salary is paid for 13 weeks. [3]", SOURCES)[0]
    assert alone.supported == among.supported
    assert alone.score == pytest.approx(among.score, abs=1e-4)


def test_each_half_can_be_left_out_for_comparison(nli: NliModel) -> None:
    wrong = "Full-time employees receive 28 days of annual leave in each calendar year. [1]"
    foreign = "Helmets must be worn by all visitors to the site. [1]"
    guards_only = Checker(None)
    assert guards_only.check(wrong, SOURCES)[0].problem is Problem.QUANTITY
    assert guards_only.check(foreign, SOURCES)[0].supported
    assert Checker(nli, guards=False).check(wrong, SOURCES)[0].problem is not Problem.QUANTITY


def test_without_a_model_nothing_is_checked(tmp_path: Path) -> None:
    with pytest.raises(CheckerUnavailable, match="does not exist"):
        Checker(NliModel(str(tmp_path / "none"))).check("You get 25 days. [1]", SOURCES)
