"""Commands, buttons, modals, the app home and response URLs with a real Bolt app."""

from dataclasses import replace
from typing import Any

import pytest
from slack_bolt import App
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from bot.workspace.errors import MisuseError
from bot.workspace.installation import Installation
from bot.workspace.journal import Delivery
from bot.workspace.server import SlackServer
from bot.workspace.state import Message, View
from tests.workspace.bolt import client_of, connected
from tests.workspace.fixtures import ADMIN, ASKER, GENERAL, HR, HR_CHANNEL


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def entry(block_id: str, action_id: str, **rest: Any) -> dict[str, Any]:
    element = {"type": "plain_text_input", "action_id": action_id} | rest
    return {"type": "input", "block_id": block_id, "label": plain("Answer"), "element": element}


def modal(*blocks: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {
        "type": "modal",
        "callback_id": "answer",
        "title": plain("Answer"),
        "submit": plain("Send"),
        "blocks": list(blocks) or [entry("answer", "text", max_length=20)],
        **rest,
    }


BUTTONS = {
    "type": "actions",
    "block_id": "sources",
    "elements": [
        {"type": "button", "action_id": "claim", "text": plain("Claim"), "value": "17"},
        {
            "type": "button",
            "action_id": "open",
            "text": plain("Page 3"),
            "url": "https://a.b/#page=3",
        },
        {
            "type": "static_select",
            "action_id": "country",
            "options": [
                {"text": plain("India"), "value": "IN"},
                {"text": plain("Germany"), "value": "DE"},
            ],
        },
    ],
}
FEEDBACK = {
    "type": "context_actions",
    "elements": [
        {
            "type": "feedback_buttons",
            "action_id": "feedback",
            "positive_button": {"text": plain("Good"), "value": "good"},
            "negative_button": {"text": plain("Bad"), "value": "bad"},
        }
    ],
}


class Desk:
    """A Bolt app that opens a modal at `/policy` and keeps every body."""

    def __init__(self, server: SlackServer) -> None:
        self.server = server
        self.bodies: list[dict[str, Any]] = []
        self.responds: list[Any] = []
        self.answer: dict[str, Any] = {}
        self.app = App(client=client_of(server))

        @self.app.command("/policy")
        def run(ack: Any, body: dict[str, Any], respond: Any) -> None:
            self.bodies.append(body)
            self.responds.append(respond)
            ack()
            if body["text"] == "open":
                self.app.client.views_open(trigger_id=body["trigger_id"], view=modal())

        def act(ack: Any, body: dict[str, Any], respond: Any) -> None:
            self.bodies.append(body)
            self.responds.append(respond)
            ack()

        for action in ("claim", "open", "country", "feedback"):
            self.app.action(action)(act)

        @self.app.view("answer")
        def submit(ack: Any, body: dict[str, Any]) -> None:
            self.bodies.append(body)
            ack(**self.answer)

        @self.app.view_closed("answer")
        def closed(ack: Any, body: dict[str, Any]) -> None:
            self.bodies.append(body)
            ack()

        self.app.event("message")(lambda: None)

    def done(self, delivery: Delivery) -> dict[str, Any]:
        """The body of an acked delivery."""
        self.server.wait_for(lambda: delivery.outcome)
        assert delivery.acked
        return self.bodies[-1]

    def open(self, user: str) -> View:
        self.server.command(user, GENERAL, "/policy", "open")
        view = self.server.wait_for(lambda: self.server.modal(user))
        assert view
        return view

    def post(self, *blocks: dict[str, Any], channel: str = GENERAL) -> Message:
        self.app.client.chat_postMessage(channel=channel, text="x", blocks=list(blocks))
        return self.server.messages(channel)[-1]


def test_a_command_carries_who_where_and_what(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        body = desk.done(slack_server.command(ADMIN, HR_CHANNEL, "/policy", "find <5 & more"))
    assert (body["user_id"], body["channel_id"]) == (ADMIN, HR_CHANNEL)
    assert body["channel_name"] == "privategroup"
    assert body["text"] == "find &lt;5 &amp; more"


def test_an_ack_with_a_text_is_seen_by_who_ran_the_command(slack_server: SlackServer) -> None:
    app = App(client=client_of(slack_server))
    app.command("/policy")(lambda ack: ack("Done"))
    with connected(slack_server, app):
        slack_server.command(ADMIN, GENERAL, "/policy")
        slack_server.wait_for(lambda: slack_server.ephemerals(GENERAL, ADMIN))
    assert slack_server.messages(GENERAL) == []


def test_an_ack_that_slack_refuses_is_noted(slack_server: SlackServer) -> None:
    app = App(client=client_of(slack_server))
    app.command("/policy")(lambda ack: ack(blocks=[{"type": "sektion"}]))
    with connected(slack_server, app):
        delivery = slack_server.command(ADMIN, GENERAL, "/policy")
        slack_server.wait_for(lambda: delivery.outcome)
    assert "invalid_blocks" in str(delivery.attempts[0].problem)
    assert slack_server.ephemerals(GENERAL, ADMIN) == []


def test_a_command_that_the_app_does_not_have_is_no_command() -> None:
    app = replace(Installation(), commands=("/policy",))
    with SlackServer(app) as server, pytest.raises(MisuseError, match="not a valid command"):
        server.command(ADMIN, GENERAL, "/polcy")


def test_a_response_url_is_good_for_five_answers(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        body = desk.done(slack_server.command(ADMIN, GENERAL, "/policy"))
    hook = WebhookClient(body["response_url"])
    assert [hook.send(text=f"{n}").status_code for n in range(5)] == [200] * 5
    used = hook.send(text="6")
    assert (used.status_code, "used_url" in used.body) == (404, True)
    assert [m.text for m in slack_server.ephemerals(GENERAL, ADMIN)] == ["0", "1", "2", "3", "4"]


def test_a_response_url_expires(slack_server: SlackServer) -> None:
    url = slack_server.responses.give(GENERAL, ADMIN)
    slack_server.responses.seconds = -1
    answer = WebhookClient(url).send(text="late")
    assert (answer.status_code, "expired_url" in answer.body) == (404, True)


def test_an_answer_in_the_channel_is_seen_by_all(slack_server: SlackServer) -> None:
    hook = WebhookClient(slack_server.responses.give(GENERAL, ADMIN))
    hook.send(text="done", response_type="in_channel")
    assert [m.text for m in slack_server.messages(GENERAL)] == ["done"]
    assert hook.send(blocks=[{"type": "sektion"}]).status_code == 404


def test_a_click_carries_the_message_and_the_value(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        message = desk.post(BUTTONS, FEEDBACK)
        body = desk.done(slack_server.click(HR, message, "claim"))
        assert body["user"]["id"] == HR
        assert body["message"]["ts"] == body["container"]["message_ts"] == message.ts
        assert body["channel"]["id"] == GENERAL
        (action,) = body["actions"]
        assert (action["block_id"], action["value"]) == ("sources", "17")
        chosen = desk.done(slack_server.click(HR, message, "country", "DE"))["actions"][0]
        assert chosen["selected_option"]["value"] == "DE"
        bad = desk.done(slack_server.click(HR, message, "feedback", "negative"))["actions"][0]
        assert (bad["type"], bad["value"]) == ("feedback_buttons", "bad")
        link = desk.done(slack_server.click(HR, message, "open"))["actions"][0]
        assert link["url"] == "https://a.b/#page=3"


def test_a_click_can_replace_or_delete_its_message(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        message = desk.post(BUTTONS)
        desk.done(slack_server.click(HR, message, "claim"))
        desk.responds[-1](text="Claimed by Hanna", replace_original=True)
        assert (message.text, message.blocks) == ("Claimed by Hanna", [])
        desk.responds[-1](text="gone", delete_original=True)
        assert slack_server.messages(GENERAL) == []
        with pytest.raises(MisuseError, match="gone"):
            slack_server.click(HR, message, "claim")


def test_a_click_on_an_ephemeral_message_has_no_message(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        desk.app.client.chat_postEphemeral(
            channel=GENERAL, user=ASKER, text="Where are you?", blocks=[BUTTONS]
        )
        (message,) = slack_server.ephemerals(GENERAL, ASKER)
        body = desk.done(slack_server.click(ASKER, message, "country", "IN"))
        assert body["container"]["is_ephemeral"]
        assert "message" not in body
        with pytest.raises(MisuseError, match="does not see"):
            slack_server.click(HR, message, "country", "IN")
        desk.responds[-1](delete_original=True)
        assert slack_server.ephemerals(GENERAL, ASKER) == []


def test_what_is_not_offered_cannot_be_chosen(slack_server: SlackServer) -> None:
    client = client_of(slack_server)
    client.chat_postMessage(channel=GENERAL, text="x", blocks=[BUTTONS, FEEDBACK])
    message = slack_server.messages(GENERAL)[0]
    for action, value, problem in (
        ("nothing", None, "there are: claim, country, feedback, open"),
        ("country", "FR", "does not offer 'FR', only: IN, DE"),
        ("feedback", "maybe", "no such feedback button"),
    ):
        with pytest.raises(MisuseError, match=problem):
            slack_server.click(HR, message, action, value)


def test_a_modal_is_filled_in_and_closes(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        view = desk.open(HR)
        body = desk.done(slack_server.submit(HR, view, {"text": "25 days"}))
    assert body["view"]["state"]["values"]["answer"]["text"]["value"] == "25 days"
    assert slack_server.modal(HR) is None


def test_a_modal_with_errors_stays_open(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    desk.answer = {"response_action": "errors", "errors": {"answer": "Too short"}}
    with connected(slack_server, desk.app):
        view = desk.open(HR)
        delivery = slack_server.submit(HR, view, {"text": "25"})
        desk.done(delivery)
    assert delivery.response == desk.answer
    assert slack_server.modal(HR) is view


def test_errors_for_a_block_that_is_none_are_noted(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    desk.answer = {"response_action": "errors", "errors": {"nothing": "Too short"}}
    with connected(slack_server, desk.app):
        delivery = slack_server.submit(HR, desk.open(HR), {"text": "25"})
        desk.done(delivery)
    assert delivery.attempts[0].problem == "invalid_errors"


def test_an_ack_changes_stacks_or_clears_modals(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        view = desk.open(HR)
        desk.answer = {"response_action": "update", "view": modal(title=plain("Again"))}
        desk.done(slack_server.submit(HR, view, {"text": "25"}))
        assert view.body["title"]["text"] == "Again"
        desk.answer = {"response_action": "push", "view": modal(title=plain("Sure?"))}
        desk.done(slack_server.submit(HR, view, {"text": "25"}))
        top = slack_server.modal(HR)
        assert top
        assert (top.previous_id, top.root_id) == (view.id, view.id)
        desk.answer = {"response_action": "update", "view": {"type": "modal"}}
        refused = slack_server.submit(HR, top, {"text": "25"})
        desk.done(refused)
        assert "invalid_view" in str(refused.attempts[0].problem)
        desk.answer = {"response_action": "clear"}
        desk.done(slack_server.submit(HR, top, {"text": "25"}))
    assert slack_server.modal(HR) is None


def test_an_input_is_checked_by_the_client(slack_server: SlackServer) -> None:
    trigger = slack_server.triggers.give(HR)
    client_of(slack_server).views_open(trigger_id=trigger, view=modal())
    view = slack_server.modal(HR)
    assert view
    for values, problem in (
        ({}, "text must be filled in"),
        ({"text": "x" * 21}, "do not fit"),
        ({"text": "x", "other": "y"}, "no such input: other"),
    ):
        with pytest.raises(MisuseError, match=problem):
            slack_server.submit(HR, view, values)


def test_closing_is_told_only_when_asked_for(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    client = desk.app.client
    with connected(slack_server, desk.app):
        for notify in (False, True):
            trigger = slack_server.triggers.give(HR)
            client.views_open(trigger_id=trigger, view=modal(notify_on_close=notify))
            view = slack_server.modal(HR)
            assert view
            delivery = slack_server.close(HR, view)
            assert (delivery is not None) is notify
            if delivery:
                assert desk.done(delivery)["type"] == "view_closed"


def error(call: Any, **args: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**args)
    return str(caught.value.response["error"])


def test_a_trigger_opens_one_view_within_three_seconds(slack_server: SlackServer) -> None:
    client = client_of(slack_server)
    trigger = slack_server.triggers.give(HR)
    client.views_open(trigger_id=trigger, view=modal())
    again = error(client.views_open, trigger_id=trigger, view=modal())
    assert again == "exchanged_trigger_id"
    slack_server.triggers.seconds = -1
    late = error(client.views_open, trigger_id=slack_server.triggers.give(HR), view=modal())
    assert late == "expired_trigger_id"
    assert error(client.views_open, trigger_id="1.2.x", view=modal()) == "invalid_trigger_id"


def test_views_are_checked_and_found(slack_server: SlackServer) -> None:
    client = client_of(slack_server)
    opened = client.views_open(
        trigger_id=slack_server.triggers.give(HR), view=modal(external_id="case-17")
    )["view"]
    updated = client.views_update(
        external_id="case-17", view=modal(external_id="case-17"), hash=opened["hash"]
    )["view"]
    assert updated["id"] == opened["id"]
    stale = error(client.views_update, view_id=opened["id"], view=modal(), hash=opened["hash"])
    assert stale == "hash_conflict"
    assert error(client.views_update, view_id="V0", view=modal()) == "not_found"
    big = modal(private_metadata="x" * 3001)
    assert error(client.views_update, view_id=opened["id"], view=big) == "invalid_arguments"
    twin = error(
        client.views_open,
        trigger_id=slack_server.triggers.give(ASKER),
        view=modal(external_id="case-17"),
    )
    assert twin == "duplicate_external_id"


def test_at_most_three_views_are_stacked(slack_server: SlackServer) -> None:
    client = client_of(slack_server)
    client.views_open(trigger_id=slack_server.triggers.give(HR), view=modal())
    for _ in range(2):
        top = slack_server.modal(HR)
        assert top
        client.views_push(trigger_id=slack_server.triggers.give(HR, top.id), view=modal())
    top = slack_server.modal(HR)
    assert top
    trigger = slack_server.triggers.give(HR, top.id)
    assert error(client.views_push, trigger_id=trigger, view=modal()) == "push_limit_reached"


def test_a_button_in_the_home_knows_its_view(slack_server: SlackServer) -> None:
    desk = Desk(slack_server)
    with connected(slack_server, desk.app):
        desk.app.client.views_publish(user_id=ASKER, view={"type": "home", "blocks": [BUTTONS]})
        home = slack_server.home(ASKER)
        assert home
        body = desk.done(slack_server.click_in_view(ASKER, home, "country", "IN"))
        assert body["view"]["id"] == body["container"]["view_id"] == home.id
        assert "channel" not in body
        with pytest.raises(MisuseError, match="not open"):
            slack_server.click_in_view(HR, home, "country", "IN")
        desk.app.client.views_publish(user_id=ASKER, view={"type": "home", "blocks": []})
        assert slack_server.home(ASKER) is home
        assert home.body["blocks"] == []
