"""Figures of the checker on labelled pairs: the contract of `policypal check`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grounding.answer import CheckedSentence
from grounding.checker import Checker
from knowledge.sources import Source


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, the text that it is checked against, and what a reader says of it."""

    id: str
    premise: str
    hypothesis: str
    supported: bool
    error_type: str


def read_pair(row: dict[str, Any], line: int) -> Pair:
    """One row of a pair set. Raises ValueError naming the line and what is wrong with it."""
    texts = {key: row.get(key) for key in ("premise", "hypothesis", "label")}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise ValueError(f"line {line}: {key} must be a text")
    if texts["label"] not in ("supported", "unsupported"):
        raise ValueError(f"line {line}: label must be supported or unsupported")
    supported = texts["label"] == "supported"
    kind = row.get("error_type") or ("none" if supported else "unknown")
    name = row.get("id")
    return Pair(
        str(line if name is None else name),
        str(texts["premise"]),
        str(texts["hypothesis"]),
        supported,
        str(kind),
    )


def check_pairs(
    rows: Sequence[dict[str, Any]], checker: Checker, *, with_rows: bool = False
) -> dict[str, Any]:
    """Each pair through the whole checker.

    Rates run from 0 to 1 and are None where there is nothing to count: `false_flag_rate` over the
    supported pairs, `miss_rate` over the unsupported ones; `balanced_accuracy` is 1 less the mean
    of both. Raises ValueError for a row that cannot be read, CheckerUnavailable.
    """
    pairs = [read_pair(row, line) for line, row in enumerate(rows, start=1)]
    started = time.perf_counter()
    checked = [checker.check_claim(p.hypothesis, [Source(1, p.premise)]) for p in pairs]
    elapsed = time.perf_counter() - started
    wrong = [c.supported != p.supported for p, c in zip(pairs, checked, strict=True)]
    false_flags = _rate([w for w, p in zip(wrong, pairs, strict=True) if p.supported])
    misses = _rate([w for w, p in zip(wrong, pairs, strict=True) if not p.supported])
    both = None if false_flags is None or misses is None else 1 - (false_flags + misses) / 2
    total = Counter(pair.error_type for pair in pairs)
    failed = Counter(p.error_type for p, w in zip(pairs, wrong, strict=True) if w)
    figures: dict[str, Any] = {
        "n": len(pairs),
        "false_flag_rate": false_flags,
        "miss_rate": misses,
        "balanced_accuracy": both,
        "by_error_type": {
            kind: {"n": total[kind], "wrong": failed[kind]} for kind in sorted(total)
        },
        "ms_per_pair": round(1000 * elapsed / len(pairs), 2) if pairs else None,
    }
    if with_rows:
        figures["rows"] = [_row(p, c) for p, c in zip(pairs, checked, strict=True)]
    return figures


def _row(pair: Pair, checked: CheckedSentence) -> dict[str, Any]:
    return {
        "id": pair.id,
        "label": "supported" if pair.supported else "unsupported",
        "verdict": "supported" if checked.supported else "unsupported",
        "problem": checked.problem,
        "detail": checked.detail,
        "score": round(checked.score, 4),
    }


def _rate(wrong: Sequence[bool]) -> float | None:
    return round(sum(wrong) / len(wrong), 4) if wrong else None
