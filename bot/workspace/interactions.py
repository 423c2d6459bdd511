"""What people do with the app: run commands, press buttons, fill in modals."""

from collections.abc import Callable, Mapping
from typing import Any

from bot.workspace.acts import Acts
from bot.workspace.blocks import check_view
from bot.workspace.choices import chosen, elements, initial
from bot.workspace.errors import MisuseError, SlackError
from bot.workspace.journal import Delivery
from bot.workspace.methods.views import push_modal, replace_view
from bot.workspace.shapes import message_json, view_json
from bot.workspace.state import Channel, Message, View
from bot.workspace.text import escape


class Interactions(Acts):
    """The acts that the app acks with an answer of its own."""

    def command(self, user: str, channel: str, command: str, text: str = "") -> Delivery:
        """Run a slash command (`/policy`); what comes with its ack is shown as Slack does."""
        app, team = self.workspace.app, self.workspace.team
        if app.commands is not None and command not in app.commands:
            raise MisuseError(f"{command} is not a valid command")
        with self.workspace.changed:
            place = self._place(user, channel)
            payload = {
                "token": "local",
                "team_id": team.id,
                "team_domain": team.domain,
                "channel_id": place.id,
                "channel_name": _command_channel(place),
                "user_id": user,
                "user_name": self.workspace.users[user].name,
                "command": command,
                "text": escape(text),
                "api_app_id": app.app_id,
                "is_enterprise_install": "false",
                "response_url": self.responses.give(place.id, user),
                "trigger_id": self.triggers.give(user),
            }

            def show(delivery: Delivery) -> None:
                body = delivery.response or {}
                if body.get("text") or body.get("blocks"):
                    self._try(delivery, lambda: self.responses.reply(place.id, user, body))

            return self.courier.deliver("slash_commands", command, payload, show)

    def click(
        self,
        user: str,
        message: Message,
        action_id: str,
        value: Any = None,
        *,
        block_id: str | None = None,
    ) -> Delivery:
        """Press a button or choose in a message. Among several elements of that action_id,
        `block_id` or a button's `value` says which."""
        with self.workspace.changed:
            place = self._place(user, message.channel)
            if message.ephemeral_to not in (None, user):
                raise MisuseError(f"{user} does not see that message")
            if message not in [*place.messages.values(), *place.ephemerals]:
                raise MisuseError("the message is gone")
            block, element = _find(message.blocks, action_id, value, block_id)
            container = {
                "type": "message",
                "message_ts": message.ts,
                "channel_id": place.id,
                "is_ephemeral": message.ephemeral_to is not None,
            }
            if message.thread_ts:
                container["thread_ts"] = message.thread_ts
            rest: dict[str, Any] = {
                "container": container,
                "channel": {"id": place.id, "name": place.name or "directmessage"},
                "response_url": self.responses.give(place.id, user, message),
                "trigger_id": self.triggers.give(user),
                "state": {"values": {}},
            }
            if message.ephemeral_to is None:
                rest["message"] = message_json(self.workspace, message, all_metadata=True)
            return self._action(user, block, element, value, rest)

    def click_in_view(
        self,
        user: str,
        view: View,
        action_id: str,
        value: Any = None,
        *,
        block_id: str | None = None,
    ) -> Delivery:
        """Press a button or choose in a modal or in the app home."""
        with self.workspace.changed:
            self._open(user, view)
            block, element = _find(view.body["blocks"], action_id, value, block_id)
            if element["type"] != "button":
                state = {"type": element["type"], **chosen(element, value)}
                view.values.setdefault(block, {})[action_id] = state
            rest = {
                "container": {"type": "view", "view_id": view.id},
                "view": view_json(self.workspace, view),
                "trigger_id": self.triggers.give(user, view.id),
            }
            return self._action(user, block, element, value, rest)

    def submit(self, user: str, view: View, values: Mapping[str, Any]) -> Delivery:
        """Fill in a modal (action_id -> value) and submit it.

        The modal closes, stays with errors, or changes as the app's ack says; an ack that Slack
        would refuse leaves it open and is noted as the attempt's `problem`.
        """
        with self.workspace.changed:
            self._open(user, view)
            view.values = _filled(view, values)
            payload = self._interaction(user, "view_submission") | {
                "view": view_json(self.workspace, view),
                "trigger_id": self.triggers.give(user, view.id),
                "response_urls": [],
            }

            def follow(delivery: Delivery) -> None:
                self._try(delivery, lambda: self._follow(user, view, delivery.response or {}))

            return self.courier.deliver("interactive", "view_submission", payload, follow)

    def close(self, user: str, view: View) -> Delivery | None:
        """Close a modal; the app hears of it when the view asked for that."""
        with self.workspace.changed:
            self._open(user, view)
            shape = view_json(self.workspace, view)
            self._pop(user, view)
            if not view.body.get("notify_on_close"):
                return None
            payload = self._interaction(user, "view_closed") | {"view": shape, "is_cleared": False}
            return self.courier.deliver("interactive", "view_closed", payload)

    def _open(self, user: str, view: View) -> None:
        shown = [*self.workspace.modals.get(user, [])[-1:], self.workspace.homes.get(user)]
        if view.id not in shown:
            raise MisuseError("the view is not open")

    def _action(
        self, user: str, block_id: str, element: dict[str, Any], value: Any, rest: dict[str, Any]
    ) -> Delivery:
        action = {
            "type": element["type"],
            "action_id": element["action_id"],
            "block_id": block_id,
            "action_ts": self.workspace.next_ts(),
            **chosen(element, value),
        }
        payload = self._interaction(user, "block_actions") | rest | {"actions": [action]}
        return self.courier.deliver("interactive", "block_actions", payload)

    def _interaction(self, user: str, kind: str) -> dict[str, Any]:
        team, name = self.workspace.team, self.workspace.users[user].name
        return {
            "type": kind,
            "token": "local",
            "api_app_id": self.workspace.app.app_id,
            "team": {"id": team.id, "domain": team.domain},
            "user": {"id": user, "username": name, "name": name, "team_id": team.id},
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def _follow(self, user: str, view: View, response: dict[str, Any]) -> None:
        match response.get("response_action"):
            case None:
                self._pop(user, view)
            case "clear":
                for id in self.workspace.modals.pop(user, []):
                    del self.workspace.views[id]
            case "errors":
                blocks = {b["block_id"] for b in view.body["blocks"] if b["type"] == "input"}
                if not set(response.get("errors", {})) <= blocks:
                    raise SlackError("invalid_errors")
            case "update" | "push" as action:
                body = response.get("view")
                problems = check_view(body, "modal")
                if problems or not isinstance(body, dict):
                    raise SlackError("invalid_view", *problems)
                if action == "update":
                    replace_view(view, body)
                else:
                    push_modal(self.workspace, user, body)
            case other:
                raise SlackError(f"unknown response_action {other}")

    def _pop(self, user: str, view: View) -> None:
        stack = self.workspace.modals.get(user, [])
        if view.id in stack:
            stack.remove(view.id)
            del self.workspace.views[view.id]

    def _try(self, delivery: Delivery, follow: Callable[[], None]) -> None:
        try:
            follow()
        except SlackError as error:
            delivery.attempts[-1].problem = "; ".join((error.code, *error.messages))


def _command_channel(channel: Channel) -> str:
    return {"dm": "directmessage", "private": "privategroup"}.get(channel.kind, channel.name)


def _find(
    blocks: list[dict[str, Any]], action_id: str, value: Any, block_id: str | None
) -> tuple[str, dict[str, Any]]:
    found = [
        (block, element)
        for block, element in elements(blocks)
        if element["action_id"] == action_id and block_id in (None, block)
    ]
    if len(found) > 1 and value is not None:
        found = [(b, e) for b, e in found if e["type"] != "button" or e.get("value") == value]
    if len(found) != 1:
        offered = ", ".join(sorted(e["action_id"] for _, e in elements(blocks)))
        raise MisuseError(f"{len(found)} elements {action_id!r}; there are: {offered or 'none'}")
    return found[0]


def _filled(view: View, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The view's state; raises MisuseError for an unknown or a missing input."""
    state: dict[str, dict[str, Any]] = {}
    left = dict(values)
    optional = {b["block_id"]: b.get("optional", False) for b in view.body["blocks"]}
    inputs = {b["block_id"] for b in view.body["blocks"] if b["type"] == "input"}
    for block, element in elements(view.body["blocks"]):
        if element["type"] in ("button", "overflow"):
            continue
        action = element["action_id"]
        kept = view.values.get(block, {}).get(action)
        if action in left:
            now = {"type": element["type"], **chosen(element, left.pop(action))}
        else:
            now = kept or {"type": element["type"], **initial(element)}
        if (
            block in inputs
            and not optional[block]
            and not any(v for k, v in now.items() if k != "type")
        ):
            raise MisuseError(f"{action} must be filled in")
        state.setdefault(block, {})[action] = now
    if left:
        raise MisuseError(f"no such input: {', '.join(left)}")
    return state
