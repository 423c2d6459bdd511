"""Posted exactly once, whatever Slack or the network does, over real HTTP."""

from __future__ import annotations

import threading

import pytest
from slack_sdk import WebClient

from bot import clients
from bot.clients import passing_client, slack_client
from bot.posting import CannotPost, Post, Unreachable, find_marked, mark, post_once
from bot.status import show_status
from bot.workspace.server import SlackServer
from bot.workspace.state import Message
from tests.workspace.fixtures import ASKER, GENERAL, HR, NOT_JOINED

POST = "chat.postMessage"


@pytest.fixture
def client(slack_server: SlackServer, monkeypatch: pytest.MonkeyPatch) -> WebClient:
    monkeypatch.setattr(clients, "TIMEOUT_S", 2)
    return slack_client(slack_server.app.bot_token, slack_server.api_url)


@pytest.fixture
def question(slack_server: SlackServer) -> Message:
    return slack_server.post_as(ASKER, GENERAL, "May I fly business?")


def answer_to(question: Message) -> Post:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "Yes."}}
    return Post(question.channel, "Yes.", thread_ts=question.ts, blocks=[section])


def post(client: WebClient, question: Message, *, look_first: bool = False) -> str:
    about = mark("answer", question.channel, question.ts)
    return post_once(client, answer_to(question), about, look_first=look_first)


@pytest.mark.parametrize("after", [True, False], ids=["after the effect", "before the effect"])
@pytest.mark.parametrize("fault", ["500", "503", "cut", "cut twice"])
def test_a_failure_at_posting_gives_one_message(
    slack_server: SlackServer, client: WebClient, question: Message, fault: str, after: bool
) -> None:
    faults = slack_server.faults
    if fault.startswith("cut"):
        faults.cut(POST, after=after, times=2 if fault.endswith("twice") else 1)
    else:
        faults.server_error(POST, int(fault), after=after)
    ts = post(client, question)
    assert [m.ts for m in slack_server.bot_replies(question)] == [ts]


def test_a_time_out_after_the_effect_gives_one_message(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    slack_server.faults.delay(POST, 3, after=True)
    ts = post(client, question)
    assert [m.ts for m in slack_server.bot_replies(question)] == [ts]


def test_who_takes_over_finds_the_message_also_on_a_later_page(
    slack_server: SlackServer,
    client: WebClient,
    question: Message,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.posting.PAGE", 2)
    for n in range(5):
        slack_server.post_as(HR, GENERAL, f"Chat {n}", question.ts)
    ts = post(client, question)
    for n in range(5):
        slack_server.post_as(HR, GENERAL, f"More {n}", question.ts)
    assert post(client, question, look_first=True) == ts
    assert len(slack_server.bot_replies(question)) == 1


def test_a_message_of_its_own_is_found_in_the_channel(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    about, said = mark("case", GENERAL, f"{question.ts}/IN"), Post(GENERAL, "Case 1")
    ts = post_once(client, said, about, look_first=False)
    slack_server.post_as(HR, GENERAL, "Later")
    assert find_marked(client, said, about) == ts
    assert find_marked(client, said, mark("case", GENERAL, question.ts)) is None


def test_other_peoples_marks_and_other_kinds_are_not_taken_for_ours(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    client.chat_postMessage(
        channel=GENERAL,
        thread_ts=question.ts,
        text="x",
        metadata={"event_type": "policypal_answer", "event_payload": {"key": "other"}},
    )
    post(client, question, look_first=True)
    assert len(slack_server.bot_replies(question)) == 2


def test_nothing_is_posted_where_the_thread_cannot_be_read_first(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    slack_server.faults.error("conversations.replies", "internal_error")
    with pytest.raises(CannotPost, match="internal_error"):
        post(client, question, look_first=True)
    assert not slack_server.bot_replies(question)


def test_a_rate_limit_is_waited_out(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    slack_server.faults.rate_limit(POST, 1, times=2)
    post(client, question)
    first, _, last = slack_server.calls(POST)
    assert last.at - first.at >= 2
    assert len(slack_server.bot_replies(question)) == 1


def test_a_long_rate_limit_is_left_to_the_row(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    slack_server.faults.rate_limit(POST, 90)
    with pytest.raises(CannotPost) as caught:
        post(client, question)
    assert caught.value.retryable
    assert caught.value.retry_after_s == 90
    assert len(slack_server.calls(POST)) == 1


def test_a_status_line_is_never_waited_for(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    slack_server.faults.rate_limit("assistant.threads.setStatus", 30)
    show_status(passing_client(client), GENERAL, question.ts, "Searching policies…")
    slack_server.faults.server_error("assistant.threads.setStatus")
    show_status(passing_client(client), GENERAL, question.ts, "Searching policies…")
    slack_server.faults.cut("assistant.threads.setStatus")
    show_status(passing_client(client), GENERAL, question.ts, "Searching policies…")
    assert len(slack_server.calls("assistant.threads.setStatus")) == 3


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_blocks_too_long"])
def test_a_message_whose_blocks_are_refused_is_posted_as_text(
    slack_server: SlackServer, client: WebClient, question: Message, code: str
) -> None:
    slack_server.faults.error(POST, code)
    post(client, question)
    [posted] = slack_server.bot_replies(question)
    assert (posted.text, posted.blocks) == ("Yes.", [])


@pytest.mark.parametrize(
    ("channel", "thread", "code"),
    [
        (NOT_JOINED, None, "not_in_channel"),
        ("C0GONE", None, "channel_not_found"),
        (GENERAL, "1.000001", "thread_not_found"),
    ],
)
def test_a_place_that_takes_no_message_is_not_tried_again(
    client: WebClient, channel: str, thread: str | None, code: str
) -> None:
    with pytest.raises(Unreachable, match=code) as caught:
        post_once(
            client, Post(channel, "Hi", thread), mark("answer", channel, "1"), look_first=False
        )
    assert not caught.value.retryable


def test_a_token_that_was_revoked_is_tried_again_later(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    slack_server.faults.error(POST, "token_revoked")
    with pytest.raises(CannotPost, match="token_revoked") as caught:
        post(client, question)
    assert caught.value.retryable


def test_a_slack_that_is_gone_is_told_from_one_that_refuses(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    slack_server.stop()
    with pytest.raises(CannotPost) as caught:
        post(client, question)
    assert caught.value.retryable


def test_two_that_post_after_one_another_make_one_message(
    slack_server: SlackServer, client: WebClient, question: Message
) -> None:
    hold = slack_server.faults.hold(POST)
    first = threading.Thread(target=post, args=(client, question))
    first.start()
    assert hold.reached.wait(5)
    hold.release()
    first.join(5)
    post(client, question, look_first=True)
    assert len(slack_server.bot_replies(question)) == 1
