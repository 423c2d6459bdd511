"""Workers that take rows that wait, one each, and never lose one.

A row's handler finishes it. What it raises decides the rest: a failure that may pass hands the row
back with a growing delay, one that will not pass gives it up.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from slack_sdk import WebClient

from bot import leases
from bot.errors import BotError
from bot.keeper import Keeper
from bot.leases import Lease
from bot.posting import CannotPost, Mark, Post, post_once
from bot.store import Leased, Sessions

log = logging.getLogger(__name__)

POLL_S = 1.0
"""How often a worker looks for rows that no `wake` told it of: expired leases, other processes'."""

MAX_DELAY_S = 300.0

BUSY_S = 1.0

SETTLE_S = 3.0
"""A row that is handed back at a stop rests this long: a message of it may still be on its way to
Slack, and whoever takes the row next must be able to see it."""


class LeaseLost(BotError):
    """Somebody else holds the row by now: stop, and post nothing."""


class Busy(BotError):
    """What the work needs is held by another worker for the moment: it is tried again soon."""


@dataclass
class Pump:
    """Threads that work on the rows of one table.

    `handle` does a row's work and finishes it. `give_up` is called instead when `handle` raised
    what will not pass.
    """

    sessions: Sessions
    keeper: Keeper
    table: type[Leased]
    owner: str
    handle: Callable[[Lease], None]
    give_up: Callable[[Lease], None]
    threads: int = 1
    _wake: threading.Event = field(default_factory=threading.Event)
    _stop: threading.Event = field(default_factory=threading.Event)
    _workers: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        # Daemons: a row that is handed back must not keep the process alive.
        self._workers = [
            threading.Thread(
                target=self._work, name=f"{self.table.__tablename__}-{number}", daemon=True
            )
            for number in range(self.threads)
        ]
        for thread in self._workers:
            thread.start()

    def wake(self) -> None:
        """There is a row to look at."""
        self._wake.set()

    def stop(self, within_s: float) -> None:
        """Claim no more; wait for what is held, and hand back what is not done by then."""
        self._stop.set()
        self._wake.set()
        until = monotonic() + within_s
        for thread in self._workers:
            thread.join(max(0.0, until - monotonic()))
        # What its own threads hold may be rows of two tables. Another pump's row of this table is
        # not touched: it is still worked on.
        for lease in self.keeper.held_by(self._workers):
            leases.interrupt(self.sessions, lease, SETTLE_S)
            log.info("handed back %s %d for the next start", lease.table.__tablename__, lease.id)

    def _work(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            try:
                lease = leases.claim(self.sessions, self.table, self.owner)
            except Exception:
                log.exception("cannot look for work in the database")
                self._stop.wait(POLL_S)
                continue
            if lease is None:
                self._wake.wait(POLL_S)
            else:
                self._wake.set()
                self._do(lease)

    def _do(self, lease: Lease) -> None:
        name = self.table.__tablename__
        with self.keeper.holding(lease):
            try:
                self.handle(lease)
            except LeaseLost:
                log.warning("%s %d was taken over by another worker", name, lease.id)
            except Busy as error:
                log.info("%s %d waits: %s", name, lease.id, error)
                self._settle(lease, retry=True, delay_s=BUSY_S)
            except CannotPost as error:
                log.error("%s %d: %s", name, lease.id, error)
                delay = max(error.retry_after_s, _growing_delay_s(lease))
                self._settle(lease, retry=error.retryable, delay_s=delay)
            except Exception:
                log.exception("%s %d failed at attempt %d", name, lease.id, lease.attempt)
                self._settle(lease, retry=True, delay_s=_growing_delay_s(lease))

    def _settle(self, lease: Lease, *, retry: bool, delay_s: float) -> None:
        try:
            if retry:
                leases.hand_back(self.sessions, lease, delay_s)
            else:
                self.give_up(lease)
        except Exception:
            log.exception("%s %d stays held", self.table.__tablename__, lease.id)


def post_held(sessions: Sessions, client: WebClient, lease: Lease, post: Post, mark: Mark) -> str:
    """Post what the held row is for, exactly once; its ts. Raises LeaseLost and CannotPost.

    The lease is renewed last of all before posting: whoever lost it must not post. Who holds the
    row for the first time need not look whether somebody posted before.
    """
    if not leases.heartbeat(sessions, lease):
        raise LeaseLost(f"{lease.table.__tablename__} {lease.id}")
    return post_once(client, post, mark, look_first=lease.again)


def _growing_delay_s(lease: Lease) -> float:
    return min(2.0 ** min(lease.attempt, 10), MAX_DELAY_S)
