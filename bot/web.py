"""The HTTP side: cited PDFs behind signed links, health, and Slack's delivery in HTTP mode."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from html import escape

from slack_bolt import App
from slack_bolt.adapter.starlette.handler import to_bolt_request, to_starlette_response
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from bot.engine import Engine
from knowledge.links import BadLink, pdf_path, read_link

log = logging.getLogger(__name__)

MAX_BODY = 1_000_000
"""Bytes of a delivery from Slack; its own are far smaller."""

Checks = Mapping[str, Callable[[], bool]]

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{{font:1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem}}
</style></head><body><h1>{title}</h1><p>{text}</p></body></html>"""


def web_app(engine: Engine, ready: Checks, slack: App | None = None) -> Starlette:
    """The ASGI app. `ready` names what must hold before the bot can answer.

    `slack` is the Bolt app where Slack delivers over HTTP, to /slack/events.
    """

    def policy(request: Request) -> Response:
        try:
            target = read_link(engine.link_secret, request.path_params["token"])
        except BadLink as error:
            if error.expired:
                return _page(410, "This link has expired", "Ask the question again for a new one.")
            return _page(403, "This link is not valid", "Open it from the answer it came with.")
        path = pdf_path(engine.settings.data, target.sha256)
        if not path.is_file():
            return _page(
                404,
                "This policy is no longer kept",
                "It was replaced or withdrawn. Ask the question again for the policy in force.",
            )
        return FileResponse(
            path,
            media_type="application/pdf",
            content_disposition_type="inline",
            filename="policy.pdf",
            headers={"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"},
        )

    def health(_request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    def readiness(_request: Request) -> Response:
        state = {name: check() for name, check in ready.items()}
        return JSONResponse(state, status_code=200 if all(state.values()) else 503)

    routes = [
        Route("/policies/{token}", policy),
        Route("/healthz", health),
        Route("/readyz", readiness),
    ]
    if slack is not None:
        routes.append(Route("/slack/events", _delivery(slack), methods=["POST"]))
    return Starlette(routes=routes)


def _delivery(slack: App) -> Callable[[Request], object]:
    async def deliver(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                return Response(status_code=413)
        # Bolt's own adapter runs listeners on the event loop, where one would hold up all others.
        return to_starlette_response(
            await run_in_threadpool(slack.dispatch, to_bolt_request(request, body))
        )

    return deliver


def _page(status: int, title: str, text: str) -> Response:
    return HTMLResponse(_PAGE.format(title=escape(title), text=escape(text)), status_code=status)
