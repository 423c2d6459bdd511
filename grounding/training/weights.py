"""Fit the weights beside a model: ``python -m grounding.training.weights MODEL_FOLDER``.

How much each comparison speaks against a claim is fitted on the training passages with their
twins and on made-up edits, without the model, which has learnt those by heart. How the sum weighs
against the model's score is fitted on the held passages, which neither of them has seen. The dev
passages only give the figures.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from grounding.actors import other_actor
from grounding.entailment import NliModel
from grounding.features import FEATURES, by_name, compare
from grounding.generality import overgeneral
from grounding.polarity import turned_round
from grounding.quantities import missing_quantities
from grounding.training import pairs
from grounding.training.edits import made_up
from grounding.training.pairs import Passage, Row
from grounding.weighing import FILE, fingerprint, logit
from grounding.windows import best_windows

_log = logging.getLogger(__name__)
_EDITS = 6000
_RIDGE = 1.0
_TURNS = 3000

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Compared:
    """Rows as numbers; ``flagged`` are those that a guard decides, whatever their score."""

    features: Array
    labels: NDArray[np.bool_]
    flagged: NDArray[np.bool_]

    def open(self) -> tuple[Array, NDArray[np.bool_]]:
        """The rows that no guard decides."""
        return self.features[~self.flagged], self.labels[~self.flagged]


def compare_rows(rows: Sequence[Row]) -> Compared:
    """The features and guards of each row, on the windows that the checker would read."""
    features, flagged = [], []
    for row in rows:
        windows = best_windows(row.premise, row.claim)
        window = windows[0].text if windows else ""
        features.append(list(by_name(compare(row.claim, window, row.premise)).values()))
        flagged.append(
            bool(missing_quantities(row.claim, row.premise))
            or other_actor(row.claim, row.premise)
            or turned_round(row.claim, row.premise) is not None
            or overgeneral(row.claim, window, row.premise) is not None
        )
    labels = np.array([row.supported for row in rows])
    return Compared(np.array(features), labels, np.array(flagged))


def fit(values: Array, labels: NDArray[np.bool_], most: Sequence[float | None]) -> Array:
    """Logistic regression with classes of equal weight: the bias, then a weight for each column.

    ``most`` bounds the columns' weights from above. Columns are scaled for the ridge penalty;
    accelerated projected gradient, since nothing else here needs an optimiser.
    """
    spread = values.std(axis=0) + 1e-9
    scaled = np.c_[np.ones(len(values)), values / spread]
    share = np.where(labels, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    sign = np.where(labels, 1.0, -1.0)

    above = np.array([np.inf, *(np.inf if bound is None else bound for bound in most)])
    ridge = np.r_[0.0, np.full(values.shape[1], _RIDGE)]
    step = 1 / (np.linalg.norm((share[:, None] * scaled).T @ scaled, 2) / 4 + _RIDGE)
    weights = ahead = np.zeros(scaled.shape[1])
    for turn in range(_TURNS):
        slope = scaled.T @ (-share * sign / (1 + np.exp(sign * (scaled @ ahead)))) + ridge * ahead
        following = np.minimum(ahead - step * slope, above)
        ahead = following + turn / (turn + 3) * (following - weights)
        weights = following
    return np.asarray(np.r_[weights[0], weights[1:] / spread])


def fit_weights(passages: Sequence[Passage], model: NliModel, seed: int = 1) -> dict[str, Any]:
    """What ``weights.json`` holds for ``model``, with its figures on the dev passages."""
    train, held, dev = pairs.split(passages)
    rng = Random(seed)
    edits = [row for passage in train for group in made_up(passage, rng) for row in group]
    known = compare_rows(pairs.rows(train) + rng.sample(edits, min(_EDITS, len(edits))))
    against = fit(*known.open(), [0.0] * len(FEATURES))
    _log.info("comparisons fitted on %d rows", len(known.labels))

    unseen = pairs.rows(held)
    compared = compare_rows(unseen)
    keep = ~compared.flagged
    both = np.c_[_logits(model, unseen), compared.features @ against[1:]]
    bias, nli, scale = fit(both[keep], compared.labels[keep], [None, None])
    weights = [round(float(scale * weight), 4) for weight in against[1:]]

    rows = pairs.rows(dev)
    compared = compare_rows(rows)
    alone = _logits(model, rows)
    score = bias + nli * alone + compared.features @ np.array(weights)
    passed = (score >= 0) & ~compared.flagged
    return {
        "model": fingerprint(Path(model.name)),
        "nli": round(float(nli), 4),
        "bias": round(float(bias), 4),
        "features": {
            name: weight for name, weight in zip(FEATURES, weights, strict=True) if weight
        },
        "dev": _rates(compared.labels, passed)
        | {
            "guards_alone": _rates(compared.labels, ~compared.flagged),
            "nli_alone": _rates(compared.labels, alone >= logit(model.threshold)),
        },
    }


def _logits(model: NliModel, rows: Sequence[Row]) -> Array:
    """The best window's log odds of entailment for each row, as the checker takes it."""
    found = []
    for row in rows:
        windows = best_windows(row.premise, row.claim, limit=1)
        verdicts = model.score([(window.text, row.claim) for window in windows])
        found.append(logit(max(verdict.entailment for verdict in verdicts)))
    return np.array(found)


def _rates(labels: NDArray[np.bool_], passed: NDArray[np.bool_]) -> dict[str, float]:
    false_flags, misses = float((~passed[labels]).mean()), float(passed[~labels].mean())
    return {
        "false_flag_rate": round(false_flags, 4),
        "miss_rate": round(misses, 4),
        "balanced_accuracy": round(1 - (false_flags + misses) / 2, 4),
    }


def main(
    model: Annotated[Path, typer.Argument(help="the model's folder; the weights go there")],
    data: Annotated[Path, typer.Option(help="policy passages")] = pairs.POLICY_DATA,
) -> None:
    """Fit the weights of the comparisons for a model and write them beside it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    weights = fit_weights(pairs.load_passages(data), NliModel(str(model)))
    (model / FILE).write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")
    _log.info("%s: %s", model / FILE, json.dumps(weights["dev"]))


if __name__ == "__main__":
    typer.run(main)
