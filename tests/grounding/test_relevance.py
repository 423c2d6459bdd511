"""The model of relevance: what answers scores above what only sounds alike, in any batch."""

from pathlib import Path
from threading import Thread

import pytest
import torch

from grounding.errors import ModelUnavailable
from grounding.relevance import SHIPPED, Relevance, base_weights, changed, changes

ANSWERED = [
    (
        "how far in advance do I ask for two weeks off?",
        "Booking leave: A request for more than five days is made at least six weeks before.",
        "Booking leave: A request names the first and the last day of the absence.",
    ),
    (
        "who do i tell when my laptop gets nicked",
        "Loss and theft: A stolen device is reported to the service desk within one hour.",
        "Loss and theft: A device is kept out of sight when it is left in a car.",
    ),
    (
        "can they make me fly economy to tokyo",
        "Class of travel: Flights of more than nine hours are booked in premium economy.",
        "Class of travel: Seats are chosen by the traveller at check-in.",
    ),
    (
        "what do I get for dinner when I'm away",
        "Meals: Up to GBP 32 is paid for an evening meal on a night away from home.",
        "Meals: Receipts for meals are sent in within a month.",
    ),
]


@pytest.fixture(scope="module")
def relevance() -> Relevance:
    return Relevance()


@pytest.mark.parametrize(("question", "answer", "near_miss"), ANSWERED)
def test_what_answers_scores_above_a_near_miss(
    relevance: Relevance, question: str, answer: str, near_miss: str
) -> None:
    best, other = relevance.score(question, [answer, near_miss])
    # Three times the odds and more.
    assert best - other > 1.1


def test_a_score_does_not_depend_on_its_batch(relevance: Relevance) -> None:
    question, answer, near_miss = ANSWERED[0]
    alone = relevance.score(question, [answer])[0]
    fillers = [f"{near_miss} {'Leave is booked in the portal. ' * n}" for n in range(40)]
    together = Relevance().score(question, [*fillers, answer])
    assert together[-1] == pytest.approx(alone, abs=1e-4)


def test_scores_come_in_the_order_of_the_statements(relevance: Relevance) -> None:
    question, answer, near_miss = ANSWERED[1]
    texts = [near_miss, answer, near_miss, "Leave: " + "word " * 400]
    first, second, third, _ = relevance.score(question, texts)
    assert first == third < second
    assert relevance.score(question, []) == []


def test_threads_share_one_model(relevance: Relevance) -> None:
    question, answer, near_miss = ANSWERED[2]
    right = relevance.score(question, [answer, near_miss])
    fresh, found = Relevance(), []
    threads = [
        Thread(target=lambda: found.append(fresh.score(question, [answer, near_miss])))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [pytest.approx(right, abs=1e-4)] * 4


def test_kept_changes_give_the_trained_weights_back() -> None:
    torch.manual_seed(3)
    base = {"same": torch.randn(3, 4), "moved": torch.randn(5, 6), "bias": torch.randn(5)}
    moved = base["moved"] + 0.01 * torch.randn(5, 6)
    trained = base | {"moved": moved, "bias": torch.ones(5), "head": torch.randn(1, 6)}
    kept = changes(base, trained)
    assert not any(name.startswith("same") for name in kept)
    back = changed(base, kept)
    assert set(back) == set(trained)
    for name in ("same", "bias", "head"):
        assert torch.equal(back[name], trained[name])
    step = (moved - base["moved"]).abs().amax(dim=1, keepdim=True) / 127
    assert bool(((back["moved"] - moved).abs() <= step / 2 + 1e-7).all())


@pytest.mark.parametrize("content", [None, b"", b"not weights", SHIPPED.read_bytes()[:9000]])
def test_a_broken_file_is_one_clear_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "changes.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"changes\.safetensors cannot be loaded"):
        Relevance(path).load()


def test_the_word_embeddings_are_the_wheels() -> None:
    assert not any("embeddings" in name for name in _kept_names())
    assert "bert.embeddings.word_embeddings.weight" in base_weights()


def _kept_names() -> list[str]:
    from safetensors import safe_open

    with safe_open(SHIPPED, "pt") as file:
        return list(file.keys())
