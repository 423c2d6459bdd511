"""`policypal serve`: the bot, from start to a clean stop."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic, sleep
from types import FrameType
from typing import Any

import uvicorn
from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_bolt.error import BoltError
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from sqlalchemy.exc import SQLAlchemyError

from bot.app import bolt_app
from bot.cases import hr_channel_problem
from bot.clients import slack_client
from bot.context import Bot, build_bot
from bot.engine import Engine
from bot.errors import BotError, SettingsError
from bot.posting import NETWORK, error_code
from bot.settings import Settings
from bot.startup import indexed_folder, require
from bot.store import Sessions, open_store
from bot.web import web_app
from knowledge.errors import IndexBusy, PolicyPalError

log = logging.getLogger(__name__)

SOCKETS = 2
"""While Slack refreshes one socket, which takes seconds, the other one takes the events."""

PING_S = 3.0
"""The SDK notices a broken connection at the fifth ping in vain; its 10 s leave it deaf for 50."""

STOP_WITHIN_S = 10.0
"""What is held at a stop has this long to finish; service managers kill after 20 to 30 s."""

MOVE_ENDED_S = 3600.0
"""How often versions that ended at midnight are looked for. Answers go by the date in any case."""

BUSY_S = 2.0
"""How often a build is tried again that waits for one of another process."""


def serve(settings: Settings, host: str, port: int) -> None:
    """Run until SIGTERM or SIGINT.

    Raises SettingsError when something that it needs is missing, naming all that is, or when Slack
    refuses the tokens; BotError when Slack, the database or the port cannot be used.
    """
    stop = _stop_on_signals()
    require(settings)
    assert settings.slack_bot_token is not None
    with _listen(host, port) as listening:
        client = slack_client(settings.slack_bot_token.get_secret_value(), settings.slack_api_url)
        bot = build_bot(
            client=client,
            user=_own_user(client),
            sessions=_store(settings),
            engine=Engine(settings, base_url=_base_url(host, listening)),
            owner=f"{socket.gethostname()}:{os.getpid()}",
        )
        _need_link_key(bot.engine)
        _run(bot, settings, listening, stop)


def _run(bot: Bot, settings: Settings, listening: socket.socket, stop: threading.Event) -> None:
    secret = settings.slack_signing_secret
    try:
        app = bolt_app(bot, secret.get_secret_value() if secret else None)
    except BoltError as error:
        raise BotError(f"Slack does not know the bot: {error}") from None
    except NETWORK as error:
        raise _out_of_reach(bot.client, error) from None
    handlers = _connect(app, settings)
    checks: dict[str, Callable[[], bool]] = {
        "index": bot.engine.index_ready,
        "checker": bot.engine.checker_ready,
        "slack": lambda: not handlers or any(h.client.is_connected() for h in handlers),
    }
    with _http_server(web_app(bot.engine, checks, None if handlers else app), listening):
        jobs: dict[str, Callable[[], None]] = {
            "work": partial(_work, bot, stop),
            "move_ended": partial(_move_ended, bot, stop),
            "missed": partial(bot.missed.watch, stop, checks["slack"]),
        }
        for name, job in jobs.items():
            threading.Thread(target=job, name=name, daemon=True).start()
        log.info("listening for questions over %s", "Socket Mode" if handlers else "HTTP")
        stop.wait()
        log.info("stopping")
        _stop(bot, handlers)
    log.info("stopped")


def _work(bot: Bot, stop: threading.Event) -> None:
    """Prepare what answers, then start on what waits.

    What comes in meanwhile is kept and waits. HR's replies need no index and no models.
    """
    bot.keeper.start()
    bot.replies.start()
    try:
        _prepare(bot, stop)
    except Exception:
        log.exception("not all is prepared: what is missing is looked for at each question")
    bot.waiting_cases.start()
    bot.questions.start()
    log.info("ready for questions")


def _move_ended(bot: Bot, stop: threading.Event) -> None:
    while not stop.wait(MOVE_ENDED_S):
        bot.engine.move_ended()


def _prepare(bot: Bot, stop: threading.Event) -> None:
    settings = bot.engine.settings
    if problem := hr_channel_problem(bot.client, settings.hr_channel):
        log.warning("questions that need HR will wait; HR channel: %s", problem)
    if settings.public_url is None:
        log.warning(
            "page links lead to %s, which others may not reach: set POLICYPAL_PUBLIC_URL",
            bot.engine.base_url,
        )
    if _needs_index(settings):
        _build(bot, stop)
    bot.engine.warm_up()


def _needs_index(settings: Settings) -> bool:
    """Whether there is no index, or one of other policies than those that the settings name."""
    indexed = indexed_folder(settings.data)
    return indexed is None or bool(settings.policies and settings.policies.resolve() != indexed)


def _build(bot: Bot, stop: threading.Event) -> None:
    log.info("indexing the policies")
    while not stop.is_set():
        try:
            report = bot.engine.reindex()
        except IndexBusy:
            stop.wait(BUSY_S)
        except PolicyPalError as error:
            log.error("the policies are not indexed: %s", error)
            return
        except Exception:
            log.exception("the policies are not indexed")
            return
        else:
            for failed in report.failed:
                log.error("left out of the index: %s: %s", failed.file, failed.problem)
            return


def _own_user(client: WebClient) -> str:
    try:
        return str(client.auth_test()["user_id"])
    except SlackApiError as error:
        code = error_code(error)
        if error.response.status_code != 200:
            raise _out_of_reach(client, error) from None
        raise SettingsError(f"Slack refuses SLACK_BOT_TOKEN ({code}): copy it again") from None
    except NETWORK as error:
        raise _out_of_reach(client, error) from None


def _out_of_reach(client: WebClient, error: Exception) -> BotError:
    return BotError(f"cannot reach Slack at {client.base_url}: {error_code(error)}")


def _store(settings: Settings) -> Sessions:
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
        return open_store(settings.database)
    except OSError as error:
        raise BotError(f"cannot write in {settings.data}: {error.strerror}") from None
    except ImportError as error:
        raise BotError(
            f"the database of POLICYPAL_DATABASE_URL needs {error.name}: install it "
            "(for PostgreSQL: pip install 'psycopg[binary]')"
        ) from None
    except (SQLAlchemyError, ValueError) as error:
        # Its kind only: a URL that is no URL is told with its password.
        kind = type(error).__name__
        raise BotError(f"cannot use the database of POLICYPAL_DATABASE_URL: {kind}") from None


def _need_link_key(engine: Engine) -> None:
    """Page links are a part of every answer: without their key none could be posted."""
    try:
        engine.link_secret  # noqa: B018 - read, or made
    except OSError as error:
        data = engine.settings.data
        raise BotError(f"cannot use link.key in {data}: {error.strerror}") from None


def _connect(app: App, settings: Settings) -> list[SocketModeHandler]:
    """Open the sockets; none in HTTP mode."""
    if settings.slack_app_token is None:
        return []
    token = settings.slack_app_token.get_secret_value()
    handlers = [SocketModeHandler(app, token, ping_interval=PING_S) for _ in range(SOCKETS)]
    try:
        for handler in handlers:
            handler.connect()  # type: ignore[no-untyped-call]
    except (SlackApiError, *NETWORK) as error:
        for handler in handlers:
            handler.close()  # type: ignore[no-untyped-call]
        if isinstance(error, SlackApiError) and error.response.status_code == 200:
            code = error_code(error)
            raise SettingsError(
                f"Slack refuses SLACK_APP_TOKEN ({code}): it needs the scope connections:write"
            ) from None
        raise BotError(f"cannot open a socket to Slack: {error_code(error)}") from None
    return handlers


@contextmanager
def _listen(host: str, port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise BotError(f"cannot listen on {host}:{port}: {error.strerror}") from None
        yield listening


def _base_url(host: str, listening: socket.socket) -> str:
    """Where a browser on this machine finds the page links."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{listening.getsockname()[1]}"


@contextmanager
def _http_server(app: Any, listening: socket.socket) -> Iterator[None]:
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listening]}, name="http", daemon=True
    )
    thread.start()
    until = monotonic() + 10
    while not server.started and thread.is_alive() and monotonic() < until:
        sleep(0.02)
    if not server.started:
        raise BotError("the HTTP server did not start; the log says why")
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(timeout=3)


def _stop_on_signals() -> threading.Event:
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    return stop


def _stop(bot: Bot, handlers: list[SocketModeHandler]) -> None:
    """Take nothing new, finish or hand back what is held."""
    jobs: list[Callable[[], None]] = [handler.close for handler in handlers]
    jobs += [partial(pump.stop, STOP_WITHIN_S) for pump in bot.pumps]
    jobs.append(bot.background.stop)
    threads = [threading.Thread(target=job, daemon=True) for job in jobs]
    until = monotonic() + STOP_WITHIN_S + 1
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.1, until - monotonic()))
    bot.keeper.stop()
