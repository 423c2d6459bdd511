"""The tables: questions, people, cases and HR's replies. SQLite by default, PostgreSQL by URL.

Whatever has to survive a kill is a row here before Slack is told that it arrived. A row that waits
for work is held under a lease: see `bot.leases`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Engine,
    ForeignKey,
    Index,
    UniqueConstraint,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.exc import IntegrityError, ProgrammingError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, sessionmaker

SQLITE_BUSY_MS = 10_000
"""How long a SQLite writer waits for another one; writes here take milliseconds."""


def utc_now() -> float:
    """Seconds since the epoch."""
    return datetime.now(UTC).timestamp()


class Base(DeclarativeBase):
    pass


class WorkState(StrEnum):
    """Where a row stands: `waiting` may be claimed, `held` is worked on, the others are final."""

    WAITING = "waiting"
    HELD = "held"
    DONE = "done"
    FAILED = "failed"


class Leased(Base):
    """The columns of a row that one worker at a time holds. Times are seconds since the epoch."""

    __abstract__ = True

    work: Mapped[str] = mapped_column(default=WorkState.WAITING)
    owner: Mapped[str | None]
    lease_until: Mapped[float] = mapped_column(default=0.0)
    not_before: Mapped[float] = mapped_column(default=0.0)
    attempts: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[float] = mapped_column(default=utc_now)
    finished_at: Mapped[float | None]


class Question(Leased):
    """One message to the bot. `outcome` is None until it is answered, handed over or failed.

    `country` is the reader's country that the kept `answer` (JSON) is for.
    """

    __tablename__ = "question"
    __table_args__ = (
        UniqueConstraint("channel", "ts", name="one_question_a_message"),
        Index("question_waiting", "work", "not_before"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    channel: Mapped[str]
    ts: Mapped[str]
    thread_ts: Mapped[str]
    user: Mapped[str]
    text: Mapped[str]
    direct: Mapped[bool]
    country: Mapped[str | None]
    outcome: Mapped[str | None]
    answer: Mapped[str | None]
    posted_ts: Mapped[str | None]


class Person(Base):
    """What somebody chose: the country whose policies they are shown."""

    __tablename__ = "person"

    user: Mapped[str] = mapped_column(primary_key=True)
    country: Mapped[str]


class CaseState(StrEnum):
    OPEN = "open"
    CLAIMED = "claimed"
    ANSWERED = "answered"
    CLOSED = "closed"


class Case(Leased):
    """A question handed to HR. The lease is for posting it: it waits until HR can be reached.

    `channel` and `ts` are those of the case message in the HR channel, None until it is posted.
    `asker_waits` says that the asker was told that HR could not be reached yet.
    """

    __tablename__ = "case"
    __table_args__ = (
        UniqueConstraint("question_id", name="one_case_a_question"),
        Index("case_waiting", "work", "not_before"),
        Index("case_message", "channel", "ts"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"))
    state: Mapped[str] = mapped_column(default=CaseState.OPEN)
    channel: Mapped[str | None]
    ts: Mapped[str | None]
    asker_waits: Mapped[bool] = mapped_column(default=False)


class Reply(Leased):
    """HR's reply in a case's thread, on its way to the asker's thread.

    `text` is as Slack sent it; `files` says that files came with it.
    """

    __tablename__ = "reply"
    __table_args__ = (
        UniqueConstraint("channel", "ts", name="one_reply_a_message"),
        Index("reply_waiting", "work", "not_before"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("case.id"))
    channel: Mapped[str]
    ts: Mapped[str]
    user: Mapped[str]
    text: Mapped[str]
    files: Mapped[bool] = mapped_column(default=False)
    posted_ts: Mapped[str | None]


Sessions = sessionmaker[Any]


def open_store(url: str) -> Sessions:
    """Sessions on the database at `url`, its tables made where they are missing.

    Raises sqlalchemy.exc.SQLAlchemyError when the database cannot be reached, ImportError when its
    driver is not installed.
    """
    engine = _engine(url)
    try:
        Base.metadata.create_all(engine)
    except (IntegrityError, ProgrammingError):
        # On PostgreSQL, another process that started at the same moment has just made them.
        Base.metadata.create_all(engine)
    return sessionmaker(engine, expire_on_commit=False)


def keep(sessions: Sessions, row: Base) -> bool:
    """Keep a new row; False when the same is kept already."""
    try:
        with sessions.begin() as session:
            session.add(row)
    except IntegrityError:
        return False
    return True


def _engine(url: str) -> Engine:
    # Parameters are what people wrote, and an error with them in it ends up in the log.
    if not make_url(url).drivername.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True, hide_parameters=True)
    engine = create_engine(url, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        # A row that Slack was told of must outlive a power cut, not only a kill.
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute(f"PRAGMA busy_timeout={SQLITE_BUSY_MS}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        # The default takes the write lock at the first write, too late to wait for it.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
