"""Block Kit for all that is posted.

Slack's limits are kept by construction, measured after escaping: 3,000 characters in a section,
75 in a button's text, 3,000 in its URL, 25 buttons in a row of actions, 50 blocks, and the whole
message, blocks and text together, under 12,000 characters: Slack refuses it at about 13,000
(msg_blocks_too_long).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from bot.posting import Post
from bot.printing import opening_page
from bot.text import escape, shorten, shorten_escaped
from grounding.answer import Answer, CheckedSentence, Problem, Reason
from knowledge.countries import country_name
from knowledge.sources import Source, dates_in_words

SECTION = 2_900
BUTTON = 75
BUTTONS = 25
URL = 500
"""Longest address of a source's button; a longer one of the catalog's gives way to a page link."""

ANSWER = 9_500
"""Characters of an answer's sentences and buttons, blocks and text together."""

MARKS = 5
"""Citations shown for one sentence: each of them supports it alone."""

QUOTED_DRAFT = 1_500
QUOTED_FINDINGS = 1_500
CASE_TEXT = 1_000
CASE_SOURCES = 6
RELAYED = 5_500
NOTES = 4
COUNTRY_BUTTONS = 5
COUNTRIES = 10

COUNTRY_ACTION = "choose_country"
SOURCE_ACTION = "source"

Block = dict[str, Any]
UrlFor = Callable[[Source, int], str]

HELP = (
    "Ask me about a company policy in your own words, for instance _How many days of annual leave "
    "do I get?_ I answer only from the policies in force, with a link to the page for each "
    "sentence, and pass on to HR what I can't support. `/policypal country India` sets the country "
    "whose policies you see."
)

SEARCHING = "Searching policies…"

CUT = (
    "This is only the first part of what I found: the rest does not fit one message. Open the "
    "sources, or ask about one point at a time."
)

REASONS = {
    Reason.NO_SOURCE: "I couldn't find an answer to this in the policies in force.",
    Reason.UNSUPPORTED: "I found policy text about this, but none that fully supports an answer.",
    Reason.CONFLICT: "The policies that I found disagree on this.",
    Reason.MODEL_UNAVAILABLE: "I can't write answers at the moment.",
    Reason.CHECKER_UNAVAILABLE: "I can't check answers at the moment, and I post none unchecked.",
    Reason.INDEX_UNAVAILABLE: "I can't search the policies at the moment.",
}

HR_REASONS = {
    Reason.NO_SOURCE: "nothing in the policies in force answers it",
    Reason.UNSUPPORTED: "no source fully supports the draft",
    Reason.CONFLICT: "the sources disagree",
    Reason.MODEL_UNAVAILABLE: "the answer model could not be reached",
    Reason.CHECKER_UNAVAILABLE: "the checker could not be used",
    Reason.INDEX_UNAVAILABLE: "the policy index could not be read",
}

PROBLEMS = {
    Problem.NO_CITATION: "cites no source",
    Problem.UNKNOWN_SOURCE: "cites a source that does not exist",
    Problem.NOT_SUPPORTED: "is not supported by the source that it cites",
    Problem.CONTRADICTED: "is contradicted by the source that it cites",
    Problem.QUANTITY: "holds a figure or date that its source does not",
}


@dataclass(frozen=True, slots=True)
class Citation:
    """What one mark in the text stands for: a page of a source."""

    number: int
    source: Source
    page: int


@dataclass(frozen=True, slots=True)
class Layout:
    """An answer as it is shown: sentences, escaped and with marks, and what each mark stands for.

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
    blocks: list[Block] = [_section(part) for part in _paragraphs(layout.sentences)]
    blocks += source_buttons(citations, url_for)
    if layout.cut:
        blocks.append(_context(CUT))
    notes = dict.fromkeys(filter(None, (_dates_note(citation, day) for citation in citations)))
    if notes:
        blocks.append(_context(" ".join(list(notes)[:NOTES])))
    blocks += _country_blocks(answer, citations, question_id)
    blocks.append(
        _context(
            "Answered automatically. Each sentence was checked against its source; "
            "open the source before you act on it."
        )
    )
    named = "; ".join(f"[{c.number}] {shorten_escaped(button_label(c), BUTTON)}" for c in citations)
    text = [" ".join(layout.sentences), CUT if layout.cut else "", named and f"Sources: {named}"]
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
        text = shorten_escaped(sentence.text, max(room // 2 - len(marks) - 2, 1))
        cut = text != escape(sentence.text)
        if cut and sentences:
            break
        room -= 2 * (len(text) + len(marks) + 2)
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
    return [
        {"type": "actions", "elements": buttons[at : at + BUTTONS]}
        for at in range(0, len(buttons), BUTTONS)
    ]


def handed_over_post(
    reason: Reason | None, *, channel: str, thread_ts: str, reached_hr: bool
) -> Post:
    """What the asker is told when a question goes to HR, or waits to go there.

    `reason` is None where working on the question failed again and again.
    """
    then = (
        "I've passed your question to HR. Their answer will come in this thread."
        if reached_hr
        else "I couldn't reach HR's channel just now. Your question is saved, and I'll pass it on "
        "as soon as I can; the answer will come in this thread. If it's urgent, please contact HR "
        "directly."
    )
    why = REASONS[reason] if reason else "I couldn't work this out."
    return _plain_post(channel, thread_ts, f"{why} {then}")


def help_post(channel: str, thread_ts: str) -> Post:
    """What the bot is for, for somebody who only said its name."""
    return _plain_post(channel, thread_ts, HELP)


def hr_reached_post(*, channel: str, thread_ts: str) -> Post:
    return _plain_post(
        channel, thread_ts, "HR has your question now. Their answer will come in this thread."
    )


def case_post(
    answer: Answer,
    *,
    channel: str,
    case_id: int,
    question: str,
    asker: str,
    thread_link: str | None,
    url_for: UrlFor,
) -> Post:
    """A case in the HR channel: the question, why it is here, the draft, the findings, the sources.

    `asker` is a name, not a mention: nobody is pinged by what somebody else asked.
    """
    where = f" (<{thread_link}|open the thread>)" if thread_link else " in a direct message"
    head = f"*Case {case_id}: a question for HR*\n{shorten_escaped(asker, 80)} asked{where}:"
    why = HR_REASONS[answer.reason] if answer.reason else "the bot failed on it; its log says why"
    blocks = [
        _section(f"{head}\n{_quote(question, SECTION - len(head) - 10)}"),
        _section(f"*Why it is here:* {why}."),
    ]
    if answer.attempts and (draft := answer.attempts[-1].draft.strip()):
        blocks.append(_section(f"*Draft, not posted:*\n{_quote(draft, QUOTED_DRAFT)}"))
    if findings := _findings(answer):
        blocks.append(_section(f"*What was found wrong:*\n{findings}"))
    citations = [
        Citation(source.n, source, opening_page(source, None))
        for source in answer.sources[:CASE_SOURCES]
    ]
    if buttons := source_buttons(citations, url_for):
        blocks += [_section("*Sources that were searched:*"), *buttons]
    blocks.append(
        _context(
            "*Reply in this thread* and your reply goes to the asker under your name. A reply that "
            "starts with `note:` stays here. A tick shows that a reply was passed on."
        )
    )
    return Post(
        channel=channel,
        text=f"Case {case_id}: {shorten_escaped(question, CASE_TEXT)}",
        blocks=blocks,
    )


def reply_fits(text: str) -> bool:
    """Whether a reply can be passed on whole: half of what HR wrote may say the opposite."""
    return len(_quote(text, 2 * RELAYED)) <= RELAYED


def reply_post(*, channel: str, thread_ts: str, name: str, text: str) -> Post:
    """HR's reply in the asker's thread, under the name of who wrote it."""
    head = f"*{shorten_escaped(name, 80)}* (HR) answered:"
    lines = [head, *_quote(text, RELAYED).splitlines()]
    return Post(
        channel=channel,
        thread_ts=thread_ts,
        text="\n".join(lines),
        blocks=[_section(part) for part in _paragraphs(lines, "\n")],
    )


def thread_note(*, channel: str, thread_ts: str, text: str) -> Post:
    """A remark of the bot's own in a thread."""
    return _plain_post(channel, thread_ts, text)


def _plain_post(channel: str, thread_ts: str, text: str) -> Post:
    return Post(channel=channel, thread_ts=thread_ts, text=text, blocks=[_section(text)])


def _findings(answer: Answer) -> str:
    lines: list[str] = []
    size = 0
    for sentence in _flagged(answer):
        assert sentence.problem is not None
        detail = f" ({sentence.detail})" if sentence.detail else ""
        line = shorten_escaped(
            f"• “{shorten(sentence.text, 300)}” {PROBLEMS[sentence.problem]}{detail}.", 600
        )
        size += len(line) + 1
        if size > QUOTED_FINDINGS:
            break
        lines.append(line)
    return "\n".join(lines)


def _flagged(answer: Answer) -> list[CheckedSentence]:
    last = answer.attempts[-1].sentences if answer.attempts else answer.removed
    return [sentence for sentence in last if not sentence.supported]


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
        return [_context(shown)]
    if not answer.other_countries:
        return []
    others = _countries(answer.other_countries)
    return [
        _context(f"This is the global rule. There is a policy of its own for {others}."),
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


def _quote(text: str, limit: int) -> str:
    """`text` escaped and quoted, at most `limit` characters with the marks of quotation."""
    quoted: list[str] = []
    room = limit
    for line in text.splitlines() or [""]:
        if room < BUTTON:
            quoted.append("> …")
            break
        piece = f"> {shorten_escaped(line, room - 2)}"
        quoted.append(piece)
        room -= len(piece) + 1
    return "\n".join(quoted)


def _url(citation: Citation, url_for: UrlFor) -> str:
    url = url_for(citation.source, citation.page)
    if len(url) <= URL:
        return url
    return url_for(replace(citation.source, source_url=None), citation.page)


def _paragraphs(parts: Sequence[str], separator: str = " ") -> list[str]:
    """Parts joined into texts that fit a section; a part too long is cut at a space."""
    texts: list[str] = []
    for part in parts:
        for piece in _pieces(part):
            if texts and len(texts[-1]) + len(separator) + len(piece) <= SECTION:
                texts[-1] += separator + piece
            else:
                texts.append(piece)
    return texts


def _pieces(text: str) -> list[str]:
    pieces = []
    while len(text) > SECTION:
        at = text.rfind(" ", 1, SECTION)
        if at < 0:
            # Not within an entity such as &amp;.
            at = text.rfind("&", SECTION - 5, SECTION)
        at = SECTION if at < 0 else at
        pieces.append(text[:at])
        text = text[at:].lstrip(" ")
    return [*pieces, text]


def _section(text: str) -> Block:
    return {"type": "section", "text": _mrkdwn(text)}


def _context(text: str) -> Block:
    return {"type": "context", "elements": [_mrkdwn(text)]}


def _mrkdwn(text: str) -> Block:
    # Verbatim: Slack makes no links and no mentions of what only looks like one, such as @here.
    return {"type": "mrkdwn", "text": text, "verbatim": True}
