"""The slash command `/policypal`."""

from __future__ import annotations

from typing import Any

from slack_bolt import Ack, App, Respond

from bot.commands import run
from bot.context import Bot


def register(app: App, bot: Bot) -> None:
    @app.command("/policypal")
    def on_command(ack: Ack, command: dict[str, Any], respond: Respond) -> None:
        ack()
        bot.background.submit(run, bot, command["user_id"], command.get("text") or "", respond)
