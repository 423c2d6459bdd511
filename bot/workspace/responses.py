"""response_url: where the app may answer a command or a click, five times within 30 minutes."""

import json
import secrets
import time
from dataclasses import dataclass
from typing import Any

from bot.workspace.delivery import Courier
from bot.workspace.errors import SlackError
from bot.workspace.messages import add_message, change_message, remove_message
from bot.workspace.methods.chat import accepted
from bot.workspace.state import Message, Workspace

MOST_USES = 5
SECONDS = 30 * 60.0


@dataclass(slots=True)
class _Ticket:
    channel: str
    user: str
    message: Message | None
    given_at: float
    uses: int = 0


class ResponseUrls:
    """Gives response URLs and takes what the app posts to them."""

    def __init__(self, workspace: Workspace, courier: Courier, base_url: str) -> None:
        self.seconds = SECONDS
        self._workspace = workspace
        self._courier = courier
        self._base_url = base_url
        self._tickets: dict[str, _Ticket] = {}

    def give(self, channel: str, user: str, message: Message | None = None) -> str:
        key = secrets.token_hex(12)
        self._tickets[key] = _Ticket(channel, user, message, time.monotonic())
        return f"{self._base_url}/response/{key}"

    def take(self, key: str, body: Any) -> None:
        """One POST. Raises SlackError `expired_url`, `used_url`, `no_text`, `invalid_blocks`."""
        ticket = self._tickets.get(key)
        if ticket is None or time.monotonic() - ticket.given_at > self.seconds:
            raise SlackError("expired_url")
        if ticket.uses >= MOST_USES:
            raise SlackError("used_url")
        if not isinstance(body, dict):
            raise SlackError("invalid_payload")
        ticket.uses += 1
        self.reply(ticket.channel, ticket.user, body, ticket.message)

    def reply(
        self, channel: str, user: str, body: dict[str, Any], acted_on: Message | None = None
    ) -> None:
        """Do what a reply asks for; also used for what comes with the ack of a command."""
        if acted_on and body.get("delete_original"):
            self._delete(acted_on)
            return
        text = str(body.get("text") or "")
        blocks = body.get("blocks") or []
        if isinstance(blocks, str):
            blocks = json.loads(blocks)
        if not text and not blocks:
            raise SlackError("no_text")
        blocks = accepted(blocks)
        if acted_on and body.get("replace_original"):
            self._replace(acted_on, text, blocks)
            return
        app = self._workspace.app
        message = Message(
            channel=channel,
            ts=self._workspace.next_ts(),
            user=app.bot_user,
            text=text,
            blocks=blocks,
            thread_ts=body.get("thread_ts"),
            bot_id=app.bot_id,
            app_id=app.app_id,
        )
        if body.get("response_type") == "in_channel":
            add_message(self._workspace, self._courier, message)
        else:
            message.ephemeral_to = user
            self._workspace.channels[channel].ephemerals.append(message)

    def _replace(self, message: Message, text: str, blocks: list[dict[str, Any]]) -> None:
        if message.ephemeral_to:
            message.text, message.blocks = text, blocks
        else:
            change_message(self._workspace, self._courier, message, text=text, blocks=blocks)

    def _delete(self, message: Message) -> None:
        if message.ephemeral_to:
            self._workspace.channels[message.channel].ephemerals.remove(message)
        else:
            remove_message(self._workspace, self._courier, message)
