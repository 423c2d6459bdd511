"""What happened between the app and the workspace: each call and each delivery, with times."""

import time
from dataclasses import dataclass, field
from typing import Any, Literal

DeliveryKind = Literal["events_api", "slash_commands", "interactive"]


@dataclass(slots=True)
class ApiCall:
    """One Web API call. `outcome` is "ok", Slack's error code, or the fault that answered it.

    `at` and `done_at` are seconds of `time.time()`; `effect` says whether the method ran and
    succeeded, whatever the caller was told.
    """

    method: str
    args: dict[str, Any]
    at: float = field(default_factory=time.time)
    outcome: str | None = None
    effect: bool = False
    done_at: float | None = None


@dataclass(slots=True)
class Attempt:
    """One try to hand a delivery over; times as in `ApiCall`. `response` is the ack's payload."""

    number: int
    reason: str
    envelope_id: str
    sent_at: float | None = None
    acked_at: float | None = None
    response: dict[str, Any] | None = None
    problem: str | None = None


@dataclass(slots=True)
class Delivery:
    """An event, command or interaction on its way to the app.

    `name` is the event's type, the command, or the interaction's type. `outcome` is None while
    tries are left, then "acked" or "failed".
    """

    kind: DeliveryKind
    name: str
    payload: dict[str, Any]
    attempts: list[Attempt] = field(default_factory=list)
    outcome: Literal["acked", "failed"] | None = None

    @property
    def acked(self) -> bool:
        return self.outcome == "acked"

    @property
    def response(self) -> dict[str, Any] | None:
        """What came with the ack: a command's reply or a view's `response_action`."""
        return next((a.response for a in self.attempts if a.acked_at is not None), None)

    @property
    def ack_seconds(self) -> float | None:
        """Seconds from the successful try to its ack."""
        for attempt in self.attempts:
            if attempt.acked_at is not None and attempt.sent_at is not None:
                return attempt.acked_at - attempt.sent_at
        return None


@dataclass(slots=True)
class Journal:
    calls: list[ApiCall] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
