"""What a source states, one readable sentence each: clauses, list items and table rows.

Nothing that changes a meaning is cut: a condition stays with its rule, an item with its lead-in,
a value with its row and its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from grounding.sentences import split_spans
from knowledge.sources import Source

_CLAUSE_NUMBER = re.compile(
    r"(?:\d+(?:\.\d+)+\.?|\d+\.|[A-Z]{1,3}\d+[.:])\s+(?=[^\s\d])|\d+(?:\.\d+)+\s+"
)
_BULLET = re.compile(r"^(?:[-*•‣▪◦–—·\uf0b7]|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})\))\s+")
_CELLS = re.compile(r"\s+\|\s+|\t+|\s{3,}")
_LABEL = re.compile(r"(?P<label>.+?):\s+(?P<value>.+)")
_CROSS_REFERENCE = re.compile(r"\s*\(see (?:clause |section |paragraph )?[\d.]+\)")
_SHOWN = re.compile(
    r",? (?:is|are) (?:shown|set out|given|listed|stated|summed up)"
    r"(?: (?:below|in the (?:following )?table(?: below)?))$"
)
_INTRODUCES = re.compile(
    r"\bas follows[.:]|\b(?:shown|below|following)\b|\bin the table\b|:$", re.IGNORECASE
)
_JOINT = re.compile(
    r"\b(?:only|if|where|when|while|provided|unless|until|except|all of|both of|conditions?"
    r"|(?:so|as) long as)\b",
    re.IGNORECASE,
)
_OPEN_END = re.compile(
    r"\b(?:must|not|may|should|shall|can|on|to|if|where|when|with|for|by|is|are|be|only|that|who|from"
    r"|includes?|of|in)$"
)
_LEANS = re.compile(
    r"(?:it|its|they|their|them|these|those|this|that|such|he|she|his|her|otherwise|however|but"
    r"|instead|so|then|in (?:that|this|such) (?:case|event)|if (?:so|not)|the same|both|neither"
    r"|after that|beyond that|below that|above that|by then|there is one|any more|another"
    r"|(?:all |any |the )?others?|the rest|the remaining|the exception)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(r"\bthe (?:days?|difference|balance|rest|result|excess|remainder|sum)\b")
# What a clause opens with when the rest of it is about that case alone.
_SETS_A_CASE = re.compile(
    r"(?:if|where|when|while|during|in (?:the )?(?:case|event)|after|before|on (?:leaving|death)"
    r"|for (?:an?|employees|those)|(?:an?|any|the) [\w-]+(?: [\w-]+)? (?:who|on|under|with)"
    r"|anyone (?:who|on)|employees (?:who|in|on|under|with))\b",
    re.IGNORECASE,
)
_HEADING_WORDS = 12
_ITEM_END = re.compile(r"[;,.](?:\s+(?:and|or))?$|\s+(?:and|or)$")
_TOPIC_WORDS = (4, 35)
_NAME = re.compile(
    r"(?!(?:over|above|more|less|under|up|within|before|after|from|at|to|between|all|any|other)\b)"
    r"[A-Z][^\W\d_]{2,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that a source states.

    `text` is fit to be shown and ends in a full stop. `context` holds the words that say what it
    is about: title, headings, lead-in. `order` counts within the source. `leans_on` is the order
    of the statement without which this one cannot be read, `first` says that it opens its clause.
    `group` is the same for the rows of one table or the items of one list, and `whole` marks the
    statement of the whole list. `cells` are a table row's (column, value) pairs, `topic` is what
    the table is about, and `lead_in` opens the list that an item belongs to.
    """

    source: int
    text: str
    context: str
    order: int
    leans_on: int | None = None
    first: bool = True
    group: int | None = None
    whole: bool = False
    cells: tuple[tuple[str, str], ...] = ()
    topic: str = ""
    lead_in: str = ""


def statements(source: Source) -> list[Statement]:
    """All that a source states, in reading order."""
    return list(_Reader(source).read())


def rows_text(topic: str, rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Rows of one table as a sentence: `Mumbai – Per night: INR 11,500; London – ….`"""
    told = "; ".join(map(_row_text, rows))
    return f"{topic}: {told}." if topic else f"{told}."


def _row_text(cells: Sequence[tuple[str, str]]) -> str:
    (label, key), *values = cells
    head = key if _NAME.match(key) or not label else f"{label}: {key}"
    tail = "; ".join(f"{name}: {value}" if name else value for name, value in values)
    return f"{head} – {tail}" if tail else head


class _Reader:
    """Reads the lines of one source from top to bottom."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = [line.strip() for line in source.text.split("\n") if line.strip()]
        self._headings = list(source.headings)
        self._lead_in = ""
        self._introduction = ""
        self._order = 0
        self._group = 0

    def read(self) -> Iterator[Statement]:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if _CELLS.search(line):
                rows = self._run(at, _CELLS)
                yield from self._table(rows)
                at += len(rows)
            elif _BULLET.match(line):
                items = self._run(at, _BULLET)
                yield from self._list([_BULLET.sub("", item, count=1) for item in items])
                at += len(items)
            elif _is_heading(line):
                self._headings = [*self._source.headings, line]
                self._lead_in = ""
                at += 1
            else:
                yield from self._paragraph(_CLAUSE_NUMBER.sub("", line, count=1))
                at += 1

    def _run(self, start: int, kind: re.Pattern[str]) -> list[str]:
        """The lines from `start` on that are of one kind."""
        return list(takewhile(kind.search, self._lines[start:]))

    def _paragraph(self, text: str) -> Iterator[Statement]:
        before: int | None = None
        case = False
        self._introduction = ""
        for span in split_spans(text):
            sentence = span.text
            self._lead_in = sentence
            if _INTRODUCES.search(sentence):
                self._introduction = sentence
            if sentence.endswith(":"):
                continue
            needs = case or _LEANS.match(sentence) or _REFERS.search(sentence)
            leans = before if needs else None
            case = case or (before is None and _SETS_A_CASE.match(sentence) is not None)
            statement = self._made(_closed(sentence), leans_on=leans, first=before is None)
            before = statement.order
            yield statement

    def _list(self, items: Sequence[str]) -> Iterator[Statement]:
        lead_in = self._lead_in.rstrip(":").strip() if self._lead_in.endswith(":") else ""
        bare = [_ITEM_END.sub("", item) for item in items]
        if not lead_in or all(_is_sentence(item) for item in items):
            for item in bare:
                yield self._made(_closed(item), about=lead_in)
            return
        self._group += 1
        if items[-1].endswith("."):
            yield self._made(f"{lead_in}: {_joined(items)}", group=self._group, whole=True)
        if not _JOINT.search(lead_in):
            for item in bare:
                yield self._made(_closed(_led(lead_in, item)), group=self._group, lead_in=lead_in)

    def _table(self, lines: Sequence[str]) -> Iterator[Statement]:
        rows = [[cell.strip() for cell in _CELLS.split(line) if cell.strip()] for line in lines]
        self._group += 1
        topic = self._topic()
        for cells in _labelled(rows):
            kept = tuple((name, _CROSS_REFERENCE.sub("", value)) for name, value in cells)
            yield self._made(
                rows_text(topic, [kept]),
                about=self._lead_in,
                group=self._group,
                cells=kept,
                topic=topic,
            )

    def _topic(self) -> str:
        """The lead-in of a table as the head of its rows; nothing where it introduces none."""
        topic = _SHOWN.sub("", self._introduction.rstrip(".:").strip())
        return topic if _TOPIC_WORDS[0] <= len(topic.split()) <= _TOPIC_WORDS[1] else ""

    def _made(
        self,
        text: str,
        *,
        about: str = "",
        leans_on: int | None = None,
        first: bool = True,
        group: int | None = None,
        whole: bool = False,
        cells: tuple[tuple[str, str], ...] = (),
        topic: str = "",
        lead_in: str = "",
    ) -> Statement:
        self._order += 1
        context = " ".join([self._source.title, *self._headings, about]).strip()
        return Statement(
            self._source.n,
            text,
            context,
            self._order,
            leans_on,
            first,
            group,
            whole,
            cells,
            topic,
            lead_in,
        )


def _labelled(rows: list[list[str]]) -> Iterator[list[tuple[str, str]]]:
    """Each row as (column, value) pairs; a row whose columns are not known is left out."""
    for row in rows:
        matches = [match for cell in row if (match := _LABEL.fullmatch(cell))]
        if len(matches) == len(row):
            yield [(match["label"].strip(), match["value"].strip()) for match in matches]


def _is_heading(line: str) -> bool:
    return len(line.split()) <= _HEADING_WORDS and line[-1] not in ".:;?!,"


def _is_sentence(item: str) -> bool:
    return item[0] in "\"“'" or (item[0].isupper() and item.endswith(".") and len(item.split()) > 4)


def _joined(items: Sequence[str]) -> str:
    """The items as one line. An `and` or `or` between them stays: it decides what is needed."""
    return " ".join(item if _ITEM_END.search(item) else f"{item};" for item in items)


def _led(lead_in: str, item: str) -> str:
    return f"{lead_in}{'' if _OPEN_END.search(lead_in) else ':'} {item}"


def _closed(sentence: str) -> str:
    sentence = sentence.strip().rstrip(";,:")
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
