import json
import math
from pathlib import Path
from random import Random

import pytest
import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from grounding.training import batches, pairs
from grounding.training.batches import ENTAILMENT, NEUTRAL, NOT_ENTAILED, Input
from grounding.training.model import embedding_weights, group_loss
from grounding.training.train import Plan, Stage, run


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with the real vocabulary and almost no weights."""
    folder = tmp_path_factory.mktemp("tiny")
    torch.manual_seed(1)
    config = BertConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    config.num_labels = 3
    BertForSequenceClassification(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(embedding_weights()).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first passages of the data with their twins."""
    folder = tmp_path_factory.mktemp("few")
    (folder / "twins").mkdir()
    for name in ("a.jsonl", "twins/a.jsonl"):
        lines = (pairs.POLICY_DATA / name).read_text(encoding="utf-8").splitlines()[:4]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return folder


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    kept: dict[str, torch.Tensor] = torch.load(folder / "checkpoint.pt", weights_only=True)["model"]
    return kept


def _plan(tiny: Path, few: Path, out: Path, steps: int, stage: Stage = Stage.mix) -> Plan:
    return Plan(stage=stage, start=tiny, out=out, data=few, steps=steps, batch=4, threads=1)


def test_a_run_goes_on_from_its_checkpoint(tiny: Path, few: Path, tmp_path: Path) -> None:
    first = run(_plan(tiny, few, tmp_path / "out", steps=2))
    before = _weights(tmp_path / "out")
    again = run(_plan(tiny, few, tmp_path / "out", steps=4))
    assert (first.steps, again.steps) == (2, 4)
    assert (again.epoch, again.batch) == (0, 4)
    after = _weights(tmp_path / "out")
    assert any(not torch.equal(before[name], after[name]) for name in before)


def test_a_run_that_is_complete_changes_nothing_more(tiny: Path, few: Path, tmp_path: Path) -> None:
    run(_plan(tiny, few, tmp_path / "out", steps=2))
    before = _weights(tmp_path / "out")
    run(_plan(tiny, few, tmp_path / "out", steps=2))
    after = _weights(tmp_path / "out")
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_the_model_loads_as_a_cross_encoder_with_named_labels(
    tiny: Path, few: Path, tmp_path: Path
) -> None:
    from sentence_transformers import CrossEncoder

    run(_plan(tiny, few, tmp_path / "out", steps=1, stage=Stage.twins))
    config = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert config["id2label"] == {"0": "contradiction", "1": "entailment", "2": "neutral"}
    assert config["dtype"] == "float16"
    model = CrossEncoder(str(tmp_path / "out"), device="cpu", local_files_only=True)
    assert model.predict([("Staff get 25 days.", "You get 25 days.")]).shape == (1, 3)


def test_the_nli_stage_needs_its_folder(tiny: Path, few: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--nli"):
        run(_plan(tiny, few, tmp_path / "out", steps=1, stage=Stage.nli))


def test_a_clock_ends_the_run(tiny: Path, few: Path, tmp_path: Path) -> None:
    plan = Plan(
        stage=Stage.twins, start=tiny, out=tmp_path, data=few, minutes=0.01, batch=4, threads=1
    )
    assert run(plan).seconds >= 0.6


def test_the_loss_falls_as_the_right_text_scores_higher() -> None:
    group = (Input("a", "c", ENTAILMENT), Input("b", "c", NOT_ENTAILED))
    level = group_loss(torch.zeros(2, 3), [group])
    better = group_loss(torch.tensor([[0.0, 2.0, 0.0], [0.0, -2.0, 0.0]]), [group])
    # With all logits equal, z is -log 2: its cross-entropies, and log 2 for the pair's order.
    expected = (math.log(3) + math.log(1.5)) / 2 + math.log(2)
    assert float(level) == pytest.approx(expected, abs=1e-5)
    assert better < level


def test_a_known_label_is_learnt_as_such() -> None:
    group = (Input("a", "c", NEUTRAL),)
    right = group_loss(torch.tensor([[0.0, 0.0, 3.0]]), [group])
    contradiction = group_loss(torch.tensor([[3.0, 0.0, 0.0]]), [group])
    assert right < contradiction


def test_a_batch_holds_inputs_of_about_the_same_length() -> None:
    made = [(Input("w " * n, "claim", ENTAILMENT),) for n in range(1, 65)]
    Random(1).shuffle(made)
    for batch in batches.batches(made, 8, Random(1)):
        lengths = [len(group[0].premise) for group in batch]
        assert max(lengths) - min(lengths) <= 2 * 8


def test_an_epoch_mixes_all_kinds_in_their_shares(few: Path) -> None:
    passages = pairs.load_passages(few)
    twins = sum(len(pairs.groups(passage)) for passage in passages)
    made = batches.epoch(passages, batches.Mix(1.0, 0.5, 0.1, 0.1, 0.0), Random(1))
    assert twins * 1.5 < len(made) <= round(twins * 1.7) + 1
    assert made != batches.epoch(passages, batches.Mix(1.0, 0.5, 0.1, 0.1, 0.0), Random(2))


def test_public_nli_trains_all_three_labels(tiny: Path, few: Path, tmp_path: Path) -> None:
    lines = [
        {"premise": "A man sleeps.", "hypothesis": f"Claim {label}.", "label": label}
        for label in ("entailment", "neutral", "contradiction")
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    plan = Plan(
        stage=Stage.nli,
        start=tiny,
        out=tmp_path / "out",
        data=few,
        nli=tmp_path,
        epochs=2,
        batch=2,
        threads=1,
    )
    assert run(plan).steps == 4
