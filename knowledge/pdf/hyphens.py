"""Words that were cut at a line's end, made whole again."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]+)[-\u00ad\u2010]$")
_HEAD = re.compile(r"[^\W\d_]+")
# Prefixes and first parts that keep their hyphen in English.
_KEEP_THE_HYPHEN = (
    "all anti cost cross ex full half health high in inter job long low mid multi net non off on "
    "out over part post pre pro re self semi short sub third two three four five up well work"
)
_KEEPERS = frozenset(_KEEP_THE_HYPHEN.split())


class Hyphens:
    """Joins line ends; the document's own spelling elsewhere decides, then English habit.

    `texts` are the document's lines.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        # The first and last words of a line may be parts of cut ones, and prove nothing.
        self._words = {word.lower() for text in texts for word in _WORD.findall(text)[1:-1]}

    def join(self, before: str, after: str) -> str:
        """`before` and the line after it as one text."""
        tail, head = _TAIL.search(before), _HEAD.match(after)
        if tail is None or head is None or not head.group()[0].islower():
            glue = "" if re.search(r"\w[-–/]$", before) and after[:1].isalnum() else " "
            return f"{before.replace(chr(0xAD), '')}{glue}{after}"
        first, second = tail.group(1), head.group()
        stem = before[: tail.end(1)]
        if before.endswith("\u00ad"):
            return stem + after
        whole, hyphened = (first + second).lower(), f"{first}-{second}".lower()
        if hyphened in self._words:
            return f"{stem}-{after}"
        if whole in self._words:
            return stem + after
        parts = {first.lower(), second.lower()} <= self._words and len(first) > 2
        if first.lower() in _KEEPERS or parts:
            return f"{stem}-{after}"
        return stem + after
