"""Faults that a test asks for: what the Web API does to the next calls of a method."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

FaultKind = Literal["status", "error", "cut", "delay", "call"]
Predicate = Callable[[Mapping[str, Any]], bool]


@dataclass(slots=True)
class Fault:
    """`after`: the method takes effect first. `times` None: until `Faults.clear`."""

    method: str
    kind: FaultKind
    after: bool
    times: int | None
    status: int = 200
    retry_after: int | None = None
    code: str = ""
    seconds: float = 0.0
    function: Callable[[], object] | None = None
    when: Predicate | None = None
    hits: int = 0


class Hold:
    """A call is held inside the server: `reached` is set when it is there."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._released = threading.Event()

    def release(self) -> None:
        self._released.set()

    def __call__(self) -> None:
        self.reached.set()
        self._released.wait(60)


class _TooSoon:
    """True for a post that follows another in its channel within `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last: dict[str, float] = {}

    def __call__(self, args: Mapping[str, Any]) -> bool:
        channel, now = str(args.get("channel")), time.monotonic()
        if now - self._last.get(channel, -self._seconds) < self._seconds:
            return True
        self._last[channel] = now
        return False


class Faults:
    """Methods are named as in Slack (`chat.postMessage`), `chat.*` for several.

    `response_url` stands for POSTs to a response_url, `link` for the websocket's handshake.
    Faults of one method are used up in the order in which they were asked for. `when` narrows a
    fault to calls with certain arguments.
    """

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._holds: list[Hold] = []
        self._lock = threading.Lock()

    def rate_limit(
        self,
        method: str,
        retry_after: int = 1,
        *,
        times: int | None = 1,
        when: Predicate | None = None,
    ) -> Fault:
        """HTTP 429 with `Retry-After` in seconds; the call has no effect."""
        return self._add(
            Fault(method, "status", False, times, status=429, retry_after=retry_after, when=when)
        )

    def channel_limit(self, seconds: float = 1.0) -> Fault:
        """Slack's limit on posting: one message a second in each channel, else HTTP 429."""
        return self.rate_limit("chat.postMessage", times=None, when=_TooSoon(seconds))

    def server_error(
        self,
        method: str,
        status: int = 503,
        *,
        after: bool = False,
        times: int | None = 1,
        when: Predicate | None = None,
    ) -> Fault:
        """An HTTP error in place of Slack's answer."""
        return self._add(Fault(method, "status", after, times, status=status, when=when))

    def error(
        self, method: str, code: str, *, times: int | None = 1, when: Predicate | None = None
    ) -> Fault:
        """Slack refuses with this error code."""
        return self._add(Fault(method, "error", False, times, code=code, when=when))

    def cut(
        self,
        method: str,
        *,
        after: bool = False,
        times: int | None = 1,
        when: Predicate | None = None,
    ) -> Fault:
        """The connection breaks with no answer."""
        return self._add(Fault(method, "cut", after, times, when=when))

    def delay(
        self,
        method: str,
        seconds: float,
        *,
        after: bool = False,
        times: int | None = 1,
        when: Predicate | None = None,
    ) -> Fault:
        return self._add(Fault(method, "delay", after, times, seconds=seconds, when=when))

    def call(
        self,
        method: str,
        function: Callable[[], object],
        *,
        after: bool = False,
        times: int | None = 1,
        when: Predicate | None = None,
    ) -> Fault:
        """Run `function` (kill the app, say) at that moment; then the call goes on."""
        return self._add(Fault(method, "call", after, times, function=function, when=when))

    def hold(self, method: str, *, after: bool = False, when: Predicate | None = None) -> Hold:
        """Hold the next call until `Hold.release` (at most 60 s)."""
        hold = Hold()
        self._holds.append(hold)
        self.call(method, hold, after=after, when=when)
        return hold

    def clear(self) -> None:
        """Forget all faults and release what is held."""
        with self._lock:
            self._faults.clear()
        for hold in self._holds:
            hold.release()

    def take(self, method: str, args: Mapping[str, Any], *, after: bool) -> list[Fault]:
        """The faults for this call at this moment; the last may answer it, the others do not."""
        taken: list[Fault] = []
        with self._lock:
            for fault in self._faults:
                if fault.after is not after or fault.times == 0:
                    continue
                if not fnmatchcase(method, fault.method) or (fault.when and not fault.when(args)):
                    continue
                fault.hits += 1
                if fault.times is not None:
                    fault.times -= 1
                taken.append(fault)
                if fault.kind in ("status", "error", "cut"):
                    break
        return taken

    def _add(self, fault: Fault) -> Fault:
        with self._lock:
            self._faults.append(fault)
        return fault
