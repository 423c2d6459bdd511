"""Keeps the leases that this process holds from running out while work is under way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot import leases
from bot.leases import HEARTBEAT_S, Lease
from bot.store import Sessions

log = logging.getLogger(__name__)


@dataclass
class Keeper:
    """One thread that renews every lease which is held through it."""

    sessions: Sessions
    _held: dict[str, tuple[threading.Thread, Lease]] = field(default_factory=dict)
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def stop(self) -> None:
        """Renew no more. Only once nothing is worked on: what is held is free soon after."""
        self._stop.set()

    @contextmanager
    def holding(self, lease: Lease) -> Iterator[None]:
        """Renew `lease` until the block ends."""
        self._held[lease.owner] = (threading.current_thread(), lease)
        try:
            yield
        finally:
            del self._held[lease.owner]

    def held_by(self, threads: Collection[threading.Thread]) -> list[Lease]:
        """The leases that those threads hold now, on whatever table."""
        return [lease for thread, lease in list(self._held.values()) if thread in threads]

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            for _, lease in list(self._held.values()):
                try:
                    leases.heartbeat(self.sessions, lease)
                except Exception:
                    log.exception("cannot renew a lease")
