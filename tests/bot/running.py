"""A bot that runs in the test's own process against the local Slack."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

from bot.app import bolt_app
from bot.clients import slack_client
from bot.context import Bot, build_bot
from bot.engine import Engine
from bot.settings import Settings
from bot.store import open_store
from bot.workspace.server import SlackServer
from bot.workspace.state import Message
from tests.workspace.fixtures import COUNTRY_FIELD, HR_CHANNEL

BOT = "U0POLICYPAL"
MENTION = f"<@{BOT}>"


def settings_for(server: SlackServer, data: Path, **rest: Any) -> Settings:
    given: dict[str, Any] = {
        "slack_bot_token": server.app.bot_token,
        "slack_app_token": server.app.app_token,
        "slack_api_url": server.api_url,
        "data": data,
        "hr_channel": HR_CHANNEL,
        "country_field": COUNTRY_FIELD,
    }
    return Settings(**given | rest)


@dataclass(frozen=True, slots=True)
class RunningBot:
    bot: Bot
    app: App


@contextmanager
def running(
    server: SlackServer,
    engine: Engine,
    *,
    sockets: int = 1,
    owner: str = "test",
    at_work: bool = True,
) -> Iterator[RunningBot]:
    """The bot as `serve` puts it together, without its process and its HTTP server.

    With `at_work` False it keeps what comes in, and nobody works on it yet.
    """
    settings = engine.settings
    settings.data.mkdir(parents=True, exist_ok=True)
    bot = build_bot(
        client=slack_client(server.app.bot_token, server.api_url),
        user=server.app.bot_user,
        sessions=open_store(settings.database),
        engine=engine,
        owner=owner,
    )
    app = bolt_app(bot, server.app.signing_secret)
    handlers = [
        SocketModeHandler(app, server.app.app_token, ping_interval=1) for _ in range(sockets)
    ]
    stop = threading.Event()
    if at_work:
        bot.keeper.start()
        for pump in bot.pumps:
            pump.start()
        watching = partial(
            bot.missed.watch, stop, lambda: any(h.client.is_connected() for h in handlers)
        )
        threading.Thread(target=watching, name="missed", daemon=True).start()
    for handler in handlers:
        handler.connect()  # type: ignore[no-untyped-call]
    try:
        yield RunningBot(bot, app)
    finally:
        stop.set()
        for handler in handlers:
            # It waits for the next ping of the server, which may be gone by then as well.
            threading.Thread(target=handler.close, daemon=True).start()
        for pump in bot.pumps:
            pump.stop(5)
        bot.background.stop()
        bot.keeper.stop()
        bot.sessions.kw["bind"].dispose()


def answers(server: SlackServer, question: Message, count: int = 1) -> list[Message]:
    """The bot's messages in the question's thread, once there are `count`."""
    return server.wait_for(
        lambda: found if len(found := server.bot_replies(question)) >= count else []
    )


def settle(server: SlackServer) -> None:
    """Wait until every delivery so far is acked, and a moment for what it may lead to."""
    server.wait_for(lambda: all(delivery.outcome for delivery in server.deliveries()))
    time.sleep(0.5)


def shown(message: Message) -> str:
    """All that a reader of the message sees: texts and labels of its blocks."""
    texts: list[str] = []

    def walk(item: Any) -> None:
        if isinstance(item, list):
            for inner in item:
                walk(inner)
        elif isinstance(item, dict):
            if isinstance(item.get("text"), str):
                texts.append(item["text"])
            for inner in item.values():
                walk(inner)

    walk(message.blocks)
    return "\n".join(texts or [message.text])


def buttons(message: Message) -> list[dict[str, Any]]:
    return [
        element
        for block in message.blocks
        if block["type"] == "actions"
        for element in block["elements"]
    ]
