"""The NLI score and the comparisons of `features` weighed together into one score.

The weights stand in `weights.json` in the model's folder, since they depend on the model. A model
without that file is taken at its own word.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from grounding.errors import CheckerUnavailable
from grounding.features import FEATURES, Features, by_name

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


def read_weights(folder: Path) -> Weights | None:
    """The weights in a model's folder, None where it has none. Raises CheckerUnavailable."""
    path = folder / FILE
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
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
