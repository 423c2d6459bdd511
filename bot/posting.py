"""Messages that are posted exactly once, whatever Slack, the network or a kill does.

Each such message carries a mark in its metadata. After a failure that may have come after the
message was stored (a time-out, a cut connection, a 5xx) and after a crash, the thread is searched
for that mark before anything is posted again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import URLError

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from bot.errors import BotError

log = logging.getLogger(__name__)

ATTEMPTS = 3
PAGE = 100
"""Messages looked through in one call when a mark is searched."""

UNREACHABLE = frozenset(
    {
        "channel_not_found",
        "not_in_channel",
        "is_archived",
        "channel_is_archived",
        "restricted_action",
        "no_permission",
        "user_not_found",
        "thread_not_found",
        "message_not_found",
        "cannot_reply_to_message",
    }
)
"""Slack's errors that say that this place takes no message from us, now or a second later."""

REFUSED = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"}
)
"""Slack's errors that blame the message itself; a plainer one may pass."""

PASSING = frozenset(
    {"fatal_error", "internal_error", "ratelimited", "request_timeout", "service_unavailable"}
)
"""Slack's errors that are about Slack and not about the call."""


class CannotPost(BotError):
    """Slack took no message. `code` is Slack's own word, or the kind of network failure.

    `retry_after_s` is how long Slack asks to be left alone, 0 where it does not say.
    """

    retryable = True

    def __init__(self, channel: str, code: str, retry_after_s: float = 0.0) -> None:
        super().__init__(f"cannot post in {channel}: {code}")
        self.channel, self.code, self.retry_after_s = channel, code, retry_after_s


class Unreachable(CannotPost):
    """The channel is gone, archived or closed to the bot: invite it, or set another channel."""

    retryable = False


NETWORK = (URLError, HTTPException, OSError, json.JSONDecodeError)
"""How a call ends that was cut off on its way; a body cut short is JSON that does not parse."""


class _Ambiguous(Exception):
    """The call failed, but its effect may have happened."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Mark:
    """What names a message as the one for something: the answer to a question, for instance.

    `key` is channel and ts of the message that it is for: unlike a row's number, those stay true
    when the database is made anew. `since` is the ts from which on the marked message can stand.
    """

    kind: str
    key: str
    since: str

    @property
    def metadata(self) -> dict[str, Any]:
        return {"event_type": f"policypal_{self.kind}", "event_payload": {"key": self.key}}

    def names(self, message: dict[str, Any]) -> bool:
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        return metadata.get("event_type") == f"policypal_{self.kind}" and (
            payload.get("key") == self.key
        )


def mark(kind: str, channel: str, ts: str) -> Mark:
    """The mark of the message of `kind` that is for the message `ts` in `channel`.

    A `ts` may carry more after a slash, where one message is answered more than once.
    """
    return Mark(kind, f"{channel}:{ts}", message_ts(ts))


def message_ts(ts: str) -> str:
    """The message's own ts, without what a question's may carry after a slash."""
    return ts.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Post:
    """A message. `text` is what it says in plain mrkdwn, for notifications and as fallback."""

    channel: str
    text: str
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)


def post_once(client: WebClient, post: Post, mark: Mark, *, look_first: bool) -> str:
    """Post, unless the marked message stands there already; its ts either way.

    `look_first` is for work that somebody may have done before a crash. Raises CannotPost.
    """
    if look_first and (found := find_marked(client, post, mark)):
        return found
    waits = Retrying(
        retry=retry_if_exception_type(_Ambiguous),
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_exponential_jitter(multiplier=0.5, max=4),
        reraise=True,
    )
    try:
        for attempt in waits:
            with attempt:
                again = attempt.retry_state.attempt_number > 1
                if again and (found := find_marked(client, post, mark)):
                    return found
                return _post(client, post, mark)
    except _Ambiguous as error:
        raise CannotPost(post.channel, error.code) from error
    raise AssertionError("Retrying ends with a return or an exception")


def find_marked(client: WebClient, post: Post, mark: Mark) -> str | None:
    """The ts of the marked message in the post's thread (or channel), None when there is none.

    Raises CannotPost when the place cannot be read: not knowing is no reason to post twice.
    """
    try:
        for message in messages_since(client, post.channel, post.thread_ts, mark.since):
            if mark.names(message):
                return str(message["ts"])
    except (SlackApiError, *NETWORK) as error:
        raise cannot_post(post.channel, error) from error
    return None


def cannot_post(channel: str, error: Exception) -> CannotPost:
    """What Slack's refusal or a failed call means for whoever wanted to post."""
    code = error_code(error)
    if not isinstance(error, SlackApiError):
        return CannotPost(channel, code)
    if code in UNREACHABLE:
        return Unreachable(channel, code)
    return CannotPost(channel, code, _retry_after_s(error))


def may_pass(error: Exception) -> bool:
    """Whether the call may work a little later, for all that its failure says."""
    if not isinstance(error, SlackApiError):
        return True
    return error.response.status_code != 200 or error_code(error) in PASSING


def error_code(error: Exception) -> str:
    """Slack's own word for what went wrong, or the kind of network failure; fit for the log."""
    if not isinstance(error, SlackApiError):
        return type(error).__name__
    data = error.response.data
    if error.response.status_code < 400 and isinstance(data, dict) and data.get("error"):
        return str(data["error"]).partition("\n")[0][:200]
    return f"HTTP {error.response.status_code}"


def messages_since(
    client: WebClient, channel: str, thread_ts: str | None, since: str
) -> Iterator[dict[str, Any]]:
    """The messages of a thread, or of a channel outside threads, from the ts `since` on.

    Raises SlackApiError, and what NETWORK names.
    """
    cursor: str | None = None
    while True:
        arguments: dict[str, Any] = {
            "channel": channel,
            "include_all_metadata": True,
            "limit": PAGE,
            "oldest": since,
            "cursor": cursor,
        }
        if thread_ts is None:
            page = client.conversations_history(**arguments)
        else:
            page = client.conversations_replies(ts=thread_ts, **arguments)
        yield from page["messages"]
        cursor = (page.get("response_metadata") or {}).get("next_cursor") or None
        if cursor is None:
            return


def _post(client: WebClient, post: Post, mark: Mark) -> str:
    arguments: dict[str, Any] = {
        "channel": post.channel,
        "text": post.text,
        "thread_ts": post.thread_ts,
        "metadata": mark.metadata,
        "unfurl_links": False,
        "unfurl_media": False,
    }
    try:
        return _send(client, blocks=post.blocks or None, **arguments)
    except SlackApiError as error:
        code = error_code(error)
        if code in REFUSED and post.blocks:
            log.error("Slack refused the blocks of a message (%s); posting its text", code)
            return _send_plain(client, arguments)
        raise _classified(post.channel, error) from error


def _send_plain(client: WebClient, arguments: dict[str, Any]) -> str:
    try:
        return _send(client, **arguments)
    except SlackApiError as error:
        raise _classified(arguments["channel"], error) from error


def _send(client: WebClient, **arguments: Any) -> str:
    try:
        return str(client.chat_postMessage(**arguments)["ts"])
    except NETWORK as error:
        raise _Ambiguous(type(error).__name__) from error


def _classified(channel: str, error: SlackApiError) -> Exception:
    if error.response.status_code >= 500 or error_code(error) in {"fatal_error", "internal_error"}:
        return _Ambiguous(error_code(error))
    return cannot_post(channel, error)


def _retry_after_s(error: SlackApiError) -> float:
    after = error.response.headers.get("Retry-After", "")
    return float(after) if str(after).isdecimal() else 0.0
