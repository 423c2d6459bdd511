"""The NLI model: (premise, claim) -> entailment, neutral or contradiction, with probabilities."""

from __future__ import annotations

import json
import logging
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from grounding.errors import CheckerUnavailable
from grounding.weighing import Weights, read_weights

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

log = logging.getLogger(__name__)

SHIPPED_MODEL = Path(__file__).with_name("model")
DEFAULT_THRESHOLD = 0.5
_CACHE_SIZE = 4096
_BATCH = 16
_ENTAILMENT = {"entailment", "entailed", "entail", "supported", "support", "supports", "consistent"}
_CONTRADICTION = {"contradiction", "contradicted", "contradict", "contradictory", "refuted"}
_NEUTRAL = {
    "neutral", "not entailment", "not entailed", "unsupported", "not supported",
    "inconsistent", "hallucinated",
}  # fmt: skip
_SELF_TEST = (
    ("Employees get 25 days of annual leave each year.", "Employees get 25 days of annual leave."),
    ("Employees get 25 days of annual leave each year.", "Visitors must wear a helmet on site."),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Probabilities of one (premise, claim) pair; they add up to 1.

    A model with two labels leaves `contradiction` at 0: it does not tell it from neutral.
    """

    entailment: float
    neutral: float
    contradiction: float


class NliModel:
    """A cross-encoder, loaded at first use, in float32. Safe to use from several threads.

    `folder_or_name` is a local folder, or a hub name for whoever wants a stronger checker; None is
    the model that ships with the package. A local folder never touches the network.
    """

    def __init__(self, folder_or_name: str | None = None) -> None:
        self.name = folder_or_name or str(SHIPPED_MODEL)
        self._lock = RLock()
        self._encoder: CrossEncoder | None = None
        self._columns: dict[str, int] = {}
        self._cache: OrderedDict[tuple[str, str], Verdict] = OrderedDict()
        self._threshold = _read_threshold(Path(self.name))
        self._weights = read_weights(Path(self.name))

    @property
    def threshold(self) -> float:
        """Probability of entailment from which a claim is supported.

        From `checker.json` in the model's folder, where its training measured it; else 0.5.
        """
        return self._threshold

    @property
    def weights(self) -> Weights | None:
        """How the comparisons of words weigh beside this model's score, where that is known."""
        return self._weights

    def load(self) -> None:
        """Load and self-test the model now. Raises CheckerUnavailable, saying what to fix."""
        with self._lock:
            self._ready()

    def fits(self, premise: str, claim: str) -> bool:
        """Whether the model reads the pair whole, counted with its own tokenizer."""
        with self._lock:
            encoder = self._ready()
            tokens = encoder.tokenizer(premise, claim, truncation=False, verbose=False)
            return len(tokens["input_ids"]) <= _longest(encoder)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """A verdict for each (premise, claim), in order, in one batch; equal pairs cost once.

        A pair that does not fit raises ValueError: nothing is cut off unseen. Raises
        CheckerUnavailable.
        """
        with self._lock:
            encoder = self._ready()
            new = list(dict.fromkeys(pair for pair in pairs if pair not in self._cache))
            fresh: dict[tuple[str, str], Verdict] = {}
            if new:
                if not all(self.fits(*pair) for pair in new):
                    raise ValueError("a pair is longer than the NLI model reads")
                fresh = dict(zip(new, self._predict(encoder, new), strict=True))
            verdicts = [fresh.get(pair) or self._cache[pair] for pair in pairs]
            for pair, verdict in zip(pairs, verdicts, strict=True):
                self._cache[pair] = verdict
                self._cache.move_to_end(pair)
            while len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
            return verdicts

    def _predict(self, encoder: CrossEncoder, pairs: list[tuple[str, str]]) -> list[Verdict]:
        rows = encoder.predict(
            pairs, batch_size=_BATCH, apply_softmax=True, show_progress_bar=False
        ).tolist()
        if any(not math.isfinite(value) for row in rows for value in row):
            raise CheckerUnavailable(f"the NLI model {self.name} gives no numbers: replace it")
        return [self._verdict(row) for row in rows]

    def _verdict(self, row: list[float]) -> Verdict:
        contradiction = self._columns.get("contradiction")
        return Verdict(
            row[self._columns["entailment"]],
            row[self._columns["neutral"]],
            0.0 if contradiction is None else row[contradiction],
        )

    def _ready(self) -> CrossEncoder:
        if self._encoder is None:
            encoder = _load(self.name)
            self._columns = _read_labels(self.name, getattr(encoder.config, "id2label", None) or {})
            self._self_test(encoder)
            self._encoder = encoder
        return self._encoder

    def _self_test(self, encoder: CrossEncoder) -> None:
        entailed, unrelated = self._predict(encoder, list(_SELF_TEST))
        if not entailed.entailment > max(unrelated.entailment, 0.5) or unrelated.entailment > 0.5:
            raise CheckerUnavailable(
                f"the NLI model {self.name} failed its self-test ({entailed.entailment:.2f} for a"
                f" claim that its source holds, {unrelated.entailment:.2f} for an unrelated one):"
                " it is no NLI model, or its labels are misnamed; choose another"
            )


def _load(name: str) -> CrossEncoder:
    local = Path(name).is_dir()
    if not local and (name.startswith((".", "/", "~")) or "/" not in name):
        raise CheckerUnavailable(f"the NLI model folder {name} does not exist")
    try:
        import torch
        from sentence_transformers import CrossEncoder
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        encoder: CrossEncoder = CrossEncoder(
            str(Path(name).resolve()) if local else name,
            device="cpu",
            local_files_only=local,
            model_kwargs={"dtype": torch.float32},
        )
    except Exception as error:
        log.debug("loading %s failed", name, exc_info=True)
        reason = str(error).strip().partition("\n")[0][:200]
        raise CheckerUnavailable(
            f"the NLI model {name} cannot be loaded ({type(error).__name__}: {reason}):"
            " give a folder that holds config.json, the tokenizer and model.safetensors"
        ) from error
    encoder.eval()
    return encoder


def _longest(encoder: CrossEncoder) -> int:
    limits = (encoder.max_seq_length, getattr(encoder.config, "max_position_embeddings", None))
    return min(limit for limit in (*limits, 4096) if limit)


def _read_labels(name: str, labels: dict[int, str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for index, label in labels.items():
        plain = label.lower().replace("_", " ").replace("-", " ").strip()
        for role, words in (
            ("entailment", _ENTAILMENT),
            ("neutral", _NEUTRAL),
            ("contradiction", _CONTRADICTION),
        ):
            if plain in words:
                columns[role] = int(index)
    if len(columns) != len(labels) or not {"entailment", "neutral"} <= set(columns):
        given = ", ".join(str(label) for label in labels.values())
        raise CheckerUnavailable(
            f"the labels of the NLI model {name} ({given}) are not named entailment, neutral and"
            " contradiction, or supported and unsupported: name them in its config.json (id2label)"
        )
    return columns


def _read_threshold(folder: Path) -> float:
    try:
        held: dict[str, Any] = json.loads((folder / "checker.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return DEFAULT_THRESHOLD
    except (OSError, ValueError) as error:
        raise CheckerUnavailable(f"{folder / 'checker.json'} cannot be read: {error}") from error
    threshold = held.get("threshold")
    if not isinstance(threshold, int | float) or not 0 < threshold < 1:
        raise CheckerUnavailable(f"{folder / 'checker.json'}: threshold must lie between 0 and 1")
    return float(threshold)
