"""A question's life: received -> answered, handed over, or failed."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import func, select

from bot.posting import message_ts
from bot.store import Question, Sessions, keep
from grounding.answer import Answer

log = logging.getLogger(__name__)

_ANSWER = TypeAdapter(Answer)


class Outcome(StrEnum):
    ANSWERED = "answered"
    HANDED_OVER = "handed_over"
    HELPED = "helped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Asked:
    """A message to the bot. `thread_ts` is the thread to answer in.

    `text` is plain text; it is empty where somebody only wants to know what the bot is for.
    """

    channel: str
    ts: str
    thread_ts: str
    user: str
    text: str
    direct: bool


def receive(sessions: Sessions, asked: Asked) -> bool:
    """Keep a question; False when that message is kept already.

    The same message comes as a mention and as a channel message, and again whenever Slack saw no
    ack: channel and ts name the message, whatever event it came in.
    """
    row = Question(
        channel=asked.channel,
        ts=asked.ts,
        thread_ts=asked.thread_ts,
        user=asked.user,
        text=asked.text,
        direct=asked.direct,
    )
    return keep(sessions, row)


def get(sessions: Sessions, question_id: int) -> Question:
    """The question's row, detached. Raises sqlalchemy.exc.NoResultFound for an unknown id."""
    with sessions() as session:
        row: Question = session.execute(
            select(Question).where(Question.id == question_id)
        ).scalar_one()
        return row


def find(sessions: Sessions, question_id: int) -> Question | None:
    """The question's row, detached; None when it is not kept."""
    with sessions() as session:
        row: Question | None = session.get(Question, question_id)
        return row


def packed(answer: Answer) -> str:
    """An answer as it is kept with its question."""
    return _ANSWER.dump_json(answer).decode()


def kept_answer(question: Question) -> Answer | None:
    """The answer that is kept with the question.

    None where there is none, or one of another release that cannot be read any more.
    """
    if question.answer is None:
        return None
    try:
        return _ANSWER.validate_json(question.answer)
    except ValidationError as error:
        # Its count only: what it says is the answer's text.
        log.warning(
            "question %d: its kept answer cannot be read (%d faults)",
            question.id,
            error.error_count(),
        )
        return None


def earlier_in_thread(sessions: Sessions, question: Question) -> str | None:
    """What the same person last asked in the same thread before this: a follow-up leans on it."""
    with sessions() as session:
        text: str | None = session.scalar(
            select(Question.text)
            .where(
                Question.channel == question.channel,
                Question.thread_ts == question.thread_ts,
                Question.user == question.user,
                Question.id < question.id,
                # One that is asked again came before what was asked since.
                Question.ts < message_ts(question.ts),
                # Asked again for another country, or nothing asked at all.
                Question.text.not_in([question.text, ""]),
            )
            .order_by(Question.id.desc())
            .limit(1)
        )
        return text


def counts(sessions: Sessions) -> dict[str, int]:
    """How many questions each outcome has; `open` for those without one yet."""
    with sessions() as session:
        rows = session.execute(select(Question.outcome, func.count()).group_by(Question.outcome))
        return {outcome or "open": count for outcome, count in rows}
