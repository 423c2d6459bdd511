"""What is posted: within Slack's limits by construction, each mark with its button."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot import answer_message, messages
from bot.blocks import quote
from bot.posting import Post
from bot.workspace.blocks import check_blocks
from grounding.answer import Answer, Reason
from knowledge.links import page_link
from knowledge.sources import PageStart, Source
from tests.bot.scripted import answered, handed_over, sentence, source, with_country

DAY = date(2026, 3, 1)
MOST = 12_000
MARK = re.compile(r"\[(\d+)\]")
TEXT = st.text(alphabet="abc de.f&<>*_\n", min_size=1, max_size=4_000)


def url_for(source: Source, page: int) -> str:
    base = "https://policypal.harbourline.example"
    return page_link(base, "secret" * 4, source.sha256, page, source.source_url)


def post(answer: Answer) -> Post:
    return answer_message.answer_post(
        answer, channel="C1", thread_ts="1.0", question_id=7, url_for=url_for, day=DAY
    )


def total(post: Post) -> int:
    """Every character of the message that anybody might count."""

    def count(item: Any) -> int:
        if isinstance(item, str):
            return len(item)
        if isinstance(item, dict):
            return sum(count(inner) for inner in item.values())
        return sum(count(inner) for inner in item) if isinstance(item, list) else 0

    texts = sum(
        count(block.get("text", {}).get("text", ""))
        + sum(count(e.get("text", "")) + count(e.get("url", "")) for e in block.get("elements", []))
        for block in post.blocks
    )
    return texts + len(post.text)


def fits(post: Post) -> None:
    checked = check_blocks(post.blocks)
    assert not checked.problems
    assert not checked.too_long
    assert total(post) < MOST
    assert post.text


def body(post: Post) -> str:
    return " ".join(b["text"]["text"] for b in post.blocks if b["type"] == "section")


def labels(post: Post) -> list[str]:
    return [
        element["text"]["text"]
        for block in post.blocks
        if block["type"] == "actions"
        for element in block["elements"]
        if "url" in element
    ]


def test_marks_are_numbered_by_page_in_the_order_of_the_text() -> None:
    sources = [source(n) for n in range(1, 9)]
    answer = answered(
        sentence("A.", (4, 9)), sentence("B.", (8, 9)), sentence("C.", (4, 3)), sources=sources
    )
    posted = post(answer)
    assert body(posted) == "A. [1] B. [1] C. [2]"
    assert labels(posted) == ["[1] Annual leave policy, p. 9", "[2] Annual leave policy, p. 3"]


def test_the_button_opens_the_page_of_the_evidence_and_not_the_first_of_the_chunk() -> None:
    over_two = source(1, page_starts=(PageStart(0, 2), PageStart(40, 3)))
    [actions] = [
        b
        for b in post(answered(sentence("A.", (1, 3)), sources=[over_two])).blocks
        if b["type"] == "actions"
    ]
    assert actions["elements"][0]["url"].endswith("#page=3")


def test_a_sentence_that_two_pages_support_has_two_marks_and_two_buttons() -> None:
    posted = post(answered(sentence("A.", (1, 4), (1, 4), (2, 5)), sources=[source(), source(2)]))
    assert body(posted) == "A. [1][2]"
    assert len(labels(posted)) == 2


def test_a_guidance_phrase_has_no_mark() -> None:
    guidance = sentence("Please contact HR for more help.")
    guidance = type(guidance)(text=guidance.text, citations=(), guidance=True)
    assert (
        body(post(answered(sentence("A."), guidance))) == "A. [1] Please contact HR for more help."
    )


def test_dates_are_shown_where_a_version_ends_or_is_still_to_come() -> None:
    sources = [
        source(
            1, title="Expenses", effective_from=date(2025, 4, 1), effective_to=date(2026, 3, 31)
        ),
        source(
            2, title="Expenses", effective_from=date(2026, 4, 1), page_starts=(PageStart(0, 6),)
        ),
        source(3, title="Leave", effective_from=date(2025, 1, 1), page_starts=(PageStart(0, 7),)),
    ]
    posted = post(
        answered(
            sentence("A.", (1, 4)), sentence("B.", (2, 6)), sentence("C.", (3, 7)), sources=sources
        )
    )
    [context, _] = [b["elements"][0]["text"] for b in posted.blocks if b["type"] == "context"]
    assert context == (
        "[1] Expenses: in force from 1 April 2025 until 31 March 2026. "
        "[2] Expenses: in force from 1 April 2026."
    )


def test_the_text_for_notifications_holds_the_answer_and_its_sources() -> None:
    assert post(answered()).text == (
        "You get 25 days of leave. [1]\nSources: [1] Annual leave policy, p. 4"
    )


def test_what_looks_like_formatting_in_a_policy_is_shown_as_it_is_written() -> None:
    text = "Band *A* & B* get ~5 to ~10 days, see form_12_b `draft` for <5 years."
    posted = post(answered(sentence(text)))
    assert body(posted) == f"{text} [1]"
    [answer] = [b["text"] for b in posted.blocks if b["type"] == "section"]
    assert answer["type"] == "plain_text"
    assert "&amp; B* get ~5" in posted.text


def test_an_address_that_no_button_can_hold_gives_way_to_the_page_link() -> None:
    endless = source(1, source_url="https://intranet.example/" + "x" * 3_000)
    posted = post(answered(sources=[endless]))
    fits(posted)
    [actions] = [b for b in posted.blocks if b["type"] == "actions"]
    assert actions["elements"][0]["url"].startswith("https://policypal.harbourline.example/")


@settings(max_examples=60, deadline=None)
@example(
    texts=["<"] * 6 + ["_"],
    places=[[(n, page) for page in range(1, 6)] for n in range(1, 8)],
    title="",
    countries=[],
)
@given(
    texts=st.lists(TEXT, min_size=1, max_size=40),
    places=st.lists(
        st.lists(st.tuples(st.integers(1, 12), st.integers(1, 99)), min_size=1, max_size=8),
        min_size=1,
        max_size=40,
    ),
    title=st.text(alphabet="&<> abcdef", max_size=300),
    countries=st.lists(st.sampled_from(["IN", "GB", "DE", "US", "GS", "VC"]), unique=True),
)
def test_an_absurd_answer_still_fits_one_message_with_a_button_for_each_mark(
    texts: list[str],
    places: list[list[tuple[int, int]]],
    title: str,
    countries: list[str],
) -> None:
    sources = [
        source(
            n,
            title=title,
            file="f" * 300 + f"{n}.pdf",
            effective_to=date(2026, 12, 31),
            source_url=f"https://intranet.example/{'y' * 440}" if n % 2 else None,
        )
        for n in range(1, 13)
    ]
    sentences = [sentence(text, *place) for text, place in zip(texts, places, strict=False)]
    posted = post(with_country(answered(*sentences, sources=sources), *countries))
    fits(posted)
    shown = {int(n) for n in MARK.findall(body(posted))}
    assert shown == set(range(1, len(labels(posted)) + 1))
    assert {int(MARK.findall(label)[0]) for label in labels(posted)} == shown


def test_a_sentence_is_shown_whole_or_not_at_all_and_the_reader_is_told() -> None:
    long = "Word " * 150 + "end."
    posted = post(answered(*[sentence(f"{n}. {long}") for n in range(20)]))
    fits(posted)
    assert body(posted).count("end. [1]") == body(posted).count("Word Word Word") / 50
    assert answer_message.CUT in [
        b["elements"][0]["text"] for b in posted.blocks if b["type"] == "context"
    ]
    assert answer_message.CUT in posted.text


def test_one_endless_sentence_is_cut_and_the_reader_is_told() -> None:
    posted = post(answered(sentence("&" * 50_000)))
    fits(posted)
    assert "… [1]" in body(posted)
    assert answer_message.CUT in posted.text


@settings(max_examples=40, deadline=None)
@given(question=TEXT, draft=TEXT, name=st.text(max_size=200), n=st.integers(0, 12))
def test_a_case_fits_whatever_was_asked_and_drafted(
    question: str, draft: str, name: str, n: int
) -> None:
    sources = [source(i, title="T" * 200, source_url="https://x/" + "z" * 450) for i in range(1, n)]
    fits(
        messages.case_post(
            handed_over(Reason.CONFLICT, draft * 3, sources),
            channel="C1",
            case_id=7,
            question=question * 10,
            asker=name,
            direct=False,
            thread_link="https://harbourline.slack.com/archives/C1/p1",
            url_for=url_for,
        )
    )


@settings(max_examples=40, deadline=None)
@given(text=st.text(alphabet="ab c&<>\n", max_size=8_000))
def test_a_reply_that_fits_is_passed_on_whole(text: str) -> None:
    if not messages.reply_fits(text):
        return
    posted = messages.reply_post(channel="C1", thread_ts="1.0", name="Hanna", text=text)
    fits(posted)
    assert "…" not in body(posted)


def test_a_reply_that_just_fits_is_passed_on_to_its_last_line() -> None:
    text = "Yes, but" + "\nnot now" * 549
    assert messages.reply_fits(text)
    posted = messages.reply_post(channel="C1", thread_ts="1.0", name="Hanna", text=text)
    fits(posted)
    assert posted.text.count("not now") == body(posted).count("not now") == 549
    assert not messages.reply_fits(f"{text}\nnot now")


@pytest.mark.parametrize("text", ["word " * 1_000, "字" * 5_000], ids=["words", "no spaces"])
def test_a_long_paragraph_of_hrs_is_quoted_to_its_end(text: str) -> None:
    posted = messages.reply_post(channel="C1", thread_ts="1.0", name="Hanna", text=text)
    fits(posted)
    [_, *parts] = [block["text"]["text"] for block in posted.blocks]
    assert len(parts) == 2
    assert all(part.startswith(f"> {text[:4]}") for part in parts)


def test_a_question_of_many_lines_is_quoted_line_by_line() -> None:
    quoted = quote("a\n\n*Case 9*\n" + "x\n" * 3_000, 2_000)
    assert len(quoted) <= 2_000
    assert all(line.startswith("> ") for line in quoted.splitlines())
    assert quoted.startswith("> a\n> \n> *Case 9*\n")


@pytest.mark.parametrize("reason", [*Reason, None])
@pytest.mark.parametrize("reached", [True, False])
def test_the_asker_is_told_what_happens_next(reason: Reason | None, reached: bool) -> None:
    posted = messages.handed_over_post(reason, channel="C1", thread_ts="1.0", reached_hr=reached)
    fits(posted)
    assert ("passed your question to HR" if reached else "Your question is saved") in posted.text
