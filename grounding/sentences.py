"""Policy and answer text as sentence-like units with their character offsets.

A unit is a sentence, or a line that stands by itself: a bullet, a table row, a numbered item.
"""

import re
from dataclasses import dataclass

_ABBREVIATIONS = (
    "e.g|i.e|etc|cf|vs|approx|incl|excl|max|min|no|nos|art|arts|para|paras|sec|secs|sect|ch|cl"
    "|reg|regs|sch|app|annex|fig|tab|ref|p|pp|vol|ed|dept|div|mr|mrs|ms|dr|prof|st|mt|al"
    "|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun"
    "|ltd|inc|co|corp|plc|gmbh|u.k|u.s|a.m|p.m|z.b|bzw|nr|abs|rs|ext|tel|est|hrs|hr|mins|yrs"
)
# These end a sentence as often as not, so a capital letter after them decides.
_SOFT = re.compile(
    r"etc|[ap]\.m|u\.[ks]|ltd|inc|co|corp|plc|gmbh|hrs?|mins?|yrs|max|al|sun|sat|mon|ed|app"
    r"|tab|no|ch|annex|ext|est|mt|div",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(rf"(?:^|[\s(\[/])({_ABBREVIATIONS})\.$", re.IGNORECASE)
_INITIAL = re.compile(r"(?:^|[\s(])[A-Z]\.$")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)")
_CLAUSE_NUMBER = re.compile(
    r"(?:(?:clause|section|§)\s*)?\(?(?:[a-z]{0,3}\d+(?:\.\d+)*|[a-z]|[ivx]+)[.)]$", re.IGNORECASE
)
_LINE = re.compile(r"[^\n]*(?:\n|$)")
_OWN_LINE = re.compile(
    r"\s*(?:[-*•‣▪◦–—·]\s+"  # bullets
    r"|\(?(?:\d+(?:\.\d+)*|[a-z]|[ivx]{1,4})[.)]\s+"  # 1. (a) iv)
    r"|[A-Z]{0,3}\d+(?:\.\d+)+\s+[A-Z(]"  # 4.2 Text
    r"|[A-Z]{1,3}\d+[.:]?\s+[A-Z]"  # C1. Text
    r"|(?:Q|A)\d*[.:]\s"
    r"|#{1,6}\s|\|)"
)
_TABLE_ROW = re.compile(r"\S(?:[ ]{3,}|\t+|\s\|\s)\S")


@dataclass(frozen=True, slots=True)
class Span:
    """A unit of a text: ``text[start:end]``, without the white space around it."""

    start: int
    end: int
    text: str


def split_spans(text: str) -> list[Span]:
    """Split ``text`` into units, in order; offsets count characters of ``text``."""
    spans: list[Span] = []
    for start, end in _blocks(text):
        for left, right in _sentences(text, start, end):
            unit = text[left:right]
            stripped = unit.strip()
            if stripped:
                offset = left + unit.index(stripped[0])
                spans.append(Span(offset, offset + len(stripped), stripped))
    return spans


def _blocks(text: str) -> list[tuple[int, int]]:
    """Runs of lines that belong together; a wrapped line continues the run before it."""
    blocks: list[tuple[int, int]] = []
    open_block = False
    before = ""
    for match in _LINE.finditer(text):
        line, start, end = match.group(), match.start(), match.end()
        if not line:
            break
        if not line.strip():
            open_block = False
            continue
        row = _TABLE_ROW.search(line.strip()) is not None
        alone = row or _OWN_LINE.match(line) or _is_heading(before, line)
        if open_block and not alone:
            blocks[-1] = (blocks[-1][0], end)
        else:
            blocks.append((start, end))
        open_block = not row
        before = line
    return blocks


def _is_heading(line: str, following: str) -> bool:
    """Lines of a wrapped sentence are about as long as each other; a heading's is much shorter."""
    line, following = line.strip(), following.strip()
    return 2 * len(line) < len(following) and not following[0].islower() and line[-1:] not in ",;"


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    pieces: list[tuple[int, int]] = []
    left = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if _ends_here(text, left, match, end):
            pieces.append((left, match.end()))
            left = match.end()
    pieces.append((left, end))
    return pieces


def _ends_here(text: str, left: int, match: re.Match[str], end: int) -> bool:
    after = text[match.end() : end].lstrip()
    if not after:
        return True
    if after[0].islower():
        return False
    if not match.group().startswith("."):
        return True
    before = text[left : match.start() + 1]
    if _CLAUSE_NUMBER.fullmatch(before.strip()) or _INITIAL.search(before[-4:]):
        return False
    abbreviation = _ABBREVIATION.search(before[-9:])
    if abbreviation is None:
        return True
    return bool(_SOFT.fullmatch(abbreviation.group(1))) and after[0].isupper()
