"""Figures on a question set: what is found, what is answered, and whether it is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from grounding.answer import Answer, Status
from knowledge.sources import Source

RANKS = (1, 3, 5, 10)
"""Recall is measured among this many sources."""

_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_NUMBERS = {word: number for number, word in enumerate(_UNITS)} | {
    word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)
}
_TENS_AND_UNIT = re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_UNITS[1:10])})\b")
_SYMBOLS = {"%": " per cent ", "percent": "per cent", "£": " gbp ", "€": " eur ", "$": " usd ",
            "₹": " inr "}  # fmt: skip
_KEY_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Row:
    """A question of the set. `pages` are the physical pages of `file` that hold the answer.

    `key` holds words or phrases that a right answer has, all of them. Without `file` any file's
    page counts; without pages any page of the file.
    """

    id: str
    question: str
    answerable: bool
    previous: str | None = None
    file: str | None = None
    pages: tuple[int, ...] = ()
    country: str | None = None
    on: date | None = None
    key: tuple[str, ...] = ()
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a row.

    `rank` is that of the first source with a gold page (from 1), None where none was found.
    `page` and `key` say whether the answer cites a gold page and holds the key, None where the
    row does not ask for it.
    """

    row: Row
    answer: Answer
    rank: int | None
    page: bool | None
    key: bool | None
    ms: float

    @property
    def answered(self) -> bool:
        return self.answer.status is Status.ANSWERED


def evaluate(
    rows: Iterable[Row],
    answer: Callable[[Row], Answer],
    search: Callable[[Row], Sequence[Source]],
) -> tuple[dict[str, Any], list[Result]]:
    """The figures of `rows` (rates from 0 to 1, None where nothing counts) and each row's result.

    `search` gives the sources for a row, best first, as many as the highest of RANKS.
    """
    results = [_try(row, answer, search) for row in rows]
    kinds = sorted({result.row.kind for result in results if result.row.kind})
    figures = _figures(results)
    figures["by_kind"] = {
        kind: _figures([result for result in results if result.row.kind == kind]) for kind in kinds
    }
    times = [result.ms for result in results]
    figures["ms"] = {"median": _rounded(median(times)), "p95": _p95(times)} if times else None
    return figures, results


def result_row(result: Result) -> dict[str, Any]:
    """One row's result as it is printed."""
    answer = result.answer
    return {
        "id": result.row.id,
        "status": answer.status.value,
        "reason": answer.reason.value if answer.reason else None,
        "answer": " ".join(sentence.text for sentence in answer.sentences),
        "cited": [
            {"file": answer.sources[evidence.source - 1].file, "page": evidence.page}
            for sentence in answer.sentences
            for evidence in sentence.evidence
        ],
        "rank": result.rank,
        "page_right": result.page,
        "key_right": result.key,
        "ms": _rounded(result.ms),
    }


def holds_key(text: str, key: Sequence[str]) -> bool:
    """Whether `text` holds each word of `key`, without case, number words equal to figures."""
    held = set(_key_words(text))
    return all(held.issuperset(_key_words(part)) for part in key)


def _try(
    row: Row, answer: Callable[[Row], Answer], search: Callable[[Row], Sequence[Source]]
) -> Result:
    start = perf_counter()
    given = answer(row)
    ms = (perf_counter() - start) * 1000
    rank, page, key = None, None, None
    if row.answerable:
        found = enumerate(search(row), 1)
        rank = next((n for n, source in found if _is_gold(row, source.file, source.pages)), None)
        if given.sentences:
            page = any(
                _is_gold(row, given.sources[evidence.source - 1].file, [evidence.page])
                for sentence in given.sentences
                for evidence in sentence.evidence
            )
        if row.key:
            key = holds_key(" ".join(sentence.text for sentence in given.sentences), row.key)
    return Result(row, given, rank, page, key, ms)


def _is_gold(row: Row, file: str, pages: Iterable[int | None]) -> bool:
    same_file = row.file is None or PurePosixPath(row.file).name == PurePosixPath(file).name
    return same_file and (not row.pages or not set(row.pages).isdisjoint(pages))


def _figures(results: Sequence[Result]) -> dict[str, Any]:
    answerable = [result for result in results if result.row.answerable]
    unanswerable = [result for result in results if not result.row.answerable]
    return {
        "n": len(results),
        "recall": {
            str(top): _rate(r.rank is not None and r.rank <= top for r in answerable)
            for top in RANKS
        },
        "answerable": {
            "n": len(answerable),
            "answered_rate": _rate(r.answered for r in answerable),
        },
        "unanswerable": {
            "n": len(unanswerable),
            "handed_over_rate": _rate(not r.answered for r in unanswerable),
        },
        "citation_page_accuracy": _rate(r.page for r in answerable if r.page is not None),
        "key_accuracy": _rate(r.key for r in answerable if r.key is not None),
    }


def _rate(outcomes: Iterable[bool | None]) -> float | None:
    counted = [bool(outcome) for outcome in outcomes]
    return round(sum(counted) / len(counted), 4) if counted else None


def _p95(times: Sequence[float]) -> float:
    return _rounded(quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0])


def _rounded(ms: float) -> float:
    return round(ms, 1)


def _key_words(text: str) -> list[str]:
    text = text.lower()
    for symbol, word in _SYMBOLS.items():
        text = text.replace(symbol, word)
    text = _TENS_AND_UNIT.sub(lambda m: str(_NUMBERS[m[1]] + _NUMBERS[m[2]]), text)
    return [_figure(word) for word in _KEY_WORD.findall(text)]


def _figure(word: str) -> str:
    if word[0].isdigit():
        return re.sub(r",(?=\d{3}\b)", "", word).removesuffix(".00")
    return str(_NUMBERS.get(word, word))
