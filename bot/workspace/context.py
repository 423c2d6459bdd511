"""What a Web API method is given: the state, the arguments, and ways to reach the app."""

import json
import secrets
import time
from dataclasses import dataclass
from typing import Any

from bot.workspace.delivery import Courier
from bot.workspace.errors import SlackError
from bot.workspace.sockets import SocketHub
from bot.workspace.state import Channel, Message, Workspace

TRIGGER_SECONDS = 3.0


class Args(dict[str, Any]):
    """Arguments of a call, from JSON, a form or the query; forms hold everything as text."""

    def text(self, name: str, default: str = "") -> str:
        value = self.get(name)
        return default if value is None else str(value)

    def needed(self, name: str) -> str:
        """Raises SlackError `invalid_arguments` when the argument is missing or empty."""
        if not self.text(name):
            raise SlackError("invalid_arguments", f"missing required field: {name}")
        return self.text(name)

    def flag(self, name: str) -> bool:
        return str(self.get(name, "")).lower() in ("1", "true")

    def number(self, name: str, default: int) -> int:
        try:
            return int(self.text(name) or default)
        except ValueError as error:
            raise SlackError("invalid_arguments", f"must be a number: {name}") from error

    def structure(self, name: str) -> Any:
        """A list or an object, which may come as JSON text; None when absent."""
        value = self.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value) if value else None
        except ValueError as error:
            code = "invalid_blocks_format" if name == "blocks" else "invalid_arguments"
            raise SlackError(code, f"not JSON: {name}") from error


class Triggers:
    """Trigger ids: each opens one view, within 3 s of the person's act."""

    def __init__(self) -> None:
        self.seconds = TRIGGER_SECONDS
        self._given: dict[str, tuple[float, str, str | None]] = {}
        self._used: set[str] = set()

    def give(self, user: str, view_id: str | None = None) -> str:
        trigger = f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
        self._given[trigger] = (time.monotonic(), user, view_id)
        return trigger

    def exchange(self, trigger: str) -> tuple[str, str | None]:
        """The user whose act it was and the view acted in.

        Raises SlackError `invalid_trigger_id`, `exchanged_trigger_id` or `expired_trigger_id`.
        """
        if trigger not in self._given:
            raise SlackError("invalid_trigger_id")
        if trigger in self._used:
            raise SlackError("exchanged_trigger_id")
        given_at, user, view_id = self._given[trigger]
        if time.monotonic() - given_at > self.seconds:
            raise SlackError("expired_trigger_id")
        self._used.add(trigger)
        return user, view_id


@dataclass(frozen=True, slots=True)
class Context:
    """One call. `base_url` is the server's own (`http://127.0.0.1:PORT`)."""

    args: Args
    workspace: Workspace
    courier: Courier
    hub: SocketHub
    triggers: Triggers
    base_url: str

    def needs(self, *scopes: str) -> None:
        """Raises SlackError `missing_scope` unless the app was granted each scope."""
        granted = self.workspace.app.scopes
        for scope in scopes:
            if scope not in granted:
                raise SlackError("missing_scope", needed=scope, provided=",".join(granted))

    def channel(self, name: str = "channel", *, reading: str | None = None) -> Channel:
        """The channel that an argument names; the app sees only what its bot user may see.

        `reading` is "history" or "read": the scope of the channel's kind is needed as well.
        Raises SlackError `channel_not_found` or `missing_scope`.
        """
        id = self.args.needed(name)
        channel = self.workspace.channels.get(id)
        if channel is None or (channel.kind != "public" and not self.is_member(channel)):
            raise SlackError("channel_not_found")
        if reading:
            kinds = {"public": "channels", "private": "groups", "dm": "im", "mpim": "mpim"}
            self.needs(f"{kinds[channel.kind]}:{reading}")
        return channel

    def is_member(self, channel: Channel) -> bool:
        return self.workspace.app.bot_user in channel.members

    def message(self, channel: Channel, ts: str) -> Message:
        """Raises SlackError `message_not_found`."""
        message = channel.messages.get(ts)
        if message is None or message.subtype == "tombstone":
            raise SlackError("message_not_found")
        return message
