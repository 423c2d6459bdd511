"""The status line that Slack shows while the bot works. It never matters whether it works."""

from __future__ import annotations

import logging

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.posting import NETWORK, error_code

log = logging.getLogger(__name__)


def show_status(client: WebClient, channel: str, thread_ts: str, status: str) -> None:
    """Show `status` in the thread; Slack takes it away when the next message is posted."""
    try:
        client.assistant_threads_setStatus(channel_id=channel, thread_ts=thread_ts, status=status)
    except (SlackApiError, *NETWORK) as error:
        log.debug("no status shown: %s", error_code(error))
