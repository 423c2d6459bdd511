"""The policy passages and their twins as labelled rows for training and measuring.

Each passage has sentences that it proves and sentences that it doesn't; under its twins other
ones are proved. So no sentence gives its label away, and a model has to read the passage.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POLICY_DATA = Path(__file__).parent / "data" / "policy"

_DEV_SHARE = 8
_HELD_SHARE = 16


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about a passage; ``kind`` says how it was made (``number``, ``paraphrase``)."""

    name: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Text:
    """A policy text and which of the passage's sentences it proves; ``skip`` are arguable."""

    text: str
    proved: frozenset[str]
    skip: frozenset[str]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage's sentences and the texts to read them against: its own first, then twins."""

    id: str
    topic: str
    sentences: tuple[Sentence, ...]
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A claim to check against a premise, and what is right to say about it.

    ``header`` is the line that the bot puts above the premise: title, scope and dates.
    """

    premise: str
    claim: str
    supported: bool
    kind: str
    header: str = ""


Group = tuple[Row, ...]
"""Rows trained together: each supported one has to score above each unsupported one."""


class DataError(ValueError):
    """A data file is not in its form; the message names the file and the line."""


def load_passages(folder: Path = POLICY_DATA) -> list[Passage]:
    """All passages of ``folder`` with the twins in ``folder/twins``, by id.

    Raises:
        DataError: a line is not JSON, misses a field, or a twin has no passage.
    """
    twins: dict[str, list[Text]] = {}
    for where, line in _lines(sorted((folder / "twins").glob("*.jsonl"))):
        with _Place(where):
            text = Text(line["twin"], frozenset(line["proved"]), frozenset(line.get("skip", ())))
            twins.setdefault(line["id"], []).append(text)
    passages: dict[str, Passage] = {}
    for where, line in _lines(sorted(folder.glob("*.jsonl"))):
        with _Place(where):
            passages[line["id"]] = _passage(line, twins.pop(line["id"], []))
    if twins:
        raise DataError(f"{folder / 'twins'}: no passage for the twin of {min(twins)}")
    return [passages[name] for name in sorted(passages)]


def is_dev(passage_id: str) -> bool:
    """Dev passages are for figures alone; a passage and its twins go together."""
    return _bucket(passage_id) % _DEV_SHARE == 0


def is_held(passage_id: str) -> bool:
    """Held passages are neither trained on nor dev: thresholds are chosen on them."""
    return not is_dev(passage_id) and _bucket(passage_id) % _HELD_SHARE == 1


def split(passages: Iterable[Passage]) -> tuple[list[Passage], list[Passage], list[Passage]]:
    """The passages to train on, to choose thresholds on, and to report figures on."""
    train: list[Passage] = []
    held: list[Passage] = []
    dev: list[Passage] = []
    for passage in passages:
        place = dev if is_dev(passage.id) else held if is_held(passage.id) else train
        place.append(passage)
    return train, held, dev


def groups(passage: Passage) -> list[Group]:
    """A group for each sentence and twin: the sentence under the passage and under the twin."""
    own, *others = passage.texts
    found = []
    for sentence in passage.sentences:
        for other in others or [own]:
            texts = (own, other) if other is not own else (own,)
            group = tuple(_row(sentence, text) for text in texts if sentence.name not in text.skip)
            found.append(group)
    return found


def rows(passages: Sequence[Passage]) -> list[Row]:
    """Every labelled row, once: each sentence under the passage and each of its twins."""
    return [
        _row(sentence, text)
        for passage in passages
        for text in passage.texts
        for sentence in passage.sentences
        if sentence.name not in text.skip
    ]


def load_nli(path: Path) -> list[tuple[str, str, str]]:
    """Premise, hypothesis and label of each line of a public NLI set in JSON Lines.

    Raises:
        DataError: a line is not JSON, misses a field or has an unknown label.
    """
    found = []
    for where, line in _lines([path]):
        with _Place(where):
            if line["label"] not in ("entailment", "neutral", "contradiction"):
                raise DataError(f"{where}: unknown label {line['label']!r}")
            found.append((line["premise"], line["hypothesis"], line["label"]))
    return found


def _passage(line: dict[str, Any], twins: list[Text]) -> Passage:
    sentences = []
    for letter, field in (("s", "supported"), ("u", "unsupported")):
        entries = line[field]
        if not isinstance(entries, list):
            raise TypeError(field)
        sentences += [
            Sentence(f"{letter}{number}", entry["text"], entry["kind"])
            for number, entry in enumerate(entries)
        ]
    proved = frozenset(sentence.name for sentence in sentences if sentence.name[0] == "s")
    own = Text(str(line["passage"]), proved, frozenset())
    return Passage(str(line["id"]), str(line["topic"]), tuple(sentences), (own, *twins))


def _row(sentence: Sentence, text: Text) -> Row:
    return Row(text.text, sentence.text, sentence.name in text.proved, sentence.kind)


def _bucket(passage_id: str) -> int:
    return int(hashlib.md5(passage_id.encode(), usedforsecurity=False).hexdigest(), 16)


def _lines(paths: Iterable[Path]) -> Iterable[tuple[str, dict[str, Any]]]:
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            where = f"{path}, line {number}"
            with _Place(where):
                yield where, json.loads(line)


class _Place:
    """Turns whatever a malformed line raises into a DataError that says where it is."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (KeyError, TypeError, json.JSONDecodeError)):
            raise DataError(f"{self._where}: {type(error).__name__} {error}") from error
