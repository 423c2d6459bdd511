"""What `/policypal` does. `status` and `reindex` are for admins only."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bot.context import Bot
from bot.countries import choose, chosen
from bot.messages import HELP
from bot.operations import reindex, status
from bot.speaking import Respond, tell
from bot.text import escape, plain, shorten

log = logging.getLogger(__name__)

ADMIN_HELP = (
    "*For admins*\n• `/policypal status` shows what is indexed and what waits\n"
    "• `/policypal reindex` reads the policies folder again"
)

NOT_ADMIN = (
    "Only PolicyPal's admins can do that. Ask your HR or IT team if something is missing or wrong."
)

ADMIN_COMMANDS: dict[str, Callable[[Bot, str, Respond], None]] = {
    "status": status,
    "reindex": reindex,
}


def run(bot: Bot, user: str, text: str, respond: Respond) -> None:
    """Do one slash command. Whatever goes wrong, the person is told that it did."""
    try:
        _run(bot, user, text, respond)
    except Exception:
        log.exception("a command failed")
        tell(respond, "That didn't work. The log says why; please try again later.")


def _run(bot: Bot, user: str, text: str, respond: Respond) -> None:
    word, _, rest = plain(text).partition(" ")
    word = word.lower()
    if word == "country":
        given = rest.strip()
        tell(respond, escape(choose(bot, user, given) if given else chosen(bot, user)))
        return
    if command := ADMIN_COMMANDS.get(word):
        if bot.people.is_admin(user):
            command(bot, user, respond)
        else:
            tell(respond, NOT_ADMIN)
        return
    known = "" if word in ("", "help") else f"I don't know “{escape(shorten(word, 30))}”. "
    admin = f"\n{ADMIN_HELP}" if bot.people.is_admin(user) else ""
    tell(respond, f"{known}{HELP}{admin}")
