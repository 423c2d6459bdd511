"""HR's replies that no event brought: they are read from the threads of the cases."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import update

from bot.store import Case, open_store
from bot.workspace.server import SlackServer
from bot.workspace.state import Message
from tests.bot.running import (
    MENTION,
    RunningBot,
    answers,
    running,
    settings_for,
    settle,
    shown,
)
from tests.bot.scripted import ScriptedEngine, handed_over
from tests.workspace.fixtures import ASKER, GENERAL, HR, HR_CHANNEL

TICK = "white_check_mark"


@pytest.fixture
def engine(slack_server: SlackServer, tmp_path: Path) -> ScriptedEngine:
    return ScriptedEngine(settings_for(slack_server, tmp_path / "data"), handed_over())


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.missed.PACE_S", 0.1)
    monkeypatch.setattr("bot.missed.RETRY_S", 0.2)


def ask(server: SlackServer, number: int = 1) -> tuple[Message, Message]:
    """The question, and its case."""
    question = server.post_as(ASKER, GENERAL, f"{MENTION} May I bring my dog?")
    answers(server, question)
    [case] = [m for m in server.messages(HR_CHANNEL) if m.text.startswith(f"Case {number}:")]
    return question, case


def reply(server: SlackServer, case: Message, *texts: str) -> list[Message]:
    """HR's replies while no event reaches the bot, until Slack gives up on them."""
    written = [server.post_as(HR, HR_CHANNEL, text, case.ts) for text in texts]
    server.wait_for(lambda: all(delivery.outcome for delivery in server.deliveries()), 20)
    return written


def relayed(server: SlackServer, question: Message, count: int) -> list[str]:
    """What of HR's reached the asker, once it is `count` replies, or more soon after."""
    server.wait_for(lambda: len(server.bot_replies(question)) > count, 30)
    settle(server)
    return [shown(m).partition("> ")[2] for m in server.bot_replies(question)[1:]]


def test_what_hr_wrote_while_the_bot_was_down_is_relayed_once_in_order(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    slack_server.workspace.add_user("U0ROBOT", "robot", is_bot=True)
    slack_server.workspace.channels[HR_CHANNEL].members.append("U0ROBOT")
    with running(slack_server, engine):
        first, first_case = ask(slack_server)
        second, second_case = ask(slack_server, 2)
        slack_server.post_as(HR, HR_CHANNEL, "Heard.", first_case.ts)
        relayed(slack_server, first, 1)
    slack_server.post_as("U0ROBOT", HR_CHANNEL, "Ticket created", first_case.ts)
    written = reply(slack_server, first_case, "No.", "note: ask legal", "Oh, yes.")
    reply(slack_server, second_case, "Two dogs: no.")
    for _ in range(2):
        with running(slack_server, engine):
            assert relayed(slack_server, first, 3) == ["Heard.", "No.", "Oh, yes."]
            assert relayed(slack_server, second, 1) == ["Two dogs: no."]
    assert [bool(message.reactions) for message in written] == [True, False, True]


def test_a_reply_that_comes_at_the_start_is_relayed_after_those_that_were_missed(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(slack_server, engine):
        question, case = ask(slack_server)
    reply(slack_server, case, "No.", "Oh, yes.")
    monkeypatch.setattr("bot.missed.PACE_S", 60)
    with running(slack_server, engine):
        slack_server.post_as(HR, HR_CHANNEL, "On Fridays.", case.ts)
        assert relayed(slack_server, question, 3) == ["No.", "Oh, yes.", "On Fridays."]


@pytest.mark.usefixtures("bot")
def test_what_hr_wrote_while_the_sockets_were_down_is_relayed(slack_server: SlackServer) -> None:
    question, case = ask(slack_server)
    settle(slack_server)
    slack_server.stop()
    reply(slack_server, case, "Yes.")
    slack_server.start()
    assert relayed(slack_server, question, 1) == ["Yes."]


@pytest.mark.parametrize("trouble", ["internal_error", "503", "cut"])
def test_a_thread_that_cannot_be_read_now_is_read_later(
    slack_server: SlackServer, engine: ScriptedEngine, trouble: str
) -> None:
    with running(slack_server, engine):
        question, case = ask(slack_server)
    reply(slack_server, case, "Yes.")
    faults, read = slack_server.faults, "conversations.replies"
    if trouble == "cut":
        faults.cut(read)
    elif trouble == "503":
        faults.server_error(read)
    else:
        faults.error(read, trouble)
    with running(slack_server, engine):
        assert relayed(slack_server, question, 1) == ["Yes."]


def test_a_thread_that_is_gone_keeps_nobody_from_the_others(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    with running(slack_server, engine):
        question, case = ask(slack_server)
        _, gone = ask(slack_server, 2)
    reply(slack_server, case, "Yes.")
    with slack_server.workspace.changed:
        del slack_server.workspace.channels[HR_CHANNEL].messages[gone.ts]
    with running(slack_server, engine):
        assert relayed(slack_server, question, 1) == ["Yes."]


def test_each_thread_is_read_once_and_those_of_old_cases_never(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    with running(slack_server, engine):
        for number in range(1, 4):
            ask(slack_server, number)
    _change_case(engine, 1, created_at=0.0)
    before = len(_reads(slack_server))
    with running(slack_server, engine):
        slack_server.wait_for(lambda: len(_reads(slack_server)) == before + 2)
        Event().wait(0.5)
    assert len(_reads(slack_server)) == before + 2


@pytest.mark.usefixtures("bot")
def test_no_thread_is_read_again_where_nothing_was_missed(
    slack_server: SlackServer, bot: RunningBot
) -> None:
    question, case = ask(slack_server)
    # The first event may come by one socket before the others are up: a gap until then.
    Event().wait(1)
    before = len(_reads(slack_server))
    for text in ("Yes.", "On Fridays."):
        slack_server.post_as(HR, HR_CHANNEL, text, case.ts)
    assert relayed(slack_server, question, 2) == ["Yes.", "On Fridays."]
    assert len(_reads(slack_server)) == before


def _reads(server: SlackServer) -> list[Any]:
    return server.calls("conversations.replies")


def _change_case(engine: ScriptedEngine, number: int, **values: object) -> None:
    sessions = open_store(engine.settings.database)
    with sessions.begin() as session:
        session.execute(update(Case).where(Case.id == number).values(**values))
    sessions.kw["bind"].dispose()
