from __future__ import annotations

from grounding.statements import statements
from knowledge.sources import Source


def texts(text: str, **source: object) -> list[str]:
    return [s.text for s in statements(Source(1, text, **source))]  # type: ignore[arg-type]


def test_a_clause_loses_its_number_and_keeps_its_words() -> None:
    assert texts(
        "4.2 Desks are booked by noon, e.g. through the app. A desk is kept for 1.5 hours."
    ) == [
        "Desks are booked by noon, e.g. through the app.",
        "A desk is kept for 1.5 hours.",
    ]


def test_a_date_at_the_head_of_a_line_is_no_clause_number() -> None:
    assert texts("24 December is a half day for everybody.") == [
        "24 December is a half day for everybody."
    ]


def test_items_of_a_list_are_told_with_their_lead_in() -> None:
    told = texts("2.1 You must:\n• lock the cabinet;\n• sign the key book.")
    assert "You must lock the cabinet." in told
    assert "You must: lock the cabinet; sign the key book." in told


def test_conditions_are_never_told_one_by_one() -> None:
    told = texts(
        "3.1 A locker may be rented only if:\n• the renter works on site; and\n• a deposit is paid."
    )
    assert told == [
        "A locker may be rented only if: the renter works on site; and a deposit is paid."
    ]


def test_a_list_of_conditions_that_is_cut_off_is_not_told() -> None:
    assert texts("3.1 A locker may be rented only if:\n• the renter works on site; and") == []


def test_an_or_between_conditions_stays() -> None:
    (told,) = texts("1.1 Parcels are kept where:\n• nobody is in; or\n• the name is unclear.")
    assert "; or the name is unclear" in told


def test_items_that_are_sentences_stand_alone() -> None:
    text = (
        '2.1 In these rules:\n• "Guest" means a person without a badge.\n'
        '• "Host" means whoever invites one.'
    )
    assert texts(text) == [
        '"Guest" means a person without a badge.',
        '"Host" means whoever invites one.',
    ]


def test_a_row_ties_each_value_to_its_row_and_column() -> None:
    text = (
        "6.1 The rents for a locker are shown in the following table.\n"
        "Site: Leeds | Small: GBP 4 | Large (from 09:00 to 17:00): GBP 7\n"
        "Site: Over 20 km away | Small: GBP 3 (see 6.4) | Large (from 09:00 to 17:00): GBP 5"
    )
    assert texts(text)[1:] == [
        "The rents for a locker: Leeds – Small: GBP 4; Large (from 09:00 to 17:00): GBP 7.",
        "The rents for a locker: Site: Over 20 km away – Small: GBP 3;"
        " Large (from 09:00 to 17:00): GBP 5.",
    ]


def test_a_row_without_named_columns_is_left_out() -> None:
    assert texts("Owner | Facilities\nVersion | 7") == []


def test_a_sentence_that_leans_on_the_one_before_says_so() -> None:
    found = statements(Source(1, "1.1 Bicycles may be left in the yard. They must be locked."))
    assert [s.leans_on for s in found] == [None, 1]


def test_headings_and_title_are_context_and_no_statements() -> None:
    (found,) = statements(
        Source(1, "Bicycles\n\n5.2 The rack is cleared each month.", title="Yard rules")
    )
    assert found.text == "The rack is cleared each month."
    assert found.context == "Yard rules Bicycles"
