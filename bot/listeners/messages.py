"""Messages and mentions: a question, a reply of HR's, or nothing to us."""

from __future__ import annotations

from typing import Any

from slack_bolt import App

from bot import questions, replies
from bot.context import Bot
from bot.courtesies import is_greeting, is_thanks
from bot.incoming import Incoming, read_message
from bot.questions import Asked


def register(app: App, bot: Bot) -> None:
    def on_message(event: dict[str, Any]) -> None:
        incoming = read_message(event, bot.user)
        if incoming is not None:
            take(bot, incoming)

    # A mention comes in both events where the bot is in the channel, in one where it is not.
    app.event("message")(on_message)
    app.event("app_mention")(on_message)


def take(bot: Bot, incoming: Incoming) -> None:
    """Keep the message if it is for us. Returns once it is durable: Slack is told after that."""
    if incoming.thread_ts is not None:
        case = replies.case_of_thread(bot.sessions, incoming.channel, incoming.thread_ts)
        if case is not None:
            reply = replies.receive_reply(bot.sessions, case_id=case, incoming=incoming)
            if reply:
                bot.replies.wake()
            return
    if not incoming.to_bot or is_thanks(incoming.text):
        return
    asked = Asked(
        channel=incoming.channel,
        ts=incoming.ts,
        thread_ts=incoming.thread_ts or incoming.ts,
        user=incoming.user,
        text="" if is_greeting(incoming.text) else incoming.text,
        direct=incoming.direct,
    )
    if questions.receive(bot.sessions, asked):
        bot.questions.wake()
