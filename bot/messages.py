"""What the bot says besides answers: to askers and, in a case, to HR."""

from __future__ import annotations

from bot.answer_message import Citation, UrlFor, source_buttons
from bot.blocks import SECTION, context, paragraphs, plain_section, quote, quoted, section
from bot.posting import Post
from bot.printing import opening_page
from bot.text import link_channels, shorten, shorten_escaped
from grounding.answer import Answer, CheckedSentence, Problem, Reason

DRAFT = 1_500
FINDINGS = 1_500
CASE_TEXT = 1_000
CASE_SOURCES = 6
RELAYED = 5_500

HELP = (
    "Ask me about a company policy in your own words, for instance _How many days of annual leave "
    "do I get?_ I answer only from the policies in force, with a link to the page for each "
    "sentence, and pass on to HR what I can't support. `/policypal country India` sets the country "
    "whose policies you see."
)

SEARCHING = "Searching policies…"

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
    direct: bool,
    thread_link: str | None,
    url_for: UrlFor,
) -> Post:
    """A case in the HR channel: the question, why it is here, the draft, the findings, the sources.

    `asker` is a name, not a mention: nobody is pinged by what somebody else asked.
    """
    where = " in a direct message" if direct else " in a channel"
    if thread_link:
        where += f" (<{thread_link}|open the thread>)"
    head = f"*Case {case_id}: a question for HR*\n{shorten_escaped(asker, 80)} asked{where}:"
    why = HR_REASONS[answer.reason] if answer.reason else "the bot failed on it; its log says why"
    blocks = [
        section(f"{head}\n{quote(question, SECTION - len(head) - 10)}"),
        section(f"*Why it is here:* {why}."),
    ]
    if answer.attempts and (draft := answer.attempts[-1].draft.strip()):
        blocks += [section("*Draft, not posted:*"), plain_section(shorten(draft, DRAFT))]
    if findings := _findings(answer):
        blocks += [section("*What was found wrong:*"), plain_section(findings)]
    citations = [
        Citation(source.n, source, opening_page(source, None))
        for source in answer.sources[:CASE_SOURCES]
    ]
    if buttons := source_buttons(citations, url_for):
        blocks += [section("*Sources that were searched:*"), *buttons]
    blocks.append(
        context(
            "*Reply in this thread* and your reply goes to the asker under your name. A reply that "
            "starts with `note:` stays here. A tick shows that a reply was passed on. What you "
            "edit or delete after that stays as it was for the asker: send a correction as a new "
            "reply."
        )
    )
    return Post(
        channel=channel,
        text=f"Case {case_id}: {shorten_escaped(question, CASE_TEXT)}",
        blocks=blocks,
    )


def reply_fits(text: str) -> bool:
    """Whether a reply can be passed on whole: half of what HR wrote may say the opposite."""
    return len(quoted(text)) <= RELAYED


def reply_post(*, channel: str, thread_ts: str, name: str, text: str) -> Post:
    """HR's reply in the asker's thread, under the name of who wrote it where it is known."""
    head = f"*{shorten_escaped(name, 80)}* (HR) answered:" if name else "*HR* answered:"
    lines = [head, *link_channels(quoted(text)).splitlines()]
    return Post(
        channel=channel,
        thread_ts=thread_ts,
        text="\n".join(lines),
        blocks=[section(part) for part in paragraphs(lines, "\n")],
    )


def thread_note(*, channel: str, thread_ts: str, text: str) -> Post:
    """A remark of the bot's own in a thread."""
    return _plain_post(channel, thread_ts, text)


def _plain_post(channel: str, thread_ts: str, text: str) -> Post:
    return Post(channel=channel, thread_ts=thread_ts, text=text, blocks=[section(text)])


def _findings(answer: Answer) -> str:
    lines: list[str] = []
    size = 0
    for sentence in _flagged(answer):
        assert sentence.problem is not None
        detail = f" ({sentence.detail})" if sentence.detail else ""
        line = shorten(
            f"• “{shorten(sentence.text, 300)}” {PROBLEMS[sentence.problem]}{detail}.", 600
        )
        size += len(line) + 1
        if size > FINDINGS:
            break
        lines.append(line)
    return "\n".join(lines)


def _flagged(answer: Answer) -> list[CheckedSentence]:
    last = answer.attempts[-1].sentences if answer.attempts else answer.removed
    return [sentence for sentence in last if not sentence.supported]
