"""Glyphs -> fragments: runs of words on one baseline with no wide gap between them."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from knowledge.pdf.content import Glyph, Rule, readable
from knowledge.pdf.suspicion import NUMBER_CHANGES_SIZE, UNREADABLE

WORD_GAP = 0.1
"""A gap wider than this part of the font size parts two words. Kerning stays under 0.08; the
tightest justified lines seen have 0.12."""
_WIDE_GAP = 0.9
_SAME_LINE = 0.12
_SMALLER = 0.82
_LETTER_SPACED = 0.6
_MARK = re.compile(r"[\d*†‡§,()\[\]]+")
_SUPERSCRIPT = re.compile(r"(?<=[\w.,;:)])[⁰¹²³⁴-⁹]+(?![\w])")
_UNIT = re.compile(r"\b(?:m|km|cm|mm|ft|in|sq)$")
_LIGATURES = re.compile("[ﬀ-ﬆ]")
_BULLETS = re.compile("[•●○◦▪■□▫–\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8\uf071\uf020-\uf0ff]")


@dataclass(slots=True)
class Word:
    """A word with its left and right edge. `unclear` holds what could not be read in it."""

    text: str
    x0: float
    x1: float
    unclear: bool = False


@dataclass(slots=True, eq=False)
class Fragment:
    """Words on one baseline. `size` is the most common font size, `bold` whether most is bold.

    `problem` says why the words cannot be trusted.
    """

    words: list[Word]
    y: float
    size: float
    bold: bool
    problem: str | None = None

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return self.words[-1].x1

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def fragments(glyphs: Iterable[Glyph], rules: Iterable[Rule]) -> list[Fragment]:
    """The fragments of a page, from the top down; raised note marks are taken out of numbers."""
    walls = [rule for rule in rules if not rule.horizontal]
    found: list[Fragment] = []
    for row in _baselines(glyphs):
        found += [_fragment(part) for part in _parts(row, walls)]
    return _joined_marks([f for f in found if f.words])


def _baselines(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    rows: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=lambda g: (-g.y, g.x0)):
        last = rows[-1][0] if rows else None
        if last is not None and last.y - glyph.y <= _SAME_LINE * min(last.size, glyph.size):
            rows[-1].append(glyph)
        else:
            rows.append([glyph])
    return [sorted(row, key=lambda g: g.x0) for row in rows]


def _parts(row: list[Glyph], walls: list[Rule]) -> list[list[Glyph]]:
    y = row[0].y
    bars = [w.x0 for w in walls if w.y0 - 1 <= y + row[0].size / 3 <= w.y1 + 1]
    parts: list[list[Glyph]] = [[]]
    edge: float | None = None
    for glyph in row:
        if glyph.space or (not glyph.text and glyph.known):
            parts[-1].append(glyph)
            continue
        if edge is not None:
            wide = glyph.x0 - edge > _WIDE_GAP * glyph.size
            if wide or any(edge - 1 <= bar <= glyph.x0 + 1 for bar in bars):
                parts.append([])
        parts[-1].append(glyph)
        edge = max(glyph.x1, edge or glyph.x1)
    return [part for part in parts if any(not glyph.space for glyph in part)]


def _fragment(glyphs: list[Glyph]) -> Fragment:
    inked = [glyph for glyph in glyphs if not glyph.space and (glyph.text or not glyph.known)]
    if not inked:
        return Fragment([], 0, 0, False)
    sizes: dict[float, int] = {}
    for glyph in inked:
        key = round(glyph.size, 1)
        sizes[key] = sizes.get(key, 0) + 1
    size = max(sizes, key=lambda s: (sizes[s], s))
    words = _words(glyphs, inked, size)
    bold = sum(glyph.bold for glyph in inked) > len(inked) / 2
    return Fragment(words, inked[0].y, size, bold, _problem(words, inked))


def _words(glyphs: list[Glyph], inked: list[Glyph], size: float) -> list[Word]:
    limit = WORD_GAP * size + _letter_spacing(glyphs, size)
    words: list[Word] = []
    apart = True
    edge = 0.0
    for glyph in glyphs:
        if glyph.space:
            apart = True
            continue
        if not glyph.text and glyph.known:
            continue
        text = clean(glyph.text)
        unclear = not glyph.known or not readable(text)
        if apart or glyph.x0 - edge > limit:
            words.append(Word(text, glyph.x0, glyph.x1, unclear))
        else:
            word = words[-1]
            word.text += text
            word.x1 = max(word.x1, glyph.x1)
            word.unclear |= unclear
        apart = False
        edge = glyph.x1
    if words and words[0].unclear and _BULLETS.fullmatch(words[0].text):
        words[0] = Word("•", words[0].x0, words[0].x1)
    return words


def _letter_spacing(glyphs: list[Glyph], size: float) -> float:
    """How far apart the letters of a word stand in a line that is set with space between them."""
    gaps = [
        after.x0 - before.x1
        for before, after in itertools.pairwise(glyphs)
        if not before.space and not after.space
    ]
    close = [gap for gap in gaps if gap < _LETTER_SPACED * size]
    if len(close) < 3 or len(close) < 0.6 * len(gaps):
        return 0.0
    return max(0.0, median(close))


def clean(text: str) -> str:
    """Ligatures as letters, soft hyphens and zero-width characters gone, no-break spaces plain."""
    text = _LIGATURES.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    return text.replace("\u00a0", " ").translate(_NOTHING)


_NOTHING = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def _problem(words: list[Word], inked: list[Glyph]) -> str | None:
    if any(word.unclear for word in words):
        return UNREADABLE
    for before, after in itertools.pairwise(inked):
        digits = before.text[-1:].isdigit() and after.text[:1].isdigit()
        touching = after.x0 - before.x1 < WORD_GAP * before.size
        ratio = after.size / before.size if before.size else 1.0
        if digits and touching and not _SMALLER < ratio < 1 / _SMALLER:
            return NUMBER_CHANGES_SIZE
    return None


def _joined_marks(found: list[Fragment]) -> list[Fragment]:
    """Take raised note marks out; put raised letters (1st) and lowered ones back to their word."""
    kept: list[Fragment] = []
    for fragment in found:
        base = _base(fragment, found)
        if base is None:
            kept.append(fragment)
            continue
        mark, raised = fragment.text.replace(" ", ""), fragment.y > base.y
        at = max(
            (n for n, word in enumerate(base.words) if word.x1 <= fragment.x0 + 0.3 * base.size),
            key=lambda n: base.words[n].x1,
            default=None,
        )
        if raised and _MARK.fullmatch(mark):
            if at is not None and _UNIT.search(base.words[at].text) and mark in ("2", "3"):
                base.words[at].text += {"2": "²", "3": "³"}[mark]
            continue
        if at is None:
            kept.append(fragment)
            continue
        base.words[at].text += mark
        base.words[at].x1 = max(base.words[at].x1, fragment.x1)
        base.problem = base.problem or fragment.problem
    for fragment in kept:
        for word in fragment.words:
            if not _UNIT.search(word.text[:-1]):
                word.text = _SUPERSCRIPT.sub("", word.text)
    return kept


def _base(fragment: Fragment, found: list[Fragment]) -> Fragment | None:
    """The line that a smaller, raised or lowered fragment hangs on."""
    if len(fragment.words) > 2 or len(fragment.text) > 8:
        return None
    best: Fragment | None = None
    for other in found:
        if other is fragment or fragment.size > _SMALLER * other.size:
            continue
        height = fragment.y - other.y
        if not (0.1 * other.size < abs(height) < 0.75 * other.size):
            continue
        reach = 0.5 * other.size
        if (
            other.x0 - reach <= fragment.x1
            and fragment.x0 <= other.x1 + reach
            and (best is None or abs(height) < abs(fragment.y - best.y))
        ):
            best = other
    return best
