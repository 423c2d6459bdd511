"""Rows that one worker at a time holds: claim, heartbeat, finish, hand back.

A claim is one UPDATE that only one worker can win; each later step names the owner, so that a
worker whose lease ran out while it was away changes nothing (it gets False, and must stop). The
clocks of machines that share a database must agree within a few seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import and_, or_, select, update

from bot.store import Leased, Sessions, WorkState, utc_now

LEASE_S = 15.0
"""How long a claim holds without a heartbeat. A killed process's work is free after that, which
with the start of a new process stays below the 30 s that an asker may be kept waiting."""

HEARTBEAT_S = 4.0
"""Three heartbeats may be missed before a lease runs out."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A claim on row `id` of `table` by `owner`.

    `attempt` counts from 1, without those that a stop of the process cut short. `again` says that
    somebody held the row before, whether that counts or not.
    """

    table: type[Leased]
    id: int
    owner: str
    attempt: int
    again: bool


def claim(
    sessions: Sessions, table: type[Leased], owner: str, row: int | None = None
) -> Lease | None:
    """Take the oldest row that waits, or whose holder fell silent; None when there is none.

    With `row`, that row at once or none.
    """
    now = utc_now()
    key: Any = _key(table)
    waits = table.work == WorkState.WAITING
    silent = and_(table.work == WorkState.HELD, table.lease_until < now)
    if row is None:
        free = or_(and_(waits, table.not_before <= now), silent)
    else:
        free = and_(or_(waits, silent), key == row)
    # A name of its own for each claim: a thread that lost its row to another thread of the same
    # process must not pass for the holder.
    holder = f"{owner}/{uuid4().hex}"
    with sessions.begin() as session:
        candidate = session.execute(
            select(key, table.lease_until).where(free).order_by(table.created_at).limit(1)
        ).first()
        if candidate is None:
            return None
        found, held_until = candidate
        attempt = session.scalar(
            update(table)
            .where(key == found, free)
            .values(
                work=WorkState.HELD,
                owner=holder,
                lease_until=now + LEASE_S,
                attempts=table.attempts + 1,
            )
            .returning(table.attempts)
        )
    if attempt is None:
        return None
    return Lease(table, found, holder, attempt, again=attempt > 1 or held_until > 0)


def heartbeat(sessions: Sessions, lease: Lease) -> bool:
    """Hold on for another lease; False when the row is no longer ours."""
    return _change(sessions, lease, lease_until=utc_now() + LEASE_S)


def finish(sessions: Sessions, lease: Lease, **values: Any) -> bool:
    """The work is done for good; False, and nothing changed, when the row is no longer ours."""
    return _change(
        sessions, lease, work=WorkState.DONE, owner=None, finished_at=utc_now(), **values
    )


def fail(sessions: Sessions, lease: Lease, **values: Any) -> bool:
    """The work is given up for good."""
    return _change(
        sessions, lease, work=WorkState.FAILED, owner=None, finished_at=utc_now(), **values
    )


def save(sessions: Sessions, lease: Lease, **values: Any) -> bool:
    """Keep what is known so far, and the lease with it."""
    return _change(sessions, lease, lease_until=utc_now() + LEASE_S, **values)


def hand_back(sessions: Sessions, lease: Lease, delay_s: float = 0.0) -> bool:
    """Let somebody else do it, `delay_s` seconds from now at the soonest."""
    return _hand_back(sessions, lease, delay_s)


def interrupt(sessions: Sessions, lease: Lease, delay_s: float) -> bool:
    """The same where the process stops: that says nothing about the work, and does not count."""
    return _hand_back(sessions, lease, delay_s, attempts=lease.attempt - 1)


def _hand_back(sessions: Sessions, lease: Lease, delay_s: float, **values: Any) -> bool:
    return _change(
        sessions,
        lease,
        work=WorkState.WAITING,
        owner=None,
        not_before=utc_now() + delay_s,
        **values,
    )


def _key(table: type[Leased]) -> Any:
    return table.__table__.c.id


def _change(sessions: Sessions, lease: Lease, **values: Any) -> bool:
    table = lease.table
    with sessions.begin() as session:
        changed = session.execute(
            update(table)
            .where(
                _key(table) == lease.id,
                table.work == WorkState.HELD,
                table.owner == lease.owner,
            )
            .values(**values)
        )
    return bool(changed.rowcount == 1)
