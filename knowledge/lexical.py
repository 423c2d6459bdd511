"""Words: chunks ranked by BM25."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from knowledge.chunks import embedding_text
from knowledge.vectors import StoredChunk

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_WORDS_THAT_SAY_NOTHING = (
    "a about all also am an and any are as at be been but by can could did do does for from get "
    "had has have having he her his how i if in into is it its just me my no not of on or our "
    "please she should so some than that the their them then there these they this those to us "
    "was we were what when where which while who whom why will with would you your"
)
_STOP_WORDS = frozenset(_WORDS_THAT_SAY_NOTHING.split())


def stems(text: str) -> list[str]:
    """The words of a text that say something, each cut to its stem."""
    words = [w for w in _WORD.findall(text.lower().replace("’", "'")) if w not in _STOP_WORDS]
    return [_stem(word) for word in words]


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    import snowballstemmer

    # One for each call: a stemmer keeps the word that it is at, and threads share this function.
    return str(snowballstemmer.stemmer("english").stemWord(word))


class Lexicon:
    """The words of one collection's chunks, each headed by its title and headings."""

    def __init__(self, chunks: Sequence[StoredChunk], titles: dict[str, str]) -> None:
        import bm25s

        self.ids = [stored.id for stored in chunks]
        self._versions = [stored.version for stored in chunks]
        self._bm25: Any = None
        corpus = [
            stems(embedding_text(titles[s.version], s.chunk.headings, s.chunk.text)) or ["-"]
            for s in chunks
        ]
        if corpus:
            self._bm25 = bm25s.BM25()
            self._bm25.index(corpus, show_progress=False)

    def scores(self, words: list[str], versions: set[str]) -> dict[str, float]:
        """The BM25 score of each chunk of these versions that shares a word, by its id."""
        if self._bm25 is None or not words:
            return {}
        known = [word for word in words if word in self._bm25.vocab_dict]
        if not known:
            return {}
        scores: npt.NDArray[np.float32] = self._bm25.get_scores(known)
        return {
            id: float(score)
            for id, version, score in zip(self.ids, self._versions, scores, strict=True)
            if score > 0 and version in versions
        }
