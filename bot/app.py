"""The Bolt app, put together."""

from __future__ import annotations

from slack_bolt import App

from bot.context import Bot
from bot.listeners import register


def bolt_app(bot: Bot, signing_secret: str | None) -> App:
    """The app with every listener registered. Raises slack_bolt.error.BoltError."""
    app = App(
        client=bot.client,
        signing_secret=signing_secret,
        # Slack is told that an event arrived only when the listener has kept it: an ack before
        # that loses the question when the process dies in between.
        process_before_response=True,
    )
    register(app, bot)
    return app
