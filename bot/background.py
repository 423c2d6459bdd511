"""Short jobs that nothing waits for: commands, clicks, remarks."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

log = logging.getLogger(__name__)

Job = Callable[[], Any]


class Background:
    """A few threads that run jobs in turn.

    They are daemons: the process ends without waiting for them, so that a long job (a new index,
    which is taken into use as a whole or not at all) does not hold up a stop.
    """

    def __init__(self, threads: int) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads = threads
        self._at_stop: set[Job] = set()
        for number in range(threads):
            threading.Thread(target=self._work, name=f"background-{number}", daemon=True).start()

    def submit(self, function: Callable[..., Any], *args: Any) -> None:
        """Run `function(*args)` soon; what it raises is logged."""
        self._jobs.put(lambda: function(*args))

    @contextmanager
    def at_stop(self, job: Job) -> Iterator[None]:
        """Run `job` if there is a stop before the block ends. It must not take long."""
        self._at_stop.add(job)
        try:
            yield
        finally:
            self._at_stop.discard(job)

    def stop(self) -> None:
        """Start no further job, and say so where a long one is cut short."""
        for _ in range(self._threads):
            self._jobs.put(None)
        for job in list(self._at_stop):
            _run(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            _run(job)


def _run(job: Job) -> None:
    try:
        job()
    except Exception:
        log.exception("a job in the background failed")
