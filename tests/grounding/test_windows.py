import time

import pytest

from grounding.windows import Window, best_windows

LEAVE = """4. Annual leave
4.1 The leave year runs from 1 April to 31 March.
4.2 Full-time employees are entitled to 26 days of paid leave.
4.3 Up to five untaken days may be carried into the next leave year. They lapse on 30 June.
4.4 Leave may not be exchanged for pay, except on termination of employment.
4.5 Requests for more than ten working days need the agreement of the department head."""


def _first(text: str, claim: str) -> Window:
    return best_windows(text, claim)[0]


def test_the_span_is_the_unit_nearest_to_the_claim() -> None:
    window = _first(LEAVE, "You cannot swap holiday for pay while you are employed.")
    assert LEAVE[window.start : window.end].startswith("4.4 Leave may not be exchanged")


def test_the_text_keeps_what_stands_around_the_best_unit() -> None:
    window = _first(LEAVE, "Five days that you have not taken may be carried over.")
    assert "4.2 Full-time" in window.text
    assert "They lapse on 30 June." in window.text


def test_units_keep_the_order_of_the_source() -> None:
    text = _first(
        LEAVE, "Unused leave lapses on 30 June and the leave year starts on 1 April."
    ).text
    assert text.index("runs from 1 April") < text.index("lapse on 30 June")


def test_figures_and_words_for_a_number_are_the_same() -> None:
    window = _first(LEAVE, "No more than 5 go into the next year.")
    assert "Up to five" in LEAVE[window.start : window.end]


def test_a_window_holds_no_more_words_than_asked_for() -> None:
    text = " ".join(
        f"Rule {n} says that staff may take {n} days of leave each year." for n in range(40)
    )
    for window in best_windows(text, "Staff may take 7 days of leave.", max_words=30):
        assert len(window.text.split()) <= 30


def test_a_text_without_sentence_ends_is_cut_to_windows() -> None:
    text = " ".join(f"word{n}" for n in range(500)) + " carry over nine days"
    window = _first(text, "You can carry over nine days.")
    assert "carry over nine days" in window.text
    assert len(window.text.split()) <= 85
    assert text[window.start : window.end].endswith("carry over nine days")


def test_a_bullet_brings_the_lead_in_of_its_list() -> None:
    text = (
        "The company does not reimburse:\n- alcohol with meals\n- minibar items\n- traffic fines\n"
        "- laundry on short trips\n- upgrades to business class\n\nAsk Finance if in doubt."
    )
    window = _first(text, "Upgrades to business class are not paid back.")
    assert "does not reimburse:" in window.text


def test_a_table_row_brings_its_header_and_keeps_its_columns_apart() -> None:
    text = (
        "Daily rates\nBand     Hotel     Meals\n"
        "A        90        30\nB        120       40\nC        150       45"
    )
    window = _first(text, "Band C may spend 150 on a hotel.")
    assert "Band | Hotel | Meals" in window.text
    assert "C | 150 | 45" in window.text


def test_windows_differ_and_are_no_more_than_asked_for() -> None:
    windows = best_windows(LEAVE, "Leave may be carried into the next leave year.", max_words=40)
    assert 1 < len(windows) <= 3
    assert len({window.text for window in windows}) == len(windows)


def test_a_claim_that_shares_nothing_still_gets_a_window() -> None:
    windows = best_windows(LEAVE, "Dogs bark.")
    assert len(windows) == 1
    assert windows[0].text.startswith("4. Annual leave")


@pytest.mark.parametrize("text", ["", "   \n\n "])
def test_an_empty_text_has_no_window(text: str) -> None:
    assert best_windows(text, "Anything at all.") == []


def test_the_same_call_gives_the_same_windows() -> None:
    claim = "Requests need the agreement of the head."
    assert best_windows(LEAVE, claim) == best_windows(LEAVE, claim)


def test_a_chunk_of_220_words_takes_about_a_millisecond() -> None:
    texts = [
        " ".join(
            f"Clause {n} of set {run} gives {n} days to staff in band {n % 7}." for n in range(18)
        )
        for run in range(50)
    ]
    start = time.process_time()
    for text in texts:
        best_windows(text, "Staff in band 5 get 12 days.")
    # Wide of the mark on purpose: a slow machine is no fault, a slow algorithm is.
    assert (time.process_time() - start) / len(texts) < 0.02
