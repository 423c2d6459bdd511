"""HR's replies in a case's thread, relayed to the asker's thread exactly once."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from sqlalchemy import select, update

from bot import leases, messages, questions
from bot.incoming import Incoming
from bot.leases import Lease
from bot.people import People
from bot.posting import (
    NETWORK,
    CannotPost,
    cannot_post,
    error_code,
    mark,
    may_pass,
    post_once,
)
from bot.store import Case, CaseState, Question, Reply, Sessions, WorkState, keep, utc_now
from bot.text import relayed
from bot.worker import Busy, LeaseLost, post_held

log = logging.getLogger(__name__)

NOTE = re.compile(r"[\W_]*note\s*:", re.IGNORECASE)
"""A reply that starts with `note:` stays in the HR channel, also where somebody made it bold."""

TICK = "white_check_mark"

TICK_WITHIN_S = 24 * 3600.0
"""How long a tick is tried again; after a day HR has long asked whether the reply arrived."""

NO_TEXT = (
    "I can pass on text only, and this reply has none. Please write what the asker should know."
)

TOO_LONG = (
    "This reply is too long to be passed on whole, and I pass on no half. Please split it in two."
)

FILES_STAY = "I passed on the text of this reply; its files stay here, I can't pass those on."

LOST = (
    "I couldn't pass this reply on: the asker's conversation takes no messages from me any more. "
    "Please contact them directly."
)


def case_of_thread(sessions: Sessions, channel: str, thread_ts: str) -> int | None:
    """The id of the case whose message starts this thread, None for any other thread."""
    with sessions() as session:
        found: int | None = session.scalar(
            select(Case.id).where(Case.channel == channel, Case.ts == thread_ts)
        )
        return found


def receive_reply(sessions: Sessions, *, case_id: int, incoming: Incoming) -> bool:
    """Keep a reply of HR's; False for a note, and for one that is kept already."""
    if NOTE.match(incoming.text):
        return False
    row = Reply(
        case_id=case_id,
        channel=incoming.channel,
        ts=incoming.ts,
        user=incoming.user,
        text=incoming.raw if incoming.text else "",
        files=incoming.files,
    )
    return keep(sessions, row)


@dataclass(frozen=True, slots=True)
class Relay:
    """Posts replies in the asker's thread, and ticks them in the case's.

    `read_missed` keeps what came before a reply of the case and was missed. May raise CannotPost.
    """

    sessions: Sessions
    client: WebClient
    people: People
    read_missed: Callable[[Case], object]

    def handle(self, lease: Lease) -> None:
        """Relay one reply. Raises CannotPost when Slack takes no message or no tick now.

        Raises Busy while an earlier one of the case waits: a correction must not come before what
        it corrects.
        """
        reply, case, question = self._load(lease.id)
        if reply.posted_ts is None:
            self.read_missed(case)
            if self._earlier_waits(reply):
                raise Busy(f"an earlier reply of case {case.id} is not passed on yet")
            if not self._pass_on(lease, reply, case, question):
                leases.finish(self.sessions, lease)
                return
        if reply.files:
            self._tell_hr(reply, case, FILES_STAY)
        self._tick(reply)
        leases.finish(self.sessions, lease)
        log.info("case %d: reply %d relayed", case.id, reply.id)

    def _pass_on(self, lease: Lease, reply: Reply, case: Case, question: Question) -> bool:
        """Post the reply in the asker's thread; False when HR has to write another one."""
        text = relayed(reply.text, self.people.name)
        if not text or not messages.reply_fits(text):
            self._tell_hr(reply, case, TOO_LONG if text else NO_TEXT)
            return False
        post = messages.reply_post(
            channel=question.channel,
            thread_ts=question.thread_ts,
            name=self.people.name(reply.user, otherwise=""),
            text=text,
        )
        marked = mark("reply", reply.channel, reply.ts)
        ts = post_held(self.sessions, self.client, lease, post, marked)
        with self.sessions.begin() as session:
            session.execute(update(Case).where(Case.id == case.id).values(state=CaseState.ANSWERED))
        # Kept before the tick: whoever tries that again must not pass the reply on again.
        if not leases.save(self.sessions, lease, posted_ts=ts):
            raise LeaseLost(f"reply {reply.id}")
        return True

    def give_up(self, lease: Lease) -> None:
        """The asker's thread takes no message: HR is told, and can turn to the asker directly."""
        reply, case, _ = self._load(lease.id)
        self._tell_hr(reply, case, LOST)
        leases.fail(self.sessions, lease)

    def _load(self, reply_id: int) -> tuple[Reply, Case, Question]:
        with self.sessions() as session:
            reply = session.get_one(Reply, reply_id)
            case = session.get_one(Case, reply.case_id)
        return reply, case, questions.get(self.sessions, case.question_id)

    def _earlier_waits(self, reply: Reply) -> bool:
        with self.sessions() as session:
            earlier = session.scalar(
                select(Reply.id)
                .where(
                    Reply.case_id == reply.case_id,
                    Reply.ts < reply.ts,
                    # One that only waits for its tick holds up none.
                    Reply.posted_ts.is_(None),
                    Reply.work.in_([WorkState.WAITING, WorkState.HELD]),
                )
                .limit(1)
            )
        return earlier is not None

    def _tell_hr(self, reply: Reply, case: Case, text: str) -> None:
        """Raises CannotPost when it may pass later: HR has to know what the asker was not told."""
        told = messages.thread_note(channel=reply.channel, thread_ts=case.ts or reply.ts, text=text)
        try:
            post_once(
                self.client, told, mark("reply_note", reply.channel, reply.ts), look_first=True
            )
        except CannotPost as error:
            if error.retryable:
                raise
            log.error("case %d: HR can't be told about reply %d: %s", case.id, reply.id, error)

    def _tick(self, reply: Reply) -> None:
        """Raises CannotPost when it may pass later: without a tick HR may send the reply again."""
        try:
            self.client.reactions_add(channel=reply.channel, timestamp=reply.ts, name=TICK)
        except (SlackApiError, *NETWORK) as error:
            if error_code(error) == "already_reacted":
                return
            log.warning("reply %d was relayed, but not ticked: %s", reply.id, error_code(error))
            if may_pass(error) and utc_now() - reply.created_at < TICK_WITHIN_S:
                raise cannot_post(reply.channel, error) from error
