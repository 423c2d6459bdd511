"""Small remarks that nothing depends on: shown once, or not at all."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.posting import NETWORK, error_code

log = logging.getLogger(__name__)

Respond = Callable[..., Any]
"""Slack's answer to one command or click; what is sent is seen by that person only."""


def whisper(client: WebClient, channel: str, user: str, text: str, thread_ts: str | None) -> None:
    """Show `text` to one person only; a failure is logged."""
    try:
        client.chat_postEphemeral(channel=channel, user=user, text=text, thread_ts=thread_ts)
    except (SlackApiError, *NETWORK) as error:
        log.warning("a remark could not be shown: %s", error_code(error))


def tell(respond: Respond, text: str) -> None:
    """Answer a command; a failure is logged."""
    try:
        respond(text)
    except NETWORK as error:
        log.warning("a command could not be answered: %s", error_code(error))
