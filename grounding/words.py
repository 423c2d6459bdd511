"""Content words of a text, stemmed, with everyday synonyms folded together."""

from __future__ import annotations

import re
from functools import lru_cache

from snowballstemmer import stemmer

from grounding.sentences import split_spans

_stem = stemmer("english").stemWord
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_STOP_WORDS = """
a about above according after again all also although am an and another any anybody anyone
    are aren't as at be because been before being below between both but by can can't cannot could
    did do does doesn't doing don't down during each either else even ever every everybody everyone
    few for from further get gets getting give given gives go goes had has hasn't have haven't
    having he her here hers him his how however i if in instead into is isn't it it's its itself
    just least less let long longer made make makes making many may me means might more most much
    must my need needed needs neither never no nobody none nor not nothing now of off on once one
    only onto or other others otherwise our out over own per person same say says shall she should
    so some somebody someone somewhat still such than that that's the their them then there these
    they thing things this those though through to too under unless until up upon us use used via
    want was wasn't way we well were what when where whether which while who whoever whole whom
    whose why will with within without won't would yes yet you your yours yourself zero two three
    four five six seven eight nine ten eleven twelve first second third half twice it’s you’re
    you're they're policy according please note case allowed required entitled able"""
_STOP = frozenset(_STOP_WORDS.split())
_SYNONYMS = (
    "employee staff worker colleague personnel workforce people member individual",
    "leave holiday vacation",
    "pay reimburse refund cover fund repay remunerate",
    "receive obtain entitle grant",
    "ask request apply",
    "approve consent agree permission authorise authorize approval agreement permit clearance"
    " sanction",
    "tell inform notify report",
    "start begin commence join",
    "end finish terminate leave-off stop cease",
    "buy purchase order",
    "submit file lodge send hand",
    "lapse forfeit expire lose lost",
    "annual yearly year",
    "job role post position",
    "company employer firm organisation organization business",
    "illness sick sickness ill",
    "home house",
    "money cash",
    "salary wage wages earnings",
    "rule requirement",
    "cost expense price spend",
    "child children kid",
    "trip journey travel",
    "flight fly",
    "doctor physician medical",
    "document paperwork form",
    "laptop computer",
    "carry roll bring",
    "allow let",
    "written writing write",
    "extra additional added",
    "maximum limit cap ceiling",
    "resign quit resignation",
    "dismiss dismissal sack fire",
    "choose pick select choice",
    "return back",
    "show produce present",
    "keep retain hold",
    "decide decision",
    "remote remotely",
    "car vehicle",
    "email e-mail mail",
    "manager supervisor boss",
    "forbid prohibit ban",
)
_CANONICAL = {_stem(word): _stem(words.split()[0]) for words in _SYNONYMS for word in words.split()}


def content_words(text: str) -> list[str]:
    """The words of `text` that carry meaning, in order, each as its stem or that of a synonym."""
    return [
        fold(word.lower().replace("’", "'"))
        for word in _WORD.findall(text)
        if word.lower().replace("’", "'") not in _STOP and len(word) > 1
    ]


@lru_cache(maxsize=16384)
def fold(word: str) -> str:
    """The stem of a word, or of the first of its synonyms."""
    stem = str(_stem(word.removesuffix("'s")))
    return str(_CANONICAL.get(stem, stem))


def sharing(claim: str, source_text: str, fewest: int = 3) -> list[tuple[str, float]]:
    """Each sentence of the source with the share of the claim's content words that it holds.

    Empty for a claim of less than `fewest` different content words: it is like any sentence.
    """
    words = frozenset(content_words(claim))
    if len(words) < fewest:
        return []
    return [(text, len(words & held) / len(words)) for text, held in sentences_of(source_text)]


@lru_cache(maxsize=64)
def sentences_of(source_text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each sentence of the source with its content words."""
    spans = split_spans(source_text)
    return tuple((span.text, frozenset(content_words(span.text))) for span in spans)
