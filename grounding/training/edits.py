"""Made-up edits: a policy sentence and the same with one fact changed.

An edit is put into the sentence under its own text (then unsupported), or into the text itself
(then it is the edited sentence that is supported, and the plain one that is not). Both ways come
equally often, so nothing in a sentence tells how it was made; the checker has to compare.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from grounding.sentences import Span, split_spans
from grounding.training.lists import (
    ADDED,
    COUNTRIES,
    COUNTRY_WORDS,
    OPPOSITES,
    ROLES,
    SCOPES,
    TITLES,
    UNITS,
    WIDENINGS,
)
from grounding.training.pairs import Group, Passage, Row
from grounding.training.wording import (
    frame,
    lower_first,
    number,
    reword,
    spell,
    upper_first,
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A sentence with one fact changed.

    ``both_ways``: the plain sentence is not supported by a text that says the edited one. It is
    so for a changed figure, but not for a detail that was only added.
    """

    text: str
    kind: str
    both_ways: bool


_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September"]
_MONTHS += ["October", "November", "December"]
_NUMBER = re.compile(
    r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?|\d)(?![\w]|[.,:/-]\d)"
    r"|\b((?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})\b")
_YEAR = re.compile(r"\b(20[12]\d)\b")
_CURRENCY = re.compile(r"\b(GBP|EUR|USD|INR|AUD|SGD|CHF|NOK|CAD|ZAR)(?= ?\d)|[£€$₹](?=\d)")
_UNIT = re.compile(r"\b(" + "|".join(sorted(UNITS, key=len, reverse=True)) + r")\b")
_ROLE = re.compile(
    r"\b((?:[Tt]he |[Yy]our |[Tt]heir |his or her |[Aa] |[Aa]n )?(?:"
    + "|".join(re.escape(role) for role in sorted(ROLES, key=len, reverse=True))
    + r"))\b"
)
_OPPOSITE = tuple(
    (re.compile(rf"(?<![\w-]){pattern}(?![\w-])", re.IGNORECASE), to, kind)
    for pattern, to, kind in OPPOSITES
)
_TAIL = re.compile(
    r",? (?:unless|except(?: that| where| when| for)?|provided(?: that)?|subject to|but only"
    r"|only if|if|as long as|other than|apart from|where|when|until|once|with the exception of|save"
    r"|with the (?:prior |written )*(?:approval|consent|agreement) of) [^.;]{4,}(?=\.$)"
)
_HEAD = re.compile(
    r"^(?!In (?:addition|short|general|particular|other words|this|that)\b"
    r"|For (?:example|this|that)\b|On (?:the other|top)\b)"
    r"(?:If|Where|When|Once|After|Provided that|Subject to|For|In|On) [^,]{6,90}, "
)
_GROUP = re.compile(
    r"\b(?:full-time|part-time|permanent|temporary|salaried|non-exempt|exempt|eligible|senior|new"
    r"|night|field|office|depot|UK|US|India|German|remote|hybrid|confirmed|female|regular|hourly"
    r"|fixed-term|shift|production|frontline|operational|warehouse|retail|casual|executive"
    r"|management|administrative|technical|non-management|hourly-paid)(?:[ -]\w+)? "
    r"(employees|staff|workers|colleagues|team members)\b"
)
_QUALIFIED = re.compile(
    r"\b(employees|staff|managers|colleagues|workers|travellers)"
    r" (?:in|at|with|on|of|who|above|below|from|aged|whose) [^,.;]{3,50}?"
    r"(?= (?:may|must|can|are|have|receive|should|need|get|will|shall)\b)",
    re.IGNORECASE,
)
_LIMITER = re.compile(r"\b(?:generally|normally|usually|typically|as a rule) ", re.IGNORECASE)
_CLAUSE_MARK = re.compile(
    r"^(?:[-*•‣▪◦–—·]\s*|(?:[A-Z]{0,4}-?\d+(?:\.\d+)*[.):]?|\(?[a-z]{1,3}[.)]|\([ivx]+\))\s+"
    r"|(?:Q|A)[.:]\s+)+"
)
_VERB = re.compile(
    r"\b(?:is|are|may|must|can|cannot|has|have|needs?|requires?|receives?|will|shall|should|does|do"
    r"|gets?|pays?|paid|applies|apply|takes?|gives?|lapses?|counts?|ends?|begins?|runs?|covers?"
    r"|keeps?|decides?|approves?|\w+ed)\b"
)
_LEANS = re.compile(r"^(?:It|They|This|These|That|Those|He|She|Such|The latter|Both|Here)\b")


def editable(text: str) -> list[tuple[Span, str]]:
    """The sentences of a policy text that read alone, each with its span and no clause mark."""
    found = []
    for span in split_spans(text):
        plain = " ".join(_CLAUSE_MARK.sub("", span.text).split())
        words = plain.count(" ") + 1
        readable = plain[-1:] == "." and plain[:1].isalpha() and "   " not in span.text
        if readable and 6 <= words <= 40 and _VERB.search(plain) and not _LEANS.match(plain):
            found.append((span, upper_first(plain)))
    return found


def edit(text: str, passage: str, rng: Random) -> Edit | None:
    """``text`` with one fact changed, or None where no edit fits.

    ``passage`` gives figures and roles to take instead, so that a wrong one may be found there.
    """
    for change in rng.sample(_EDITS, len(_EDITS)):
        edited = change(text, passage, rng)
        if edited is not None and edited.text != text:
            return edited
    return None


def made_up(passage: Passage, rng: Random) -> list[Group]:
    """A group for each editable sentence of the passage's texts and each sentence it proves."""
    found: list[Group] = []
    for text in passage.texts:
        for span, plain in editable(text.text):
            edited = edit(plain, text.text, rng)
            if edited is not None:
                found.append(_in_text(text.text, span, plain, edited, rng))
        for sentence in passage.sentences:
            if sentence.name not in text.proved:
                continue
            edited = edit(sentence.text, text.text, rng)
            if edited is None or _same_facts(edited.text, text.text):
                continue
            right = Row(text.text, _say(sentence.text, rng), True, sentence.kind)
            wrong = Row(text.text, _say(edited.text, rng), False, edited.kind)
            found.append((right, wrong))
    return found


def merged(passage: Passage, rng: Random) -> list[Group]:
    """Two proved sentences in one, and the same with the second half edited."""
    found: list[Group] = []
    for text in passage.texts:
        plain = [plain for _, plain in editable(text.text)]
        plain += [sentence.text for sentence in passage.sentences if sentence.name in text.proved]
        rng.shuffle(plain)
        for first, second in zip(plain[0::2], plain[1::2], strict=False):
            if len(first.split()) + len(second.split()) > 45:
                continue
            edited = edit(second, text.text, rng)
            if edited is None:
                continue
            first = reword(first, rng, 2)
            halves = (first, edited.text) if rng.random() < 0.7 else (edited.text, first)
            right = Row(text.text, _both(first, reword(second, rng, 2), rng), True, "summary")
            found.append((right, Row(text.text, _both(halves[0], halves[1], rng), False, "mixed")))
    return found


def elsewhere(passage: Passage, others: Sequence[Passage], rng: Random) -> list[Group]:
    """A proved sentence, and the same under another company's passage on the subject."""
    same = [other for other in others if other.topic == passage.topic and other.id != passage.id]
    if not same:
        return []
    found: list[Group] = []
    for sentence in passage.sentences:
        if sentence.name in passage.texts[0].proved:
            other = rng.choice(same).texts[0].text
            right = Row(passage.texts[0].text, sentence.text, True, sentence.kind)
            found.append((right, Row(other, sentence.text, False, "common")))
    return found


def header(title: str, scope: str, start: str, end: str | None) -> str:
    """The line that heads a premise at run time: what the source is, for whom, and when."""
    until = f" until {end}" if end else ""
    return f"{title}. Applies to: {scope}. In force from {start}{until}."


def under_header(group: Group, rng: Random) -> Group:
    """``group`` under a header that its claims do not lean on."""
    head = _any_header(rng)[0]
    return tuple(replace(row, header=head) for row in group)


def leaning(passage: Passage, rng: Random) -> list[Group]:
    """Sentences that name the country or the dates of the header, right and wrong."""
    found: list[Group] = []
    for text in passage.texts:
        if COUNTRY_WORDS.search(text.text) or _YEAR.search(text.text):
            continue
        for sentence in passage.sentences:
            if sentence.name not in text.proved or COUNTRY_WORDS.search(sentence.text):
                continue
            head, facts = _any_header(rng)
            right, wrong = _claims_on(facts, sentence.text, rng)
            found.append(
                (
                    Row(text.text, right, True, "header", head),
                    Row(text.text, wrong, False, "header", head),
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class _Facts:
    title: str
    country: str | None
    start: str
    end: str | None


def _any_header(rng: Random) -> tuple[str, _Facts]:
    country = rng.choice(COUNTRIES) if rng.random() < 0.7 else None
    year = rng.randint(2023, 2027)
    month = rng.choice((1, 1, 1, 4, 4, 7, 10, rng.randint(1, 12)))
    start = f"1 {_MONTHS[month - 1]} {year}"
    end = None
    if rng.random() < 0.5:
        later = rng.randint(month, 12)
        end = f"{(31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[later - 1]} {_MONTHS[later - 1]}"
        end += f" {year + rng.randint(0, 1)}"
    title = rng.choice(TITLES)
    scope = country or rng.choice(("everyone", "all countries", "all employees", "global"))
    return header(title, scope, start, end), _Facts(title, country, start, end)


def _claims_on(facts: _Facts, text: str, rng: Random) -> tuple[str, str]:
    """``text`` with a right and a wrong fact of the header."""
    choices: list[tuple[str, str]] = []
    if facts.country:
        wrong = rng.choice([name for name in COUNTRIES if name != facts.country])
        shape = rng.choice(("In {}, ", "For employees in {}, ", "If you work in {}, ", "For {}: "))
        choices.append((shape.format(facts.country), shape.format(wrong)))
    if facts.end:
        shape = rng.choice(("Until {}, ", "Up to {}, ", "Until the end of {}, "))
        right, wrong = facts.end, _other_date(facts.end, rng)
        if "end of" in shape:
            right, wrong = right.split(" ", 1)[1], wrong.split(" ", 1)[1]
        choices.append((shape.format(right), shape.format(wrong)))
    shape = rng.choice(("From {}, ", "Since {}, ", "As of {}, ", "With effect from {}, "))
    choices.append((shape.format(facts.start), shape.format(_other_date(facts.start, rng))))
    right, wrong = rng.choice(choices)
    body = lower_first(text)
    return right + body, wrong + body


def _other_date(date: str, rng: Random) -> str:
    day, month, year = date.split()
    if rng.random() < 0.5:
        return f"{day} {month} {int(year) + rng.choice((-2, -1, 1, 2))}"
    return f"{day} {rng.choice([name for name in _MONTHS if name != month])} {year}"


def _in_text(passage: str, span: Span, plain: str, edited: Edit, rng: Random) -> Group:
    mark = _CLAUSE_MARK.match(span.text)
    changed = (mark.group() if mark else "") + edited.text
    other = passage[: span.start] + changed + passage[span.end :]
    if rng.random() < 0.5:
        right = Row(passage, _say(plain, rng), True, "verbatim-ish")
        return right, Row(passage, _say(edited.text, rng), False, edited.kind)
    right = Row(other, _say(edited.text, rng), True, "verbatim-ish")
    if edited.both_ways:
        return right, Row(other, _say(plain, rng), False, edited.kind)
    return right, Row(passage, _say(edited.text, rng), False, edited.kind)


def _say(text: str, rng: Random) -> str:
    said = reword(text, rng, rng.choice((0, 1, 2, 3, 4)))
    return frame(said, rng) if rng.random() < 0.15 else said


def _both(first: str, second: str, rng: Random) -> str:
    joint = rng.choice((", and ", "; ", ", while ", ", and ", ". "))
    second = upper_first(second) if joint == ". " else lower_first(second)
    return first.removesuffix(".") + joint + second


def _same_facts(text: str, passage: str) -> bool:
    """An edited sentence that the passage holds word for word is no edit of it."""
    return text.removesuffix(".").lower() in " ".join(passage.split()).lower()


def _swap(text: str, found: re.Match[str], new: str) -> str:
    if found.group()[:1].isupper() and found.start() == 0:
        new = upper_first(new)
    return text[: found.start()] + new + text[found.end() :]


def _other_number(text: str, passage: str, rng: Random) -> Edit | None:
    spots = [spot for spot in _NUMBER.finditer(text) if not _YEAR.fullmatch(spot.group())]
    if not spots:
        return None
    spot = rng.choice(spots)
    old = spot.group()
    if rng.random() < 0.4:
        others = {found.group() for found in _NUMBER.finditer(passage)} - {old}
        near = sorted(other for other in others if _is_near(_value(other), _value(old)))
        if near:
            written = _written(_value(rng.choice(near)), old)
            return Edit(_swap(text, spot, written), "number", True)
    value = _value(old)
    step = max(1, round(value * rng.choice((0.1, 0.2, 0.25, 0.5, 1.0))))
    new = value + step if rng.random() < 0.6 or value <= step + 1 else value - step
    return Edit(_swap(text, spot, _written(new, old)), "number", True)


def _is_near(value: float, old: float) -> bool:
    return value != old and old / 10 <= value <= old * 10


def _written(value: float, like: str) -> str:
    if not like[0].isdigit():
        return spell(int(value)) if value == int(value) else f"{value:g}"
    if "," in like:
        return f"{value:,.0f}"
    return f"{value:g}"


def _value(written: str) -> float:
    if written[0].isdigit():
        return float(written.replace(",", ""))
    return float(number(written) or 2)


def _swapped_numbers(text: str, passage: str, rng: Random) -> Edit | None:
    spots = list(_NUMBER.finditer(text))
    if len(spots) < 2:
        return None
    first, second = sorted(rng.sample(spots, 2), key=lambda spot: spot.start())
    if _value(first.group()) == _value(second.group()):
        return None
    middle = text[first.end() : second.start()]
    swapped = text[: first.start()] + second.group() + middle + first.group()
    return Edit(swapped + text[second.end() :], "number", True)


def _other_date_in(text: str, passage: str, rng: Random) -> Edit | None:
    if (spot := _MONTH.search(text)) and rng.random() < 0.7:
        new = rng.choice([month for month in _MONTHS if month != spot.group()])
        return Edit(_swap(text, spot, new), "number", True)
    if spot := _YEAR.search(text):
        new = str(int(spot.group()) + rng.choice((-2, -1, 1, 2)))
        return Edit(_swap(text, spot, new), "conflict", True)
    return None


def _other_currency(text: str, passage: str, rng: Random) -> Edit | None:
    spot = _CURRENCY.search(text)
    if spot is None:
        return None
    kinds = ("£", "€", "$", "₹") if len(spot.group()) == 1 else ("GBP", "EUR", "USD", "INR", "AUD")
    others = [kind for kind in kinds if kind != spot.group()]
    return Edit(_swap(text, spot, rng.choice(others)), "number", True)


def _other_unit(text: str, passage: str, rng: Random) -> Edit | None:
    spots = list(_UNIT.finditer(text))
    if not spots:
        return None
    spot = rng.choice(spots)
    return Edit(_swap(text, spot, rng.choice(UNITS[spot.group()])), "number", True)


def _other_role(text: str, passage: str, rng: Random) -> Edit | None:
    spots = list(_ROLE.finditer(text))
    if not spots:
        return None
    spot = rng.choice(spots)
    own = {role.group().lower() for role in _ROLE.finditer(passage)}
    near = sorted(role for role in own if role.split()[-1] not in spot.group().lower())
    if near and rng.random() < 0.5:
        new = rng.choice(near)
    else:
        others = [role for role in ROLES if role.split()[-1].lower() not in spot.group().lower()]
        new = f"the {rng.choice(others)}"
    return Edit(_swap(text, spot, new), "role", True)


def _opposite(text: str, passage: str, rng: Random) -> Edit | None:
    for pattern, choices, kind in rng.sample(_OPPOSITE, len(_OPPOSITE)):
        spots = list(pattern.finditer(text))
        if spots:
            return Edit(_swap(text, rng.choice(spots), rng.choice(choices)), kind, True)
    return None


def _dropped_condition(text: str, passage: str, rng: Random) -> Edit | None:
    if (found := _HEAD.match(text)) and rng.random() < 0.5:
        return Edit(upper_first(text[found.end() :]), "scope", False)
    if found := _TAIL.search(text):
        return Edit(text[: found.start()] + text[found.end() :], "scope", False)
    if found := _LIMITER.search(text):
        return Edit(upper_first(text[: found.start()] + text[found.end() :]), "scope", False)
    return None


def _other_condition(text: str, passage: str, rng: Random) -> Edit | None:
    found = _HEAD.match(text)
    if found is None:
        return None
    heads = {other.group() for _, plain in editable(passage) if (other := _HEAD.match(plain))}
    heads = {head for head in heads if head[:3] == found.group()[:3]} - {found.group()}
    if not heads:
        return None
    return Edit(rng.choice(sorted(heads)) + text[found.end() :], "condition", True)


def _wider_group(text: str, passage: str, rng: Random) -> Edit | None:
    found = _GROUP.search(text) or _QUALIFIED.search(text)
    if found is None:
        return None
    return Edit(_swap(text, found, f"all {found.group(1).lower()}"), "scope", False)


def _widened(text: str, passage: str, rng: Random) -> Edit | None:
    body = text.removesuffix(".")
    if rng.random() < 0.7:
        return Edit(f"{body}{rng.choice(WIDENINGS)}.", "scope", False)
    return Edit(f"{rng.choice(SCOPES)}, {lower_first(body)}.", "scope", False)


def _added_detail(text: str, passage: str, rng: Random) -> Edit | None:
    detail = rng.choice(ADDED)
    if "{n}" in detail:
        detail = detail.replace(
            "{n}", rng.choice(("two", "three", "five", "ten", "14", "30", "48"))
        )
    if "{role}" in detail:
        detail = detail.replace("{role}", "the " + rng.choice(ROLES))
    if detail in passage:
        return None
    return Edit(f"{text.removesuffix('.')}{detail}.", "added", False)


_EDITS: tuple[Callable[[str, str, Random], Edit | None], ...] = (
    _other_number,
    _other_number,
    _swapped_numbers,
    _other_date_in,
    _other_currency,
    _other_unit,
    _other_role,
    _opposite,
    _opposite,
    _dropped_condition,
    _dropped_condition,
    _other_condition,
    _wider_group,
    _widened,
    _added_detail,
)
