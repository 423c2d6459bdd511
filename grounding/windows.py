"""Evidence windows: the few units of a text that a claim most likely rests on.

A short rule drowns in a long premise, and a long premise is cut off where the checker's input
ends. So the checker reads a window, in training as at run time.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from grounding.sentences import Span, split_spans

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_LIST_LINE = re.compile(
    r"[-*•‣▪◦–—·|]\s*|\(?(?:\d+|[a-z]|[ivx]{1,4})[.)]\s|\S+(?: \S+)*(?: {3,}|\t| \| )"
)
_STOP_WORD = re.compile(
    "a|an|and|any|are|as|at|be|been|before|being|both|but|by|can|did|do|does|each|either|every"
    "|for|from|had|has|have|having|he|her|his|how|i|if|in|into|is|it|its|may|me|might|must|my|no"
    "|nor|not|of|on|only|or|other|our|own|shall|she|should|so|such|than|that|the|their|them|then"
    "|there|these|they|this|those|to|too|under|up|us|was|we|were|what|when|where|which|while|who"
    "|whom|whose|will|with|would|yes|you|your|yours|need|needs|needed|also|within"
)
_NUMBER_WORDS = {
    word: str(number)
    for number, words in {
        1: "one once first",
        2: "two twice second",
        3: "three third",
        4: "four fourth",
        5: "five fifth",
        6: "six sixth",
        7: "seven seventh",
        8: "eight eighth",
        9: "nine ninth",
        10: "ten tenth",
        11: "eleven eleventh",
        12: "twelve twelfth",
        13: "thirteen",
        14: "fourteen fortnight",
        15: "fifteen",
        18: "eighteen",
        20: "twenty",
        30: "thirty",
        40: "forty",
        50: "fifty",
        60: "sixty",
        90: "ninety",
    }.items()
    for word in words.split()
}
_COLUMN_GAP = re.compile(r"[ \t]{3,}|\t")
_SUFFIXES = ("'s", "’s", "ies", "ing", "ed", "es", "s", "ly", "e", "y")
_STEM = 7
_LEAST_GAIN = 0.1
_LEAD_IN_REACH = 12


@dataclass(frozen=True, slots=True)
class Window:
    """Units of a source text, joined, and where the best of them stands.

    ``text`` may join units from several places; ``start`` and ``end`` are the characters of the
    source text that hold the unit nearest to the claim, for finding its page and marking it.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Units:
    spans: tuple[Span, ...]
    terms: tuple[frozenset[str], ...]
    words: tuple[int, ...]
    rarity: dict[str, float]


def best_windows(text: str, claim: str, *, max_words: int = 40, limit: int = 3) -> list[Window]:
    """The windows of ``text`` to check ``claim`` against, the likeliest first.

    The first joins the unit that shares most with the claim, its neighbours and the next best
    units. The others are the best unit with only its neighbours, and the same for the units
    after it. A window holds at most ``max_words`` words, and no two have the same text. An empty
    text has none.
    """
    units = _read(text, max_words)
    if not units.spans:
        return []
    terms = frozenset(_terms(claim))
    scores = [_score(units, index, terms) for index in range(len(units.spans))]
    ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    best = ranked[0]
    windows = {_join(units, _gather(units, best, terms, max_words)): best}
    for index in ranked:
        if len(windows) >= limit or (scores[index] == 0 and index != best):
            break
        windows.setdefault(_join(units, _surround(units, index, max_words)), index)
    return [
        Window(units.spans[index].start, units.spans[index].end, joined)
        for joined, index in list(windows.items())[:limit]
    ]


@lru_cache(maxsize=256)
def _read(text: str, max_words: int) -> _Units:
    """Cached: an answer's claims are all checked against the same few sources."""
    spans = tuple(piece for span in split_spans(text) for piece in _cut(span, max_words))
    terms = tuple(frozenset(_terms(span.text)) for span in spans)
    spread = Counter(term for unit in terms for term in unit)
    rarity = {term: math.log(1 + len(spans) / count) for term, count in spread.items()}
    return _Units(spans, terms, tuple(len(span.text.split()) for span in spans), rarity)


def _cut(span: Span, max_words: int) -> Iterable[Span]:
    """A unit longer than a window in pieces: text without full stops is no single sentence."""
    words = list(re.finditer(r"\S+", span.text))
    for first in range(0, len(words), max_words):
        start = words[first].start()
        end = words[min(first + max_words, len(words)) - 1].end()
        yield Span(span.start + start, span.start + end, span.text[start:end])


def _terms(text: str) -> list[str]:
    words = (match.group().lower() for match in _WORD.finditer(text))
    return [_stem(word) for word in words if not _STOP_WORD.fullmatch(word)]


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    if word[0].isdigit():
        return word.replace(",", "").removesuffix(".00")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:_STEM]


def _score(units: _Units, index: int, terms: frozenset[str]) -> float:
    return sum(units.rarity[term] for term in terms & units.terms[index])


def _gather(units: _Units, best: int, terms: frozenset[str], max_words: int) -> set[int]:
    """The best unit and its neighbours, then what adds most of the claim's other words."""
    chosen = _surround(units, best, max_words)
    room = max_words - sum(units.words[index] for index in chosen)
    missing = terms.difference(*(units.terms[index] for index in chosen))
    while True:
        gains = [
            (_score(units, index, missing) + 0.3 * _score(units, index, terms), -index)
            for index in range(len(units.spans))
            if index not in chosen and units.words[index] <= room
        ]
        gain, index = max(gains, default=(0.0, 0))
        if gain <= _LEAST_GAIN * _score(units, best, terms):
            return chosen
        chosen.add(-index)
        room -= units.words[-index]
        missing = missing.difference(units.terms[-index])


def _surround(units: _Units, index: int, max_words: int) -> set[int]:
    """A unit with what qualifies it: the next one, the one before, the lead-in of its list."""
    chosen = {index}
    room = max_words - units.words[index]
    for other in (index + 1, index - 1, _lead_in(units, index)):
        if 0 <= other < len(units.spans) and other not in chosen and units.words[other] <= room:
            chosen.add(other)
            room -= units.words[other]
    return chosen


def _lead_in(units: _Units, index: int) -> int:
    """The unit that opens the list or table which holds this unit, or -1."""
    if not _LIST_LINE.match(units.spans[index].text):
        return -1
    for other in range(index - 1, max(-1, index - 1 - _LEAD_IN_REACH), -1):
        text = units.spans[other].text
        if text.endswith(":"):
            return other
        if not _LIST_LINE.match(text):
            # The header row of a table is a row itself, so it is the one after this.
            return other + 1 if other + 1 < index else -1
    return -1


def _join(units: _Units, chosen: set[int]) -> str:
    """White space goes, as it tells the checker nothing, except where it parts two columns."""
    texts = (_COLUMN_GAP.sub(" | ", units.spans[index].text) for index in sorted(chosen))
    return " ".join(" ".join(text.split()) for text in texts)
