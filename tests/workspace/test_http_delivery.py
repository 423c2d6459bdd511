"""Events, commands and clicks over HTTP to Bolt's Starlette adapter."""

import asyncio
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from slack_bolt import App
from slack_bolt.adapter.starlette import SlackRequestHandler
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.workspace.server import SlackServer
from tests.workspace.bolt import client_of
from tests.workspace.fixtures import ADMIN, ASKER, GENERAL


@contextmanager
def served(app: Starlette) -> Iterator[str]:
    """The URL of an ASGI app on a free port."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/slack/events"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def bolt(server: SlackServer, app: App) -> Iterator[str]:
    handler = SlackRequestHandler(app)

    async def events(request: Request) -> Response:
        return await handler.handle(request)

    starlette = Starlette(routes=[Route("/slack/events", events, methods=["POST"])])
    with served(starlette) as url:
        server.deliver_over_http(url)
        yield url


def make_app(server: SlackServer, secret: str | None = None) -> App:
    return App(client=client_of(server), signing_secret=secret or server.app.signing_secret)


def test_an_event_is_posted_and_answered_in_its_thread(slack_server: SlackServer) -> None:
    app = make_app(slack_server)
    app.event("app_mention")(lambda event, say: say("Here I am", thread_ts=event["ts"]))
    app.event("message")(lambda: None)
    with bolt(slack_server, app):
        message = slack_server.post_as(ASKER, GENERAL, f"<@{slack_server.app.bot_user}> hello")
        reply = slack_server.wait_for(lambda: slack_server.bot_replies(message))[0]
        slack_server.wait_for(
            lambda: all(d.acked for d in slack_server.deliveries_of(message)),
        )
    assert reply.text == "Here I am"


def test_the_url_is_verified_by_its_challenge(slack_server: SlackServer) -> None:
    with bolt(slack_server, make_app(slack_server)):
        assert slack_server.http.verify()
    with bolt(slack_server, make_app(slack_server, "another secret")):
        assert not slack_server.http.verify()


def test_a_wrong_secret_or_an_old_timestamp_is_refused(slack_server: SlackServer) -> None:
    body = b'{"type":"event_callback","event":{"type":"message"}}'

    def status(url: str, at: float) -> int:
        headers = slack_server.http.signed(body, at) | {"Content-Type": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    app = make_app(slack_server)
    app.event("message")(lambda: None)
    with bolt(slack_server, app) as url:
        assert status(url, time.time()) == 200
        assert status(url, time.time() - 301) == 401
    with bolt(slack_server, make_app(slack_server, "another secret")) as url:
        assert status(url, time.time()) == 401


def test_a_command_and_a_click_are_forms(slack_server: SlackServer) -> None:
    app = make_app(slack_server)
    bodies: list[dict[str, Any]] = []

    @app.command("/policy")
    def run(ack: Any, body: dict[str, Any]) -> None:
        bodies.append(body)
        ack("Working on it")

    @app.action("feedback")
    def feedback(ack: Any, body: dict[str, Any]) -> None:
        bodies.append(body)
        ack()

    app.event("message")(lambda: None)
    button = {
        "type": "button",
        "action_id": "feedback",
        "text": {"type": "plain_text", "text": "Good"},
        "value": "good",
    }
    with bolt(slack_server, app):
        slack_server.command(ADMIN, GENERAL, "/policy", "reindex")
        slack_server.wait_for(lambda: slack_server.ephemerals(GENERAL, ADMIN))
        client_of(slack_server).chat_postMessage(
            channel=GENERAL, text="x", blocks=[{"type": "actions", "elements": [button]}]
        )
        click = slack_server.click(ASKER, slack_server.messages(GENERAL)[0], "feedback")
        slack_server.wait_for(lambda: click.outcome)
    assert click.acked
    assert bodies[0]["text"] == "reindex"
    assert bodies[1]["actions"][0]["value"] == "good"
    assert [m.text for m in slack_server.ephemerals(GENERAL, ADMIN)] == ["Working on it"]


def test_a_failed_post_is_tried_again_with_its_number_and_reason(
    slack_server: SlackServer,
) -> None:
    headers: list[tuple[str | None, str | None]] = []
    answers = iter([500, 500, 200])

    async def events(request: Request) -> Response:
        got = request.headers
        headers.append((got.get("x-slack-retry-num"), got.get("x-slack-retry-reason")))
        return Response(status_code=next(answers))

    with served(Starlette(routes=[Route("/slack/events", events, methods=["POST"])])) as url:
        slack_server.deliver_over_http(url)
        message = slack_server.post_as(ASKER, GENERAL, "hello")
        slack_server.wait_for(lambda: slack_server.deliveries_of(message)[0].acked)
    assert headers == [(None, None), ("1", "http_error"), ("2", "http_error")]


@pytest.mark.parametrize(
    ("status", "headers", "problems"),
    [(500, {"X-Slack-No-Retry": "1"}, ["no_retry"]), (404, {}, ["http_error"] * 3)],
)
def test_tries_end(
    slack_server: SlackServer, status: int, headers: dict[str, str], problems: list[str]
) -> None:
    slack_server.courier.retry_delays = (0.05, 0.05)

    async def events(request: Request) -> Response:
        return Response(status_code=status, headers=headers)

    with served(Starlette(routes=[Route("/slack/events", events, methods=["POST"])])) as url:
        slack_server.deliver_over_http(url)
        message = slack_server.post_as(ASKER, GENERAL, "hello")
        delivery = slack_server.deliveries_of(message)[0]
        slack_server.wait_for(lambda: delivery.outcome == "failed")
    assert [a.problem for a in delivery.attempts] == problems


def test_nobody_listening_and_too_slow_an_answer_are_told_apart(
    slack_server: SlackServer,
) -> None:
    slack_server.courier.retry_delays = ()
    slack_server.courier.ack_seconds = 0.2

    async def events(request: Request) -> Response:
        await asyncio.sleep(0.5)
        return Response()

    with served(Starlette(routes=[Route("/slack/events", events, methods=["POST"])])) as url:
        slack_server.deliver_over_http(url)
        slow = slack_server.deliveries_of(slack_server.post_as(ASKER, GENERAL, "slow"))[0]
        slack_server.wait_for(lambda: slow.outcome)
    gone = slack_server.deliveries_of(slack_server.post_as(ASKER, GENERAL, "gone"))[0]
    slack_server.wait_for(lambda: gone.outcome)
    assert slow.attempts[0].problem == "http_timeout"
    assert gone.attempts[0].problem == "connection_failed"
