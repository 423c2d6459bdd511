"""Statements ranked by how well they answer a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from grounding.asked import Asked, Term, Wants, bands_in, text_stems, text_words
from grounding.bounds import Bound, bound_of
from grounding.measures import Kind, Quantity, find_quantities
from grounding.relevance import Relevance, read_as
from grounding.statements import Statement
from knowledge.countries import is_country, parse_country
from knowledge.synonyms import expand

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from knowledge.embedding import Embedder

    Vector = npt.NDArray[np.float32]

_ALIKE = 0.5
"""Two words closer than this (cosine) may stand for each other."""
_SYNONYM = 0.95
_CONTEXT = 0.9
_CACHED_TEXTS = 20_000
_READ = 64
"""So many statements are read by the model of relevance; it takes 4 ms for each."""
_FITS = {
    Wants.AMOUNT: re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
        r"|thirty|half|nothing|none|twice)\b",
        re.IGNORECASE,
    ),
    Wants.TIME: re.compile(
        r"\d|\b(?:january|february|march|april|(?-i:May)|june|july|august|september|october|november"
        r"|december|monday|friday|before|after|within|until|by|at once)\b",
        re.IGNORECASE,
    ),
    Wants.PERSON: re.compile(
        r"\b(?:manager|director|hr|finance|head|desk|committee|payroll|officer|counsel|compliance"
        r"|team|approver|holder|department|security|health|companion|colleague|representative)\b",
        re.IGNORECASE,
    ),
    Wants.PERMISSION: re.compile(
        r"\b(?:may|must|not|allowed|only|needs?|can|cannot|entitled|required?|never|no|paid|pays?"
        r"|reimbursed|forbidden|refused|provided|unless|receives?|given|up to)\b",
        re.IGNORECASE,
    ),
}
_ABOUT_ITSELF = re.compile(
    r"\bthis (?:policy|version|code|document)\b|\breviews? (?:this|the) policy"
    r"|\bnext (?:review|version)\b|\breplaces the\b|\btakes? effect\b|^It applies to",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:to|–|-)\s*")
_UNIT_REACH = 12
_DECIDES = 3
_UNITS = (Kind.MONEY, Kind.MEASURE)


class Signals(NamedTuple):
    """What speaks for a statement as the answer, and what against it.

    `text` and `context` are cosines with the question, without and with the headings. `covered`
    and `subject` say how many of the question's terms the statement holds, 0 to 1. `fits` is 1
    where it is of the kind asked for (an amount, a person ...). The others are 1, 0 or -1:
    `counts` what was to be counted; `case` takes in the case asked about by a bound or a band, or
    shuts it out; `key` is the row asked for, or another row, 3 or -3 where the country decides.
    `near` is the relevance of its source, 0 to 1. `about_itself` is 1 where it speaks of the
    document. `answers` is what the model of relevance says: the log-odds that it answers.
    """

    text: float
    context: float
    covered: float
    subject: float
    fits: float
    counts: float
    case: float
    key: float
    near: float
    about_itself: float
    answers: float = 0.0


AT_A_GLANCE = Signals(0.85, 0.85, 1.05, 0.8, 0.3, 0.2, 0.58, 0.48, 0.9, -0.1)
"""Weights for choosing what the model of relevance reads: `answers` is not known yet."""
WEIGHTS = Signals(3.1, 2.3, 0.9, 0.7, 1.0, 0.3, 0.9, 0.7, 2.6, -0.1, 0.75)
"""Fitted on 392 questions to two companies that the model of relevance never saw (`kestrel` and
`evergrove` of the training data), by the log-likelihood of the statement that answers: it comes
first for 71 in 100 (cross-validated), 54 without the model, 65 by the model alone.
"""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A statement with how well it answers: the higher the score, the better."""

    statement: Statement
    signals: Signals
    score: float


class Ranker:
    """Ranks statements with an embedder and a model of relevance. Safe to share between threads."""

    def __init__(self, embedder: Embedder, relevance: Relevance) -> None:
        self._embedder = embedder
        self._relevance = relevance
        self._vectors: dict[str, Vector] = {}

    def rank(
        self,
        asked: Asked,
        made: Sequence[Statement],
        relevance: Sequence[float] = (),
        place: str | None = None,
    ) -> list[Ranked]:
        """`made` from the best to the worst.

        `relevance` is that of the sources, by their numbers; `place` the name of the reader's
        country.
        """
        if not made:
            return []

        def near(statement: Statement) -> float:
            return relevance[statement.source - 1] if relevance else 0.5

        questions = self._encode([asked.question, expand(asked.question)]).T
        texts = (self._encode([s.text for s in made]) @ questions).max(axis=1)
        contexts = (self._encode([f"{s.context}: {s.text}" for s in made]) @ questions).max(axis=1)
        ranked = [
            self._ranked(asked, statement, (float(text), float(context)), near(statement), place)
            for statement, text, context in zip(made, texts, contexts, strict=True)
        ]
        ranked.sort(key=lambda each: -each.score)
        return sorted(self._read(asked.question, ranked), key=lambda each: -each.score)

    def _read(self, question: str, ranked: Sequence[Ranked]) -> list[Ranked]:
        """The best again, with what the model of relevance says of them; the others count as the
        worst of these.
        """
        texts = [read_as(each.statement) for each in ranked[:_READ]]
        answers = self._relevance.score(question, texts)
        answers += [min(answers)] * (len(ranked) - len(answers))
        return [
            replace(each, signals=signals, score=sum(map(mul, signals, WEIGHTS)))
            for each, score in zip(ranked, answers, strict=True)
            for signals in [each.signals._replace(answers=score)]
        ]

    def answers(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers `question` by itself: log-odds."""
        return self._relevance.score(question, texts)

    def likeness(self, one: Statement, others: Sequence[Statement]) -> list[float]:
        """How like `one` each of the others is (cosine)."""
        if not others:
            return []
        vector = self._encode([one.text])[0]
        return [float(v) for v in self._encode([other.text for other in others]) @ vector]

    def _ranked(
        self,
        asked: Asked,
        statement: Statement,
        likeness: tuple[float, float],
        near: float,
        place: str | None,
    ) -> Ranked:
        covered = [(term, self._coverage(term, statement)) for term in asked.terms]
        subject = [(term, value) for term, value in covered if term.weight == 1.0]
        case = _case(asked, statement)
        key = _key(asked, statement, place)
        signals = Signals(
            text=likeness[0],
            context=likeness[1],
            covered=_mean(covered),
            subject=_mean(subject or covered),
            fits=fits(asked, statement.text),
            counts=_counts(asked, statement.text),
            case=case,
            key=key,
            near=near,
            about_itself=float(bool(_ABOUT_ITSELF.search(statement.text))),
        )
        return Ranked(statement, signals, sum(map(mul, signals, AT_A_GLANCE)))

    def _coverage(self, term: Term, statement: Statement) -> float:
        """How well a statement holds a term, from 0 to 1: itself, in other words, or around it."""
        text = text_stems(statement.text)
        if term.alternatives[0] <= text:
            return 1.0
        if term.in_stems(text):
            return _SYNONYM
        around = _CONTEXT if term.in_stems(text | text_stems(statement.context)) else 0.0
        return max(
            around,
            self._likest(term, statement.text),
            _CONTEXT * self._likest(term, statement.context),
        )

    def _likest(self, term: Term, text: str) -> float:
        words = text_words(text)
        if not words:
            return 0.0
        likest = float((self._encode(words) @ self._encode([term.phrase])[0]).max())
        return likest if likest >= _ALIKE else 0.0

    def _encode(self, texts: Sequence[str]) -> Vector:
        import numpy as np

        if len(self._vectors) > _CACHED_TEXTS:
            self._vectors = {}
        # Another thread may have put a new dict in place by the time that this one is done.
        vectors = self._vectors
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            vectors.update(zip(new, self._embedder.encode(new), strict=True))
        return np.stack([vectors[text] for text in texts])


def _mean(covered: Iterable[tuple[Term, float]]) -> float:
    pairs = list(covered)
    total = sum(term.weight for term, _ in pairs)
    return sum(term.weight * value for term, value in pairs) / total if total else 0.0


def fits(asked: Asked, text: str) -> float:
    """Whether a text is of the kind that was asked for: 1 or 0, 0.5 where no kind was."""
    pattern = _FITS.get(asked.wants)
    return 0.5 if pattern is None else float(bool(pattern.search(text)))


def _counts(asked: Asked, text: str) -> int:
    """Whether the text counts what was to be counted: 1 or -1, 0 where nothing was."""
    if not asked.counted:
        return 0
    unit = asked.counted
    return (
        1
        if any(
            quantity.unit == unit or unit in text[quantity.start : quantity.end + _UNIT_REACH]
            for quantity in find_quantities(text)
        )
        else -1
    )


def _case(asked: Asked, statement: Statement) -> int:
    """Whether the statement's bounds and bands take in the case that was asked about."""
    told = ": ".join(statement.cells[0]) if statement.cells else statement.text
    bands = bands_in(told) or bands_in(statement.text)
    if asked.bands and bands and not asked.bands & bands:
        return -1
    bounded = _within(asked.quantities, told)
    return bounded or int(bool(asked.bands & bands))


def _within(asked: Sequence[Quantity], text: str) -> int:
    result = 0
    held = find_quantities(text)
    for case in asked:
        for at, limit in enumerate(held):
            if limit.kind is not case.kind or (case.kind in _UNITS and limit.unit != case.unit):
                continue
            inside = _inside(case.value, limit, text, held[at + 1 : at + 2])
            if inside is False:
                return -1
            result = 1 if inside else result
    return result


def _inside(value: float, limit: Quantity, text: str, following: Sequence[Quantity]) -> bool | None:
    """Whether a value lies within a bound of the text; None where the quantity is no bound."""
    bound = bound_of(text, limit)
    if following and _RANGE.fullmatch(text[limit.end : following[0].start]):
        return limit.value <= value <= following[0].value
    if bound is None:
        return None
    return {
        Bound.AT_MOST: value <= limit.value,
        Bound.WITHIN: value <= limit.value,
        Bound.BELOW: value < limit.value,
        Bound.AT_LEAST: value >= limit.value,
        Bound.ABOVE: value > limit.value,
    }.get(bound)


def _key(asked: Asked, statement: Statement, place: str | None) -> int:
    """Whether a table row is the one that was asked for: by its first cell."""
    if not statement.cells:
        return 0
    label, cell = statement.cells[0]
    if place and is_country(cell):
        # No likeness of words outweighs that a row is for the reader's country, or for another.
        named = any(term.in_stems(text_stems(cell)) for term in asked.subject)
        return _DECIDES if named or parse_country(cell) == parse_country(place) else -_DECIDES
    told = f"{label}: {cell}"
    held = text_stems(cell)
    if any(term.in_stems(held) for term in asked.subject) or asked.bands & bands_in(told):
        return 1
    if _within(asked.quantities, told) == 1:
        return 1
    if any(_same(one, other) for one in asked.quantities for other in find_quantities(told)):
        return 1
    return 1 if place and place.lower() in cell.lower() else -1


def _same(one: Quantity, other: Quantity) -> bool:
    return one.kind is other.kind and one.value == other.value
