"""Which quantities of a claim follow from a source."""

import time

import pytest

from grounding.dates import find_dates, find_times
from grounding.measures import Kind, find_quantities
from grounding.numbers import find_numbers
from grounding.quantities import missing_quantities


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("25", 25),
        ("twenty-five", 25),
        ("1,500.50", 1500.5),
        ("1,50,000", 150_000),
        ("2 lakh", 200_000),
        ("a hundred and twenty", 120),
        ("one and a half", 1.5),
        ("2½", 2.5),
        ("half a dozen", 6),
        ("three quarters", 0.75),
        ("5k", 5000),
        ("CHF 1'200", 1200),
    ],
)
def test_numbers_in_figures_and_words(written: str, value: float) -> None:
    assert [number.value for number in find_numbers(f"about {written}.")] == [value]


@pytest.mark.parametrize("text", ["COVID-19", "clause 4.2.1", "form A4", "v2.1.3"])
def test_names_hold_no_numbers(text: str) -> None:
    assert find_numbers(text) == []


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("31 March 2026", (31, 3, 2026)),
        ("March 31, 2026", (31, 3, 2026)),
        ("2026-03-31", (31, 3, 2026)),
        ("31/03/2026", (31, 3, 2026)),
        ("the end of March", (31, 3, None)),
        ("1st of April", (1, 4, None)),
        ("in May", (None, 5, None)),
        ("since 2020", (None, None, 2020)),
    ],
)
def test_dates_as_far_as_they_are_named(
    written: str, parts: tuple[int | None, int | None, int | None]
) -> None:
    assert [(d.day, d.month, d.year) for d in find_dates(f"It ends {written}")] == [parts]


def test_may_the_verb_is_no_month() -> None:
    assert find_dates("May I go? You may. Employees May apply.") == []


@pytest.mark.parametrize(
    ("written", "minutes"), [("6 pm", 1080), ("18:00", 1080), ("noon", 720), ("6.30 a.m.", 390)]
)
def test_times_of_day(written: str, minutes: int) -> None:
    assert [time.minutes for time in find_times(f"by {written}")] == [minutes]


def test_clause_numbers_and_list_numbers_are_no_quantities() -> None:
    text = "4.2 Employees get 25 days.\n4.3 Managers decide.\n1. First.\n(2) Second."
    assert [q.kind for q in find_quantities(text)] == [Kind.CLOCK]


LEAVE = "Employees may carry over up to 5 days until 31 March 2026."
NOTICE = (
    "Full-time employees get 25 days of annual leave and 8 public holidays. Notice of resignation"
    " is two weeks. Hotels are paid up to £120 a night and meals up to £45 a day. The bonus is 10 %"
    " of salary. Laptops are replaced every 36 months. Sick notes are needed from the eighth day."
)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("You can carry over five days.", LEAVE),
        ("Up to 5 days may be carried over by the end of March.", LEAVE),
        ("Carried-over days must be used by 31 March 2026.", LEAVE),
        ("Your carried-over days are lost from 1 April 2026.", LEAVE),
        ("You have to give 14 days' notice when you resign.", NOTICE),
        ("You have to give a fortnight's notice when you resign.", NOTICE),
        ("GBP 45 a day is paid for meals.", NOTICE),
        ("Meals are covered up to 45 pounds a day.", NOTICE),
        ("A tenth of your salary, 10 percent, is paid as a bonus.", NOTICE),
        ("You get a new laptop every three years.", NOTICE),
        ("That is 33 days off in total.", NOTICE),
        ("After seven days of sickness a note is needed.", NOTICE),
        ("A nine-hour flight is in premium economy.", "Premium economy is for over eight hours."),
        ("Half of the fee is repaid.", "The company repays 50 % of the fee."),
        ("₹2,00,000 is the most you can claim.", "Claims are limited to INR 2 lakh."),
        ("Meals are covered up to £45 daily.", NOTICE),
        ("Reply within five days.", "A reply is due within five working days."),
        ("The day ends at 6 pm.", "The working day ends at 18:00."),
        ("Please see the travel policy.", LEAVE),
    ],
)
def test_what_follows_is_not_missing(claim: str, source: str) -> None:
    assert missing_quantities(claim, source) == []


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("You can carry over six days.", LEAVE),
        ("You can carry over up to 5 weeks.", LEAVE),
        ("You must carry over at least 5 days until 31 March 2026.", LEAVE),
        ("Up to 5 days may be carried over until 31 May 2026.", LEAVE),
        ("Up to 5 days may be carried over until 31 March 2025.", LEAVE),
        ("You get 28 days of annual leave.", NOTICE),
        ("You have to give two months' notice when you resign.", NOTICE),
        ("You have to give 30 days' notice.", "One month's notice is required."),
        ("Meals are paid up to €45 a day.", NOTICE),
        ("Hotels are paid up to £150 a night.", NOTICE),
        ("The bonus is 12 % of salary.", NOTICE),
        ("You get a new laptop every four years.", NOTICE),
        ("Full-time employees get 8 days of annual leave.", NOTICE),
        ("Meals are covered up to £45 a week.", NOTICE),
        ("Reply within five calendar days.", "A reply is due within five working days."),
        ("Employees must carry over at least five days.", "Staff get 9 days. " + LEAVE),
        ("You must tell your manager two weeks in advance.", "Leave is agreed with the manager."),
    ],
)
def test_what_does_not_follow_is_missing(claim: str, source: str) -> None:
    assert missing_quantities(claim, source)


def test_the_header_counts_as_part_of_the_source() -> None:
    claim = "Until 31 March 2026 you may carry over 5 days."
    text = "Employees may carry over up to 5 days."
    assert missing_quantities(claim, text)
    header = "Leave policy. Applies to: everyone. In force from 1 April 2025 until 31 March 2026."
    assert missing_quantities(claim, f"{header}\n{text}") == []


def test_a_long_source_and_a_long_claim_take_no_time() -> None:
    source = "Employees get 25 days of leave each year and 8 public holidays. " * 450
    started = time.perf_counter()
    missing_quantities("You get 25 days and 8 holidays " * 300, source)
    assert time.perf_counter() - started < 3
