"""Rewordings that keep a policy sentence's meaning: other words, figures and order.

A checker has to see past these, so a reworded sentence stays supported.
"""

import re
from collections.abc import Callable
from random import Random

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WORD_OF = dict(enumerate(_ONES.split()))
WORD_OF |= dict(zip(range(20, 100, 10), _TENS.split(), strict=True))
NUMBER_OF = {word: number for number, word in WORD_OF.items()}

# Each pair is a pattern and what may stand for it. No pair may change what is allowed, owed or
# true: "may" never becomes "should", and "working days" never become plain days.
_SYNONYMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"employees (?=may|must|can|are|have|who|should|receive)", ("staff ", "members of staff ")),
    (r"an employee (?=may|must|can|is|has|who|should)", ("a member of staff ",)),
    (r"staff (?=may|must|can|are|have|who|should)", ("employees ",)),
    (r"must not", ("may not", "are not allowed to", "cannot", "mustn't")),
    (r"may not", ("must not", "cannot", "are not permitted to")),
    (r"cannot", ("may not", "can't")),
    (r"must(?! not)", ("have to", "are required to", "need to", "are obliged to")),
    (r"shall(?! not)", ("must", "have to")),
    (r"has to", ("must", "is required to", "needs to")),
    (r"have to", ("must", "are required to", "need to")),
    (r"may(?! not)(?= [a-z]+)", ("can",)),
    (r"can(?! not)(?= [a-z]+)", ("may",)),
    (r"does not need", ("needs no",)),
    (r"do not", ("don't",)),
    (r"does not", ("doesn't",)),
    (r"is not", ("isn't",)),
    (r"are not", ("aren't",)),
    (r"at least", ("no less than", "a minimum of", "not less than")),
    (r"not less than", ("at least",)),
    (r"up to", ("at most", "no more than", "a maximum of")),
    (r"not more than", ("at most", "up to")),
    (r"no more than", ("at most", "up to")),
    (r"more than", ("over", "in excess of")),
    (r"less than", ("under", "fewer than")),
    (r"no later than", ("at the latest by", "not later than")),
    (r"before", ("prior to", "ahead of")),
    (r"(?<!look )(?<!looking )after(?= (?:the|completion|approval|receipt))", ("following",)),
    (r"unless", ("except where", "except if")),
    (r"except", ("apart from", "other than")),
    (r"provided that", ("as long as", "on condition that")),
    (r"if", ("where", "in case", "provided that")),
    (r"during", ("in the course of",)),
    (r"each", ("every",)),
    (r"every", ("each",)),
    (r"a year", ("per year", "annually", "in a year", "each year")),
    (r"a month", ("per month", "each month")),
    (r"a week", ("per week", "each week")),
    (r"a day", ("per day", "each day")),
    (r"annual leave", ("holiday", "paid holiday")),
    (r"paid leave", ("paid time off",)),
    (r"approval", ("consent", "agreement", "permission")),
    (r"consent", ("approval", "agreement")),
    (r"approves", ("signs off", "agrees to")),
    (r"approved by", ("signed off by", "agreed by")),
    (r"in writing", ("by written notice", "in written form")),
    (r"receives?", ("get", "are given")),
    (r"are entitled to", ("get", "have a right to", "qualify for")),
    (r"is entitled to", ("gets", "has a right to", "qualifies for")),
    (r"obtain", ("get",)),
    (r"submit", ("hand in", "send in", "file")),
    (r"submitted", ("handed in", "sent in", "filed")),
    (r"inform", ("tell", "notify")),
    (r"notify", ("tell", "inform")),
    (r"requires", ("needs", "calls for")),
    (r"require", ("need", "call for")),
    (r"is required", ("is needed", "is necessary")),
    (r"are required", ("are needed",)),
    (r"reimbursed", ("paid back", "refunded", "repaid")),
    (r"prohibited", ("not allowed", "forbidden", "banned")),
    (r"forbidden", ("not allowed", "prohibited")),
    (r"permitted", ("allowed",)),
    (r"allowed", ("permitted",)),
    (r"begins?", ("start",)),
    (r"ends on", ("finishes on",)),
    (r"company", ("firm", "employer")),
    (r"salary", ("pay",)),
    (r"line manager", ("manager", "boss", "direct manager")),
    (r"colleagues", ("co-workers",)),
    (r"immediately", ("at once", "straight away", "right away")),
    (r"e-?mail", ("email", "e-mail")),
    (r"telephone", ("phone",)),
    (r"per cent", ("%", "percent")),
    (r"in advance", ("beforehand", "ahead of time")),
    (r"(?:kept|retained) for", ("stored for", "held for")),
    (r"decides", ("makes the decision",)),
    (r"in addition to", ("on top of", "besides", "as well as")),
    (r"additional", ("extra", "further")),
    (r"untaken", ("unused",)),
    (r"unused", ("untaken", "leftover")),
    (r"lapse", ("are lost", "expire")),
    (r"voluntary", ("optional",)),
    (r"compulsory", ("mandatory", "obligatory")),
    (r"mandatory", ("compulsory", "obligatory")),
    (r"private", ("personal",)),
    (r"applies to", ("covers",)),
    (r"does not apply to", ("does not cover",)),
    (r"refuse", ("decline",)),
)
_RULES = tuple(
    (
        re.compile(
            rf"(?<![\w-]){pattern}(?![\w-])" if pattern[-1] != " " else rf"\b{pattern}", re.I
        ),
        to,
    )
    for pattern, to in _SYNONYMS
)
_LEADING_CONDITION = re.compile(
    r"((?:If|Where|When|Unless|Once|After|Before|During|For|In|On|From|Until) [^,.;:]{8,90}), "
    r"(?=[a-z])"
)
_LEADING_RULE = re.compile(r"([^,;:]{15,110}),? ((?:if|where|when|unless) [^,;:]{8,90})\.$")
_TWO_CLAUSES = re.compile(r"(.{20,}?)(?:; (?:and )?|, (?:and|but) (?=\w+ \w+ ))(.{20,})\.$")
_MUST_BE_SUBJECT = re.compile(
    r"^(?:you|they|it|he|she|the|an?|this|these|those|no|all|each|every|employees|staff|managers)\b",
    re.IGNORECASE,
)
_YOU = re.compile(r"(?:Yes, |No, )?[Yy]ou (?=may|must|can|are|have|need|should|get|do|will)")
_EMPLOYEES = re.compile(
    r"^(?:All )?(?:[Ee]mployees|[Ss]taff|[Cc]olleagues) (?=may|must|can|are|have|need|should|do)"
)
_WE_OWN = re.compile(r"\b(?:they|them|their|he|she|his|her|one)\b", re.IGNORECASE)
_ACRONYM = re.compile(r"^(?:I\b|[A-Z]{2}|\w+ [A-Z])")

_FRAMES_BEFORE = (
    "Yes, ", "In short, ", "According to the policy, ", "Under the policy, ", "Please note that ",
    "The policy says that ", "As a rule, ", "Under these rules, ", "To answer your question: ",
    "Our rules state that ", "Here, ", "Generally speaking, ", "So ", "In your case, ",
)  # fmt: skip
_FRAMES_AFTER = (
    ", according to the policy", " under the policy", ", the policy says", " under these rules",
)  # fmt: skip


def reword(text: str, rng: Random, changes: int = 3) -> str:
    """``text`` with up to ``changes`` of its words, figures or clauses put differently."""
    for change in rng.sample(_CHANGES, len(_CHANGES)):
        if rng.random() < 0.3:
            text = change(text, rng)
    rules = rng.sample(_RULES, len(_RULES))
    for pattern, choices in rules:
        if changes <= 0:
            break
        found = pattern.search(text)
        if found is None:
            continue
        text = _put(text, found, rng.choice(choices))
        changes -= 1
    return text


def frame(text: str, rng: Random) -> str:
    """``text`` as a chat answer may give it: "According to the policy, ...". No fact is added."""
    if rng.random() < 0.8:
        return rng.choice(_FRAMES_BEFORE) + lower_first(text)
    return text.removesuffix(".") + rng.choice(_FRAMES_AFTER) + "."


def first_clause(text: str, rng: Random) -> str:
    """The first of two independent clauses alone; it is true where both are."""
    found = _TWO_CLAUSES.match(text)
    if found is None or not _MUST_BE_SUBJECT.match(found.group(2)):
        return text
    return found.group(1) + "."


def lower_first(text: str) -> str:
    """``text`` ready to follow other words; names and abbreviations keep their capital."""
    return text if _ACRONYM.match(text) else text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """``text`` ready to open a sentence."""
    return text[:1].upper() + text[1:]


def _put(text: str, found: re.Match[str], choice: str) -> str:
    if found.group()[:1].isupper():
        choice = upper_first(choice)
    return text[: found.start()] + choice + text[found.end() :]


def _turn_condition(text: str, rng: Random) -> str:
    """ "If A, B." as "B if A." and the reverse."""
    found = _LEADING_CONDITION.match(text)
    if (
        found
        and text.count(".") == 1
        and ";" not in text
        and not _WE_OWN.search(text[found.end() :])
    ):
        return (
            f"{upper_first(text[found.end() :].removesuffix('.'))} {lower_first(found.group(1))}."
        )
    found = _LEADING_RULE.match(text)
    if found and not _WE_OWN.search(found.group(2)):
        return f"{upper_first(found.group(2))}, {lower_first(found.group(1))}."
    return text


def _turn_person(text: str, rng: Random) -> str:
    """Rules for employees as rules for "you" and the reverse."""
    if found := _YOU.match(text):
        rest = text[found.end() :]
        if re.search(r"\byou're\b|\byou've\b|\bmy\b|\bour\b", rest):
            return text
        rest = re.sub(r"\byours\b", "theirs", re.sub(r"\byour\b", "their", rest))
        rest = re.sub(r"\byourself\b", "themselves", re.sub(r"\byou\b", "they", rest))
        return rng.choice(("Employees ", "Staff ", "Members of staff ")) + rest
    if found := _EMPLOYEES.match(text):
        rest = text[found.end() :]
        if re.search(r"\b(?:them|each other|one another|who)\b", rest):
            return text
        rest = re.sub(r"\btheir\b", "your", re.sub(r"\bthey\b", "you", rest))
        return "You " + rest
    return text


_DIGITS = re.compile(r"(?<![\w.,:/£€$₹-])(?<![A-Z]{3} )(\d{1,2})(?= [a-z])")
_SPELT = re.compile(rf"\b({'|'.join(NUMBER_OF)})\b(?=[ -](?:[a-z]+))", re.IGNORECASE)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}}) ({_MONTHS})\b(?: (\d{{4}}))?")
_MONTH_DAY = re.compile(rf"\b({_MONTHS}) (\d{{1,2}})\b(?:, (\d{{4}}))?")
_WEEKS = re.compile(r"\b(two|three|four|six|2|3|4|6) weeks\b", re.IGNORECASE)
_DAYS = re.compile(r"\b(?:7|seven|14|fourteen|21|twenty-one|28|twenty-eight) (?:calendar )?days\b")
_YEARS = re.compile(r"\b(one|two|three|five|1|2|3|5) years?\b(?!')", re.IGNORECASE)
_MONTH_SPAN = re.compile(r"\b(?:12|24|36|60|twelve|twenty-four|thirty-six|sixty) months\b")
_SYMBOLS = {"GBP": "£", "EUR": "€", "USD": "$", "INR": "₹"}
_MONEY_CODE = re.compile(r"\b(GBP|EUR|USD|INR) (?=\d)")
_MONEY_SYMBOL = re.compile(r"[£€₹](?=\d)|(?<![A-Z])\$(?=\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_HALF = re.compile(r"\b50 ?(?:%|per cent)(?= of)")
_AFTERNOON = re.compile(r"\b(\d{1,2})(?::(\d\d))? ?p\.?m\.?(?= |$)")
_CLOCK = re.compile(r"\b(1[3-9]|2[0-3])[:.](\d\d)\b")


def _turn_figures(text: str, rng: Random) -> str:
    """Figures as words, words as figures, weeks as days, codes as symbols, and so on."""
    changes = rng.sample(_FIGURES, len(_FIGURES))
    for pattern, turn in changes:
        found = pattern.search(text)
        if found is not None:
            new = turn(found)
            if new is not None:
                return text[: found.start()] + new + text[found.end() :]
    return text


def number(word: str) -> int | None:
    """The whole number that ``word`` writes in figures or words, up to 99, else None."""
    word = word.lower()
    if word.isdigit():
        return int(word)
    tens, _, ones = word.partition("-")
    if ones:
        high, low = NUMBER_OF.get(tens), NUMBER_OF.get(ones)
        return None if high is None or low is None else high + low
    return NUMBER_OF.get(word)


def spell(value: int) -> str:
    """``value`` in words, from 0 to 99; anything else in figures."""
    if value in WORD_OF:
        return WORD_OF[value]
    if 20 < value < 100:
        return f"{WORD_OF[value // 10 * 10]}-{WORD_OF[value % 10]}"
    return str(value)


def _times(found: re.Match[str], factor: int, unit: str) -> str | None:
    value = number(found.group(1))
    return None if value is None else f"{value * factor} {unit}"


def _over(found: re.Match[str], factor: int, unit: str) -> str | None:
    value = number(found.group().split()[0])
    if value is None or value % factor:
        return None
    count = value // factor
    return f"{spell(count)} {unit}{'s' if count > 1 else ''}"


def _afternoon(found: re.Match[str]) -> str | None:
    hour = int(found.group(1))
    return f"{hour + 12}:{found.group(2) or '00'}" if 0 < hour < 12 else None


_FIGURES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]], ...] = (
    (_DIGITS, lambda found: spell(int(found.group(1)))),
    (_SPELT, lambda found: str(NUMBER_OF[found.group(1).lower()])),
    (_DAY_MONTH, lambda found: f"{found[2]} {found[1]}" + (f", {found[3]}" if found[3] else "")),
    (_MONTH_DAY, lambda found: f"{found[2]} {found[1]}" + (f" {found[3]}" if found[3] else "")),
    (_WEEKS, lambda found: _times(found, 7, "days")),
    (_DAYS, lambda found: _over(found, 7, "week")),
    (_YEARS, lambda found: _times(found, 12, "months")),
    (_MONTH_SPAN, lambda found: _over(found, 12, "year")),
    (_MONEY_CODE, lambda found: _SYMBOLS[found.group(1)]),
    (_MONEY_SYMBOL, lambda found: {v: k for k, v in _SYMBOLS.items()}[found.group()] + " "),
    (_THOUSANDS, lambda found: ""),
    (_HALF, lambda found: "half"),
    (_AFTERNOON, _afternoon),
    (_CLOCK, lambda found: f"{int(found[1]) - 12}:{found[2]} p.m."),
)
_CHANGES = (_turn_condition, _turn_person, _turn_figures, _turn_figures, first_clause)
