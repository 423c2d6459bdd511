"""Text that came out of a PDF wrong: a page of it is never quoted."""

from __future__ import annotations

import re
import unicodedata

_VOWELS = frozenset("aeiou")
_LEAST_LETTERS = 40
_LEAST_VOWELS = 0.25
"""English and German have about 0.38 vowels a letter; a shifted alphabet has about 0.15."""
_LONGEST_WORD = 40
_MOST_SINGLE = 0.25
_LINK = re.compile(r"\S*(?:https?:|www\.|@|/|\\|_|\.{4}|…|-{4})\S*")
_WORD = re.compile(r"[^\W\d_]+")
_MARK_IN_CELL = re.compile(r"(?<![^|:\n])[ ]*[^\W\d_][ ]*(?![^|\n])")
"""A cell that holds one letter: the Y and N, or R, A, C and I, of a table."""
_CODE = re.compile(r"\b[A-Z]{2,3}\b")

UNREADABLE = (
    "holds characters that cannot be read, so it is not quoted: "
    "export the document again with its fonts embedded"
)
RUN_TOGETHER = (
    "holds words that run together or fall apart, so it is not quoted: "
    "export the document again from its source"
)
NUMBER_CHANGES_SIZE = (
    "holds a number that changes its size in the middle, so it is not quoted: "
    "check the footnote marks and export the document again"
)


def text_problem(text: str) -> str | None:
    """Why a page's text cannot be trusted, None where it can."""
    text = _MARK_IN_CELL.sub(" ", text)
    letters = [
        c for c in unicodedata.normalize("NFKD", _CODE.sub(" ", text).lower()) if "a" <= c <= "z"
    ]
    if len(letters) >= _LEAST_LETTERS:
        vowels = sum(c in _VOWELS for c in letters)
        if vowels < _LEAST_VOWELS * len(letters):
            return UNREADABLE
    words = _WORD.findall(_LINK.sub(" ", text))
    if any(len(word) > _LONGEST_WORD for word in words):
        return RUN_TOGETHER
    single = [word for word in words if len(word) == 1 and word.lower() not in "aiäöo"]
    if len(words) >= 12 and len(single) > _MOST_SINGLE * len(words):
        return RUN_TOGETHER
    return None
