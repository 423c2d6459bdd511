"""HR's replies that no event brought.

Slack tries an event again for about five minutes. What HR wrote in a longer gap, while the bot was
down or its sockets were, is read from the threads of the cases.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from sqlalchemy import select

from bot import replies
from bot.incoming import read_message
from bot.posting import NETWORK, CannotPost, Unreachable, cannot_post, messages_since
from bot.store import Case, CaseState, Sessions, utc_now

log = logging.getLogger(__name__)

PACE_S = 2.0
"""Time between two threads: Slack allows about 50 calls a minute, and others need some of them."""

RETRY_S = 60.0

READ_FOR = timedelta(days=30)
"""How old a case may be whose thread is read. HR may add to its reply, so that answered ones are
read as well; nobody closes them."""


@dataclass
class Missed:
    """Reads threads of cases: each once after a gap in the events, the first gap being the start.

    What is kept already is not kept twice, so that reading once more does no harm.
    """

    sessions: Sessions
    client: WebClient
    _gap_ended: float = 0.0
    _read: dict[int, float] = field(default_factory=dict)

    def read(self, case: Case) -> None:
        """Keep what people wrote in the case's thread and no event brought. Raises CannotPost."""
        assert case.channel
        assert case.ts
        begun = monotonic()
        try:
            for message in messages_since(self.client, case.channel, case.ts, case.ts):
                # Our own are left out as every bot's are.
                reply = read_message({**message, "channel": case.channel}, bot_user="")
                if reply and replies.receive_reply(self.sessions, case_id=case.id, incoming=reply):
                    log.info("case %d: a reply that no event had brought is kept", case.id)
        except (SlackApiError, *NETWORK) as error:
            raise cannot_post(case.channel, error) from error
        self._read[case.id] = begun

    def read_after_gap(self, case: Case) -> bool:
        """The same unless it was read since the last gap; whether Slack was asked.

        Raises CannotPost when it may work later.
        """
        if self._read.get(case.id, -1.0) >= self._gap_ended:
            return False
        begun = monotonic()
        try:
            self.read(case)
        except Unreachable as error:
            log.info("case %d: its thread cannot be read (%s)", case.id, error.code)
            self._read[case.id] = begun
        return True

    def watch(self, stop: threading.Event, connected: Callable[[], bool]) -> None:
        """Until `stop`, read each thread after each gap; `connected` says whether events come."""
        due: deque[Case] | None = None
        pause = PACE_S
        while not stop.wait(pause):
            pause = PACE_S
            try:
                if not connected():
                    self._gap_ended, due = monotonic(), None
                    continue
                due = deque(self._recent()) if due is None else due
                pause = self._read_next(due)
            except Exception:
                log.exception("cannot look for replies that were missed")
                pause = RETRY_S

    def _read_next(self, due: deque[Case]) -> float:
        """Read one thread; how long to wait after that."""
        while due:
            case = due.popleft()
            try:
                if self.read_after_gap(case):
                    break
            except CannotPost as error:
                log.warning("case %d: its thread is read later (%s)", case.id, error.code)
                due.append(case)
                return max(RETRY_S, error.retry_after_s)
        return PACE_S

    def _recent(self) -> list[Case]:
        """The newest first: HR is at work on those."""
        since = utc_now() - READ_FOR.total_seconds()
        with self.sessions() as session:
            found = session.scalars(
                select(Case)
                .where(
                    Case.ts.is_not(None),
                    Case.state != CaseState.CLOSED,
                    Case.created_at > since,
                )
                .order_by(Case.created_at.desc())
            )
            return list(found)
