"""Answer text -> sentences with the sources that they cite.

Models write marks in many ways: `[1]`, `[1, 2]`, `[1][2]`, `[1-3]`, `[source 1]`, `【1】`,
`(source 2)`, `[1] and [2]`, `¹`, before or after the full stop. A number of four digits or more
is text ("[2004]"): no answer is given that many sources.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from grounding.guidance import is_guidance
from grounding.sentences import Span, split_spans

_WIDEST_RANGE = 50
_LONGEST_BULLET = 12
_WORD = r"(?:sources?|src|ref(?:erence)?s?|citations?|doc(?:ument)?s?)\.?"
_NUMBER = r"-?\d{1,3}(?!\d)"
_JOIN = r"\s*(?:,\s*and\b|,|;|/|&|\+|-|–|—|\bto\b|\band\b)\s*"
_LIST = rf"(?:see\s+)?(?:{_WORD}\s*)?[#^]?{_NUMBER}(?:{_JOIN}(?:{_WORD}\s*)?[#^]?{_NUMBER})*"
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_ONE_MARK = (
    rf"(?:\[\s*{_LIST}\s*\](?:\(\S*?\))?"
    rf"|【\s*{_LIST}\s*(?:†[^】]*)?】"
    rf"|\(\s*(?:see\s+)?{_WORD}\s*{_LIST}\s*\)"
    rf"|(?<=ccording to )(?:the )?{_WORD}\s*{_NUMBER}"
    rf"|(?<=[^\W\d_]{{3}})[{_SUPERSCRIPT}]{{1,2}}(?:[⁻,·’˒][{_SUPERSCRIPT}]{{1,2}})*"
    rf"|(?<=[.!?)”\"])[{_SUPERSCRIPT}]{{1,2}}(?:[⁻,·’˒][{_SUPERSCRIPT}]{{1,2}})*)"
)
_MARKS = re.compile(
    rf"(?P<open>\(\s*(?:see\s+)?)?{_ONE_MARK}(?:[ \t]*(?:,|;|&|\band\b)?[ \t]*{_ONE_MARK})*"
    r"(?(open)\s*\))",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"(?:according to|as (?:stated|set out|described|noted|explained|given) in|as per|per|see)\s+$",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(-?\d+)(?:\s*(?:-|–|—|⁻|\bto\b)\s*(\d+))?", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*+•‣▪◦–—·]|\(?\d{1,2}[.)]|\(?[a-z][.)]|\([ivx]{1,4}\))\s+")
_REST_OF_LINE = re.compile(r"[ \t.:]*(?:\n|$)")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=[\w.!?])[*_](?!\w)|^\s*(?:>|#{1,6})\s+")
_HEADING = re.compile(r"\s*(?:#{1,6}\s+.*|(\*\*|__)[^*_]+\1:?\s*)", re.DOTALL)
_PLAIN_HEADING = re.compile(
    r"(?!.*\b(?:is|are|was|be|may|must|can|can't|cannot|will|shall|should|has|have|gets?|do|does"
    r"|not|no|never|always|all|every)\b)\D{1,60}",
    re.IGNORECASE | re.DOTALL,
)
# A model does not wrap its lines: behind a heading or a mark, a new line is a new sentence.
_OWN_LINES = re.compile(
    r"(?:(?<=\*\*)|(?<=\*\*:)|(?<=[\]】])|(?<=[\]】][.!?]))[ \t]*\n(?=[^\sa-z])"
)
_LEANING = re.compile(
    r"(?:that|it|they|these|those|such|both|neither|the same|if so|if not|otherwise"
    r"|in (?:that|this|such an?|either) (?:case|event|situation)|after that|until then"
    r"|this(?! (?:policy|version|document|handbook|guide|section)))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """One sentence of a draft, before it is checked.

    `text` is what would be posted: no marks, no bullet; a list item has its lead-in in front, so
    that it means the same when another item is dropped. `claim` is the same for the checker.
    `citations` are the source numbers in order, each once; 0 and negative ones are kept, for they
    name no source. `lead_in` is the sentence before, when this one leans on it ("That also ...").
    """

    text: str
    claim: str
    citations: tuple[int, ...]
    lead_in: str | None = None


@dataclass(frozen=True, slots=True)
class _Mark:
    """`numbers` stand at `offset` of the text without marks; `leads` at the head of a line."""

    offset: int
    numbers: tuple[int, ...]
    leads: bool


def parse_answer(text: str) -> list[DraftSentence]:
    """The sentences of an answer in their order; headings and units of only marks are left out."""
    plain, marks = _take_marks(_OWN_LINES.sub("\n\n", text))
    spans = split_spans(plain)
    cited = _assign(spans, marks)
    sentences: list[DraftSentence] = []
    lead_in = ""
    lead_citations: tuple[int, ...] = ()
    for index, span in enumerate(spans):
        citations = cited[index]
        unit = _clean(span.text)
        if not re.search(r"\w", unit) or (not citations and _is_heading(span.text, unit)):
            continue
        listed = _BULLET.match(span.text) is not None
        if not listed:
            lead_in, lead_citations = "", ()
        if unit.endswith(":") and index + 1 < len(spans) and _BULLET.match(spans[index + 1].text):
            lead_in, lead_citations = unit, citations
            continue
        if listed and lead_in and not is_guidance(lead_in):
            unit = f"{lead_in} {unit}"
        claim = unit.replace(": ", " ", 1) if listed and lead_in else unit
        before = sentences[-1].claim if sentences and _LEANING.match(claim) else None
        sentences.append(DraftSentence(unit, claim, citations or lead_citations, before))
    return sentences


def _take_marks(text: str) -> tuple[str, list[_Mark]]:
    pieces: list[str] = []
    marks: list[_Mark] = []
    length = at = 0
    capital = False
    for match in _MARKS.finditer(text):
        before = text[at : match.start()]
        before = before[:1].upper() + before[1:] if capital else before
        leads, spoken = _leads_line(text, match), _SPOKEN.search(before[-24:])
        at = match.end()
        capital = False
        if spoken:
            before = before[: len(before) - len(spoken.group())]
            capital = leads = not before.strip() or before.rstrip(" ")[-1] in ".!?:\n"
            at = _skip(text, at, " ,:")
        elif leads:
            at = _skip(text, at, " .:")
        else:
            before = before.rstrip() + (" " if text[at : at + 1].isalnum() else "")
        pieces.append(before)
        length += len(before)
        marks.append(_Mark(length, _numbers(match.group()), leads))
    rest = text[at:]
    pieces.append(rest[:1].upper() + rest[1:] if capital else rest)
    return "".join(pieces), marks


def _leads_line(text: str, match: re.Match[str]) -> bool:
    """Whether the mark stands at the head of a line that goes on behind it."""
    line_start = text.rfind("\n", 0, match.start()) + 1
    if match.start() - line_start > _LONGEST_BULLET:
        return False
    bullet = _BULLET.fullmatch(text[line_start : match.start()] + " ")
    bare = bullet is not None or not text[line_start : match.start()].strip()
    return bare and _REST_OF_LINE.match(text, match.end()) is None


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _numbers(mark: str) -> tuple[int, ...]:
    mark = re.sub(r"†[^】]*|\]\(\S*?\)", "", mark).translate(
        str.maketrans(_SUPERSCRIPT, "0123456789")
    )
    found: dict[int, None] = {}
    for first, last in _RANGE.findall(mark):
        start, end = int(first), int(last or first)
        wide = end - start > _WIDEST_RANGE or end < start
        found.update(dict.fromkeys((start, end) if wide else range(start, end + 1)))
    return tuple(found)


def _assign(spans: list[Span], marks: list[_Mark]) -> list[tuple[int, ...]]:
    """A mark belongs to the sentence that it stands in or right behind."""
    starts = [span.start for span in spans]
    cited: list[dict[int, None]] = [{} for _ in spans]
    for mark in marks:
        owner = bisect_left(starts, mark.offset + 1 if mark.leads else mark.offset) - 1
        if mark.leads and (owner < 0 or mark.offset >= spans[owner].end):
            owner += 1
        if spans:
            cited[min(max(owner, 0), len(spans) - 1)].update(dict.fromkeys(mark.numbers))
    return [tuple(numbers) for numbers in cited]


def _clean(unit: str) -> str:
    bare = _EMPHASIS.sub("", _strip_bullet(unit))
    return " ".join(bare.split()).replace(" .", ".").replace(" ,", ",").strip()


def _strip_bullet(unit: str) -> str:
    bullet = _BULLET.match(unit)
    return unit[bullet.end() :] if bullet else unit


def _is_heading(raw: str, unit: str) -> bool:
    return bool(_HEADING.fullmatch(raw)) and bool(_PLAIN_HEADING.fullmatch(unit))
