"""Whether a claim is a source's own words: a whole sentence, a whole list, or cells of its rows.

Such a claim follows from its source by itself. A model that reads closely can still doubt a table
row, and a comparison of sentences can take the row beside it for its twin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from grounding.sentences import split_spans
from knowledge.sources import Source, dates_in_words

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|\w+(?:['’-]\w+)*|[%£€$₹§&+<>=]")
_HEAD = re.compile(
    r"\s*(?:[-*•‣▪◦–—·]|\d+(?:\.\d+)+\.?|\d+\.|[A-Z]{1,3}\d+[.:]|\(?(?:[a-z]|[ivx]{1,4})\))\s+"
)
_CELLS = re.compile(r"\s+\|\s+")
_DATED = re.compile(r"(?P<when>(?:From|Until) \d{1,2} [A-Z][a-z]+ \d{4}): ")
_CROSS_REFERENCE = re.compile(r"\s*\(see [\w ]*[\d.]+\)")
_LONGEST_LIST = 14
_SHORTEST_TOPIC = 3

Tokens = tuple[str, ...]


def is_quote(claim: str, source: Source) -> bool:
    """Whether `claim` is word for word what `source` says, with nothing left out of it.

    Punctuation, clause numbers and bullets do not count. A claim may open with the source's own
    dates ("From 1 April 2026: ..."). Of table rows it may tell some cells, each whole, with the
    row's first one, after words of the sentence that leads to the table.
    """
    dated = _DATED.match(claim)
    if (
        dated
        and dated["when"].lower()
        not in dates_in_words(source.effective_from, source.effective_to).lower()
    ):
        return False
    told = claim[dated.end() :] if dated else claim
    return _is_run(_tokens(told), source.text) or _is_of_rows(told, source.text)


def _is_run(said: Tokens, text: str) -> bool:
    """Whether the tokens are those of one sentence, or of a lead-in and the whole of its list."""
    units = _units(text)
    for first, (unit, raw) in enumerate(units):
        if unit and unit == said:
            return True
        if not raw.endswith(":") or said[: len(unit)] != unit:
            continue
        run = unit
        for item, raw_item in units[first + 1 : first + _LONGEST_LIST]:
            run += item
            if run == said:
                return raw_item.endswith((".", "!", "?"))
    return False


def _is_of_rows(told: str, text: str) -> bool:
    """Whether cells of rows are told: `TOPIC: KEY – NAME: VALUE; NAME: VALUE; KEY – ....`"""
    rows = _rows(text)
    if rows is None:
        return False
    told = told.strip().removesuffix(".")
    starts = [0, *(match.end() for match in re.finditer(": ", told))]
    return any(
        rows.fullmatch(told, start) and _is_topic(_tokens(told[:start]), text)
        for start in starts
        if start < len(told)
    )


def _is_topic(said: Tokens, text: str) -> bool:
    if not said:
        return True
    units = (unit for unit, _ in _units(text))
    return len(said) >= _SHORTEST_TOPIC and any(unit[: len(said)] == said for unit in units)


@lru_cache(maxsize=64)
def _rows(text: str) -> re.Pattern[str] | None:
    """What may be told of the rows of a text, None where it has none."""
    rows = [_CELLS.split(line.strip()) for line in text.split("\n") if _CELLS.search(line)]
    told = [_row(_CROSS_REFERENCE.sub("", cell) for cell in row) for row in rows]
    return re.compile("".join(f"(?:{row})?" for row in told)) if told else None


def _row(cells: Iterable[str]) -> str:
    first, *others = cells
    label, colon, key = first.partition(": ")
    head = f"(?:{re.escape(label)}: )?{re.escape(key)}" if colon else re.escape(first)
    tail = "".join(rf"(?:{re.escape(cell)}(?:; |$))?" for cell in others)
    return f"{head} – (?=.){tail}"


@lru_cache(maxsize=64)
def _units(text: str) -> tuple[tuple[Tokens, str], ...]:
    spans = (span.text for span in split_spans(text))
    return tuple((_tokens(_HEAD.sub("", raw, count=1)), raw) for raw in spans)


def _tokens(text: str) -> Tokens:
    return tuple(_TOKEN.findall(text))
