"""How a text states a quantity: as a rule with a bound, or as the case that it is about.

"Up to five days may be carried over" states a rule; "a nine-hour flight" or "someone who has
served twelve years" describes a case, which no source needs to name.
"""

from __future__ import annotations

import re
from enum import StrEnum

from grounding.measures import Kind, Quantity


class Bound(StrEnum):
    """Which side of the quantity a rule is about."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    BELOW = "below"
    ABOVE = "above"
    WITHIN = "within"
    FROM = "from"


CONFLICTS = frozenset(
    {
        (Bound.AT_MOST, Bound.AT_LEAST),
        (Bound.AT_LEAST, Bound.AT_MOST),
        (Bound.ABOVE, Bound.BELOW),
        (Bound.BELOW, Bound.ABOVE),
        (Bound.AT_MOST, Bound.ABOVE),
        (Bound.WITHIN, Bound.ABOVE),
        (Bound.WITHIN, Bound.FROM),
    }
)
"""(claim, source) about the same quantity in sentences without a negation.

Chosen on the training passages: the others, such as "more than five" for "up to five", are as
often a right way of saying it.
"""

_FILLER = r"(?:\s+(?:the|a|an|any|as|of|first|last|total|period|another|about|around|value))*\s*$"
_BEFORE = {
    Bound.AT_MOST: (
        r"up to|at (?:the )?most|(?:no|not) (?:more|longer|older|higher|larger|heavier) than"
        r"|maximum(?: of| is)?|max\.?|as (?:many|much) as"
        r"|(?:limit(?:ed)?|limits|capped|cap|ceiling|restricted)(?: is)?(?: of| to| at)?"
        r"|(?:not|never|n['’]t|cannot|without|nor) exceed(?:ing)?|not (?:over|above)"
    ),
    Bound.WITHIN: r"within|(?:no|not) later than|until|till|by|before",
    Bound.AT_LEAST: (
        r"at (?:the very )?least|(?:no|not) (?:less|fewer|earlier|sooner|younger|shorter) than"
        r"|minimum(?: of| is)?|min\.?"
    ),
    Bound.FROM: r"from|since|after|starting(?: at| from)?",
    Bound.BELOW: r"less than|fewer than|under|below|shorter than|younger than|lower than",
    Bound.ABOVE: (
        r"more than|over|above|exceed(?:s|ed|ing)?|longer than|older than|beyond|greater than"
        r"|higher than|in excess of|larger than|heavier than|upwards? of|past"
    ),
}
_PATTERNS = {
    bound: re.compile(rf"(?<!\w)(?:{words}){_FILLER}", re.IGNORECASE)
    for bound, words in _BEFORE.items()
}
_AFTER = {
    Bound.AT_LEAST: re.compile(
        r"\W{0,2}(?:[\w'’]+\s+){0,2}?(?:or|and) (?:more|over|above|longer|older|higher|later|up)\b"
        r"|\s+(?:upwards|at least|minimum|onwards?)\b",
        re.IGNORECASE,
    ),
    Bound.AT_MOST: re.compile(
        r"\W{0,2}(?:[\w'’]+\s+){0,2}?(?:or|and) (?:less|fewer|under|below|shorter|younger|lower"
        r"|earlier)\b|\s+(?:at most|maximum|max)\b",
        re.IGNORECASE,
    ),
}
_REACH = 48
_CLAUSE = re.compile(r"[,;:–—] ")
_PAST = re.compile(r"\s+(?:ago|old)\b")
_RULE_VERB = re.compile(
    r"\b(?:gets?|receives?|entitled?|must|may|can|cannot|will|shall|should|needs?|required?|allowed"
    r"|permitted|paid|pays?|earns?|granted|given|gives?|applies|apply|lasts?|takes?|limited|amounts?"
    r"|counts?|raised|rises?|reduced|increased|within|repay|reimbursed?|costs?|comes? to|has to"
    r"|have to|ends?|starts?|runs?|begins?|carry|carries|means?|'ll|can't|won't|is|are)\b",
    re.IGNORECASE,
)
_MAIN_VERB = re.compile(
    r"\b(?:gets?|receives?|entitled|must|may|can|cannot|will|shall|should|needs?|is|are|was|has"
    r"|have|does|do|pays?|earns?|applies|apply|lasts?|takes?|gives?|means?|can't|won't|don't"
    r"|doesn't|isn't|aren't|goes|falls)\b",
    re.IGNORECASE,
)
_CASE_OPENING = re.compile(
    r"\b(?:if|when|where|once|who|whoever|whose|someone|somebody|anyone|anybody|suppose|even"
    r"|having|while|unless|whether|that|which|because|since|as)\b",
    re.IGNORECASE,
)
_CASE_SUBJECT = re.compile(
    r"(?:yes, |no, |so )?(?:an?|any|another|someone|somebody|anyone|on|for|at|with|of|in|after"
    r"|under|during|having|\w+ing|\w+ed|no|nobody|two|three)\b\s+(?=\w)",
    re.IGNORECASE,
)
_GERUND = re.compile(r"(?:yes, |no, |so )?(?!during\b|according\b)\w+ing\s", re.IGNORECASE)
_ATTRIBUTES = (Kind.MONEY, Kind.MEASURE, Kind.LABEL)
_ARTICLE = re.compile(r"\b(?:an?|any|one|his|her|their|your)\s+(?:[\w'’-]+\s+)?$", re.IGNORECASE)
_RULE_NOUN = re.compile(
    r"[- ](?:\w+ ){0,2}?(?:notice|period|limit|cap|allowance|deadline|minimum|maximum|window|term"
    r"|entitlement|probation|rate|supplement|warning|fee|deduction|increase|reduction|bonus|leave"
    r"|ban|freeze|wait|break|rest|extension|time limit)\b",
    re.IGNORECASE,
)


def bound_of(text: str, quantity: Quantity) -> Bound | None:
    """The bound that the words around a quantity put on it, None for a flat one."""
    before = text[max(0, quantity.start - _REACH) : quantity.start]
    for bound, pattern in _PATTERNS.items():
        if pattern.search(before):
            return bound
    after = text[quantity.end : quantity.end + _REACH]
    for bound, pattern in _AFTER.items():
        if pattern.match(after):
            return bound
    return None


def is_case(claim: str, quantity: Quantity) -> bool:
    """Whether the quantity describes the case that the claim is about, not the rule itself."""
    before, after = claim[: quantity.start], claim[quantity.end :]
    clause = _CLAUSE.split(before)[-1]
    bound = bound_of(claim, quantity)
    if bound in (None, Bound.FROM) and _GERUND.match(clause) and not _MAIN_VERB.search(clause):
        return True
    if bound is not None:
        return False
    if _PAST.match(after):
        return True
    attributive = "-" in claim[quantity.start : quantity.end] or quantity.kind in _ATTRIBUTES
    if attributive and _ARTICLE.search(before):
        return _RULE_NOUN.match(after) is None
    openings = list(_CASE_OPENING.finditer(clause))
    if openings:
        return _RULE_VERB.search(clause, openings[-1].end()) is None
    subject = _CASE_SUBJECT.match(clause)
    if subject is None or _MAIN_VERB.search(clause):
        return False
    return bool(clause[subject.end() :].strip())
