"""The server's HTTP surface: Web API, response URLs, uploads, and the websocket."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from bot.workspace import api
from bot.workspace.connections import abort
from bot.workspace.context import Args, Context, Triggers
from bot.workspace.delivery import Courier
from bot.workspace.errors import SlackError
from bot.workspace.faults import Faults
from bot.workspace.journal import ApiCall, Journal
from bot.workspace.responses import ResponseUrls
from bot.workspace.sockets import SocketHub
from bot.workspace.state import Workspace


class _Cut(Exception):
    """A fault breaks the connection."""


@dataclass(frozen=True, slots=True)
class Surface:
    """The parts that answer requests."""

    workspace: Workspace
    journal: Journal
    faults: Faults
    courier: Courier
    hub: SocketHub
    triggers: Triggers
    responses: ResponseUrls
    base_url: str

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/api/{method}", _Endpoint(self, _api), methods=["GET", "POST"]),
                Route("/response/{key}", _Endpoint(self, _response), methods=["POST"]),
                Route("/upload/{file}", self._upload, methods=["POST"]),
                WebSocketRoute("/link", self.hub),
            ]
        )

    async def _upload(self, request: Request) -> Response:
        body = await request.body()
        with self.workspace.changed:
            file = self.workspace.files.get(request.path_params["file"])
            if file is None or len(body) != file.length:
                return PlainTextResponse("no such upload, or another length", 400)
            file.content = body
        return PlainTextResponse(f"OK - {len(body)}")

    async def answer(
        self,
        name: str,
        args: dict[str, Any],
        run: Callable[[], object],
        headers: dict[str, str],
        refused: int = 200,
    ) -> Response:
        """Run one call between the faults before and after it, and note it in the journal.

        Raises _Cut when a fault breaks the connection.
        """
        call = ApiCall(name, dict(args))
        with self.workspace.changed:
            self.journal.calls.append(call)
            self.workspace.changed.notify_all()
        try:
            faulty = await self._suffer(call, after=False)
            if faulty is not None:
                return faulty
            status = 200
            with self.workspace.changed:
                try:
                    body = run()
                    call.effect, call.outcome = True, "ok"
                except SlackError as error:
                    body, call.outcome, status = error.body(), error.code, refused
                self.workspace.changed.notify_all()
            faulty = await self._suffer(call, after=True)
            return faulty or JSONResponse(body, status, headers=headers)
        finally:
            with self.workspace.changed:
                call.done_at = time.time()
                self.workspace.changed.notify_all()

    async def _suffer(self, call: ApiCall, *, after: bool) -> Response | None:
        for fault in self.faults.take(call.method, call.args, after=after):
            if fault.kind == "delay":
                await asyncio.sleep(fault.seconds)
            elif fault.kind == "call" and fault.function:
                await asyncio.to_thread(fault.function)
            elif fault.kind == "cut":
                call.outcome = "cut"
                raise _Cut
            elif fault.kind == "error":
                call.outcome = fault.code
                return JSONResponse(SlackError(fault.code).body())
            elif fault.kind == "status":
                call.outcome = f"http {fault.status}"
                return _failure(fault.status, fault.retry_after)
        return None


def _failure(status: int, retry_after: int | None) -> Response:
    if status == 429:
        body = {"ok": False, "error": "ratelimited"}
        return JSONResponse(body, 429, headers={"Retry-After": str(retry_after)})
    return PlainTextResponse("upstream connect error or disconnect/reset before headers", status)


class _Endpoint:
    """An ASGI endpoint that can break the connection instead of answering."""

    def __init__(self, surface: Surface, answer: Any) -> None:
        self._surface = surface
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await self._answer(self._surface, Request(scope, receive))
        except _Cut:
            abort(receive)
            await asyncio.sleep(0.01)
            return
        await response(scope, receive, send)


async def _api(surface: Surface, request: Request) -> Response:
    name = request.path_params["method"]
    app = surface.workspace.app
    try:
        args = await _arguments(request)
    except ValueError:
        return JSONResponse(SlackError("invalid_json").body())
    header = request.headers.get("authorization", "")
    token = header.removeprefix("Bearer ") or args.text("token")
    args.pop("token", None)
    context = Context(
        args,
        surface.workspace,
        surface.courier,
        surface.hub,
        surface.triggers,
        surface.base_url,
    )
    headers = {"x-oauth-scopes": ",".join(app.scopes)} if token == app.bot_token else {}
    return await surface.answer(name, args, lambda: api.run(name, context, token), headers)


async def _response(surface: Surface, request: Request) -> Response:
    key = request.path_params["key"]
    body = await request.json()

    def take() -> dict[str, bool]:
        surface.responses.take(key, body)
        return {"ok": True}

    return await surface.answer("response_url", body, take, {}, refused=404)


async def _arguments(request: Request) -> Args:
    """Raises ValueError for a JSON body that is no JSON object."""
    args = Args(request.query_params)
    if request.headers.get("content-type", "").startswith("application/json"):
        body = json.loads(await request.body() or b"{}")
        if not isinstance(body, dict):
            raise ValueError("not an object")
        args.update(body)
    else:
        args.update(parse_qsl((await request.body()).decode(), keep_blank_values=True))
    return args
