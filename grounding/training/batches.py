"""What one epoch trains on, mixed, and cut into batches of inputs of about the same length."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from grounding.training import edits
from grounding.training.pairs import Group, Passage, Row, groups
from grounding.windows import best_windows

CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILED = 0, 1, 2, 3
"""What is right for an input; the last one leaves open why a claim is not supported."""

NLI_LABELS = {"contradiction": CONTRADICTION, "entailment": ENTAILMENT, "neutral": NEUTRAL}

_BUCKET = 64


@dataclass(frozen=True, slots=True)
class Input:
    """What the model reads and the label that is right for it."""

    premise: str
    claim: str
    label: int


InputGroup = tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class Mix:
    """How many groups of each kind an epoch holds, as a share of the twins' groups."""

    twins: float = 1.0
    edits: float = 0.7
    merged: float = 0.1
    elsewhere: float = 0.08
    leaning: float = 0.08


TWINS = Mix(1.0, 0.0, 0.0, 0.0, 0.0)
EDITS = Mix(0.33, 0.63, 0.0, 0.0, 0.0)
MIX = Mix()

_UNDER_HEADER = 0.2
_LONGER_TEXT = 0.15

# Words of a window: the checker's, some wider, as a source may be, and for a claim that was made
# from one sentence of the text some that hold little else. Short inputs train faster, too.
_WIDTHS = (30, 40, 40, 50, 40, 85)
_ONE_SENTENCE = (15, 25, 40, 40, 60)


def epoch(passages: Sequence[Passage], mix: Mix, rng: Random) -> list[InputGroup]:
    """The groups of one epoch in random order; another ``rng`` makes other edits."""
    twins = [group for passage in passages for group in groups(passage)]
    chosen: list[tuple[Group, tuple[int, ...]]]
    chosen = [(group, _WIDTHS) for group in _share(twins, mix.twins, len(twins), rng)]
    makers: tuple[tuple[float, Callable[[Passage], list[Group]]], ...] = (
        (mix.edits, lambda passage: edits.made_up(passage, rng)),
        (mix.merged, lambda passage: edits.merged(passage, rng)),
        (mix.elsewhere, lambda passage: edits.elsewhere(passage, passages, rng)),
        (mix.leaning, lambda passage: edits.leaning(passage, rng)),
    )
    for share, make in makers:
        if share:
            made = [group for passage in passages for group in make(passage)]
            some = _share(made, share, len(twins), rng)
            chosen += [(group, _widths(group)) for group in some]
    rng.shuffle(chosen)
    return [_inputs(group, rng.choice(widths), passages, rng) for group, widths in chosen]


def nli_epoch(pairs: Sequence[tuple[str, str, str]], rng: Random) -> list[InputGroup]:
    """Public NLI pairs in random order, each a group of its own."""
    shuffled = rng.sample(pairs, len(pairs))
    return [(Input(premise, claim, NLI_LABELS[label]),) for premise, claim, label in shuffled]


def batches(epoch_groups: Sequence[InputGroup], size: int, rng: Random) -> list[list[InputGroup]]:
    """Batches of ``size`` groups; those of a batch are about as long as each other."""
    found: list[list[InputGroup]] = []
    for part in _parts(epoch_groups, size * _BUCKET):
        ordered = sorted(part, key=_length)
        found += [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return rng.sample(found, len(found))


def premise_of(row: Row, window: str) -> str:
    """A window as the model reads it, under the row's header."""
    return f"{row.header}\n{window}" if row.header else window


def _share(made: list[Group], share: float, whole: int, rng: Random) -> list[Group]:
    return rng.sample(made, min(len(made), round(share * whole)))


def _widths(group: Group) -> tuple[int, ...]:
    return _ONE_SENTENCE if group[0].kind == "verbatim-ish" else _WIDTHS


def _inputs(group: Group, width: int, passages: Sequence[Passage], rng: Random) -> InputGroup:
    if not any(row.header for row in group) and rng.random() < _UNDER_HEADER:
        group = edits.under_header(group, rng)
    around = rng.sample(passages, 2) if rng.random() < _LONGER_TEXT and len(passages) > 1 else []
    inputs = []
    for row in group:
        text = row.premise
        if around:
            # A page holds more than the passage, so the window may hold what is not about it.
            before, after = (passage.texts[0].text for passage in around)
            text = f"{before}\n\n{text}\n\n{after}"
        window = best_windows(text, row.claim, max_words=width, limit=1)[0].text
        label = ENTAILMENT if row.supported else NOT_ENTAILED
        inputs.append(Input(premise_of(row, window), row.claim, label))
    return tuple(inputs)


def _length(group: InputGroup) -> int:
    return max(len(one.premise) + len(one.claim) for one in group)


def _parts(groups_: Sequence[InputGroup], size: int) -> Iterator[Sequence[InputGroup]]:
    for start in range(0, len(groups_), size):
        yield groups_[start : start + size]
