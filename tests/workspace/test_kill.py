"""The app as a process of its own, killed at the worst moment."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.workspace.server import SlackServer
from tests.workspace.fixtures import ASKER, GENERAL

BOT = Path(__file__).with_name("answering_bot.py")
Start = Callable[[], subprocess.Popen[bytes]]


@pytest.fixture
def start(slack_server: SlackServer) -> Iterator[Start]:
    """Start the bot and wait for its socket."""
    running: list[subprocess.Popen[bytes]] = []
    environment = os.environ | {
        "SLACK_API_URL": slack_server.api_url,
        "SLACK_BOT_TOKEN": slack_server.app.bot_token,
        "SLACK_APP_TOKEN": slack_server.app.app_token,
    }

    def begin() -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, str(BOT)], env=environment)
        running.append(process)
        slack_server.wait_for(lambda: slack_server.sockets.links, timeout=60)
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()


def test_a_bot_killed_right_after_its_post_does_not_post_again(
    slack_server: SlackServer, start: Start
) -> None:
    first = start()

    def kill() -> None:
        os.kill(first.pid, signal.SIGKILL)
        first.wait()

    slack_server.faults.call("chat.postMessage", kill, after=True)
    question = slack_server.post_as(ASKER, GENERAL, f"<@{slack_server.app.bot_user}> how much?")
    slack_server.wait_for(lambda: first.returncode is not None)
    slack_server.wait_for(lambda: not slack_server.sockets.links)
    start()
    asked_before = len(slack_server.calls("conversations.replies"))
    for delivery in slack_server.deliveries_of(question):
        slack_server.courier.redeliver(delivery, attempt=1, reason="timeout")
    slack_server.wait_for(lambda: len(slack_server.calls("conversations.replies")) > asked_before)
    second = slack_server.post_as(ASKER, GENERAL, f"<@{slack_server.app.bot_user}> and now?")
    slack_server.wait_for(lambda: slack_server.bot_replies(second))
    assert [m.text for m in slack_server.bot_replies(question)] == ["25 days"]


def test_a_bot_killed_before_its_post_answers_after_the_restart(
    slack_server: SlackServer, start: Start
) -> None:
    first = start()
    hold = slack_server.faults.hold("conversations.replies")
    question = slack_server.post_as(ASKER, GENERAL, f"<@{slack_server.app.bot_user}> how much?")
    assert hold.reached.wait(30)
    first.kill()
    first.wait()
    hold.release()
    slack_server.wait_for(lambda: not slack_server.sockets.links)
    assert slack_server.bot_replies(question) == []
    start()
    (mention,) = slack_server.deliveries("app_mention")
    slack_server.courier.redeliver(mention, attempt=1, reason="timeout")
    slack_server.wait_for(lambda: slack_server.bot_replies(question))
