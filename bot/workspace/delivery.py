"""Hand events, commands and interactions to the app: tries, acks, retries."""

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import Any, Protocol

from bot.workspace.journal import Attempt, Delivery, DeliveryKind, Journal
from bot.workspace.state import Channel, Workspace

ACK_SECONDS = 3.0
RETRY_DELAYS = (0.0, 60.0, 300.0)


class Transport(Protocol):
    async def send(self, delivery: Delivery, attempt: Attempt, timeout: float) -> None: ...


class Courier:
    """Delivers over Socket Mode or, when `transport` is replaced, over HTTP.

    `ack_seconds` is how long Slack waits for an ack (docs: 3 s). `retry_delays` are the seconds
    before each further try of an event (at once, 1 min, 5 min); commands and interactions are
    never retried. `copies` above 1 delivers each event that often at once.
    """

    def __init__(self, workspace: Workspace, journal: Journal, transport: Transport) -> None:
        self.transport = transport
        self.ack_seconds = ACK_SECONDS
        self.retry_delays: tuple[float, ...] = RETRY_DELAYS
        self.copies = 1
        self._workspace = workspace
        self._journal = journal
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    async def stop(self) -> None:
        self._loop = None
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def deliver(
        self,
        kind: DeliveryKind,
        name: str,
        payload: dict[str, Any],
        on_ack: Callable[[Delivery], None] | None = None,
    ) -> Delivery:
        """Start a delivery; `on_ack` runs once in the server with the acked delivery."""
        delivery = Delivery(kind, name, payload)
        with self._workspace.changed:
            self._journal.deliveries.append(delivery)
        copies = self.copies if kind == "events_api" else 1
        for _ in range(copies):
            self._spawn(delivery, on_ack)
        return delivery

    def redeliver(self, delivery: Delivery, attempt: int = 0, reason: str = "") -> None:
        """Send the same payload again, acked or not (`attempt` above 0: as a retry)."""
        self._spawn(delivery, None, first=attempt, reason=reason, once=True)

    def event(self, event: dict[str, Any], channel: Channel | None = None) -> Delivery:
        """Deliver an event in the Events API's frame."""
        app, team = self._workspace.app, self._workspace.team
        payload = {
            "token": "local",
            "team_id": team.id,
            "context_team_id": team.id,
            "context_enterprise_id": None,
            "api_app_id": app.app_id,
            "event": {"event_ts": event.get("ts") or self._workspace.next_ts()} | event,
            "type": "event_callback",
            "event_id": f"Ev{secrets.token_hex(5).upper()}",
            "event_time": int(time.time()),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": team.id,
                    "user_id": app.bot_user,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": bool(channel and channel.is_ext_shared),
        }
        return self.deliver("events_api", event["type"], payload)

    def _spawn(
        self,
        delivery: Delivery,
        on_ack: Callable[[Delivery], None] | None,
        first: int = 0,
        reason: str = "",
        once: bool = False,
    ) -> None:
        if self._loop is None:
            delivery.outcome = "failed"
            return

        def begin() -> None:
            task = asyncio.ensure_future(self._run(delivery, on_ack, first, reason, once))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        self._loop.call_soon_threadsafe(begin)

    async def _run(
        self,
        delivery: Delivery,
        on_ack: Callable[[Delivery], None] | None,
        first: int,
        reason: str,
        once: bool,
    ) -> None:
        retries = self.retry_delays if delivery.kind == "events_api" and not once else ()
        for number, delay in enumerate((0.0, *retries), start=first):
            if delay:
                await asyncio.sleep(delay)
            attempt = Attempt(number, reason, secrets.token_hex(16))
            with self._workspace.changed:
                delivery.attempts.append(attempt)
            await self.transport.send(delivery, attempt, self.ack_seconds)
            if attempt.acked_at is not None:
                self._finish(delivery, on_ack)
                return
            reason = attempt.problem or "timeout"
            if reason == "no_retry":
                break
        with self._workspace.changed:
            if not delivery.acked:
                delivery.outcome = "failed"
            self._workspace.changed.notify_all()

    def _finish(self, delivery: Delivery, on_ack: Callable[[Delivery], None] | None) -> None:
        with self._workspace.changed:
            first = not delivery.acked
            delivery.outcome = "acked"
            if first and on_ack:
                on_ack(delivery)
            self._workspace.changed.notify_all()
