"""The HTTP side: Slack's delivery with signatures, page links, health."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx
import pytest
import uvicorn
from slack_bolt import App

from bot.engine import Engine
from bot.web import MAX_BODY, Checks, web_app
from bot.workspace.server import SlackServer
from tests.bot.running import MENTION, RunningBot, answers, running, settings_for, settle, shown
from tests.bot.scripted import SHA, ScriptedEngine, source
from tests.workspace.fixtures import ASKER, GENERAL, OTHER

PDF = b"%PDF-1.7 four pages"


@contextmanager
def web(engine: Engine, checks: Checks | None = None, slack: App | None = None) -> Iterator[str]:
    config = uvicorn.Config(
        web_app(engine, checks or {}, slack), port=0, log_level="error", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(5)


@pytest.fixture
def base(engine: ScriptedEngine) -> Iterator[str]:
    with web(engine) as url:
        yield url


def link(engine: ScriptedEngine, base: str, page: int = 4) -> str:
    return engine.url_for(source(), page).replace("http://127.0.0.1:9", base)


@pytest.fixture
def kept_pdf(engine: ScriptedEngine) -> Path:
    path = engine.settings.data / "files" / f"{SHA}.pdf"
    path.parent.mkdir(parents=True)
    path.write_bytes(PDF)
    return path


# Page links


@pytest.mark.usefixtures("kept_pdf")
def test_a_link_opens_the_pdf_at_its_page_within_the_browser(
    engine: ScriptedEngine, base: str
) -> None:
    url = link(engine, base)
    assert url.endswith("#page=4")
    answer = httpx.get(url)
    assert (answer.status_code, answer.content) == (200, PDF)
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"].startswith("inline")
    part = httpx.get(url, headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"%PDF")


@pytest.mark.usefixtures("kept_pdf")
@pytest.mark.parametrize("token", ["", "x", "../../../etc/passwd", "..%2f..%2fpolicypal.db", SHA])
def test_a_link_that_was_not_made_here_opens_nothing(base: str, token: str) -> None:
    answer = httpx.get(f"{base}/policies/{token}")
    assert answer.status_code in (403, 404)
    assert PDF not in answer.content


@pytest.mark.usefixtures("kept_pdf")
def test_a_link_that_was_changed_opens_nothing(engine: ScriptedEngine, base: str) -> None:
    url = link(engine, base).partition("#")[0]
    answer = httpx.get(url[:-2] + ("aa" if url[-2:] != "aa" else "bb"))
    assert answer.status_code == 403
    assert "This link is not valid" in answer.text


def test_a_pdf_that_is_no_longer_kept_is_said_to_be_gone(engine: ScriptedEngine, base: str) -> None:
    answer = httpx.get(link(engine, base))
    assert answer.status_code == 404
    assert "no longer kept" in answer.text


# Health


def test_health_says_that_the_process_lives_and_readiness_what_is_missing(
    engine: ScriptedEngine,
) -> None:
    ready = {"index": True, "checker": False}
    with web(engine, {name: lambda name=name: ready[name] for name in ready}) as base:  # type: ignore[misc]
        assert httpx.get(f"{base}/healthz").json() == {"status": "ok"}
        answer = httpx.get(f"{base}/readyz")
        assert (answer.status_code, answer.json()) == (503, {"index": True, "checker": False})
        ready["checker"] = True
        assert httpx.get(f"{base}/readyz").status_code == 200


def test_slacks_delivery_is_closed_in_socket_mode(base: str) -> None:
    assert httpx.post(f"{base}/slack/events", content=b"{}").status_code == 404


# Slack's delivery


@pytest.fixture
def over_http(slack_server: SlackServer, tmp_path: Path) -> Iterator[tuple[RunningBot, str]]:
    engine = ScriptedEngine(settings_for(slack_server, tmp_path / "data"))
    with (
        running(slack_server, engine, sockets=0) as started,
        web(engine, slack=started.app) as base,
    ):
        slack_server.deliver_over_http(f"{base}/slack/events")
        yield started, f"{base}/slack/events"


@pytest.mark.usefixtures("over_http")
def test_questions_commands_and_clicks_work_over_http(slack_server: SlackServer) -> None:
    question = slack_server.post_as(ASKER, GENERAL, f"{MENTION} how much leave?")
    [answer] = answers(slack_server, question)
    assert "You get 25 days of leave. [1]" in shown(answer)
    slack_server.command(OTHER, GENERAL, "/policypal", "help")
    slack_server.wait_for(lambda: slack_server.ephemerals(GENERAL, OTHER))
    slack_server.click(ASKER, answer, "source_1")
    settle(slack_server)
    assert all(d.acked for d in slack_server.deliveries())
    assert len(slack_server.bot_replies(question)) == 1


@pytest.mark.usefixtures("over_http")
def test_a_retry_over_http_is_acked_and_answered_once(slack_server: SlackServer) -> None:
    question = slack_server.post_as(ASKER, ASKER, "How much leave?")
    answers(slack_server, question)
    [delivery] = slack_server.deliveries_of(question)
    slack_server.courier.redeliver(delivery, 1, "http_timeout")
    slack_server.wait_for(lambda: len([a for a in delivery.attempts if a.acked_at]) == 2)
    settle(slack_server)
    assert len(slack_server.bot_replies(question)) == 1


def test_a_question_that_could_not_be_kept_is_delivered_again(
    slack_server: SlackServer,
    over_http: tuple[RunningBot, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started, _ = over_http
    real, failures = started.bot.sessions.begin, iter([OSError("disk full")])

    def flaky() -> object:
        for error in failures:
            raise error
        return real()

    monkeypatch.setattr(started.bot.sessions, "begin", flaky)
    for pump in started.bot.pumps:
        pump.stop(2)
    question = slack_server.post_as(ASKER, ASKER, "How much leave?")
    [delivery] = slack_server.deliveries_of(question)
    slack_server.wait_for(lambda: delivery.acked)
    assert [a.problem for a in delivery.attempts] == ["http_error", None]


def test_slacks_handshake_is_answered(
    slack_server: SlackServer, over_http: tuple[RunningBot, str]
) -> None:
    _, url = over_http
    body = json.dumps({"type": "url_verification", "challenge": "abc", "token": "x"}).encode()
    headers = slack_server.http.signed(body) | {"Content-Type": "application/json"}
    answer = httpx.post(url, content=body, headers=headers)
    assert (answer.status_code, answer.json()) == (200, {"challenge": "abc"})


@pytest.mark.parametrize("forged", ["no signature", "wrong secret", "old", "other body"])
def test_a_delivery_that_slack_did_not_sign_is_refused(
    slack_server: SlackServer, over_http: tuple[RunningBot, str], forged: str
) -> None:
    started, url = over_http
    event = {"type": "message", "channel": "D1", "channel_type": "im", "user": ASKER}
    body = json.dumps(
        {"type": "event_callback", "event": event | {"text": "Hi?", "ts": "1.0"}}
    ).encode()
    signed = slack_server.http.signed(body, time.time() - 600 if forged == "old" else None)
    if forged == "no signature":
        signed = {}
    if forged == "wrong secret":
        signed["X-Slack-Signature"] = "v0=" + "0" * 64
    if forged == "other body":
        body = body.replace(b"Hi?", b"Ho?")
    answer = httpx.post(url, content=body, headers=signed | {"Content-Type": "application/json"})
    assert answer.status_code == 401
    assert not started.bot.engine.asked  # type: ignore[attr-defined]


def test_an_endless_delivery_is_refused(over_http: tuple[RunningBot, str]) -> None:
    _, url = over_http
    assert httpx.post(url, content=b"x" * (MAX_BODY + 1)).status_code == 413
