"""Recall of the retrieval on a question file: `python -m tests.knowledge.measure DATA [FILE]`.

A question counts at k where one of its first k sources is of the right file and holds a right page.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

from knowledge.embedding import Embedder
from knowledge.index import Index, open_index
from knowledge.retrieval import retrieve

QUESTIONS = Path(__file__).with_name("questions.jsonl")
DEPTHS = (1, 3, 5, 10)


def rank(index: Index, row: dict[str, Any]) -> int | None:
    """The place, from 1, of the first right source among ten; None where there is none."""
    day = date.fromisoformat(row["on"]) if row.get("on") else None
    found = retrieve(index, row["question"], country=row.get("country"), day=day, limit=10)
    for source in found.sources:
        if source.file == row["file"] and set(source.pages) & set(row["pages"]):
            return source.n
    return None


def recall(ranks: list[int | None]) -> dict[int, float]:
    """The part of the questions answered within the first k sources, for each k of DEPTHS."""
    return {
        depth: sum(1 for rank in ranks if rank is not None and rank <= depth) / len(ranks)
        for depth in DEPTHS
    }


def read_questions(path: Path = QUESTIONS) -> list[dict[str, Any]]:
    """The rows of a question file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    index = open_index(Path(sys.argv[1]), Embedder())
    rows = read_questions(Path(sys.argv[2]) if len(sys.argv) > 2 else QUESTIONS)
    rows = [row for row in rows if row.get("answerable", True)]
    ranks = [rank(index, row) for row in rows]
    for row, place in zip(rows, ranks, strict=True):
        if place is None or place > 1:
            sys.stdout.write(f"{place} {row['id']} {row['question']}\n")
    sys.stdout.write(f"{recall(ranks)}\n")
