"""Rows under a lease: one holder at a time, nothing lost, nothing done by who lost it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, update
from sqlalchemy.exc import IntegrityError, ProgrammingError

from bot import leases, questions
from bot.keeper import Keeper
from bot.leases import Lease
from bot.posting import CannotPost, Unreachable
from bot.questions import Asked
from bot.store import Base, Question, Sessions, open_store
from bot.worker import LeaseLost, Pump
from tests.bot.scripted import answered

ASKED = Asked("C1", "1.000001", "1.000001", "U1", "May I fly?", False)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'policypal.db'}"


@pytest.fixture
def sessions(url: str) -> Iterator[Sessions]:
    opened = open_store(url)
    yield opened
    opened.kw["bind"].dispose()


def keep(sessions: Sessions, count: int = 1) -> None:
    for n in range(count):
        assert questions.receive(sessions, replace(ASKED, ts=f"{n}.000001"))


def claimed(sessions: Sessions, owner: str = "one") -> Lease:
    lease = leases.claim(sessions, Question, owner)
    assert lease is not None
    return lease


def expire(sessions: Sessions) -> None:
    with sessions.begin() as session:
        session.execute(update(Question).values(lease_until=0.0))


def test_the_same_message_is_kept_once_also_from_two_processes(
    sessions: Sessions, url: str
) -> None:
    other = open_store(url)
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda s: questions.receive(s, ASKED), [sessions, other] * 8))
    assert kept.count(True) == 1


def test_the_oldest_row_comes_first(sessions: Sessions) -> None:
    keep(sessions, 3)
    assert [claimed(sessions).id for _ in range(3)] == [1, 2, 3]
    assert leases.claim(sessions, Question, "one") is None


def test_each_row_has_one_holder_among_many_workers_of_two_processes(
    sessions: Sessions, url: str
) -> None:
    keep(sessions, 30)
    other = open_store(url)

    def take_all(store: Sessions) -> list[int]:
        taken = []
        while lease := leases.claim(store, Question, "worker"):
            taken.append(lease.id)
        return taken

    with ThreadPoolExecutor(6) as pool:
        taken = [id for ids in pool.map(take_all, [sessions, other] * 3) for id in ids]
    assert sorted(taken) == list(range(1, 31))


def test_a_row_whose_holder_fell_silent_is_free_and_counts_its_attempts(sessions: Sessions) -> None:
    keep(sessions)
    first = claimed(sessions)
    assert (first.attempt, first.again) == (1, False)
    assert leases.claim(sessions, Question, "two") is None
    expire(sessions)
    assert claimed(sessions, "two").attempt == 2


def test_who_lost_the_row_changes_nothing(sessions: Sessions) -> None:
    keep(sessions)
    lost = claimed(sessions)
    expire(sessions)
    held = claimed(sessions)
    assert not leases.heartbeat(sessions, lost)
    assert not leases.save(sessions, lost, answer="late")
    assert not leases.finish(sessions, lost, outcome="answered")
    assert not leases.fail(sessions, lost)
    assert not leases.hand_back(sessions, lost)
    assert leases.finish(sessions, held, outcome="handed_over")
    row = questions.get(sessions, 1)
    assert (row.outcome, row.answer, row.work) == ("handed_over", None, "done")


def test_a_row_that_was_handed_back_waits_as_long_as_asked(sessions: Sessions) -> None:
    keep(sessions)
    assert leases.hand_back(sessions, claimed(sessions), 0.3)
    assert leases.claim(sessions, Question, "two") is None
    time.sleep(0.35)
    assert claimed(sessions, "two").attempt == 2


def test_a_named_row_is_taken_before_its_time_but_not_from_its_holder(sessions: Sessions) -> None:
    keep(sessions, 2)
    assert leases.hand_back(sessions, claimed(sessions), 60)
    lease = leases.claim(sessions, Question, "two", row=1)
    assert lease is not None
    assert lease.id == 1
    assert leases.claim(sessions, Question, "three", row=1) is None


def test_a_database_that_is_locked_is_waited_for(sessions: Sessions, url: str) -> None:
    keep(sessions)
    other = open_store(url)
    with ThreadPoolExecutor(1) as pool, other.begin() as session:
        session.connection()
        waiting = pool.submit(leases.claim, sessions, Question, "one")
        time.sleep(0.4)
        assert not waiting.done()
        session.commit()
        assert waiting.result(5) is not None


def test_tables_that_another_process_makes_at_the_same_moment_are_used(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on PostgreSQL, where two may find that there are none, and one of them is refused."""
    make, refusals = Base.metadata.create_all, iter([True])

    def create_all(engine: Engine) -> None:
        make(engine)
        if next(refusals, False):
            raise ProgrammingError("CREATE TABLE question", None, Exception("already exists"))

    monkeypatch.setattr(Base.metadata, "create_all", create_all)
    opened = open_store(url)
    keep(opened)
    opened.kw["bind"].dispose()


def test_an_answer_of_another_release_is_worked_out_anew(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    keep(sessions)
    kept = replace_answer(sessions, questions.packed(answered()))
    assert questions.kept_answer(kept) == answered()
    other = replace_answer(sessions, '{"status": "my secret answer"}')
    assert questions.kept_answer(other) is None
    assert "cannot be read" in caplog.text
    assert "my secret answer" not in caplog.text


def replace_answer(sessions: Sessions, text: str) -> Question:
    with sessions.begin() as session:
        session.execute(update(Question).values(answer=text))
    return questions.get(sessions, 1)


def test_errors_of_the_database_do_not_tell_what_was_written(sessions: Sessions) -> None:
    with sessions() as session:
        session.add(Question(channel="C1", ts=None, text="my secret question", user="U1"))
        with pytest.raises(IntegrityError, match="NOT NULL") as caught:
            session.flush()
    assert "my secret question" not in str(caught.value)


# Pumps


def pump(
    sessions: Sessions,
    handle: Callable[[Lease], None],
    give_up: Callable[[Lease], None] | None = None,
    threads: int = 1,
) -> Pump:
    keeper = Keeper(sessions)
    made = Pump(sessions, keeper, Question, "me", handle, give_up or handle, threads)
    made.start()
    return made


def wait_until(happened: Callable[[], object], seconds: float = 5.0) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "in vain"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("error", "retried"),
    [(RuntimeError("x"), True), (CannotPost("C1", "x"), True), (Unreachable("C1", "x"), False)],
)
def test_what_may_pass_is_tried_again_and_what_will_not_is_given_up(
    sessions: Sessions, error: Exception, retried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.MAX_DELAY_S", 0.05)
    done: list[str] = []

    def handle(lease: Lease) -> None:
        if lease.attempt < 3:
            raise error
        leases.finish(sessions, lease)
        done.append("handled")

    def give_up(lease: Lease) -> None:
        leases.fail(sessions, lease)
        done.append("given up")

    keep(sessions)
    started = pump(sessions, handle, give_up)
    wait_until(lambda: done)
    started.stop(2)
    assert done == (["handled"] if retried else ["given up"])


def test_slacks_retry_after_is_obeyed(sessions: Sessions) -> None:
    keep(sessions)

    def handle(lease: Lease) -> None:
        raise CannotPost("C1", "ratelimited", retry_after_s=120)

    started = pump(sessions, handle)
    wait_until(lambda: questions.get(sessions, 1).not_before > 0)
    started.stop(2)
    assert questions.get(sessions, 1).not_before - time.time() > 110


def test_a_stop_waits_for_what_is_nearly_done(sessions: Sessions) -> None:
    keep(sessions, 2)
    begun = threading.Event()

    def handle(lease: Lease) -> None:
        begun.set()
        time.sleep(0.3)
        leases.finish(sessions, lease, outcome="answered")

    started = pump(sessions, handle)
    assert begun.wait(5)
    started.stop(5)
    assert questions.counts(sessions) == {"answered": 1, "open": 1}


def test_a_stop_hands_back_what_is_not_done_in_time_and_its_holder_may_not_finish_it(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.SETTLE_S", 0.0)
    keep(sessions)
    begun, release, finished = threading.Event(), threading.Event(), []

    def handle(lease: Lease) -> None:
        begun.set()
        release.wait(10)
        finished.append(leases.finish(sessions, lease))

    started = pump(sessions, handle)
    assert begun.wait(5)
    started.stop(0.1)
    taken_over = claimed(sessions, "the next process")
    # It must look whether its message stands there already, but nobody failed on the work.
    assert taken_over.again
    assert taken_over.attempt == 1
    release.set()
    wait_until(lambda: finished)
    assert finished == [False]


def test_a_worker_outlives_a_database_that_fails_for_a_while(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.POLL_S", 0.05)
    real, failures = leases.claim, iter([OSError("disk"), OSError("disk")])

    def flaky(*args: object) -> object:
        for error in failures:
            raise error
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("bot.leases.claim", flaky)
    done: list[Lease] = []
    keep(sessions)
    started = pump(sessions, done.append)
    wait_until(lambda: done)
    started.stop(2)


def test_losing_the_row_ends_the_work_quietly(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    keep(sessions)
    tried: list[Lease] = []

    def handle(lease: Lease) -> None:
        tried.append(lease)
        raise LeaseLost("question 1")

    started = pump(sessions, handle)
    wait_until(lambda: "taken over by another worker" in caplog.text)
    started.stop(2)
    assert questions.get(sessions, 1).work == "held"


def test_a_long_work_keeps_its_row_by_heartbeats(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.leases.LEASE_S", 0.4)
    monkeypatch.setattr("bot.keeper.HEARTBEAT_S", 0.1)
    keep(sessions)
    keeper = Keeper(sessions)
    keeper.start()
    lease = claimed(sessions)
    with keeper.holding(lease):
        time.sleep(0.8)
        assert leases.claim(sessions, Question, "two") is None
    time.sleep(0.5)
    assert leases.claim(sessions, Question, "two") is not None
    keeper.stop()
