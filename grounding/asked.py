"""What a question asks for: its terms in the policies' words, and what kind of answer fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from grounding.followups import self_contained
from grounding.measures import Kind, Quantity, find_quantities
from knowledge.lexical import stems

LIGHT_WEIGHT = 0.35
"""Weight of a term that tells little about the subject ("month", "amount")."""

_EARLIER_WEIGHT = 0.6
_EVERYDAY = "everyday.yml"
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_CONTRACTION = re.compile(r"['’](?:s|m|re|ve|ll|d|t)\b", re.IGNORECASE)
_ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")
# A day off for everybody is no annual leave, whatever word the two share.
_PUBLIC_HOLIDAY = re.compile(r"\b(public|bank) (holidays?)", re.IGNORECASE)
_THOUSANDS = re.compile(r"\b(\d+(?:\.\d+)?) ?(k|grand)\b", re.IGNORECASE)
_NO_TERM_WORDS = """
a able about actually after again all allowed along already also am an and another any anybody
anyone anything are around as ask at be because been before being big bit but by can cant come
comes company could day days did do does doing don done each early else employee employees ever
every everybody everyone far few firm first for from get gets getting give given gives go goes
going good got had happen happens harbourline has have having he hello her here hey hi him his
how i id if ill im in instead into is isn it its ive job just keep know late let like ll long
look lot made make makes making many may maybe me mean means might mine more much must my myself
need needed needs new next no nor normal not now of off often ok okay on once one ones only or
other our out over own permitted please policies policy possible put question quick really right
rule rules said same say says see shall she should since so some somebody someone something soon
still such sure take taken takes taking tell than thanks that thats the their them then there
these they thing things think thinking this those though through till to today told tomorrow
tonight too try under until up us use used using usually ve very want wanted was way we well
went were what whats when whenever where which while who whole whom whos whose why will with
within without wondering work worked working works would yes yet you your yourself
"""
_LIGHT_WORDS = """
amount annual apply book bring business call care case change cost costs count cover covers date
effect effective extra find full happens home hour hours kind leave level minimum month months
number office paid part pay people per person place provide rate reason request rest run send
set spend staff start started starts stay stuff team time times total trip type unused week
weeks worth year yearly years
"""
_NO_TERM, _LIGHT = frozenset(_NO_TERM_WORDS.split()), frozenset(_LIGHT_WORDS.split())


class Wants(StrEnum):
    """The kind of answer that a question wants."""

    AMOUNT = "amount"
    TIME = "time"
    PERSON = "person"
    PERMISSION = "permission"
    OTHER = "other"


_WANTS = {
    Wants.AMOUNT: re.compile(
        r"\bhow (?:much|many|long|often|far|big|high|old|early)\b|\bfrom what\b|\bpriciest\b"
        r"|\bwhat(?:'s| is| are)?\b.{0,40}\b(?:rate|limit|cap|amount|max(?:imum)?|budget|percentage"
        r"|allowance|price|per diem|fee|bonus|excess|minimum)\b"
    ),
    Wants.TIME: re.compile(r"\bwhen\b|\bwhat (?:time|date|day)\b|\bdeadline\b"),
    Wants.PERSON: re.compile(r"\bwho(?:m|se|s)?\b"),
    Wants.PERMISSION: re.compile(
        r"(?:^|[,.;] ?)(?:can|may|could|am|are|is|do|does|will|must|should|have|has)\b"
        r"|\b(?:can|may|could) (?:i|we)\b"
    ),
}
_COUNTED = re.compile(
    r"\bhow (?:many|much) (?:\w+ ){0,3}?"
    r"(day|week|month|year|hour|minute|night|time|mile|session)s?\b"
)
_BANDS = re.compile(
    r"\b(?:bands?|grades?|levels?)(?: and step)?:?\s+([A-Za-z]\d?)\b"
    r"((?:\s*(?:,|and|or|to|–|-|&)\s*[A-Za-z]\d?\b)*)",
    re.IGNORECASE,
)
_FURTHER_BAND = re.compile(r"(,|and|or|to|–|-|&)\s*([A-Za-z]\d?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of the question. A text holds it when it holds one of `alternatives`.

    Each alternative is a set of stems that belong together; the first is the question's own.
    `weight` says how much it tells about the subject, 0 to 1.
    """

    phrase: str
    alternatives: tuple[frozenset[str], ...]
    weight: float = 1.0

    def in_stems(self, held: frozenset[str]) -> bool:
        """Whether a text with these stems holds the term."""
        return any(alternative <= held for alternative in self.alternatives)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    `counted` is what "how many" counts, "" where nothing. `quantities` and `bands` are those that
    the question names ("a nine hour flight", "band C").
    """

    question: str
    terms: tuple[Term, ...]
    wants: Wants
    counted: str
    quantities: tuple[Quantity, ...]
    bands: frozenset[str]

    @property
    def subject(self) -> tuple[Term, ...]:
        """The terms that tell what the question is about."""
        return tuple(term for term in self.terms if term.weight == 1.0)


def read_question(question: str, previous: str | None = None) -> Asked:
    """Take a question apart. Where it leans on `previous`, that one's terms count for less."""
    whole = self_contained(question, previous)
    before = read_question(previous) if previous and whole.startswith(previous.strip()) else None
    plain = " ".join((question if before else whole).replace("’", "'").split())
    lower = plain.lower()
    counted = _COUNTED.search(lower)
    wants = next((want for want, asks in _WANTS.items() if asks.search(lower)), Wants.OTHER)
    asked = Asked(
        question=whole,
        terms=tuple(_terms(plain)),
        wants=wants,
        counted=counted[1] if counted else "",
        quantities=_quantities(lower),
        bands=bands_in(plain),
    )
    return asked if before is None else _together(asked, before)


def _quantities(question: str) -> tuple[Quantity, ...]:
    figures = _THOUSANDS.sub(lambda found: f"{float(found[1]) * 1000:,.0f} pounds", question)
    return tuple(q for q in find_quantities(figures) if q.kind in _COMPARED)


def _together(asked: Asked, before: Asked) -> Asked:
    earlier = (replace(term, weight=term.weight * _EARLIER_WEIGHT) for term in before.terms)
    return Asked(
        question=asked.question,
        terms=(*asked.terms, *earlier),
        wants=asked.wants if asked.wants is not Wants.OTHER else before.wants,
        counted=asked.counted or before.counted,
        quantities=asked.quantities or before.quantities,
        bands=asked.bands or before.bands,
    )


_COMPARED = (
    Kind.CLOCK, Kind.WORKDAY, Kind.CALENDAR, Kind.MONEY, Kind.PERCENT, Kind.MEASURE,
)  # fmt: skip


def bands_in(text: str) -> frozenset[str]:
    """The bands that a text names, ranges filled in: `Bands A to C and E` -> A, B, C, E."""
    found: set[str] = set()
    for match in _BANDS.finditer(text):
        last = match[1].upper()
        found.add(last)
        for joint, other in _FURTHER_BAND.findall(match[2]):
            band = other.upper()
            if joint.lower() in ("to", "–", "-"):
                found.update(map(chr, range(ord(last[0]), ord(band[0]))))
            found.add(band)
            last = band
    return frozenset(found)


def _terms(question: str) -> Iterator[Term]:
    taken = [match.span() for match in (*_BANDS.finditer(question), *_THOUSANDS.finditer(question))]
    taken += [(q.start, q.end) for q in find_quantities(question) if q.kind in _COMPARED]

    def free(start: int, end: int) -> bool:
        return all(end <= left or right <= start for left, right in taken)

    found = [(m, words) for pattern, words in _everyday() for m in pattern.finditer(question)]
    for match, words in sorted(found, key=lambda each: each[0].start() - each[0].end()):
        if free(*match.span()):
            yield Term(match.group().lower(), _alternatives((match.group(), *words)))
            taken.append(match.span())
    for match in _WORD.finditer(question):
        if free(*match.span()) and (term := _word_term(_CONTRACTION.sub("", match.group()))):
            yield term


@lru_cache(maxsize=1)
def _everyday() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    from ruamel.yaml import YAML

    text = files("grounding").joinpath(_EVERYDAY).read_text(encoding="utf-8")
    rows: dict[str, list[str]] = YAML(typ="safe", pure=True).load(text)
    return tuple(
        (re.compile(rf"\b(?:{word})\b", re.IGNORECASE), tuple(meanings))
        for word, meanings in rows.items()
    )


def _word_term(word: str) -> Term | None:
    if _ACRONYM.fullmatch(word):
        # An acronym stands for itself even where it is spelt like a small word ("IT").
        return Term(word, (frozenset({word}),))
    word = word.lower()
    alternatives = _alternatives((word,))
    if word in _NO_TERM or word[0].isdigit() or len(word) < 2 or not alternatives:
        return None
    return Term(word, alternatives, LIGHT_WEIGHT if word in _LIGHT else 1.0)


def _alternatives(phrases: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    stemmed = (_stems(phrase) for phrase in phrases)
    return tuple(dict.fromkeys(stem for stem in stemmed if stem))


@lru_cache(maxsize=8192)
def text_stems(text: str) -> frozenset[str]:
    """The stems that a text holds, and its acronyms as they stand."""
    return _stems(text) | frozenset(_ACRONYM.findall(text))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stems(_PUBLIC_HOLIDAY.sub(r"\1\2", text)))


@lru_cache(maxsize=8192)
def text_words(text: str) -> tuple[str, ...]:
    """The words of a text that can stand for a term of a question, each once."""
    told = _PUBLIC_HOLIDAY.sub(" ", text)
    words = dict.fromkeys(word.lower() for word in _WORD.findall(told))
    return tuple(word for word in words if len(word) > 2 and word not in _NO_TERM)
