import json
from pathlib import Path
from typing import Any

import pytest

from grounding.training import pairs

PASSAGE: dict[str, Any] = {
    "id": "x-001",
    "topic": "leave",
    "passage": "Staff get 25 days.",
    "supported": [{"text": "You get 25 days.", "kind": "paraphrase"}],
    "unsupported": [
        {"text": "You get 28 days.", "kind": "number"},
        {"text": "Only managers get 25 days.", "kind": "scope"},
    ],
}
TWIN: dict[str, Any] = {
    "id": "x-001",
    "twin": "Staff get 28 days.",
    "proved": ["u0"],
    "skip": ["u1"],
}


def _folder(tmp_path: Path, passages: list[dict[str, Any]], twins: list[dict[str, Any]]) -> Path:
    (tmp_path / "twins").mkdir()
    for path, lines in ((tmp_path / "a.jsonl", passages), (tmp_path / "twins/a.jsonl", twins)):
        path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return tmp_path


def test_a_sentence_is_a_row_under_the_passage_and_under_its_twin(tmp_path: Path) -> None:
    found = pairs.load_passages(_folder(tmp_path, [PASSAGE], [TWIN]))
    labels = [(row.premise, row.claim, row.supported) for row in pairs.rows(found)]
    assert labels == [
        ("Staff get 25 days.", "You get 25 days.", True),
        ("Staff get 25 days.", "You get 28 days.", False),
        ("Staff get 25 days.", "Only managers get 25 days.", False),
        ("Staff get 28 days.", "You get 25 days.", False),
        ("Staff get 28 days.", "You get 28 days.", True),
    ]


def test_a_group_holds_a_sentence_under_both_texts_but_for_arguable_ones(tmp_path: Path) -> None:
    [passage] = pairs.load_passages(_folder(tmp_path, [PASSAGE], [TWIN]))
    sizes = {group[0].claim: len(group) for group in pairs.groups(passage)}
    assert sizes == {
        "You get 25 days.": 2,
        "You get 28 days.": 2,
        "Only managers get 25 days.": 1,
    }


def test_a_passage_without_twins_has_groups_of_one(tmp_path: Path) -> None:
    [passage] = pairs.load_passages(_folder(tmp_path, [PASSAGE], []))
    assert [len(group) for group in pairs.groups(passage)] == [1, 1, 1]


def test_a_twin_without_its_passage_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(pairs.DataError, match="x-002"):
        pairs.load_passages(_folder(tmp_path, [PASSAGE], [TWIN | {"id": "x-002"}]))


@pytest.mark.parametrize("field", ["id", "passage", "supported"])
def test_a_missing_field_is_named_with_its_file_and_line(tmp_path: Path, field: str) -> None:
    broken = {name: value for name, value in PASSAGE.items() if name != field}
    with pytest.raises(pairs.DataError, match=rf"a\.jsonl, line 2.*{field}"):
        pairs.load_passages(_folder(tmp_path, [PASSAGE, broken], []))


def test_a_line_that_is_not_json_is_named(tmp_path: Path) -> None:
    folder = _folder(tmp_path, [PASSAGE], [])
    (folder / "b.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(pairs.DataError, match=r"b\.jsonl, line 1"):
        pairs.load_passages(folder)


def test_a_passage_is_in_one_part_of_the_split_only() -> None:
    found = pairs.load_passages()
    train, held, dev = pairs.split(found)
    assert {p.id for p in train} | {p.id for p in held} | {p.id for p in dev} == {
        p.id for p in found
    }
    assert len(train) + len(held) + len(dev) == len(found) == 820
    # Figures are only comparable while this split stays as it is.
    assert len(dev) == 104
    assert len(held) == 42


def test_every_passage_of_the_data_has_a_twin_that_turns_labels() -> None:
    for passage in pairs.load_passages():
        turned = [
            group
            for group in pairs.groups(passage)
            if len(group) == 2 and group[0].supported != group[1].supported
        ]
        assert len(turned) >= 3, passage.id


def test_names_in_twins_are_names_of_sentences() -> None:
    for passage in pairs.load_passages():
        names = {sentence.name for sentence in passage.sentences}
        for text in passage.texts:
            assert text.proved | text.skip <= names, passage.id


def test_nli_pairs_are_read_with_their_labels(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    line = {"premise": "A man sleeps.", "hypothesis": "A man rests.", "label": "entailment"}
    path.write_text(json.dumps(line), encoding="utf-8")
    assert pairs.load_nli(path) == [("A man sleeps.", "A man rests.", "entailment")]


def test_an_unknown_nli_label_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text('{"premise": "A", "hypothesis": "B", "label": "yes"}', encoding="utf-8")
    with pytest.raises(pairs.DataError, match="unknown label 'yes'"):
        pairs.load_nli(path)
