"""Quantities of a claim that do not follow from its source, whatever the NLI score.

A quantity follows when the source, its header included, holds one that says the same. Where a
sentence of the source says the claim nearly word for word, its own quantity counts, not one that
stands elsewhere. Cases ("a nine-hour flight"), small counts and plain sums of what the source
holds are left to the NLI model: measured on the training passages, they are right as often as not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from grounding.bounds import CONFLICTS, bound_of, is_case
from grounding.matching import DURATIONS, same_kind, says
from grounding.measures import UNIT_SIZES, Kind, Quantity, find_quantities, unit_mentions
from grounding.rates import rate_of
from grounding.words import sharing

TWIN = 0.8
"""Share of a claim's content words that a sentence of the source must hold to be its twin: at this
share 0.4 % of the supported claims of the training passages are flagged by `misplaced`."""

_BOUND_TWIN = 0.6
_COUNTABLE = 12
_DERIVING = re.compile(
    r"\b(?:left|leaves?|remain\w*|total|altogether|in all|combined|together|extension|extended"
    r"|later|earlier|instead|extra|difference|adds?|plus|twice|double[sd]?|half|longer|rest"
    r"|a year|in full|on top|additional|further|maximum|never|if|someone|whole|short(?:er)?"
    r"|each|for)\b",
    re.IGNORECASE,
)
_NO_AMOUNTS = frozenset({Kind.DATE, Kind.TIME, Kind.WEEKDAY, Kind.LABEL, Kind.ORDINAL})
_HOLIDAY = "holiday"
_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|without|nor|unless|only|except)\b|n['’]t\b", re.IGNORECASE
)


def missing_quantities(claim: str, source_text: str) -> list[str]:
    """The words of each quantity of `claim` that does not follow from `source_text`.

    `source_text` is the source's text below its header line. Empty when all follow.
    """
    wrong = [*missing(claim, source_text), *misplaced(claim, source_text)]
    wrong += misbounded(claim, source_text) + misrated(claim, source_text)
    spans = sorted({(quantity.start, quantity.end) for quantity in wrong})
    return [claim[start:end].strip() for start, end in spans]


def missing(claim: str, source_text: str) -> list[Quantity]:
    """The quantities of `claim` that the source holds nowhere."""
    held = _held(source_text)
    claimed = find_quantities(claim)
    lost = [q for q in claimed if not any(says(other, q, source_text) for other in held)]
    cases = [q for q in lost if is_case(claim, q) and _comparable(q, held)]
    # What is said of a case is often worked out for it: "on a salary of 90,000 you get 4,500".
    derived = bool(cases) or _DERIVING.search(claim) is not None
    return [
        q
        for q in lost
        if q not in cases
        and _telling(q, held)
        and (q.kind is not Kind.DATE or bound_of(claim, q) is not None)
        and not (cases and bound_of(claim, q) is None)
        and not (derived and _by_arithmetic(q, held, claimed))
    ]


def misplaced(claim: str, source_text: str) -> list[Quantity]:
    """The quantities for which the claim's twin in the source has another one."""
    claimed = find_quantities(claim)
    twin = twin_of(claim, source_text) if claimed else None
    if twin is None:
        return []
    held = _held(twin)
    left = [o for o in find_quantities(twin) if not any(says(o, q, twin) for q in claimed)]
    return [
        q
        for q in claimed
        if not any(says(other, q, source_text) for other in held)
        and any(same_kind(q, other) for other in left)
        and not is_case(claim, q)
    ]


def misbounded(claim: str, source_text: str) -> list[Quantity]:
    """The quantities to which the sentences that say the same give only the opposite bound."""
    claimed = [(q, bound) for q in find_quantities(claim) if (bound := bound_of(claim, q))]
    if not claimed or _NEGATION.search(claim):
        return []
    likes = [text for text, share in sharing(claim, source_text) if share >= _BOUND_TWIN]
    found = []
    for q, bound in claimed:
        held = [(text, o) for text in likes for o in find_quantities(text) if says(o, q, text)]
        if held and all(
            (bound, bound_of(text, o)) in CONFLICTS and not _NEGATION.search(text)
            for text, o in held
        ):
            found.append(q)
    return found


def misrated(claim: str, source_text: str) -> list[Quantity]:
    """The quantities that the source counts by another unit of time: "£45 a week" for "a day"."""
    found = []
    for q in find_quantities(claim):
        rate = None if q.kind in _NO_AMOUNTS else rate_of(claim, q)
        if rate is None:
            continue
        held = [o for o in find_quantities(source_text) if says(o, q, source_text)]
        rates = {rate_of(source_text, o) for o in held}
        if rates and None not in rates and rate not in rates:
            found.append(q)
    return found


def twin_of(claim: str, source_text: str) -> str | None:
    """The sentence of the source that says the claim nearly word for word, if any does."""
    best = max(sharing(claim, source_text), key=lambda pair: pair[1], default=("", 0.0))
    return best[0] if best[1] > TWIN else None


@lru_cache(maxsize=64)
def _held(text: str) -> tuple[Quantity, ...]:
    return (*find_quantities(text), *unit_mentions(text))


def _telling(lost: Quantity, held: Sequence[Quantity]) -> bool:
    """Whether the absence of a quantity says anything.

    Small counts come from counting; an hour, a weekday or a month names a case as often as a rule.
    """
    if lost.kind is Kind.COUNT:
        counted = {other.unit for other in held if other.kind is Kind.COUNT}
        return lost.value > _COUNTABLE or (lost.unit != "" and lost.unit in counted)
    if lost.kind is Kind.TIMES or (lost.kind is Kind.PERCENT and lost.value == 50):
        return any(other.kind is lost.kind for other in held)
    return lost.kind not in (Kind.TIME, Kind.WEEKDAY)


def _comparable(quantity: Quantity, held: Sequence[Quantity]) -> bool:
    return any(same_kind(quantity, other) or other.kind is Kind.COUNT for other in held)


def _by_arithmetic(lost: Quantity, held: Sequence[Quantity], claimed: Sequence[Quantity]) -> bool:
    """Whether a sum, a difference, a multiple or a share of what is given comes to the quantity."""
    if lost.kind in _NO_AMOUNTS:
        return False
    kinds = DURATIONS if lost.kind in DURATIONS else {lost.kind}
    values = {q.value for q in (*held, *claimed) if q.kind in kinds and q is not lost}
    if lost.kind in DURATIONS:
        values |= {q.value * UNIT_SIZES["day"] for q in held if q.unit == _HOLIDAY}
    shares = {q.value / 100 for q in (*held, *claimed) if q.kind is Kind.PERCENT}
    factors = {q.value for q in held if q.kind in (Kind.COUNT, Kind.TIMES)} | {2, 0.5} | shares
    factors |= {1 - share for share in shares}
    results = {a + b for a in values for b in values} | {abs(a - b) for a in values for b in values}
    results |= {a * b for a in values for b in factors}
    return any(abs(lost.value - value) <= 1e-3 * lost.value for value in results)
