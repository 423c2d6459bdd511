"""Socket Mode: the websockets that the app opened, and the envelopes sent over them."""

import asyncio
import json
import random
import secrets
import time
from typing import Any

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from bot.workspace.connections import abort
from bot.workspace.journal import Attempt, Delivery
from bot.workspace.state import Workspace

MOST_SOCKETS = 10


class Link:
    """One open websocket."""

    def __init__(self, websocket: WebSocket, receive: Receive) -> None:
        self.id = secrets.token_hex(4)
        self.websocket = websocket
        self.receive = receive
        self.opened_at = time.time()
        self.leaving = False


class SocketHub:
    """The app's sockets. Slack allows ten for an app and gives each envelope to a random one.

    `refusing` turns new sockets away; `acks_to_lose` makes the next acks vanish on the way.
    """

    def __init__(self, workspace: Workspace, url: str) -> None:
        self.refusing = False
        self.acks_to_lose = 0
        self.links: list[Link] = []
        self._workspace = workspace
        self._url = url
        self._tickets: set[str] = set()
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}

    def new_url(self) -> str:
        """A websocket URL that is good for one connection."""
        ticket = secrets.token_hex(8)
        self._tickets.add(ticket)
        return f"{self._url}?ticket={ticket}&app_id={self._workspace.app.app_id}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold one socket from its handshake to its end (an ASGI endpoint)."""
        websocket = WebSocket(scope, receive, send)
        ticket = websocket.query_params.get("ticket", "")
        if self.refusing or ticket not in self._tickets:
            await websocket.close(1008)
            return
        self._tickets.remove(ticket)
        await websocket.accept()
        link = Link(websocket, receive)
        if len(self.links) >= MOST_SOCKETS:
            await websocket.send_text(json.dumps(_disconnect("too_many_websockets")))
            await websocket.close(1008)
            return
        await websocket.send_text(json.dumps(self._hello()))
        self._note(add=link)
        try:
            while True:
                self._take_ack(await websocket.receive_text())
        except (WebSocketDisconnect, KeyError, RuntimeError):
            pass
        finally:
            self._note(remove=link)

    async def send(self, delivery: Delivery, attempt: Attempt, timeout: float) -> None:
        """One try; `attempt` holds the ack or the problem (`no_socket`, `timeout`, `gone`)."""
        usable = [link for link in self.links if not link.leaving]
        if not usable:
            attempt.problem = "no_socket"
            return
        envelope: dict[str, Any] = {
            "envelope_id": attempt.envelope_id,
            "type": delivery.kind,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.kind == "events_api":
            envelope |= {"retry_attempt": attempt.number, "retry_reason": attempt.reason}
        ack: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[attempt.envelope_id] = ack
        attempt.sent_at = time.time()
        try:
            await random.choice(usable).websocket.send_text(json.dumps(envelope))
            attempt.response = await asyncio.wait_for(ack, timeout)
            attempt.acked_at = time.time()
        except TimeoutError:
            attempt.problem = "timeout"
        except (WebSocketDisconnect, RuntimeError):
            attempt.problem = "gone"
        finally:
            self._waiting.pop(attempt.envelope_id, None)

    async def drop(self) -> None:
        """Break each connection without a close frame."""
        for link in list(self.links):
            abort(link.receive)

    async def close(self) -> None:
        """Close each connection with a close frame and no warning."""
        for link in list(self.links):
            await link.websocket.close(1000)

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Tell each socket to reconnect, as Slack does now and then; it gets no more envelopes."""
        for link in list(self.links):
            link.leaving = True
            await link.websocket.send_text(json.dumps(_disconnect(reason)))

    def _take_ack(self, text: str) -> None:
        message = json.loads(text)
        waiting = self._waiting.get(message.get("envelope_id", ""))
        if waiting is None or waiting.done():
            return
        if self.acks_to_lose:
            self.acks_to_lose -= 1
            return
        waiting.set_result(message.get("payload") or {})

    def _note(self, add: Link | None = None, remove: Link | None = None) -> None:
        with self._workspace.changed:
            if add:
                self.links.append(add)
            if remove:
                self.links.remove(remove)
            self._workspace.changed.notify_all()

    def _hello(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "num_connections": len(self.links) + 1,
            "connection_info": {"app_id": self._workspace.app.app_id},
            "debug_info": {"host": "local", "approximate_connection_time": 18060},
        }


def _disconnect(reason: str) -> dict[str, Any]:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "local"}}
