"""Train the checker's model: ``python -m grounding.training.train --help``."""

import logging
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Annotated, Any

import torch
import typer

from grounding.training import batches, pairs
from grounding.training.batches import InputGroup
from grounding.training.model import embedding_weights, group_loss, load, save

_log = logging.getLogger(__name__)
_WARM_UP = 0.05
_LOG_EVERY = 50


class Stage(StrEnum):
    """What a run trains on: public NLI, twins, made-up edits with some twins, or all mixed."""

    nli = "nli"
    twins = "twins"
    edits = "edits"
    mix = "mix"


_MIXES = {Stage.twins: batches.TWINS, Stage.edits: batches.EDITS, Stage.mix: batches.MIX}


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run's outcome depends on.

    ``minutes``, where given, ends the run by the clock whatever the machine's speed, and the
    learning rate falls with it; otherwise ``epochs`` does both.
    """

    stage: Stage
    start: Path
    out: Path
    data: Path = pairs.POLICY_DATA
    nli: Path | None = None
    epochs: int = 1
    minutes: float | None = None
    steps: int | None = None
    batch: int = 16
    rate: float = 1e-4
    max_length: int = 192
    seed: int = 1
    device: str = "cpu"
    threads: int = 2
    checkpoint_minutes: float = 8.0


@dataclass(slots=True)
class Progress:
    """How far a run is; it goes on from here after a stop."""

    epoch: int = 0
    batch: int = 0
    steps: int = 0
    seconds: float = 0.0


def run(plan: Plan) -> Progress:
    """Train by ``plan``, from its checkpoint where one is, and write the model to ``plan.out``.

    Raises:
        pairs.DataError: the data is not in its form.
        ValueError: the stage ``nli`` without its folder.
    """
    torch.set_num_threads(plan.threads)
    torch.manual_seed(plan.seed)
    model, tokenizer = load(plan.start)
    model.to(plan.device).train()
    optimizer = torch.optim.AdamW(_parameters(model), lr=plan.rate, fused=True)
    plan.out.mkdir(parents=True, exist_ok=True)
    progress = _resume(plan, model, optimizer)
    clock = time.monotonic() - progress.seconds
    saved = progress.seconds
    recent: list[float] = []
    for total, groups in _steps(plan, progress):
        progress.seconds = time.monotonic() - clock
        done = _done(plan, progress, total)
        if done >= 1:
            break
        for part in optimizer.param_groups:
            part["lr"] = plan.rate * _factor(done)
        recent.append(_step(plan, model, tokenizer, optimizer, groups))
        progress.steps += 1
        if progress.steps % _LOG_EVERY == 0:
            loss = sum(recent) / len(recent)
            _log.info(
                "epoch %d step %d done %.3f loss %.4f", progress.epoch, progress.steps, done, loss
            )
            recent.clear()
        if progress.seconds - saved > 60 * plan.checkpoint_minutes:
            _checkpoint(plan, model, optimizer, progress)
            save(model, tokenizer, plan.out, plan.max_length)
            saved = progress.seconds
    _checkpoint(plan, model, optimizer, progress)
    save(model, tokenizer, plan.out, plan.max_length)
    return progress


def _steps(plan: Plan, progress: Progress) -> Iterator[tuple[int, list[InputGroup]]]:
    """The batches from where ``progress`` stands, each with the number in its epoch."""
    while plan.minutes is not None or plan.steps is not None or progress.epoch < plan.epochs:
        # Seeded by the epoch, so that a resumed run makes the same batches as before.
        rng = Random(f"{plan.seed}-{progress.epoch}")
        made = batches.batches(_epoch(plan, rng), plan.batch, rng)
        while progress.batch < len(made):
            yield len(made), made[progress.batch]
            progress.batch += 1
        progress.epoch, progress.batch = progress.epoch + 1, 0


def _epoch(plan: Plan, rng: Random) -> list[InputGroup]:
    if plan.stage is Stage.nli:
        if plan.nli is None:
            raise ValueError("the stage nli needs --nli FOLDER with train.jsonl")
        return batches.nli_epoch(pairs.load_nli(plan.nli / "train.jsonl"), rng)
    train, _, _ = pairs.split(pairs.load_passages(plan.data))
    return batches.epoch(train, _MIXES[plan.stage], rng)


def _done(plan: Plan, progress: Progress, per_epoch: int) -> float:
    if plan.steps is not None:
        return progress.steps / plan.steps
    if plan.minutes is not None:
        return progress.seconds / (60 * plan.minutes)
    return (progress.epoch + progress.batch / per_epoch) / plan.epochs


def _factor(done: float) -> float:
    return min(done / _WARM_UP, (1 - done) / (1 - _WARM_UP)) if done < _WARM_UP else 1 - done


def _step(
    plan: Plan,
    model: Any,
    tokenizer: Any,
    optimizer: torch.optim.Optimizer,
    groups: list[InputGroup],
) -> float:
    inputs = [one for group in groups for one in group]
    encoded = tokenizer(
        [one.premise for one in inputs],
        [one.claim for one in inputs],
        padding=True,
        truncation="only_first",
        max_length=plan.max_length,
        return_tensors="pt",
    ).to(plan.device)
    # Half as long per step where the processor has bfloat16 units; the weights stay single.
    with torch.autocast(torch.device(plan.device).type, dtype=torch.bfloat16):
        logits = model(**encoded).logits
    loss = group_loss(logits.float(), groups)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())


def _parameters(model: Any) -> list[dict[str, Any]]:
    """Biases and norms decay no more than any usual recipe lets them."""
    plain = [value for name, value in model.named_parameters() if value.ndim < 2]
    decayed = [value for name, value in model.named_parameters() if value.ndim >= 2]
    return [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]


def _resume(plan: Plan, model: Any, optimizer: torch.optim.Optimizer) -> Progress:
    path = plan.out / "checkpoint.pt"
    if not path.exists():
        return Progress()
    kept = torch.load(path, map_location=plan.device, weights_only=True)
    model.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    torch.set_rng_state(kept["random"].cpu())
    return Progress(**kept["progress"])


def _checkpoint(
    plan: Plan, model: Any, optimizer: torch.optim.Optimizer, progress: Progress
) -> None:
    kept = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "random": torch.get_rng_state(),
        "progress": {
            "epoch": progress.epoch,
            "batch": progress.batch,
            "steps": progress.steps,
            "seconds": progress.seconds,
        },
    }
    partial = plan.out / "checkpoint.tmp"
    torch.save(kept, partial)
    os.replace(partial, plan.out / "checkpoint.pt")


def main(
    out: Annotated[Path, typer.Option(help="Folder for the model and its checkpoint.")],
    stage: Annotated[Stage, typer.Option(help="What to train on.")] = Stage.mix,
    start: Annotated[Path | None, typer.Option(help="Weights to start from.")] = None,
    nli: Annotated[Path | None, typer.Option(help="Folder with train.jsonl of NLI pairs.")] = None,
    epochs: Annotated[int, typer.Option(min=1)] = 1,
    minutes: Annotated[float | None, typer.Option(help="Train until then instead.")] = None,
    batch: Annotated[int, typer.Option(min=1, help="Groups (twins: sentences) a step.")] = 16,
    rate: Annotated[float, typer.Option(help="The highest learning rate.")] = 1e-4,
    seed: int = 1,
    device: str = "cpu",
    threads: int = 2,
) -> None:
    """Train from START (default: the all-MiniLM-L6-v2 weights), or go on where a run stopped."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    plan = Plan(
        stage=stage,
        start=start or embedding_weights(),
        out=out,
        nli=nli,
        epochs=epochs,
        minutes=minutes,
        batch=batch,
        rate=rate,
        seed=seed,
        device=device,
        threads=threads,
    )
    run(plan)


if __name__ == "__main__":
    typer.run(main)
