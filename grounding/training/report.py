"""Figures of a model on unseen passages: ``python -m grounding.training.report MODEL``.

The threshold is chosen on held passages, the figures are of dev passages, which neither training
nor the threshold has seen.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import torch
import typer
from numpy.typing import NDArray

from grounding.training import edits, pairs
from grounding.training.batches import premise_of
from grounding.training.pairs import Passage, Row
from grounding.windows import best_windows

Scores = NDArray[np.float64]
Flags = NDArray[np.bool_]

_SEED = 7
_MADE_UP_ROWS = 3000


@dataclass(frozen=True, slots=True)
class Reads:
    """What the model reads of a premise: the best ``windows`` of at most ``words`` words."""

    words: int = 40
    windows: int = 1


@dataclass(frozen=True, slots=True)
class Figures:
    """How well scores part supported rows from others; rates run from 0 to 1.

    ``order`` is the share of sentences whose label differs between two texts of a passage and
    that score higher under the one that proves them.
    """

    rows: int
    auc: float
    best_balanced_accuracy: float
    balanced_accuracy: float
    false_flag: float
    miss: float
    miss_by_kind: dict[str, tuple[int, float]]
    false_flag_by_kind: dict[str, tuple[int, float]]


def score(model: Any, rows: Sequence[Row], reads: Reads) -> Scores:
    """The entailment probability of each row: that of its best window."""
    read: list[tuple[str, str]] = []
    place: list[int] = []
    for index, row in enumerate(rows):
        found = best_windows(row.premise, row.claim, max_words=reads.words, limit=reads.windows)
        for window in found:
            read.append((premise_of(row, window.text), row.claim))
            place.append(index)
    labels = {name: int(index) for name, index in model.config.label2id.items()}
    chances = model.predict(read, batch_size=64, apply_softmax=True, show_progress_bar=False)
    best = np.zeros(len(rows))
    np.maximum.at(best, place, chances[:, labels["entailment"]].astype(np.float64))
    return best


def best_threshold(scores: Scores, supported: Flags) -> float:
    """The threshold of the highest balanced accuracy, the middle of all that are as good."""
    choices = np.unique(np.round(scores, 3))
    found = np.array([_balanced(scores, supported, choice) for choice in choices])
    # Near the top the curve is flat and noisy; its middle holds better on other passages.
    good = choices[found >= found.max() - 0.004]
    return float(np.round(np.median(good), 3))


def figures(rows: Sequence[Row], scores: Scores, threshold: float) -> Figures:
    """The figures of ``rows`` at ``threshold``: a row that scores below it is flagged."""
    supported = np.array([row.supported for row in rows])
    flagged = scores < threshold
    return Figures(
        rows=len(rows),
        auc=auc(scores, supported),
        best_balanced_accuracy=max(
            _balanced(scores, supported, choice) for choice in np.unique(np.round(scores, 3))
        ),
        balanced_accuracy=_balanced(scores, supported, threshold),
        false_flag=float(flagged[supported].mean()),
        miss=float((~flagged)[~supported].mean()),
        miss_by_kind=_by_kind(rows, ~flagged, ~supported),
        false_flag_by_kind=_by_kind(rows, flagged, supported),
    )


def auc(scores: Scores, supported: Flags) -> float:
    """The chance that a supported row scores above another one."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(supported, scores))


def order_right(passages: Sequence[Passage], rows: Sequence[Row], scores: Scores) -> float:
    """The share of label-changing sentences that the text which proves them scores higher on."""
    found = {(row.premise, row.claim): value for row, value in zip(rows, scores, strict=True)}
    right: list[bool] = []
    for passage in passages:
        for group in pairs.groups(passage):
            if len(group) == 2 and group[0].supported != group[1].supported:
                proved, other = sorted(group, key=lambda row: not row.supported)
                right.append(
                    found[proved.premise, proved.claim] > found[other.premise, other.claim]
                )
    return float(np.mean(right))


def sentence_only_auc(train: Sequence[Row], test: Sequence[Row]) -> float:
    """What a bag of words reaches that never sees the premise: how far tone gives labels away."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    words = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression(max_iter=1000)
    )
    words.fit([row.claim for row in train], [row.supported for row in train])
    scores = words.predict_proba([row.claim for row in test])[:, 1]
    return auc(scores, np.array([row.supported for row in test]))


def made_up_rows(passages: Sequence[Passage], limit: int = _MADE_UP_ROWS) -> list[Row]:
    """Rows of made-up edits, the same on each call."""
    rng = Random(_SEED)
    groups = [group for passage in passages for group in edits.made_up(passage, rng)]
    groups += [group for passage in passages for group in edits.leaning(passage, rng)][: limit // 8]
    chosen = rng.sample(groups, min(len(groups), limit // 2))
    return [row for group in chosen for row in group]


def measure(model: Any, reads: Reads, data: Path = pairs.POLICY_DATA) -> dict[str, Any]:
    """All figures of ``model``: the threshold from held passages, the rest from dev ones."""
    passages = pairs.load_passages(data)
    train, held, dev = pairs.split(passages)
    held_rows, dev_rows = pairs.rows(held), pairs.rows(dev)
    held_scores = score(model, held_rows, reads)
    threshold = best_threshold(held_scores, np.array([row.supported for row in held_rows]))
    dev_scores = score(model, dev_rows, reads)
    made_up = made_up_rows(dev)
    made_up_scores = score(model, made_up, reads)
    return {
        "threshold": threshold,
        "held": _rounded(figures(held_rows, held_scores, threshold)),
        "dev": _rounded(figures(dev_rows, dev_scores, threshold)),
        "dev_order_right": round(order_right(dev, dev_rows, dev_scores), 3),
        "dev_sentence_only_auc": round(sentence_only_auc(pairs.rows(train), dev_rows), 3),
        "made_up": _rounded(figures(made_up, made_up_scores, threshold)),
    }


def _balanced(scores: Scores, supported: Flags, threshold: float) -> float:
    kept = scores >= threshold
    return float((kept[supported].mean() + (~kept)[~supported].mean()) / 2)


def _by_kind(rows: Sequence[Row], wrong: Flags, among: Flags) -> dict[str, tuple[int, float]]:
    found: dict[str, list[bool]] = {}
    for row, is_wrong, counts in zip(rows, wrong, among, strict=True):
        if counts:
            found.setdefault(row.kind, []).append(bool(is_wrong))
    return {kind: (len(each), float(np.mean(each))) for kind, each in sorted(found.items())}


def _rounded(found: Figures) -> dict[str, Any]:
    return {
        "rows": found.rows,
        "auc": round(found.auc, 3),
        "best_balanced_accuracy": round(found.best_balanced_accuracy, 3),
        "balanced_accuracy": round(found.balanced_accuracy, 3),
        "false_flag_rate": round(found.false_flag, 3),
        "miss_rate": round(found.miss, 3),
        "miss_by_kind": _rounded_kinds(found.miss_by_kind),
        "false_flag_by_kind": _rounded_kinds(found.false_flag_by_kind),
    }


def _rounded_kinds(found: dict[str, tuple[int, float]]) -> dict[str, list[float]]:
    return {kind: [n, round(rate, 3)] for kind, (n, rate) in found.items()}


def main(
    model: Annotated[Path, typer.Argument(help="A folder that CrossEncoder loads.")],
    words: Annotated[int, typer.Option(min=1, help="Words of a window at most.")] = 40,
    windows: Annotated[int, typer.Option(min=1, help="Windows to read for each row.")] = 1,
    threads: int = 2,
    store: Annotated[bool, typer.Option(help="Write the threshold to MODEL/checker.json.")] = False,
) -> None:
    """Print MODEL's figures as JSON."""
    from sentence_transformers import CrossEncoder

    torch.set_num_threads(threads)
    loaded = CrossEncoder(
        str(model),
        device="cpu",
        max_length=256,
        local_files_only=True,
        model_kwargs={"dtype": torch.float32},
    )
    found = measure(loaded, Reads(words, windows))
    if store:
        checker = {"threshold": found["threshold"], "words": words, "windows": windows}
        (model / "checker.json").write_text(json.dumps(checker, indent=2) + "\n", encoding="utf-8")
    typer.echo(json.dumps(found, indent=1))


if __name__ == "__main__":
    typer.run(main)
