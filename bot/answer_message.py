"""A checked answer as one message: sentences with marks, and a button for each mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.blocks import BUTTON, Block, actions, context, paragraphs, plain_section
from bot.posting import Post
from bot.printing import opening_page
from bot.text import escape, shorten, shorten_escaped, unescape
from grounding.answer import Answer, CheckedSentence
from knowledge.countries import country_name
from knowledge.sources import Source, dates_in_words

URL = 500
"""Longest address of a source's button; a longer one of the catalog's gives way to a page link."""

ANSWER = 9_500
"""Characters of an answer's sentences and buttons, blocks and text together."""

MARKS = 5
"""Citations shown for one sentence: each of them supports it alone."""

NOTES = 4
COUNTRIES = 10
COUNTRY_BUTTONS = 5

COUNTRY_ACTION = "choose_country"
SOURCE_ACTION = "source"

UrlFor = Callable[[Source, int], str]

CUT = (
    "This is only the first part of what I found: the rest does not fit one message. Open the "
    "sources, or ask about one point at a time."
)


@dataclass(frozen=True, slots=True)
class Citation:
    """What one mark in the text stands for: a page of a source."""

    number: int
    source: Source
    page: int


@dataclass(frozen=True, slots=True)
class Layout:
    """An answer as it is shown: sentences with marks, and what each mark stands for.

    `cut` says that the last sentences were left out because the message is full.
    """

    sentences: list[str]
    citations: list[Citation]
    cut: bool


def answer_post(
    answer: Answer, *, channel: str, thread_ts: str, question_id: int, url_for: UrlFor, day: date
) -> Post:
    """The answer as one whole message. `day` is the day that it was answered for."""
    layout = lay_out(answer, url_for)
    citations = layout.citations
    # A policy's footnote star or "~5 days" is no formatting: the answer is plain text.
    blocks: list[Block] = [plain_section(part) for part in paragraphs(layout.sentences)]
    blocks += source_buttons(citations, url_for)
    if layout.cut:
        blocks.append(context(CUT))
    notes = dict.fromkeys(filter(None, (_dates_note(citation, day) for citation in citations)))
    if notes:
        blocks.append(context(" ".join(list(notes)[:NOTES])))
    blocks += _country_blocks(answer, citations, question_id)
    blocks.append(
        context(
            "Answered automatically. Each sentence was checked against its source; "
            "open the source before you act on it."
        )
    )
    named = "; ".join(f"[{c.number}] {shorten_escaped(button_label(c), BUTTON)}" for c in citations)
    text = [
        escape(" ".join(layout.sentences)),
        CUT if layout.cut else "",
        named and f"Sources: {named}",
    ]
    return Post(
        channel=channel, thread_ts=thread_ts, text="\n".join(filter(None, text)), blocks=blocks
    )


def lay_out(answer: Answer, url_for: UrlFor) -> Layout:
    """Number the citations, and fit the answer in one message.

    Marks count from 1 in the order of the text; the same page of the same file has one mark,
    whichever of its chunks was cited, and two pages of a file have two. A sentence is shown with
    all its buttons, or left out with all that follow.
    """
    citations: dict[tuple[str, str, int], Citation] = {}
    sentences: list[str] = []
    room, cut = ANSWER, False
    for sentence in answer.sentences:
        known = dict(citations)
        cited = [
            known.setdefault(key, Citation(len(known) + 1, source, page))
            for key, (source, page) in _places(sentence, answer.sources).items()
        ]
        marks = "".join(f"[{citation.number}]" for citation in cited)
        new = [citation for citation in cited if citation.number > len(citations)]
        # Sentence, mark and label stand both in the blocks and in the text.
        room -= sum(2 * (BUTTON + 20) + len(_url(citation, url_for)) for citation in new)
        allowed = room // 2 - len(marks) - 2
        escaped = shorten_escaped(sentence.text, max(allowed, 1))
        text = unescape(escaped)
        cut = text != sentence.text or allowed < 1
        if cut and sentences:
            break
        room -= 2 * (len(escaped) + len(marks) + 2)
        citations = known
        sentences.append(f"{text} {marks}".strip())
        if cut:
            break
    return Layout(sentences, list(citations.values()), cut)


def _places(
    sentence: CheckedSentence, sources: Sequence[Source]
) -> dict[tuple[str, str, int], tuple[Source, int]]:
    """The pages that support a sentence, each once."""
    by_number = {source.n: source for source in sources}
    places: dict[tuple[str, str, int], tuple[Source, int]] = {}
    for evidence in sentence.evidence:
        source = by_number[evidence.source]
        page = opening_page(source, evidence.page)
        places.setdefault((source.file, source.sha256, page), (source, page))
    return dict(list(places.items())[:MARKS])


def button_label(citation: Citation) -> str:
    """Title and page, at most 75 characters with the mark before it."""
    page = f", p. {citation.page}"
    title = shorten(citation.source.title or citation.source.file, BUTTON - 10 - len(page))
    return f"{title}{page}"


def source_buttons(citations: Sequence[Citation], url_for: UrlFor) -> list[Block]:
    """Rows of link buttons, one for each citation."""
    buttons = [
        {
            "type": "button",
            "action_id": f"{SOURCE_ACTION}_{citation.number}",
            "text": {
                "type": "plain_text",
                "text": f"[{citation.number}] {button_label(citation)}",
                "emoji": False,
            },
            "url": _url(citation, url_for),
        }
        for citation in citations
    ]
    return actions(buttons)


def _dates_note(citation: Citation, day: date) -> str:
    source = citation.source
    coming = source.effective_from is not None and source.effective_from > day
    if source.effective_to is None and not coming:
        return ""
    dates = dates_in_words(source.effective_from, source.effective_to)
    return f"[{citation.number}] {shorten_escaped(source.title, 80)}: in force {dates}."


def _country_blocks(answer: Answer, citations: Sequence[Citation], question_id: int) -> list[Block]:
    scopes = sorted({code for citation in citations for code in citation.source.scope})
    if scopes:
        shown = f"Showing the policy for {_countries(scopes)}. Change it with `/policypal country`."
        return [context(shown)]
    if not answer.other_countries:
        return []
    others = _countries(answer.other_countries)
    return [
        context(f"This is the global rule. There is a policy of its own for {others}."),
        {
            "type": "actions",
            "elements": [
                {
                    "type": "button",
                    "action_id": f"{COUNTRY_ACTION}_{code}",
                    "text": {"type": "plain_text", "text": f"I work in {country_name(code)}"},
                    "value": f"{question_id}:{code}",
                }
                for code in answer.other_countries[:COUNTRY_BUTTONS]
            ],
        },
    ]


def _countries(codes: Sequence[str]) -> str:
    named = ", ".join(escape(country_name(code)) for code in codes[:COUNTRIES])
    return f"{named} and {len(codes) - COUNTRIES} more" if len(codes) > COUNTRIES else named


def _url(citation: Citation, url_for: UrlFor) -> str:
    url = url_for(citation.source, citation.page)
    if len(url) <= URL:
        return url
    return url_for(replace(citation.source, source_url=None), citation.page)
