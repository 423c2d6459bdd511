"""A local server that speaks OpenAI's chat completions and answers by a test's script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


def completion(content: str | None, finish: str = "stop", refusal: str | None = None) -> Response:
    """A whole chat completion."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return JSONResponse(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }
    )


def error(status: int, param: str | None = None, **headers: str) -> Response:
    """An error of the protocol; its message quotes what must never reach a log."""
    body = {"message": "secret prompt, key sk-secret", "type": "invalid", "param": param}
    return JSONResponse({"error": body}, status_code=status, headers=headers)


@dataclass
class ChatServer:
    """`script` holds the responses to give, in turn; the last one is given for ever after."""

    url: str = ""
    script: list[Response] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        self.requests.append(json.loads(await request.body()))
        self.keys.append(request.headers.get("authorization"))
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A server on a free port, stopped at the end."""
    chat = ChatServer()
    app = Starlette(routes=[Route("/v1/chat/completions", chat.answer, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    chat.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield chat
    finally:
        server.should_exit = True
        thread.join(10)
