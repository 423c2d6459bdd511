"""Clients of Slack's Web API: a patient one for what matters, and one for what may be lost."""

from __future__ import annotations

from slack_sdk import WebClient
from slack_sdk.http_retry import RetryHandler
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

RATE_LIMIT_RETRIES = 3
"""Waits for Slack's Retry-After that one call may take; after that the work goes back to its row
and is tried again later."""

LONGEST_WAIT_S = 30
"""A longer Retry-After is waited for by the row, not by the thread that holds it."""

TIMEOUT_S = 15
"""Seconds for a call that matters."""

PASSING_TIMEOUT_S = 3
"""Seconds for a call that may be lost: a status line, a step of a progress message."""


class WaitForRateLimit(RateLimitErrorRetryHandler):
    """Waits out a short Retry-After."""

    def _can_retry(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if response is None or response.status_code != 429:
            return False
        headers = {name.lower(): values for name, values in response.headers.items()}
        after = str((headers.get("retry-after") or ["1"])[0])
        return after.isdecimal() and int(after) <= LONGEST_WAIT_S


def slack_client(token: str, base_url: str) -> WebClient:
    """A Web API client that waits out rate limits, and never repeats a call by itself.

    The SDK's default repeats a call whose connection was cut, which may post a message twice.
    """
    handlers: list[RetryHandler] = [WaitForRateLimit(max_retry_count=RATE_LIMIT_RETRIES)]
    return WebClient(token=token, base_url=base_url, timeout=TIMEOUT_S, retry_handlers=handlers)


def passing_client(client: WebClient) -> WebClient:
    """The same for what may be lost: it gives up at once, so that nothing waits for it."""
    return WebClient(
        token=client.token,
        base_url=client.base_url,
        timeout=PASSING_TIMEOUT_S,
        retry_handlers=[],
    )
