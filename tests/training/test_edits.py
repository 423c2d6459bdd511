from random import Random

import pytest

from grounding.training import edits, pairs
from grounding.training.pairs import Passage, Sentence, Text
from grounding.training.wording import first_clause, frame, number, reword, spell

TEXT = (
    "4. Leave\n4.1 Full-time employees may carry over up to five days until 31 March 2026, unless "
    "the department head has refused it in writing.\n4.2 If a receipt is lost, the line manager "
    "must sign a declaration within 14 days. They keep a copy.\n• Taxis cost GBP 45 at most and "
    "are paid only at night."
)
PASSAGE = Passage(
    "x-1",
    "leave",
    (Sentence("s0", "You may carry over up to five days.", "partial"),),
    (Text(TEXT, frozenset({"s0"}), frozenset()),),
)


def _plain() -> list[str]:
    return [plain for _, plain in edits.editable(TEXT)]


def test_editable_sentences_have_no_clause_mark_and_read_alone() -> None:
    assert [plain.split()[0] for plain in _plain()] == ["Full-time", "If", "Taxis"]


def test_an_edited_sentence_is_another_one() -> None:
    for seed in range(200):
        for plain in _plain():
            edited = edits.edit(plain, TEXT, Random(seed))
            assert edited is not None
            assert edited.text != plain


def test_edits_are_of_every_kind() -> None:
    kinds = {
        edited.kind
        for seed in range(200)
        for plain in _plain()
        if (edited := edits.edit(plain, TEXT, Random(seed)))
    }
    assert kinds >= {"number", "scope", "negation", "modality", "role", "condition", "added"}


def test_an_added_detail_leaves_the_plain_sentence_true() -> None:
    added = [
        edited
        for seed in range(200)
        if (edited := edits.edit("Staff get paid leave.", "Staff get paid leave.", Random(seed)))
        and edited.kind == "added"
    ]
    assert added
    assert not any(edited.both_ways for edited in added)


def test_made_up_groups_hold_one_supported_and_one_unsupported_row() -> None:
    for seed in range(30):
        for group in edits.made_up(PASSAGE, Random(seed)):
            assert sorted(row.supported for row in group) == [False, True]


def test_an_edit_put_into_the_text_turns_the_labels() -> None:
    edited_texts = [
        group
        for seed in range(40)
        for group in edits.made_up(PASSAGE, Random(seed))
        if group[0].premise != TEXT and group[0].premise == group[1].premise
    ]
    assert edited_texts
    for right, wrong in edited_texts:
        assert right.supported
        assert not wrong.supported
        assert right.premise.startswith("4. Leave\n4.1")


def test_neither_label_owns_a_sentence() -> None:
    labels: dict[str, set[bool]] = {}
    for seed in range(300):
        for group in edits.made_up(PASSAGE, Random(seed)):
            for row in group:
                labels.setdefault(row.claim, set()).add(row.supported)
    assert sum(len(found) == 2 for found in labels.values()) > 10


def test_leaning_claims_name_what_the_header_says_and_what_it_does_not() -> None:
    plain = Passage(
        "x-2",
        "leave",
        PASSAGE.sentences,
        (Text("Up to five days.", frozenset({"s0"}), frozenset()),),
    )
    for seed in range(60):
        [(right, wrong)] = edits.leaning(plain, Random(seed))
        assert right.header == wrong.header
        named = right.claim.split(", you")[0].split(": you")[0]
        value = named.split(" ", 1)[1] if named[0].isupper() else named
        assert right.claim != wrong.claim
        assert any(word in right.header for word in value.split() if word[0].isupper())


def test_passages_with_dates_or_countries_of_their_own_get_no_leaning_claims() -> None:
    assert edits.leaning(PASSAGE, Random(1)) == []


def test_a_header_reads_as_it_does_at_run_time() -> None:
    assert (
        edits.header("Travel policy", "India", "1 January 2026", "31 March 2026")
        == "Travel policy. Applies to: India. In force from 1 January 2026 until 31 March 2026."
    )
    assert edits.header("Travel policy", "everyone", "1 January 2026", None).endswith("2026.")


def test_a_claim_from_elsewhere_is_unsupported_by_another_company() -> None:
    other = Passage("y-1", "leave", (), (Text("Nothing about it.", frozenset(), frozenset()),))
    [(right, wrong)] = edits.elsewhere(PASSAGE, [PASSAGE, other], Random(1))
    assert (right.premise, right.supported) == (TEXT, True)
    assert (wrong.premise, wrong.supported) == ("Nothing about it.", False)
    assert edits.elsewhere(PASSAGE, [PASSAGE], Random(1)) == []


def test_merged_claims_have_their_error_in_one_half() -> None:
    found = [group for seed in range(20) for group in edits.merged(PASSAGE, Random(seed))]
    assert found
    assert {row.kind for group in found for row in group} == {"summary", "mixed"}


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("Employees may carry over up to five working days.", ("must", "at least", "calendar")),
        ("Claims must be filed no later than 14 working days after the trip.", ("may ", "weeks")),
        (
            "Staff may not work on Sundays unless the manager agrees.",
            ("Staff may work", "must work"),
        ),
    ],
)
def test_rewording_changes_no_rule(text: str, forbidden: tuple[str, ...]) -> None:
    found = {reword(text, Random(seed), 4) for seed in range(200)}
    assert len(found) > 5
    for said in found:
        assert not any(word in said for word in forbidden), said


def test_rewording_turns_weeks_into_days_and_conditions_around() -> None:
    found = {
        reword("If you are ill, tell us within two weeks.", Random(seed)) for seed in range(300)
    }
    assert any("14 days" in said for said in found)
    assert any(said.startswith("Tell us") for said in found)


def test_a_frame_adds_no_fact_and_keeps_abbreviations() -> None:
    framed = {frame("HR approves it.", Random(seed)) for seed in range(80)}
    assert all("HR approves it" in said for said in framed)


def test_the_first_of_two_clauses_stands_alone() -> None:
    text = "Receipts are needed for every claim; the manager signs them within a week."
    assert first_clause(text, Random(1)) == "Receipts are needed for every claim."
    listed = "Receipts are needed for taxis, and for trains of more than an hour."
    assert first_clause(listed, Random(1)) == listed


@pytest.mark.parametrize(
    ("word", "value"), [("seven", 7), ("twenty-one", 21), ("40", 40), ("few", None)]
)
def test_numbers_are_read_in_words_and_figures(word: str, value: int | None) -> None:
    assert number(word) == value
    if value is not None and value != 40:
        assert spell(value) == word


def test_the_same_seed_makes_the_same_edits() -> None:
    passage = pairs.load_passages()[0]
    assert edits.made_up(passage, Random(3)) == edits.made_up(passage, Random(3))
