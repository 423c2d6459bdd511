"""Which of Slack's message events are questions or replies of people, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.text import mentions, plain

PEOPLE_SUBTYPES = frozenset({None, "file_share", "thread_broadcast"})
"""A message that a person wrote; every other subtype is an edit, a join or a bot's."""

SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that a person wrote. `to_bot`: in a direct message, or with a mention of the bot.

    `raw` is the text as Slack sent it, `text` the same as plain text, without mentions; `files`
    says that files came with it. `thread_ts` is the thread it stands in, None for one of its own.
    """

    channel: str
    ts: str
    thread_ts: str | None
    user: str
    raw: str
    text: str
    files: bool
    direct: bool
    to_bot: bool


def read_message(event: Mapping[str, Any], bot_user: str) -> Incoming | None:
    """The message of a `message` or `app_mention` event; None when no person wrote it."""
    user = event.get("user")
    if (
        not user
        or user in (bot_user, SLACKBOT)
        or event.get("bot_id")
        or event.get("hidden")
        or event.get("subtype") not in PEOPLE_SUBTYPES
    ):
        return None
    raw = event.get("text") or ""
    direct = event.get("channel_type") == "im"
    return Incoming(
        channel=event["channel"],
        ts=event["ts"],
        thread_ts=event.get("thread_ts"),
        user=user,
        raw=raw,
        text=plain(raw),
        files=bool(event.get("files")),
        direct=direct,
        to_bot=direct or mentions(raw, bot_user),
    )
