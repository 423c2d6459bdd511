"""The local Slack server: a workspace that a real Bolt app talks to over HTTP and websockets."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

import uvicorn

from bot.workspace.context import Triggers
from bot.workspace.delivery import Courier
from bot.workspace.errors import WorkspaceError
from bot.workspace.faults import Faults
from bot.workspace.installation import Installation
from bot.workspace.interactions import Interactions
from bot.workspace.journal import ApiCall, Delivery, Journal
from bot.workspace.request_url import HttpTransport
from bot.workspace.responses import ResponseUrls
from bot.workspace.sockets import SocketHub
from bot.workspace.state import Channel, Message, View, Workspace
from bot.workspace.web import Surface

T = TypeVar("T")
# HTTP deliveries and held calls each take a thread.
MOST_THREADS = 64


class SlackServer(Interactions):
    """Serves one workspace on 127.0.0.1 from a thread of its own.

    The app gets `api_url` as its Web API, `app.bot_token` and, for Socket Mode, `app.app_token`.
    With `request_url` deliveries go there over HTTP, signed with `app.signing_secret`.
    `ping_seconds` is the time between the server's websocket pings. State outlives `stop` and
    `start`, and so does the port.
    """

    def __init__(
        self,
        app: Installation | None = None,
        *,
        port: int = 0,
        request_url: str | None = None,
        ping_seconds: float = 0.5,
    ) -> None:
        self.app = app or Installation()
        self._socket: socket.socket | None = _listen(port)
        self.port: int = self._socket.getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.api_url = f"{self.base_url}/api/"
        workspace = Workspace(self.app)
        self.journal = Journal()
        self.faults = Faults()
        self.sockets = SocketHub(workspace, f"ws://127.0.0.1:{self.port}/link")
        self.http = HttpTransport(workspace, request_url or "")
        courier = Courier(workspace, self.journal, self.http if request_url else self.sockets)
        triggers = Triggers()
        responses = ResponseUrls(workspace, courier, self.base_url)
        super().__init__(workspace, courier, triggers, responses)
        self._web = Surface(
            workspace,
            self.journal,
            self.faults,
            courier,
            self.sockets,
            triggers,
            responses,
            self.base_url,
        ).app()
        self._ping_seconds = ping_seconds
        self._uvicorn: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Raises WorkspaceError when the server does not come up within 10 s."""
        listening = self._socket or _listen(self.port)
        self._socket = None
        config = uvicorn.Config(
            self._web,
            http="h11",
            ws="websockets-sansio",
            ws_ping_interval=self._ping_seconds,
            ws_ping_timeout=20,
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=asyncio.run, args=(self._serve(self._uvicorn, listening),), daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + 10
        while not self._uvicorn.started:
            if time.monotonic() > deadline:
                raise WorkspaceError("the local Slack server did not start within 10 s")
            time.sleep(0.005)

    def stop(self) -> None:
        """Close every connection and the port; faults are forgotten."""
        self.faults.clear()
        if self._uvicorn and self._thread:
            self._uvicorn.should_exit = True
            self._thread.join(15)
            self._uvicorn = self._thread = None
        if self._socket:
            self._socket.close()
            self._socket = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def wait_for(self, predicate: Callable[[], T], timeout: float = 10.0) -> T:
        """The first truthy value of `predicate`, tried at each change and every 50 ms.

        Raises WorkspaceError after `timeout` seconds, with the last calls and deliveries.
        """
        # The predicate runs outside the lock: it may call the Web API.
        deadline = time.monotonic() + timeout
        while not (value := predicate()):
            left = deadline - time.monotonic()
            if left <= 0:
                raise WorkspaceError(f"waited {timeout} s in vain\n{self.summary()}")
            with self.workspace.changed:
                self.workspace.changed.wait(min(left, 0.05))
        return value

    def deliver_over_http(self, request_url: str) -> None:
        """From now on deliver to that URL."""
        self.http.url = request_url
        self.courier.transport = self.http

    def messages(self, channel: str) -> list[Message]:
        """All messages of a channel (or of a user's DM) in order, replies among them."""
        with self.workspace.changed:
            return list(self._channel(channel).messages.values())

    def thread(self, channel: str, ts: str) -> list[Message]:
        """The root and its replies, oldest first."""
        with self.workspace.changed:
            return self._channel(channel).thread(ts)

    def bot_replies(self, message: Message) -> list[Message]:
        """What the bot posted in the thread of that message."""
        root = message.thread_ts or message.ts
        return [m for m in self.thread(message.channel, root) if m.bot_id == self.app.bot_id]

    def ephemerals(self, channel: str, user: str) -> list[Message]:
        """What only that user sees in the channel."""
        with self.workspace.changed:
            return [m for m in self._channel(channel).ephemerals if m.ephemeral_to == user]

    def modal(self, user: str) -> View | None:
        """The modal on top of the user's stack."""
        with self.workspace.changed:
            stack = self.workspace.modals.get(user)
            return self.workspace.views[stack[-1]] if stack else None

    def home(self, user: str) -> View | None:
        """The user's app home."""
        with self.workspace.changed:
            return self.workspace.views.get(self.workspace.homes.get(user, ""))

    def calls(self, method: str | None = None) -> list[ApiCall]:
        with self.workspace.changed:
            return [c for c in self.journal.calls if method in (None, c.method)]

    def deliveries(self, name: str | None = None) -> list[Delivery]:
        """Deliveries by event type, command or interaction type."""
        with self.workspace.changed:
            return [d for d in self.journal.deliveries if name in (None, d.name)]

    def deliveries_of(self, message: Message) -> list[Delivery]:
        """The events that carried that message."""
        with self.workspace.changed:
            return [
                d
                for d in self.journal.deliveries
                if d.kind == "events_api" and d.payload["event"].get("ts") == message.ts
            ]

    def drop_sockets(self) -> None:
        """Break each websocket without a close frame."""
        self._run(self.sockets.drop)

    def close_sockets(self) -> None:
        """Close each websocket without a warning."""
        self._run(self.sockets.close)

    def refresh_sockets(self, reason: str = "refresh_requested") -> None:
        """Send each websocket Slack's `disconnect` message."""
        self._run(lambda: self.sockets.refresh(reason))

    def summary(self) -> str:
        """The last calls and deliveries, one a line, for messages of failed tests."""
        with self.workspace.changed:
            calls = [f"  {c.method} -> {c.outcome}" for c in self.journal.calls[-12:]]
            deliveries = [
                f"  {d.kind} {d.name} -> {d.outcome} {[a.problem for a in d.attempts]}"
                for d in self.journal.deliveries[-12:]
            ]
            sockets = len(self.sockets.links)
        return "\n".join(
            [f"{sockets} sockets; last calls:", *calls, "last deliveries:", *deliveries]
        )

    def _channel(self, channel: str) -> Channel:
        if channel in self.workspace.users:
            return self.workspace.dm(channel)
        return self.workspace.channels[channel]

    def _run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if self._loop is None:
            raise WorkspaceError("the local Slack server is not running")
        asyncio.run_coroutine_threadsafe(work(), self._loop).result(10)

    async def _serve(self, server: uvicorn.Server, listening: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(MOST_THREADS))
        self.courier.start(self._loop)
        try:
            await server.serve(sockets=[listening])
        finally:
            self._loop = None
            await self.courier.stop()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(128)
    return listening
