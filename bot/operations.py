"""What admins see and do: the state of the bot, and a new index."""

from __future__ import annotations

import logging
import threading
from time import monotonic

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot import questions
from bot.cases import hr_channel_problem, waiting_cases
from bot.clients import PASSING_TIMEOUT_S
from bot.context import Bot
from bot.posting import NETWORK, error_code
from bot.speaking import Respond, tell
from bot.startup import indexed_folder
from bot.text import escape, shorten_escaped
from knowledge.errors import IndexBusy, KnowledgeError, PolicyPalError
from knowledge.index import BuildReport
from knowledge.sources import dates_in_words

log = logging.getLogger(__name__)

UPDATE_S = 2.0
"""Least time between two updates of the progress message; Slack allows about one a second."""

LONGEST = 3_000
"""Characters of the last message about a re-index."""

UNCHANGED = "Nothing has changed: questions are answered as before."

INTERRUPTED = (
    "Re-indexing was interrupted: PolicyPal was stopped. Please start it again with "
    "`/policypal reindex` once PolicyPal is back."
)

LISTED = 20
"""Files or versions named in one message; more are counted."""


def status(bot: Bot, user: str, respond: Respond) -> None:
    """Tell an admin what is indexed, what waits, and what is wrong."""
    settings = bot.engine.settings
    counts = questions.counts(bot.sessions)
    asked = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items())
    lines = [
        *_index_lines(bot),
        f"*Questions:* {asked or 'none yet'}",
        f"*Cases waiting to reach HR:* {waiting_cases(bot.sessions)}",
        f"*Answers:* {escape(settings.model or 'taken from the policies word for word')}",
        f"*Checker:* {_checker_line(bot)}",
        f"*HR channel:* {hr_channel_problem(bot.client, settings.hr_channel) or 'reachable'}",
    ]
    tell(respond, "\n".join(lines))


def reindex(bot: Bot, user: str, respond: Respond) -> None:
    """Build the index again, with progress in a direct message to the admin."""
    tell(respond, "Re-indexing has started. I'll show how it goes in our direct messages.")
    progress = Progress(bot, user)
    with bot.background.at_stop(progress.interrupt):
        _reindex(bot, progress)


def _reindex(bot: Bot, progress: Progress) -> None:
    settings = bot.engine.settings
    try:
        # The folder that `serve` went by at its start.
        policies = settings.policies or indexed_folder(settings.data)
        report = bot.engine.reindex(progress.step, policies)
    except IndexBusy:
        progress.end("Another re-index is running. I left it alone; wait for it to end.")
    except PolicyPalError as error:
        log.error("re-index failed: %s", error)
        progress.end(f"Re-indexing failed. {UNCHANGED} {error}")
    except Exception:
        log.exception("re-index failed")
        progress.end(f"Re-indexing failed. {UNCHANGED} The log says why.")
    else:
        progress.end(report_text(report))
        bot.engine.warm_up()


class Progress:
    """A message to one person that is updated in place. Never a reason for the work to fail.

    One update at a time: Slack would keep the one that reaches it last.
    """

    def __init__(self, bot: Bot, user: str) -> None:
        self._bot = bot
        self._user = user
        self._place: tuple[str, str] | None = None
        self._updated = 0.0
        self._lock = threading.Lock()
        self._over = False
        self._show(bot.client, "Re-indexing: starting…")

    def step(self, what: str, done: int, total: int) -> None:
        """`done` of `total` parts of the work are done; `what` names the part."""
        if monotonic() - self._updated < UPDATE_S:
            return
        with self._lock:
            if not self._over:
                self._show(self._bot.passing, f"Re-indexing: {escape(what)}, {done} of {total}")

    def end(self, text: str) -> None:
        """The last word, which is worth a wait. It is true also where a stop came just before."""
        self._over = True
        with self._lock:
            self._show(self._bot.client, shorten_escaped(text, LONGEST))

    def interrupt(self) -> None:
        """The process stops, and the work with it."""
        if self._over or not self._lock.acquire(timeout=PASSING_TIMEOUT_S):
            return
        try:
            if not self._over:
                self._over = True
                self._show(self._bot.passing, INTERRUPTED)
        finally:
            self._lock.release()

    def _show(self, client: WebClient, text: str) -> None:
        self._updated = monotonic()
        try:
            if self._place is None:
                sent = client.chat_postMessage(channel=self._user, text=text)
                self._place = (str(sent["channel"]), str(sent["ts"]))
            else:
                channel, ts = self._place
                client.chat_update(channel=channel, ts=ts, text=text)
        except (SlackApiError, *NETWORK) as error:
            log.warning("progress could not be shown: %s", error_code(error))


def report_text(report: BuildReport) -> str:
    """What changed, file by file where something is wrong."""
    lines = [
        f"Re-indexed: {report.indexed} new or changed, {report.unchanged} unchanged, "
        f"{report.removed} removed; {report.pages} pages in {report.chunks} chunks."
    ]
    lines += [f"• Left out: {failed.file}: {failed.problem}" for failed in report.failed[:LISTED]]
    lines += [
        f"• {warning.file}, page {warning.page}: {warning.problem}"
        for warning in report.warnings[:LISTED]
    ]
    unnamed = max(0, len(report.failed) - LISTED) + max(0, len(report.warnings) - LISTED)
    if unnamed:
        lines.append(f"• and {unnamed} more; `policypal index` names them all")
    return "\n".join(lines)


def _index_lines(bot: Bot) -> list[str]:
    try:
        index = bot.engine.index()
    except KnowledgeError as error:
        log.error("status: %s", error)
        return [f"*Index:* not available. {escape(str(error))}"]
    today = index.catalog.today()
    in_force = [version for version in index.catalog.versions if version.in_force(today)]
    lines = [
        f"*Index:* built {index.generation.built_at:%d %B %Y %H:%M} UTC; {len(in_force)} of "
        f"{len(index.catalog.versions)} versions in force today"
    ]
    for version in in_force[:LISTED]:
        scope = ", ".join(version.scope) or "global"
        dates = dates_in_words(version.effective_from, version.effective_to) or "always"
        lines.append(f"• {escape(version.title)} ({scope}), in force {dates}")
    if len(in_force) > LISTED:
        lines.append(f"• and {len(in_force) - LISTED} more")
    return lines


def _checker_line(bot: Bot) -> str:
    try:
        bot.engine.checker  # noqa: B018 - loads it where it is not loaded yet
    except PolicyPalError as error:
        log.error("status: %s", error)
        return f"not available: every question goes to HR. {escape(str(error))}"
    return f"ready ({escape(bot.engine.settings.nli_model or 'the one that is built in')})"
