"""What people do, as events that reach a real Bolt app over Socket Mode."""

import re
from typing import Any

import pytest
from slack_bolt import App

from bot.workspace.errors import MisuseError
from bot.workspace.server import SlackServer
from tests.workspace.bolt import client_of, connected
from tests.workspace.fixtures import ASKER, GENERAL, HR, HR_CHANNEL, NOT_JOINED


class Heard:
    """Every event that the app got, in the order of arrival."""

    def __init__(self, server: SlackServer) -> None:
        self.server = server
        self.bodies: list[dict[str, Any]] = []
        self.app = App(client=client_of(server))
        self.app.event(re.compile(".*"))(lambda body: self.bodies.append(body))

    def events(self, count: int) -> list[dict[str, Any]]:
        """Exactly that many events, once all deliveries are done."""
        self.server.wait_for(lambda: len(self.bodies) >= count)
        self.server.wait_for(lambda: all(d.outcome for d in self.server.deliveries()))
        assert len(self.bodies) == count
        return [b["event"] for b in self.bodies]


@pytest.fixture
def mention(slack_server: SlackServer) -> str:
    return f"<@{slack_server.app.bot_user}>"


def test_a_mention_comes_as_two_events_of_one_message(
    slack_server: SlackServer, mention: str
) -> None:
    heard = Heard(slack_server)
    with connected(slack_server, heard.app):
        message = slack_server.post_as(ASKER, GENERAL, f"{mention} is it < 5 & paid?")
        events = sorted(heard.events(2), key=lambda e: e["type"])
    assert [e["type"] for e in events] == ["app_mention", "message"]
    assert {e["ts"] for e in events} == {message.ts}
    assert {e["text"] for e in events} == {f"{mention} is it &lt; 5 &amp; paid?"}
    assert events[1]["channel_type"] == "channel"
    assert len({b["event_id"] for b in heard.bodies}) == 2
    assert heard.bodies[0]["authorizations"][0]["user_id"] == slack_server.app.bot_user


def test_a_direct_message_comes_as_one_event(slack_server: SlackServer, mention: str) -> None:
    heard = Heard(slack_server)
    with connected(slack_server, heard.app):
        slack_server.post_as(ASKER, ASKER, f"{mention} how much leave?")
        (event,) = heard.events(1)
    assert (event["type"], event["channel_type"]) == ("message", "im")
    assert "thread_ts" not in event
    assert "bot_id" not in event


def test_the_app_hears_nothing_where_it_is_no_member(
    slack_server: SlackServer, mention: str
) -> None:
    heard = Heard(slack_server)
    with connected(slack_server, heard.app):
        message = slack_server.post_as(ASKER, NOT_JOINED, f"{mention} hello")
        slack_server.post_as(HR, HR_CHANNEL, "hello")
        (event,) = heard.events(1)
    assert event["channel"] == HR_CHANNEL
    assert slack_server.deliveries_of(message) == []


def test_replies_carry_their_thread(slack_server: SlackServer) -> None:
    heard = Heard(slack_server)
    slack_server.courier.retry_delays = ()
    root = slack_server.post_as(HR, GENERAL, "question")
    slack_server.wait_for(lambda: slack_server.deliveries_of(root)[0].outcome == "failed")
    with connected(slack_server, heard.app):
        slack_server.post_as(HR, GENERAL, "answer", root.ts, files={"note.txt": b"x"})
        (event,) = heard.events(1)
    assert event["thread_ts"] == root.ts
    assert event["subtype"] == "file_share"
    assert event["files"][0]["name"] == "note.txt"


def test_edits_and_deletions_come_as_hidden_messages(slack_server: SlackServer) -> None:
    heard = Heard(slack_server)
    with connected(slack_server, heard.app):
        message = slack_server.post_as(ASKER, GENERAL, "first")
        heard.events(1)
        slack_server.edit_as(ASKER, message, "second")
        changed = heard.events(2)[1]
        slack_server.delete_as(ASKER, message)
        deleted = heard.events(3)[2]
    assert changed["subtype"] == "message_changed"
    assert changed["message"]["text"] == "second"
    assert changed["message"]["edited"]["user"] == ASKER
    assert changed["previous_message"]["text"] == "first"
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", message.ts)
    assert slack_server.messages(GENERAL) == []


def test_the_bots_own_messages_come_as_events_too(slack_server: SlackServer) -> None:
    client_of(slack_server).chat_postMessage(channel=GENERAL, text="mine")
    (delivery,) = slack_server.deliveries("message")
    assert delivery.payload["event"]["bot_id"] == slack_server.app.bot_id
    assert delivery.payload["event"]["user"] == slack_server.app.bot_user


def test_another_bot_can_mention_the_app(slack_server: SlackServer, mention: str) -> None:
    bot = slack_server.workspace.add_user("U0OTHERBOT", "poll", is_bot=True)
    slack_server.workspace.channels[GENERAL].members.append(bot.id)
    heard = Heard(slack_server)
    with connected(slack_server, heard.app):
        slack_server.post_as(bot.id, GENERAL, f"{mention} &lt;raw&gt;")
        events = heard.events(2)
    assert {e["bot_id"] for e in events} == {"B0OTHERBOT"}
    assert events[0]["text"].endswith("&lt;raw&gt;")


def test_joining_makes_a_message_that_is_no_mention(slack_server: SlackServer) -> None:
    slack_server.join_as(HR, NOT_JOINED)
    slack_server.join_as(slack_server.app.bot_user, NOT_JOINED)
    assert slack_server.deliveries("app_mention") == []
    (event,) = [d.payload["event"] for d in slack_server.deliveries("message")]
    assert event["subtype"] == "channel_join"


def test_opening_the_app_home_is_an_event_with_its_tab(slack_server: SlackServer) -> None:
    client_of(slack_server).views_publish(user_id=ASKER, view={"type": "home", "blocks": []})
    heard = Heard(slack_server)
    with connected(slack_server, heard.app):
        slack_server.open_home(ASKER)
        slack_server.wait_for(lambda: heard.bodies)
        slack_server.open_home(ASKER, "messages")
        home, messages = heard.events(2)
    assert (home["tab"], home["view"]["type"]) == ("home", "home")
    assert (messages["tab"], "view" in messages) == ("messages", False)
    assert messages["channel"] == slack_server.workspace.dm(ASKER).id


def test_stop_and_context_are_events_of_an_agent(slack_server: SlackServer) -> None:
    question = slack_server.post_as(ASKER, ASKER, "how much leave?")
    slack_server.stop_session(ASKER, question.channel, question.ts)
    slack_server.change_context(GENERAL)
    (stopped,) = slack_server.deliveries("agent_session_stopped")
    (context,) = slack_server.deliveries("app_context_changed")
    assert stopped.payload["event"]["thread_ts"] == question.ts
    assert context.payload["event"]["context"]["entities"][0]["value"] == GENERAL


def test_people_cannot_do_what_slack_does_not_offer(slack_server: SlackServer) -> None:
    root = slack_server.post_as(ASKER, GENERAL, "question")
    reply = slack_server.post_as(HR, GENERAL, "reply", root.ts)
    with pytest.raises(MisuseError, match="not in"):
        slack_server.post_as(ASKER, HR_CHANNEL, "x")
    with pytest.raises(MisuseError, match="another reply"):
        slack_server.post_as(ASKER, GENERAL, "x", reply.ts)
    with pytest.raises(MisuseError, match="did not write"):
        slack_server.edit_as(ASKER, reply, "x")
    with pytest.raises(MisuseError, match="no user"):
        slack_server.post_as("U0NOBODY", GENERAL, "x")
    slack_server.workspace.channels[GENERAL].is_archived = True
    with pytest.raises(MisuseError, match="archived"):
        slack_server.post_as(ASKER, GENERAL, "x")
