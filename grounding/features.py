"""What a reader would compare first between a claim and its evidence, as numbers.

The NLI model is small. These few comparisons see what it overlooks: words that the source does
not have, another actor, a negation or a modal on one side only, a rule made general.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import lru_cache

from grounding.actors import ACTORS
from grounding.sentences import split_spans
from grounding.words import content_words

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t|unable|forbidden"
    r"|prohibited|refused?|excluded?|un(?:paid|available|able|limited)|lapses?|lost|forfeit\w*|free"
    r"|barred|banned|rejected|declined|too)\b",
    re.IGNORECASE,
)
_NO_NEGATION = re.compile(
    r"\b(?:no|not) (?:more|less|later|longer|fewer|earlier|only|until)\b", re.IGNORECASE
)
_MUST = re.compile(
    r"\b(?:must|shall|ha(?:s|ve) to|needs?(?! not)|required?|obliged|compulsory|mandatory"
    r"|requirement|requires)\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:may|can|could|might|allowed|permitted|optional|voluntary|free to|entitled|possible"
    r"|choose)\b(?! not)",
    re.IGNORECASE,
)
_SHOULD = re.compile(r"\b(?:should|encouraged|recommended|advised|expected|asked)\b", re.IGNORECASE)
_GENERAL = re.compile(
    r"\b(?:all|any|every(?:one|body|thing)?|each|always|never|only|whatever|whoever|regardless"
    r"|any(?:one|body|thing)|nobody|no one|in full|no matter|alone|whether or not|irrespective"
    r"|automatically|immediately|solely|entirely|both)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|solely|alone|no one|nobody|exclusively)\b", re.IGNORECASE)
_FORMALITY = re.compile(
    r"\b(?:written|writing|receipts?|form|portal|e-?mail|notice|advance|online)\b", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:before|prior|ahead|advance|beforehand|until|up to)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|following|since|afterwards|later|from)\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][a-z]+|[A-Z]{2,}\b")
_PAIRS = (
    "paid/unpaid before/after include/exclude more/less above/below first/last start/end"
    " calendar/working gross/net internal/external mandatory/optional compulsory/voluntary"
    " full-time/part-time permanent/temporary same/different always/never with/without"
    " employee/employer minimum/maximum full/half domestic/international hourly/salaried"
    " weekday/weekend monthly/weekly annual/monthly business/economy written/oral"
    " advance/arrears partly/fully accept/refuse keep/return start/finish increase/reduce"
    " earlier/later longer/shorter higher/lower inside/outside individual/team once/twice"
    " current/former"
)
_OPPOSITES = tuple(
    tuple(re.compile(rf"\b{word}(?:s|d|ed|ing)?\b", re.IGNORECASE) for word in pair.split("/"))
    for pair in _PAIRS.split()
)


@dataclass(frozen=True, slots=True)
class Features:
    """Comparisons of one claim with one source; each is 0 where nothing speaks against the claim.

    `unit` is the sentence of the evidence window that shares most with the claim. The shares run
    from 0 to 1, the others count or are 0 or 1.
    """

    words_not_in_unit: float
    ending_not_in_unit: float
    ending_not_in_window: float
    names_not_in_source: float
    actors_not_in_source: float
    actors_elsewhere: float
    other_first_actor: float
    other_last_actor: float
    negation_differs: float
    negation_added: float
    negation_dropped: float
    must_for_may: float
    may_for_must: float
    should_dropped: float
    opposites: float
    more_general: float
    only_added: float
    formality_added: float
    order_turned: float


FEATURES = tuple(Features.__dataclass_fields__)


def compare(claim: str, window: str, source_text: str) -> Features:
    """Compare `claim` with its evidence window, the window's nearest sentence and the source."""
    unit = nearest_unit(claim, window)
    words = content_words(claim)
    in_unit, in_window = frozenset(content_words(unit)), frozenset(content_words(window))
    in_source = _words_of(source_text)
    actors = [word for word in words if word in ACTORS]
    there = [word for word in content_words(unit) if word in ACTORS]
    both = bool(actors and there)
    return Features(
        words_not_in_unit=_share(list(dict.fromkeys(words)), in_unit),
        ending_not_in_unit=_share(words[-2:], in_unit),
        ending_not_in_window=_share(words[-2:], in_window),
        names_not_in_source=float(len(_names(claim[1:]) - _names(source_text))),
        actors_not_in_source=float(len(set(actors) - in_source)),
        actors_elsewhere=float(len(set(actors) & in_source - in_unit)),
        other_first_actor=float(both and actors[0] != there[0]),
        other_last_actor=float(both and actors[-1] not in there),
        negation_differs=float(_negations(claim) % 2 != _negations(unit) % 2),
        negation_added=float(_has(_NEGATION, claim) and not _has(_NEGATION, window)),
        negation_dropped=float(_has(_NEGATION, unit) and not _has(_NEGATION, claim)),
        must_for_may=float(_has(_MUST, claim) and _has(_MAY, unit) and not _has(_MUST, unit)),
        may_for_must=float(_has(_MAY, claim) and _has(_MUST, unit) and not _has(_MAY, unit)),
        should_dropped=float(_has(_SHOULD, unit) and not _has(_SHOULD, claim)),
        opposites=_opposites(claim, unit),
        more_general=float(len(_general(claim) - _general(window))),
        only_added=float(_has(_ONLY, claim) and not _has(_ONLY, window)),
        formality_added=float(_has(_FORMALITY, claim) and not _has(_FORMALITY, window)),
        order_turned=float(_turned(claim, unit)),
    )


def by_name(features: Features) -> dict[str, float]:
    """The features under their names, in the order of FEATURES."""
    return asdict(features)


def nearest_unit(claim: str, window: str) -> str:
    """The sentence of the window that shares most with the claim."""
    words = set(content_words(claim))
    units = [span.text for span in split_spans(window)] or [""]
    return max(units, key=lambda unit: len(words.intersection(content_words(unit))))


@lru_cache(maxsize=64)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


def _share(words: list[str], held: frozenset[str]) -> float:
    return sum(word not in held for word in words) / max(len(words), 1)


@lru_cache(maxsize=256)
def _names(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def _general(text: str) -> set[str]:
    return {word.lower() for word in _GENERAL.findall(text)}


def _negations(text: str) -> int:
    return len(_NEGATION.findall(_NO_NEGATION.sub("", text)))


def _opposites(claim: str, unit: str) -> float:
    """Words of the claim whose opposite stands in the unit, and they themselves don't."""
    pairs = [pair for one, two in _OPPOSITES for pair in ((one, two), (two, one))]
    return float(sum(_has(a, claim) and _has(b, unit) and not _has(a, unit) for a, b in pairs))


def _turned(claim: str, unit: str) -> bool:
    pairs = ((_BEFORE, _AFTER), (_AFTER, _BEFORE))
    return any(_has(a, claim) and _has(b, unit) and not _has(a, unit) for a, b in pairs)


def _has(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None
