"""Clicks: the country that somebody chooses under an answer."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt import Ack, App

from bot.answer_message import COUNTRY_ACTION
from bot.context import Bot
from bot.countries import choose_under_answer


def register(app: App, bot: Bot) -> None:
    @app.action(re.compile(rf"^{COUNTRY_ACTION}_[A-Z]{{2}}$"))
    def on_country(ack: Ack, body: dict[str, Any], action: dict[str, Any]) -> None:
        choose_under_answer(
            bot,
            user=body["user"]["id"],
            channel=body["channel"]["id"],
            thread_ts=body["message"].get("thread_ts"),
            value=action["value"],
        )
        ack()
