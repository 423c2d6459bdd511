"""The NLI model's port: labels by name, nothing cut, the same score in any batch."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from grounding.entailment import SHIPPED_MODEL, NliModel, Verdict
from grounding.errors import CheckerUnavailable
from grounding.weighing import FILE, fingerprint, read_weights

PAIR = ("Employees get 25 days of annual leave.", "Staff have 25 days of leave each year.")


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """A copy of the shipped model with other entries in its config."""

    def copy(changes: dict[str, Any]) -> Path:
        folder = tmp_path / "model"
        folder.mkdir()
        for file in SHIPPED_MODEL.iterdir():
            if file.suffix == ".safetensors":
                (folder / file.name).symlink_to(file)
            elif file.name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
                shutil.copy(file, folder)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | changes))
        return folder

    return copy


def _labels(*names: str) -> dict[str, Any]:
    return {
        "id2label": {str(index): name for index, name in enumerate(names)},
        "label2id": {name: index for index, name in enumerate(names)},
    }


def test_a_verdict_adds_up_and_is_in_single_precision(nli: NliModel) -> None:
    premise = "Economy class is booked for flights of up to eight hours."
    entailed, other = nli.score(
        [(premise, "Flights of up to eight hours are in economy."), (premise, PAIR[1])]
    )
    assert sum((entailed.entailment, entailed.neutral, entailed.contradiction)) == pytest.approx(1)
    assert entailed.entailment > nli.threshold > other.entailment


def test_a_score_does_not_depend_on_its_batch(nli: NliModel) -> None:
    pairs = [(PAIR[0] + " Leave is booked in the portal." * n, PAIR[1]) for n in range(20)]
    together = NliModel()
    together.load()
    batch = together.score(pairs)
    for pair, verdict in zip(pairs, batch, strict=True):
        assert nli.score([pair])[0].entailment == pytest.approx(verdict.entailment, abs=1e-4)


def test_scores_come_in_order_and_equal_pairs_are_scored_once(nli: NliModel) -> None:
    other = ("Visitors wear a helmet.", "Dogs are welcome at the office.")
    first, second, third = nli.score([PAIR, other, PAIR])
    assert first == third
    assert first.entailment > second.entailment
    assert nli.score([]) == []


def test_a_pair_that_would_be_cut_is_refused(nli: NliModel) -> None:
    long = "cat " * 260, "dog " * 253
    assert not nli.fits(*long)
    assert nli.fits(*PAIR)
    with pytest.raises(ValueError, match="longer"):
        nli.score([long])


def test_labels_are_read_by_name(copied: Callable[[dict[str, Any]], Path]) -> None:
    folder = copied(_labels("contradiction", "entailment", "neutral"))
    model = NliModel(str(folder))
    assert isinstance(model.score([PAIR])[0], Verdict)


def test_unnamed_labels_are_refused(copied: Callable[[dict[str, Any]], Path]) -> None:
    folder = copied(_labels("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(CheckerUnavailable, match="id2label"):
        NliModel(str(folder)).load()


def test_labels_in_the_wrong_order_fail_the_self_test(
    copied: Callable[[dict[str, Any]], Path],
) -> None:
    folder = copied(_labels("entailment", "neutral", "contradiction"))
    with pytest.raises(CheckerUnavailable, match="self-test"):
        NliModel(str(folder)).load()


def test_a_damaged_folder_says_what_to_fix(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(CheckerUnavailable, match="cannot be loaded") as caught:
        NliModel(str(tmp_path)).load()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("held", ["{", '{"threshold": 2}', '{"threshold": "high"}', "{}"])
def test_a_threshold_that_cannot_be_read_is_refused(tmp_path: Path, held: str) -> None:
    (tmp_path / "checker.json").write_text(held)
    with pytest.raises(CheckerUnavailable, match=r"checker\.json"):
        NliModel(str(tmp_path))


def test_the_threshold_stands_beside_the_model(tmp_path: Path) -> None:
    (tmp_path / "checker.json").write_text('{"threshold": 0.7}')
    assert NliModel(str(tmp_path)).threshold == 0.7
    (tmp_path / "checker.json").unlink()
    assert NliModel(str(tmp_path)).threshold == 0.5


def test_the_shipped_weights_are_those_of_the_shipped_model() -> None:
    assert json.loads((SHIPPED_MODEL / FILE).read_text())["model"] == fingerprint(SHIPPED_MODEL)
    weights = read_weights(SHIPPED_MODEL)
    assert weights is not None
    assert weights.nli > 0
    assert all(weight <= 0 for weight in weights.features.values())


def test_weights_of_another_model_are_not_used(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"another")
    shutil.copy(SHIPPED_MODEL / FILE, tmp_path)
    assert read_weights(tmp_path) is None


@pytest.mark.parametrize("held", ["{", "[]", '{"model": 1}'])
def test_weights_that_cannot_be_read_are_refused(tmp_path: Path, held: str) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"x")
    (tmp_path / FILE).write_text(held)
    if held == '{"model": 1}':
        assert read_weights(tmp_path) is None
    else:
        with pytest.raises(CheckerUnavailable, match="cannot be read"):
            read_weights(tmp_path)


def test_threads_share_one_model(nli: NliModel) -> None:
    scores: list[float] = []
    claims = [f"Staff have {n} days of leave each year." for n in range(8)]

    def work(claim: str) -> None:
        scores.append(nli.score([(PAIR[0], claim)])[0].entailment)

    threads = [Thread(target=work, args=(claim,)) for claim in claims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = [verdict.entailment for verdict in nli.score([(PAIR[0], c) for c in claims])]
    assert sorted(scores) == pytest.approx(sorted(again), abs=1e-4)
