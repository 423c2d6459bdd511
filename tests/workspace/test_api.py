"""The Web API through slack_sdk: what it does and what it refuses."""

import json
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.workspace.installation import Installation
from bot.workspace.server import SlackServer
from tests.workspace.bolt import client_of
from tests.workspace.fixtures import (
    ASKER,
    COUNTRY_FIELD,
    GENERAL,
    HR,
    HR_CHANNEL,
    HR_GROUP,
    NOT_JOINED,
    people,
)

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "Hello"}}
METADATA = {"event_type": "answer", "event_payload": {"question": "17"}}


@pytest.fixture
def client(slack_server: SlackServer) -> WebClient:
    return client_of(slack_server)


def refusal(client: WebClient, method: str, **args: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        client.api_call(method, json=args)
    return str(caught.value.response["error"])


def test_auth_test_names_the_bot_and_its_scopes(
    slack_server: SlackServer, client: WebClient
) -> None:
    answer = client.auth_test()
    app = slack_server.app
    assert (answer["user_id"], answer["bot_id"]) == (app.bot_user, app.bot_id)
    assert answer["team_id"] == "T0LOCAL"
    headers = {k.lower(): v for k, v in answer.headers.items()}
    assert "chat:write" in headers["x-oauth-scopes"].split(",")


def test_tokens_are_checked(slack_server: SlackServer) -> None:
    def error(token: str | None, method: str) -> str:
        return refusal(WebClient(token=token, base_url=slack_server.api_url), method)

    assert error("xoxb-wrong", "auth.test") == "invalid_auth"
    assert error(None, "auth.test") == "not_authed"
    assert error(slack_server.app.bot_token, "apps.connections.open") == "not_allowed_token_type"
    assert error(slack_server.app.app_token, "chat.postMessage") == "not_allowed_token_type"
    assert error(slack_server.app.bot_token, "chat.postMassage") == "unknown_method"


def test_a_missing_scope_is_named() -> None:
    app = replace(Installation(), scopes=("chat:write",))
    with SlackServer(app) as server:
        people(server.workspace)
        client = client_of(server)
        client.chat_postMessage(channel=GENERAL, text="allowed")
        with pytest.raises(SlackApiError) as caught:
            client.conversations_history(channel=GENERAL)
        assert caught.value.response["error"] == "missing_scope"
        assert caught.value.response["needed"] == "channels:history"
        assert caught.value.response["provided"] == "chat:write"
        assert refusal(client, "users.info", user=ASKER) == "missing_scope"
        named = {"channel": GENERAL, "text": "x", "username": "HR"}
        assert refusal(client, "chat.postMessage", **named) == "missing_scope"


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"channel": "C0NOWHERE", "text": "x"}, "channel_not_found"),
        ({"text": "x"}, "channel_not_found"),
        ({"channel": NOT_JOINED, "text": "x"}, "not_in_channel"),
        ({"channel": GENERAL}, "no_text"),
        ({"channel": GENERAL, "text": "  "}, "no_text"),
        ({"channel": GENERAL, "text": "x" * 40_001}, "msg_too_long"),
        ({"channel": GENERAL, "text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
        ({"channel": GENERAL, "blocks": [SECTION] * 51}, "invalid_blocks"),
        ({"channel": GENERAL, "blocks": "no json"}, "invalid_blocks_format"),
        ({"channel": GENERAL, "blocks": {"type": "section"}}, "invalid_blocks_format"),
        ({"channel": GENERAL, "blocks": [SECTION], "markdown_text": "x"}, "markdown_text_conflict"),
        ({"channel": GENERAL, "text": "x", "metadata": {"event_type": "a"}}, "invalid_metadata"),
        (
            {
                "channel": GENERAL,
                "text": "x",
                "metadata": {"event_type": "a", "event_payload": {"a": "x" * 8000}},
            },
            "metadata_too_large",
        ),
    ],
)
def test_slack_refuses_a_message(client: WebClient, args: dict[str, Any], error: str) -> None:
    assert refusal(client, "chat.postMessage", **args).startswith(error)


def test_invalid_blocks_say_what_and_where(client: WebClient) -> None:
    with pytest.raises(SlackApiError) as caught:
        client.chat_postMessage(channel=GENERAL, text="x", blocks=[{"type": "sektion"}])
    problem = "unsupported type: sektion [json-pointer:/blocks/0/type]"
    assert caught.value.response["errors"] == [problem]
    assert caught.value.response["response_metadata"]["messages"] == [f"[ERROR] {problem}"]


def test_an_archived_channel_takes_nothing(slack_server: SlackServer, client: WebClient) -> None:
    ts = client.chat_postMessage(channel=GENERAL, text="before")["ts"]
    slack_server.workspace.channels[GENERAL].is_archived = True
    assert refusal(client, "chat.postMessage", channel=GENERAL, text="x") == "is_archived"
    assert refusal(client, "chat.update", channel=GENERAL, ts=ts, text="x") == "is_inactive"


def test_a_user_id_opens_the_direct_messages(slack_server: SlackServer, client: WebClient) -> None:
    answer = client.chat_postMessage(channel=ASKER, text="psst")
    assert answer["channel"] == slack_server.workspace.dm(ASKER).id
    assert client.conversations_open(users=ASKER)["channel"]["id"] == answer["channel"]
    assert [m.text for m in slack_server.messages(ASKER)] == ["psst"]


def test_timestamps_are_unique_and_rise(client: WebClient) -> None:
    stamps = [client.chat_postMessage(channel=GENERAL, text="x")["ts"] for _ in range(20)]
    assert stamps == sorted(set(stamps))


def test_a_thread_is_read_in_order_page_by_page(
    slack_server: SlackServer, client: WebClient
) -> None:
    root = slack_server.post_as(ASKER, GENERAL, "question").ts
    for number in range(5):
        client.chat_postMessage(channel=GENERAL, thread_ts=root, text=f"{number}")
    first = client.conversations_replies(channel=GENERAL, ts=root, limit=3)
    assert [m["text"] for m in first["messages"]] == ["question", "0", "1", "2"]
    assert first["has_more"]
    assert first["messages"][0]["reply_count"] == 5
    cursor = first["response_metadata"]["next_cursor"]
    second = client.conversations_replies(channel=GENERAL, ts=root, limit=3, cursor=cursor)
    assert [m["text"] for m in second["messages"]] == ["question", "3", "4"]
    assert not second["has_more"]
    assert refusal(client, "conversations.replies", channel=GENERAL, ts="1.2") == "thread_not_found"


def test_history_is_newest_first_and_without_replies(
    slack_server: SlackServer, client: WebClient
) -> None:
    root = slack_server.post_as(ASKER, GENERAL, "one")
    slack_server.post_as(HR, GENERAL, "reply", root.ts)
    slack_server.post_as(HR, GENERAL, "two")
    history = client.conversations_history(channel=GENERAL)
    assert [m["text"] for m in history["messages"]] == ["two", "one"]
    later = client.conversations_history(channel=GENERAL, oldest=root.ts)
    assert [m["text"] for m in later["messages"]] == ["two"]


def test_metadata_comes_whole_only_when_asked_for(
    slack_server: SlackServer, client: WebClient
) -> None:
    root = slack_server.post_as(ASKER, GENERAL, "question").ts
    client.chat_postMessage(channel=GENERAL, thread_ts=root, text="x", metadata=METADATA)
    whole = client.conversations_replies(channel=GENERAL, ts=root, include_all_metadata=True)
    assert whole["messages"][1]["metadata"] == METADATA
    bare = client.conversations_replies(channel=GENERAL, ts=root)
    assert bare["messages"][1]["metadata"] == {"event_type": "answer"}


def test_a_reply_to_a_reply_is_refused(slack_server: SlackServer, client: WebClient) -> None:
    root = slack_server.post_as(ASKER, GENERAL, "question")
    reply = slack_server.post_as(HR, GENERAL, "reply", root.ts)
    args = {"channel": GENERAL, "thread_ts": reply.ts, "text": "x"}
    assert refusal(client, "chat.postMessage", **args) == "cannot_reply_to_message"


def test_text_without_blocks_takes_the_blocks_away(
    slack_server: SlackServer, client: WebClient
) -> None:
    ts = client.chat_postMessage(channel=GENERAL, text="x", blocks=[SECTION], metadata=METADATA)[
        "ts"
    ]
    message = slack_server.messages(GENERAL)[0]
    client.chat_update(channel=GENERAL, ts=ts, text="y", blocks=[SECTION])
    assert (bool(message.blocks), message.edited) == (True, None)
    client.chat_update(channel=GENERAL, ts=ts, text="z")
    assert (message.text, message.blocks, bool(message.edited)) == ("z", [], True)
    assert message.metadata == METADATA
    too_long = {"channel": GENERAL, "ts": ts, "text": "x" * 4001}
    assert refusal(client, "chat.update", **too_long) == "msg_too_long"


def test_others_messages_cannot_be_changed(slack_server: SlackServer, client: WebClient) -> None:
    ts = slack_server.post_as(ASKER, GENERAL, "mine").ts
    changed = {"channel": GENERAL, "ts": ts, "text": "x"}
    assert refusal(client, "chat.update", **changed) == "cant_update_message"
    assert refusal(client, "chat.delete", channel=GENERAL, ts=ts) == "cant_delete_message"
    assert refusal(client, "chat.delete", channel=GENERAL, ts="1.2") == "message_not_found"


def test_a_deleted_root_with_replies_stays_as_a_tombstone(
    slack_server: SlackServer, client: WebClient
) -> None:
    root = slack_server.post_as(ASKER, GENERAL, "question")
    client.chat_postMessage(channel=GENERAL, thread_ts=root.ts, text="answer")
    slack_server.delete_as(ASKER, root)
    thread = client.conversations_replies(channel=GENERAL, ts=root.ts)["messages"]
    assert [(m.get("subtype"), m["text"]) for m in thread] == [
        ("tombstone", "This message was deleted."),
        (None, "answer"),
    ]
    client.chat_postMessage(channel=GENERAL, thread_ts=root.ts, text="late")


def test_an_ephemeral_message_is_seen_by_one_member(
    slack_server: SlackServer, client: WebClient
) -> None:
    client.chat_postEphemeral(channel=GENERAL, user=ASKER, text="thanks")
    assert [m.text for m in slack_server.ephemerals(GENERAL, ASKER)] == ["thanks"]
    assert slack_server.ephemerals(GENERAL, HR) == []
    assert slack_server.messages(GENERAL) == []
    stranger = {"channel": HR_CHANNEL, "user": ASKER, "text": "x"}
    assert refusal(client, "chat.postEphemeral", **stranger) == "user_not_in_channel"


def test_a_private_channel_is_hidden_from_outside(
    slack_server: SlackServer, client: WebClient
) -> None:
    slack_server.workspace.add_channel("G0SECRET", "secret", [HR], kind="private")
    assert refusal(client, "conversations.info", channel="G0SECRET") == "channel_not_found"
    assert refusal(client, "conversations.history", channel="G0SECRET") == "channel_not_found"
    assert refusal(client, "conversations.history", channel=NOT_JOINED) == "not_in_channel"


def test_channels_people_and_groups_are_told(slack_server: SlackServer, client: WebClient) -> None:
    assert client.conversations_info(channel=HR_CHANNEL)["channel"]["is_private"]
    assert ASKER in client.conversations_members(channel=GENERAL)["members"]
    assert client.conversations_join(channel=NOT_JOINED)["channel"]["is_member"]
    assert client.users_info(user=ASKER)["user"]["profile"]["email"] == "asha@example.com"
    profile = client.users_profile_get(user=ASKER, include_labels=True)["profile"]
    assert profile["fields"] == {
        COUNTRY_FIELD: {"value": "India", "alt": "", "label": "Country"},
    }
    assert client.usergroups_users_list(usergroup=HR_GROUP)["users"] == [HR]
    assert client.team_info()["team"]["id"] == "T0LOCAL"
    names = [c["name"] for c in client.conversations_list()["channels"]]
    assert names == ["general", "elsewhere"]
    assert refusal(client, "users.info", user="U0NOBODY") == "user_not_found"
    assert refusal(client, "usergroups.users.list", usergroup="S1") == "no_such_subteam"


def test_reactions_come_once(slack_server: SlackServer, client: WebClient) -> None:
    ts = slack_server.post_as(ASKER, GENERAL, "question").ts
    args = {"channel": GENERAL, "timestamp": ts, "name": "eyes"}
    client.reactions_add(channel=GENERAL, timestamp=ts, name="eyes")
    assert refusal(client, "reactions.add", **args) == "already_reacted"
    client.reactions_remove(channel=GENERAL, timestamp=ts, name="eyes")
    assert refusal(client, "reactions.remove", **args) == "no_reaction"
    assert refusal(client, "reactions.add", **(args | {"name": "a b"})) == "invalid_name"
    assert refusal(client, "reactions.add", **(args | {"timestamp": "1.2"})) == "message_not_found"


def test_a_status_shows_until_the_app_posts_in_the_thread(
    slack_server: SlackServer, client: WebClient
) -> None:
    ts = slack_server.post_as(ASKER, GENERAL, "question").ts
    args = {"channel_id": GENERAL, "thread_ts": ts}
    client.assistant_threads_setStatus(**args, status="Searching", loading_messages=["a"])
    session = slack_server.workspace.sessions[GENERAL, ts]
    assert session.status == "Searching"
    client.chat_postMessage(channel=GENERAL, thread_ts=ts, text="answer")
    assert session.statuses == ["Searching", ""]
    nowhere = {"channel_id": GENERAL, "thread_ts": "1.2", "status": "x"}
    assert refusal(client, "assistant.threads.setStatus", **nowhere) == "invalid_thread_ts"
    many = args | {"status": "x", "loading_messages": ["a"] * 11}
    assert refusal(client, "assistant.threads.setStatus", **many) == "invalid_arguments"


def test_a_status_goes_after_two_minutes(slack_server: SlackServer, client: WebClient) -> None:
    ts = slack_server.post_as(ASKER, GENERAL, "question").ts
    client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="Searching")
    session = slack_server.workspace.sessions[GENERAL, ts]
    assert session.shown(session.status_at + 119) == "Searching"
    assert session.shown(session.status_at + 121) == ""


def test_a_session_moves_between_its_states(slack_server: SlackServer, client: WebClient) -> None:
    ts = slack_server.post_as(ASKER, ASKER, "question").ts
    dm = slack_server.workspace.dm(ASKER).id
    args = {"channel_id": dm, "thread_ts": ts}
    client.agents_sessions_setStatus(**args, status="processing", title="Leave")
    client.agents_sessions_setStatus(**args, status="active", title="Other")
    session = slack_server.workspace.sessions[dm, ts]
    assert (session.states, session.title) == (["processing", "active"], "Leave")
    wrong = args | {"status": "done"}
    assert refusal(client, "agents.sessions.setStatus", **wrong) == "invalid_status"
    bare = {"channel_id": dm, "status": "active"}
    assert refusal(client, "agents.sessions.setStatus", **bare) == "thread_ts_required"


def test_prompts_show_only_without_a_thread(slack_server: SlackServer, client: WebClient) -> None:
    dm = slack_server.workspace.dm(ASKER).id
    ts = slack_server.post_as(ASKER, ASKER, "question").ts
    prompts = [{"title": "Leave", "message": "How much leave do I get?"}]
    client.assistant_threads_setSuggestedPrompts(channel_id=dm, thread_ts=ts, prompts=prompts)
    assert (dm, None) not in slack_server.workspace.sessions
    client.assistant_threads_setSuggestedPrompts(channel_id=dm, prompts=prompts)
    assert slack_server.workspace.sessions[dm, None].prompts == prompts
    five = {"channel_id": dm, "prompts": prompts * 5}
    assert refusal(client, "assistant.threads.setSuggestedPrompts", **five) == "invalid_arguments"


def test_a_file_is_uploaded_in_three_steps(slack_server: SlackServer, client: WebClient) -> None:
    client.files_upload_v2(channel=GENERAL, filename="travel.pdf", content="%PDF", title="Travel")
    message = slack_server.messages(GENERAL)[0]
    file = slack_server.workspace.files[message.files[0]]
    assert (file.name, file.title, file.content) == ("travel.pdf", "Travel", b"%PDF")
    assert client.files_info(file=file.id)["file"]["size"] == 4


def test_calls_are_recorded_with_their_outcome(
    slack_server: SlackServer, client: WebClient
) -> None:
    client.chat_postMessage(channel=GENERAL, text="x")
    refusal(client, "chat.postMessage", channel="C0", text="y")
    good, bad = slack_server.calls("chat.postMessage")
    assert (good.args["text"], good.outcome, good.effect) == ("x", "ok", True)
    assert (bad.outcome, bad.effect) == ("channel_not_found", False)
    assert good.done_at
    assert good.at <= good.done_at <= bad.at
    assert "token" not in json.dumps([good.args, bad.args])


@pytest.mark.parametrize("body", [b"{", b"[]"])
def test_a_body_that_is_no_object_is_refused(slack_server: SlackServer, body: bytes) -> None:
    request = urllib.request.Request(
        f"{slack_server.api_url}auth.test",
        data=body,
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["error"] == "invalid_json"


@pytest.fixture
def two_servers() -> Iterator[tuple[SlackServer, SlackServer]]:
    with SlackServer() as one, SlackServer() as other:
        yield one, other


def test_two_servers_live_side_by_side(two_servers: tuple[SlackServer, SlackServer]) -> None:
    one, other = two_servers
    people(one.workspace)
    client_of(one).chat_postMessage(channel=GENERAL, text="x")
    assert refusal(client_of(other), "chat.postMessage", channel=GENERAL, text="x") == (
        "channel_not_found"
    )
