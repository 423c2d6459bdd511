"""The bot as a process: kills, stops, restarts, what its log tells."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from bot.workspace.server import SlackServer
from bot.workspace.state import Message
from tests.bot.process import Served
from tests.bot.running import MENTION, buttons, shown
from tests.workspace.fixtures import ASKER, GENERAL

WITHIN = 30.0
"""Seconds from a restart in which a held question must be answered."""

LEAVE = "How many days of annual leave do I get?"
TRAVEL = "Which class may I book on a flight of ten hours?"


@pytest.fixture
def served(slack_server: SlackServer, indexed: Path, tmp_path: Path) -> Iterator[Served]:
    data = tmp_path / "data"
    shutil.copytree(indexed, data)
    bot = Served(slack_server, data)
    yield bot
    slack_server.faults.clear()
    if bot.process and bot.process.poll() is None:
        bot.kill()


def answer_of(served: Served, question: Message, within: float = WITHIN) -> Message:
    """The one answer, and the row settled with it."""
    served.server.wait_for(lambda: served.server.bot_replies(question), within)
    served.server.wait_for(lambda: served.outcome(question.ts), within)
    [answer] = served.server.bot_replies(question)
    return answer


def test_no_kill_and_no_stop_loses_or_doubles_an_answer(
    slack_server: SlackServer, served: Served
) -> None:
    served.start()
    asked = [slack_server.post_as(ASKER, GENERAL, f"{MENTION} {LEAVE}")]
    first = answer_of(served, asked[0])
    page = httpx.get(buttons(first)[0]["url"])
    assert page.headers["content-type"] == "application/pdf"

    # Killed in the middle of a question.
    held = slack_server.faults.hold("users.profile.get")
    asked.append(slack_server.post_as(ASKER, ASKER, LEAVE))
    assert held.reached.wait(10)
    served.kill()
    held.release()
    served.start()
    again = answer_of(served, asked[1], WITHIN - (time.monotonic() - served.started_at))
    assert shown(again) == shown(first)

    # Killed between the post and the note that it was posted.
    slack_server.faults.call("chat.postMessage", served.kill, after=True)
    asked.append(slack_server.post_as(ASKER, GENERAL, f"{MENTION} {TRAVEL}"))
    slack_server.wait_for(lambda: served.process and served.process.poll() is not None, 30)
    assert served.outcome(asked[2].ts) is None
    served.start()
    answer_of(served, asked[2], WITHIN - (time.monotonic() - served.started_at))

    # Told to stop with a question that takes too long: it is handed back.
    held = slack_server.faults.hold("users.profile.get")
    asked.append(slack_server.post_as(ASKER, ASKER, TRAVEL))
    assert held.reached.wait(10)
    assert served.terminate() == 0
    held.release()
    served.start()
    answer_of(served, asked[3], WITHIN - (time.monotonic() - served.started_at))

    # Told to stop with a question that is nearly done: it is finished.
    slack_server.faults.delay("users.profile.get", 2)
    asked.append(slack_server.post_as(ASKER, ASKER, LEAVE))
    slack_server.wait_for(lambda: served.outcome(asked[4].ts) is None and _held(slack_server))
    assert served.terminate() == 0
    assert len(slack_server.bot_replies(asked[4])) == 1

    assert [len(slack_server.bot_replies(question)) for question in asked] == [1] * len(asked)
    _tells_no_secrets(served)


def _held(server: SlackServer) -> bool:
    """The last call for a profile is under way."""
    return server.calls("users.profile.get")[-1].done_at is None


def _tells_no_secrets(served: Served) -> None:
    """The log of all runs holds no token, no address of a socket and nothing that was asked."""
    log = served.log
    assert "ready for questions" in log
    for secret in ("xoxb-", "xapp-", "ws://", LEAVE, TRAVEL, "annual leave"):
        assert secret not in log, log
    assert "Traceback" not in log, log


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_kills_at_random_moments_lose_and_double_nothing(
    slack_server: SlackServer, served: Served
) -> None:
    chance = random.Random(7)
    slack_server.courier.copies = 2
    asked: list[Message] = []
    for _ in range(12):
        served.start()
        for _ in range(4):
            text = chance.choice([LEAVE, TRAVEL, "May I bring my dog to the office?"])
            asked.append(slack_server.post_as(ASKER, GENERAL, f"{MENTION} {text}"))
            time.sleep(chance.uniform(0, 0.5))
        if chance.random() < 0.3:
            slack_server.faults.server_error("chat.postMessage", after=True)
        time.sleep(chance.uniform(0, 3))
        served.kill()
    served.start()
    slack_server.wait_for(lambda: all(slack_server.bot_replies(q) for q in asked), 120)
    slack_server.wait_for(lambda: all(served.outcome(q.ts) for q in asked), 60)
    told = [[shown(m) for m in slack_server.bot_replies(question)] for question in asked]
    assert [texts for texts in told if len(texts) != 1] == []
