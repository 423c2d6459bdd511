"""What a worker does with a question: answer it in its thread, or hand it over to HR."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from slack_sdk import WebClient

from bot import leases, messages, questions
from bot.answer_message import answer_post
from bot.cases import NOT_WORKED_OUT, Cases
from bot.engine import Engine
from bot.leases import Lease
from bot.people import People
from bot.posting import CannotPost, Post, mark
from bot.questions import Outcome
from bot.status import show_status
from bot.store import Question, Sessions, utc_now
from bot.worker import LeaseLost, post_held
from grounding.answer import Answer, Status
from knowledge.errors import KnowledgeError

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
"""A question that ended the process this often is not computed again: HR answers it."""

GIVE_UP_POSTING = timedelta(hours=24)
"""How long a finished answer waits for Slack; after a day the asker has long asked elsewhere."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Answers questions under a lease. Nothing is computed twice: the answer is kept first.

    `passing` is the client for the status line, which nothing may wait for.
    """

    sessions: Sessions
    client: WebClient
    passing: WebClient
    engine: Engine
    people: People
    cases: Cases

    def handle(self, lease: Lease) -> None:
        """Answer the question or hand it over. Raises CannotPost when Slack takes no message."""
        question = questions.get(self.sessions, lease.id)
        if not question.text:
            post = messages.help_post(question.channel, question.thread_ts)
            self._finish(lease, question, post, Outcome.HELPED)
            return
        answer = questions.kept_answer(question) or self._compute(lease, question)
        if answer.status is Status.ANSWERED:
            self._post_answer(lease, question, answer)
        else:
            self._hand_over(lease, question, answer)

    def give_up(self, lease: Lease) -> None:
        """No message can be posted where the question was asked, so nobody can be told there."""
        question = questions.get(self.sessions, lease.id)
        log.error("question %d: its thread takes no message; not answered there", question.id)
        leases.fail(self.sessions, lease, outcome=Outcome.FAILED)

    def _compute(self, lease: Lease, question: Question) -> Answer:
        if lease.attempt > MAX_ATTEMPTS:
            log.error("question %d: given up after %d attempts", question.id, lease.attempt - 1)
            return self._keep(lease, NOT_WORKED_OUT, None)
        country = self.people.country(question.user)
        return self._keep(lease, self._answer(question, country), country)

    def _keep(self, lease: Lease, answer: Answer, country: str | None) -> Answer:
        kept = questions.packed(answer)
        if not leases.save(self.sessions, lease, answer=kept, country=country):
            raise LeaseLost(f"question {lease.id}")
        return answer

    def _answer(self, question: Question, country: str | None) -> Answer:
        def on_step(step: str) -> None:
            show_status(self.passing, question.channel, question.thread_ts, step)

        on_step(messages.SEARCHING)
        return self.engine.answer(
            question.text,
            country=country,
            previous=questions.earlier_in_thread(self.sessions, question),
            on_step=on_step,
        )

    def _post_answer(self, lease: Lease, question: Question, answer: Answer) -> None:
        try:
            post = answer_post(
                answer,
                channel=question.channel,
                thread_ts=question.thread_ts,
                question_id=question.id,
                url_for=self.engine.url_for,
                day=self._today(),
            )
        except Exception:
            if lease.attempt < MAX_ATTEMPTS:
                raise
            log.exception("question %d: its answer cannot be shown, HR gets it", question.id)
            # Kept, so that no later attempt shows it after all, beside what HR says.
            answer = self._keep(lease, NOT_WORKED_OUT, question.country)
            self._hand_over(lease, question, answer)
        else:
            self._finish(lease, question, post, Outcome.ANSWERED)

    def _hand_over(self, lease: Lease, question: Question, answer: Answer) -> None:
        case = self.cases.open(question.id)
        reached = (
            case.ts is not None
            or self.cases.deliver_now(case.id)
            or not self.cases.tell_later(case.id)
        )
        post = messages.handed_over_post(
            answer.reason,
            channel=question.channel,
            thread_ts=question.thread_ts,
            reached_hr=reached,
        )
        self._finish(lease, question, post, Outcome.HANDED_OVER)

    def _today(self) -> date:
        try:
            return self.engine.index().catalog.today()
        except KnowledgeError:
            return datetime.now(UTC).date()

    def _finish(self, lease: Lease, question: Question, post: Post, outcome: Outcome) -> None:
        marked = mark("answer", question.channel, question.ts)
        try:
            ts = post_held(self.sessions, self.client, lease, post, marked)
        except CannotPost as error:
            age = utc_now() - question.created_at
            if error.retryable and age > GIVE_UP_POSTING.total_seconds():
                self.give_up(lease)
                return
            raise
        leases.finish(self.sessions, lease, outcome=outcome, posted_ts=ts)
        log.info("question %d: %s", question.id, outcome)
