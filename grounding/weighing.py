"""The NLI score and the comparisons of `features` weighed together into one score.

The weights stand in `weights.json` in the model's folder, since they depend on the model. A model
without that file is taken at its own word.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
from dataclasses import dataclass
from pathlib import Path

from grounding.errors import CheckerUnavailable
from grounding.features import FEATURES, Features, by_name

log = logging.getLogger(__name__)

FILE = "weights.json"
WEIGHED_THRESHOLD = 0.5
"""The weights are fitted to classes of equal weight, so that 0.5 parts them."""

_LARGEST_LOGIT = 8.0


@dataclass(frozen=True, slots=True)
class Weights:
    """Log odds of support: `bias + nli * logit(entailment) + sum(features[name] * value)`.

    No feature has a positive weight: they can only speak against a claim.
    """

    nli: float
    bias: float
    features: dict[str, float]

    def score(self, entailment: float, features: Features) -> float:
        """Probability of support, 0 to 1."""
        values = by_name(features)
        against = sum(weight * values[name] for name, weight in self.features.items())
        return 1 / (1 + math.exp(-(self.bias + self.nli * logit(entailment) + against)))


def logit(probability: float) -> float:
    """Log odds, cut off where float32 has no more to say."""
    inside = min(max(probability, 1e-9), 1 - 1e-9)
    return max(-_LARGEST_LOGIT, min(_LARGEST_LOGIT, math.log(inside / (1 - inside))))


def fingerprint(folder: Path) -> str:
    """What tells one trained model from another: the SHA-256 of its weights."""
    with (folder / "model.safetensors").open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_weights(folder: Path) -> Weights | None:
    """The weights in a model's folder; None where it has none, or has those of another model.

    Raises CheckerUnavailable where they cannot be read.
    """
    path = folder / FILE
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        if held["model"] != fingerprint(folder):
            log.warning("%s was fitted to another model: fit it again", path)
            return None
        weights = Weights(
            float(held["nli"]),
            float(held["bias"]),
            {str(name): float(weight) for name, weight in held["features"].items()},
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckerUnavailable(f"{path} cannot be read ({error!r}): fit it again") from error
    unknown = set(weights.features) - set(FEATURES)
    if unknown:
        raise CheckerUnavailable(f"{path} names unknown features ({', '.join(sorted(unknown))})")
    return weights
