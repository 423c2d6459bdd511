"""Slack's HTTP delivery: signed POSTs to the app's request URL."""

import asyncio
import hashlib
import hmac
import json
import secrets
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlencode

from bot.workspace.journal import Attempt, Delivery
from bot.workspace.state import Workspace


class HttpTransport:
    """Posts to `url`; any 2xx within the time limit is an ack."""

    def __init__(self, workspace: Workspace, url: str) -> None:
        self.url = url
        self._workspace = workspace

    async def send(self, delivery: Delivery, attempt: Attempt, timeout: float) -> None:
        attempt.sent_at = time.time()
        await asyncio.to_thread(self._post, delivery, attempt, timeout)

    def _post(self, delivery: Delivery, attempt: Attempt, timeout: float) -> None:
        body, content_type = _encode(delivery)
        headers = self.signed(body) | {"Content-Type": content_type}
        if attempt.number:
            headers |= {
                "X-Slack-Retry-Num": str(attempt.number),
                "X-Slack-Retry-Reason": attempt.reason,
            }
        request = urllib.request.Request(self.url, data=body, headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=timeout) as answer:
                attempt.response = _decode(answer.read())
                attempt.acked_at = time.time()
        except urllib.error.HTTPError as error:
            attempt.problem = "http_error"
            if error.headers.get("X-Slack-No-Retry") == "1":
                attempt.problem = "no_retry"
        except TimeoutError:
            attempt.problem = "http_timeout"
        except OSError as error:
            timed_out = isinstance(getattr(error, "reason", None), TimeoutError)
            attempt.problem = "http_timeout" if timed_out else "connection_failed"

    def verify(self) -> bool:
        """Send Slack's `url_verification`; True when the challenge comes back."""
        challenge = secrets.token_hex(16)
        payload = {"type": "url_verification", "token": "local", "challenge": challenge}
        delivery, attempt = Delivery("events_api", "url_verification", payload), Attempt(0, "", "")
        self._post(delivery, attempt, 3.0)
        return challenge in (attempt.response or {}).values()

    def signed(self, body: bytes, at: float | None = None) -> dict[str, str]:
        """Slack's signature headers for a body; `at` in seconds, now when left out."""
        timestamp = str(int(time.time() if at is None else at))
        base = b"v0:" + timestamp.encode() + b":" + body
        secret = self._workspace.app.signing_secret.encode()
        signature = hmac.new(secret, base, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={signature}"}


def _encode(delivery: Delivery) -> tuple[bytes, str]:
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload).encode(), "application/json"
    form = delivery.payload
    if delivery.kind == "interactive":
        form = {"payload": json.dumps(delivery.payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


def _decode(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        decoded = json.loads(body)
    except ValueError:
        return {"text": body.decode("utf-8", "replace")}
    return decoded if isinstance(decoded, dict) else {}
