"""Answer text as sentences with their marks, in all the ways in which models write them."""

import time

import pytest

from grounding.citations import parse_answer


def _read(answer: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(sentence.text, sentence.citations) for sentence in parse_answer(answer)]


@pytest.mark.parametrize(
    ("marked", "numbers"),
    [
        ("You get 25 days [1].", (1,)),
        ("You get 25 days. [1]", (1,)),
        ("You get 25 days.[1]", (1,)),
        ("You get 25 days [1, 2].", (1, 2)),
        ("You get 25 days [1; 2].", (1, 2)),
        ("You get 25 days [1][2].", (1, 2)),
        ("You get 25 days [1] [2].", (1, 2)),
        ("You get 25 days [1] and [2].", (1, 2)),
        ("You get 25 days [1 and 3].", (1, 3)),
        ("You get 25 days [1-3].", (1, 2, 3)),
        ("You get 25 days [1–3].", (1, 2, 3)),
        ("You get 25 days [source 1].", (1,)),
        ("You get 25 days [Sources 1, 2].", (1, 2)),
        ("You get 25 days (source 2).", (2,)),
        ("You get 25 days (see sources 1 and 2).", (1, 2)),
        ("You get 25 days (see [2]).", (2,)),
        ("You get 25 days 【1】.", (1,)),
        ("You get 25 days 【1†source】.", (1,)),
        ("You get 25 days¹.", (1,)),
        ("You get 25 days.²", (2,)),
        ("You get 25 days [^1].", (1,)),
        ("You get 25 days [1](https://example.com/a).", (1,)),
        ("You get 25 days [0].", (0,)),
        ("You get 25 days [-1].", (-1,)),
        ("[3] You get 25 days.", (3,)),
    ],
)
def test_a_mark_in_any_form_belongs_to_its_sentence_and_leaves_no_trace(
    marked: str, numbers: tuple[int, ...]
) -> None:
    assert _read(marked) == [("You get 25 days.", numbers)]


def test_a_mark_after_the_stop_belongs_to_the_sentence_before_it() -> None:
    answer = "Unused days lapse on 31 Dec. 2025. [1] Ask HR.[2] The rest is paid. [3]"
    assert _read(answer) == [
        ("Unused days lapse on 31 Dec. 2025.", (1,)),
        ("Ask HR.", (2,)),
        ("The rest is paid.", (3,)),
    ]


def test_a_mark_at_the_head_of_a_line_belongs_to_that_line() -> None:
    assert _read("[1] You get it.\n[2] You keep it.") == [
        ("You get it.", (1,)),
        ("You keep it.", (2,)),
    ]


def test_a_year_in_brackets_is_no_citation() -> None:
    assert _read("Yan et al. [2004] analysed claims. [1]") == [
        ("Yan et al. [2004] analysed claims.", (1,))
    ]


def test_a_unit_is_no_superscript_mark() -> None:
    assert _read("The desk takes 4 m² at most [1].") == [("The desk takes 4 m² at most.", (1,))]


def test_abbreviations_do_not_end_a_sentence() -> None:
    answer = (
        "Claims are made per Art. 12 para. 3 of Policy No. 7 [1]. They close after 30 days [1]."
    )
    assert [text for text, _ in _read(answer)] == [
        "Claims are made per Art. 12 para. 3 of Policy No. 7.",
        "They close after 30 days.",
    ]


def test_a_spoken_citation_is_taken_out_with_its_words() -> None:
    assert _read("According to [2], you get 25 days. According to source 1, they lapse.") == [
        ("You get 25 days.", (2,)),
        ("They lapse.", (1,)),
    ]


def test_a_list_item_carries_its_lead_in() -> None:
    answer = "You can claim:\n- taxis after 9 pm [1]\n- second-class trains [2]"
    first, second = parse_answer(answer)
    assert (first.text, first.citations) == ("You can claim: taxis after 9 pm", (1,))
    assert (second.text, second.citations) == ("You can claim: second-class trains", (2,))
    assert second.claim == "You can claim second-class trains"


def test_items_without_marks_share_those_of_their_lead_in() -> None:
    assert _read("You can claim [2]:\n1. taxis\n2. trains") == [
        ("You can claim: taxis", (2,)),
        ("You can claim: trains", (2,)),
    ]


def test_a_sentence_that_leans_on_the_one_before_is_read_with_it() -> None:
    first, second = parse_answer("You may carry over five days [1]. It ends on 31 March [1].")
    assert first.lead_in is None
    assert second.lead_in == first.claim


def test_headings_and_lone_marks_are_no_sentences() -> None:
    assert _read("## Annual leave\n\n**Your days**\nYou get 25 days.\n[1]") == [
        ("You get 25 days.", (1,))
    ]


def test_a_heading_that_states_a_rule_is_a_sentence() -> None:
    assert _read("## Everyone gets 30 days") == [("Everyone gets 30 days", ())]


@pytest.mark.parametrize("answer", ["", "   \n", "[1]", "[1] [2]", "***", "…"])
def test_nothing_to_say_gives_no_sentences(answer: str) -> None:
    assert parse_answer(answer) == []


def test_emoji_and_right_to_left_text_keep_their_marks() -> None:
    assert _read("يحق للموظفين 25 يوما [1]. Enjoy your days 🎉 [2]!") == [
        ("يحق للموظفين 25 يوما.", (1,)),
        ("Enjoy your days 🎉!", (2,)),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "You may carry over five days [1]. " * 2500,
        "word " * 10_000,
        "You get it " + "".join(f"[{n}]" for n in range(1, 201)) + ".",
        "[1" * 5000,
        "(" * 5000,
        "1. " * 3000,
    ],
)
def test_long_and_odd_answers_are_read_in_no_time(answer: str) -> None:
    started = time.perf_counter()
    parse_answer(answer)
    assert time.perf_counter() - started < 2


def test_two_hundred_citations_are_all_kept() -> None:
    (sentence,) = parse_answer("You get it " + "".join(f"[{n}]" for n in range(1, 201)) + ".")
    assert sentence.citations == tuple(range(1, 201))
