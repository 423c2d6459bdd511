"""Cases: questions handed to HR in the HR channel."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from sqlalchemy import func, select, update

from bot import leases, messages, questions
from bot.engine import Engine
from bot.keeper import Keeper
from bot.leases import Lease
from bot.missed import Missed
from bot.people import People
from bot.posting import (
    NETWORK,
    CannotPost,
    Post,
    Unreachable,
    error_code,
    mark,
    message_ts,
    post_once,
)
from bot.store import Case, Question, Sessions, keep, utc_now
from bot.worker import Busy, LeaseLost, post_held
from grounding.answer import Answer, Status

log = logging.getLogger(__name__)

RETRY_S = 60.0
"""How often a case that could not be posted is tried again."""

NOT_WORKED_OUT = Answer(Status.NEEDS_HUMAN, None, (), ())
"""What HR gets instead of an answer on which the bot failed again and again."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Posts cases to HR. `channel` is the HR channel's id, None when it is not set."""

    sessions: Sessions
    keeper: Keeper
    client: WebClient
    engine: Engine
    people: People
    missed: Missed
    channel: str | None
    owner: str

    def open(self, question_id: int) -> Case:
        """The case of a question, made on first call.

        It is posted by `deliver_now`; only if that never happens or fails is it a worker's.
        """
        if not keep(self.sessions, Case(question_id=question_id, not_before=utc_now() + RETRY_S)):
            log.info("question %d has a case already", question_id)
        with self.sessions() as session:
            case: Case = session.execute(
                select(Case).where(Case.question_id == question_id)
            ).scalar_one()
            return case

    def deliver_now(self, case_id: int) -> bool:
        """Post the case at once; False when HR cannot be reached, and it waits for a later try.

        Raises Busy while another worker, which may have died, is at it.
        """
        lease = leases.claim(self.sessions, Case, self.owner, row=case_id)
        if lease is None:
            if self._get(case_id).ts is None:
                raise Busy(f"case {case_id} is held")
            return True
        with self.keeper.holding(lease):
            try:
                return self._delivered(lease)
            except LeaseLost as error:
                raise Busy(f"{error} was taken over") from None

    def tell_later(self, case_id: int) -> bool:
        """Tell the asker once HR has the case; False when HR has it by now."""
        with self.sessions.begin() as session:
            changed = session.execute(
                update(Case).where(Case.id == case_id, Case.ts.is_(None)).values(asker_waits=True)
            )
        return bool(changed.rowcount == 1)

    def handle(self, lease: Lease) -> None:
        """Post a case that waited, and tell the asker. For the worker."""
        self._delivered(lease)

    def _delivered(self, lease: Lease) -> bool:
        try:
            self._post(lease)
            # Until its message was known as a case's, its thread was any other thread: whatever HR
            # replied between the post and its save, which a crash or a lost answer of Slack's may
            # part, no event could be told to be a reply.
            self.missed.read(self._get(lease.id))
        except CannotPost as error:
            log.error("case %d waits: %s", lease.id, _what_to_do(error))
            leases.hand_back(self.sessions, lease, max(RETRY_S, error.retry_after_s))
            return False
        # Read only now: whether somebody was told to wait is settled by the case's ts.
        case = self._get(lease.id)
        if case.asker_waits:
            self._tell_asker(case, questions.get(self.sessions, case.question_id))
        leases.finish(self.sessions, lease)
        log.info("case %d is with HR", case.id)
        return True

    def _post(self, lease: Lease) -> None:
        if self.channel is None:
            raise Unreachable("the HR channel", "not_set")
        case = self._get(lease.id)
        if case.ts is not None:
            return
        question = questions.get(self.sessions, case.question_id)
        post = self._case_post(case, question, self.channel)
        marked = mark("case", question.channel, question.ts)
        ts = post_held(self.sessions, self.client, lease, post, marked)
        if not leases.save(self.sessions, lease, channel=self.channel, ts=ts):
            raise LeaseLost(f"case {case.id}")

    def _case_post(self, case: Case, question: Question, channel: str) -> Post:
        """The case with what was found, without it where that cannot be shown."""
        show = partial(
            messages.case_post,
            channel=channel,
            case_id=case.id,
            question=question.text,
            asker=self.people.name(question.user),
            direct=question.direct,
            thread_link=None if question.direct else self._link(question),
            url_for=self.engine.url_for,
        )
        try:
            return show(questions.kept_answer(question) or NOT_WORKED_OUT)
        except Exception:
            log.exception("case %d: HR gets the question only", case.id)
            return show(NOT_WORKED_OUT)

    def _tell_asker(self, case: Case, question: Question) -> None:
        told = messages.hr_reached_post(channel=question.channel, thread_ts=question.thread_ts)
        try:
            post_once(
                self.client,
                told,
                mark("case_reached", question.channel, question.ts),
                look_first=True,
            )
        except Unreachable as error:
            log.error("case %d is with HR, but its asker can't be told: %s", case.id, error)

    def _get(self, case_id: int) -> Case:
        with self.sessions() as session:
            case: Case = session.get_one(Case, case_id)
            return case

    def _link(self, question: Question) -> str | None:
        try:
            found = self.client.chat_getPermalink(
                channel=question.channel, message_ts=message_ts(question.ts)
            )
        except (SlackApiError, *NETWORK) as error:
            log.debug("no link to the asker's thread: %s", error_code(error))
            return None
        return str(found["permalink"])


def _what_to_do(error: CannotPost) -> str:
    if error.code == "not_set":
        return "set POLICYPAL_HR_CHANNEL to the id of the HR channel, and restart"
    if error.code in ("is_archived", "channel_is_archived"):
        return f"{error}: unarchive the HR channel, or set POLICYPAL_HR_CHANNEL to another"
    if isinstance(error, Unreachable):
        return f"{error}: invite the bot to the HR channel, or set POLICYPAL_HR_CHANNEL to another"
    return str(error)


def waiting_cases(sessions: Sessions) -> int:
    """How many cases have not reached the HR channel yet."""
    with sessions() as session:
        return session.scalar(select(func.count()).where(Case.ts.is_(None))) or 0


def hr_channel_problem(client: WebClient, channel: str | None) -> str | None:
    """What keeps cases from the HR channel, and what to do; None when nothing does."""
    if channel is None:
        return "not set: set POLICYPAL_HR_CHANNEL to the channel's id, and restart"
    # Reading the newest message takes no scope that the bot does not need anyway. An archived
    # channel can be read, and the last that was said in it is that it was archived.
    try:
        newest = client.conversations_history(channel=channel, limit=1)["messages"]
    except SlackApiError as error:
        return f"{channel} cannot be used ({error_code(error)}): invite the bot to it"
    except NETWORK as error:
        return f"Slack cannot be reached ({error_code(error)})"
    if newest and newest[0].get("subtype") in ("channel_archive", "group_archive"):
        return f"{channel} is archived: unarchive it, or set POLICYPAL_HR_CHANNEL to another"
    return None
