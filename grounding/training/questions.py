"""Questions with the statements that answer them and those that don't, for training relevance.

Two kinds: questions to the policy passages and their twins, and questions to the policies of whole
companies, where the statements are those that retrieval finds.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from grounding.relevance import read_as
from grounding.statements import Statement, statements
from grounding.training.pairs import POLICY_DATA, is_dev
from knowledge.embedding import Embedder
from knowledge.index import build_index, open_index
from knowledge.retrieval import retrieve
from knowledge.samples.draw import draw
from knowledge.samples.draw.blocks import read
from knowledge.sources import Source

QUESTIONS = Path(__file__).parent / "data" / "questions"
COMPANIES = QUESTIONS.with_name("companies")
HELD_COMPANIES = ("evergrove", "kestrel")
"""Never trained on: what is fitted after the training is fitted on them."""

_WORD = re.compile(r"\w+")
_SAME = 0.7
_ARGUABLE = 0.4
_FAR_RANK = 120
_SOURCES = 16


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the statements that answer it, if any, and others that don't.

    ``near`` are of the same text or most like the question, ``far`` less so.
    """

    question: str
    answers: tuple[str, ...]
    near: tuple[str, ...]
    far: tuple[str, ...]
    dev: bool


class _Vectors:
    """Vectors of texts, each text encoded once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._held: dict[str, npt.NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._held]
        if new:
            self._held.update(zip(new, self._embedder.encode(new), strict=True))
        return np.stack([self._held[text] for text in texts])


def passage_examples(embedder: Embedder, folder: Path = QUESTIONS) -> list[Example]:
    """An example for each question to a policy passage or to its twin.

    The far statements are those most like the question in passages on other topics: another
    company's passage on the same topic may well answer.
    """
    vectors = _Vectors(embedder)
    texts = _texts()
    made = {name: list(statements(_source(*texts[name]))) for name in texts}
    pool = [(texts[name][1], each) for name in made for each in made[name]]
    topics = np.array([topic for topic, _ in pool])
    matrix = vectors([each.text for _, each in pool])
    found = []
    for name, question, answer in _asked(folder):
        vector = vectors([question])[0]
        own = made[name]
        shares = [_share(answer, each.text) if answer else 0.0 for each in own]
        answers = [each for each, share in zip(own, shares, strict=True) if share >= _SAME]
        if answer and not answers:
            continue
        others = [each for each, share in zip(own, shares, strict=True) if share < _ARGUABLE]
        near = _nearest(vectors, vector, others)[:8]
        order = np.argsort(-(matrix @ vector))[:_FAR_RANK]
        far = [pool[at][1] for at in order if topics[at] != texts[name][1]][:12]
        found.append(_example(question, answers[:2], near, far, is_dev(name.removesuffix("-t"))))
    return found


def company_examples(
    embedder: Embedder, companies: Iterable[str], folder: Path = COMPANIES
) -> list[Example]:
    """An example for each question to a company's policies, drawn, indexed and searched."""
    vectors = _Vectors(embedder)
    return [
        example
        for company in companies
        for example in _company(folder / company, embedder, vectors)
    ]


def companies(folder: Path = COMPANIES) -> list[str]:
    """The companies with policies in ``folder``, by name."""
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def draw_company(company: Path, into: Path) -> None:
    """A company's policies as PDFs in ``into``, with their catalog."""
    lines = ["timezone: Europe/London", "policies:"]
    for path in sorted(company.glob("*.md")):
        document = read(path)
        (into / f"{path.stem}.pdf").write_bytes(draw(document))
        lines += [
            f"  - id: {path.stem}",
            f"    title: {json.dumps(document.cover.title)}",
            "    owner: HR",
            f"    versions: [{{file: {path.stem}.pdf, effective_from: 2025-01-01, scope: global}}]",
        ]
    (into / "catalog.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def company_questions(company: Path) -> list[dict[str, Any]]:
    """Its questions: ``question``, ``answerable``, ``doc`` (a policy's stem) and ``evidence``."""
    return list(_lines(company / "questions.jsonl"))


def answers_it(row: dict[str, Any], source: Source, statement: Statement) -> bool:
    """Whether a statement holds the evidence of a company's question."""
    if not row["answerable"] or source.file != f"{row['doc']}.pdf":
        return False
    evidence, held = _words(row["evidence"]), _words(statement.text)
    common = len(evidence & held)
    whole = common >= 0.85 * len(evidence)
    return whole or (common >= 0.9 * len(held) and common >= 5)


def _company(company: Path, embedder: Embedder, vectors: _Vectors) -> Iterator[Example]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        draw_company(company, folder)
        build_index(folder, folder / "data", embedder)
        index = open_index(folder / "data", embedder)
        for row in company_questions(company):
            found = retrieve(index, row["question"], country=None, limit=_SOURCES)
            made = [(source, each) for source in found.sources for each in statements(source)]
            answers = [each for source, each in made if answers_it(row, source, each)]
            if row["answerable"] and not answers:
                continue
            others = [
                each
                for source, each in made
                if not answers_it(row, source, each) and not _arguable(row, source, each)
            ]
            ranked = _nearest(vectors, vectors([row["question"]])[0], others)
            yield _example(row["question"], answers[:3], ranked[:16], ranked[16:60], False)


def _arguable(row: dict[str, Any], source: Source, statement: Statement) -> bool:
    own = bool(row["answerable"]) and source.file == f"{row['doc']}.pdf"
    return own and _share(row["evidence"], statement.text) > 0.55


def _example(
    question: str,
    answers: Sequence[Statement],
    near: Sequence[Statement],
    far: Sequence[Statement],
    dev: bool,
) -> Example:
    return Example(question, _read_as(answers), _read_as(near), _read_as(far), dev)


def _read_as(made: Sequence[Statement]) -> tuple[str, ...]:
    return tuple(map(read_as, made))


def _nearest(
    vectors: _Vectors, question: npt.NDArray[np.float32], others: Sequence[Statement]
) -> list[Statement]:
    if not others:
        return []
    likeness = vectors([each.text for each in others]) @ question
    return [others[at] for at in np.argsort(-likeness)]


def _texts() -> dict[str, tuple[str, str]]:
    """The passages by id, and the first twin of each by its id with ``-t``: text and topic."""
    texts: dict[str, tuple[str, str]] = {}
    for path in sorted(POLICY_DATA.glob("*.jsonl")):
        texts |= {line["id"]: (line["passage"], line["topic"]) for line in _lines(path)}
    for path in sorted((POLICY_DATA / "twins").glob("*.jsonl")):
        for line in _lines(path):
            texts.setdefault(f"{line['id']}-t", (line["twin"], texts[line["id"]][1]))
    return texts


def _asked(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Each question with the id of its text and the words that answer it, "" where none do."""
    for file, suffix in (("passages.jsonl", ""), ("twins.jsonl", "-t")):
        for line in _lines(folder / file):
            for each in line["answered"]:
                yield line["id"] + suffix, each["q"], each["a"]
            for question in line["silent"]:
                yield line["id"] + suffix, question, ""


def _source(text: str, topic: str) -> Source:
    return Source(1, text, title=topic)


def _share(answer: str, text: str) -> float:
    one, other = _words(answer), _words(text)
    return len(one & other) / max(1, min(len(one), len(other)))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)
