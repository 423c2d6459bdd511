"""Keeps the leases that this process holds from running out while work is under way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot import leases
from bot.leases import HEARTBEAT_S, Lease
from bot.store import Leased, Sessions

log = logging.getLogger(__name__)


@dataclass
class Keeper:
    """One thread that renews every lease which is held through it."""

    sessions: Sessions
    _held: dict[str, Lease] = field(default_factory=dict)
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def stop(self) -> None:
        """Renew no more. Only once nothing is worked on: what is held is free soon after."""
        self._stop.set()

    @contextmanager
    def holding(self, lease: Lease) -> Iterator[None]:
        """Renew `lease` until the block ends."""
        self._held[lease.owner] = lease
        try:
            yield
        finally:
            del self._held[lease.owner]

    def held(self, table: type[Leased]) -> list[Lease]:
        """The leases on rows of `table` that are held now."""
        return [lease for lease in list(self._held.values()) if lease.table is table]

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            for lease in list(self._held.values()):
                try:
                    leases.heartbeat(self.sessions, lease)
                except Exception:
                    log.exception("cannot renew a lease")
