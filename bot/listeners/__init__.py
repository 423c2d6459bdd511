"""One file a surface. A listener keeps what came in, lets Slack's ack go, and hands on."""

from __future__ import annotations

from slack_bolt import App

from bot.context import Bot
from bot.listeners import actions, commands, messages, rest


def register(app: App, bot: Bot) -> None:
    """Register every listener; the first that matches wins, so the catch-alls come last."""
    messages.register(app, bot)
    commands.register(app, bot)
    actions.register(app, bot)
    rest.register(app)
