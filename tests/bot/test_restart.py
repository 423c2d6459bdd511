"""What a new start finds: answers kept, posted or half done, and other bots at the same work."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import update

from bot import questions
from bot.store import Question, open_store
from bot.workspace.server import SlackServer
from bot.workspace.state import Message
from grounding.answer import Answer
from tests.bot.running import MENTION, answers, running, settle, shown
from tests.bot.scripted import Asked, ScriptedEngine, answered, handed_over, sentence, with_country
from tests.workspace.fixtures import ASKER, GENERAL, HR_CHANNEL


def ask(server: SlackServer, text: str = "How much leave?") -> Message:
    return server.post_as(ASKER, GENERAL, f"{MENTION} {text}")


def change(engine: ScriptedEngine, **values: object) -> None:
    """Leave the question as a process would that ended at another moment."""
    sessions = open_store(engine.settings.database)
    with sessions.begin() as session:
        session.execute(update(Question).values(**values))
    sessions.kw["bind"].dispose()


def outcome(engine: ScriptedEngine) -> Question:
    sessions = open_store(engine.settings.database)
    question = questions.get(sessions, 1)
    sessions.kw["bind"].dispose()
    return question


def test_an_event_that_slack_sends_again_after_a_restart_is_not_answered_again(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    with running(slack_server, engine):
        question = ask(slack_server)
        answers(slack_server, question)
        settle(slack_server)
    with running(slack_server, engine):
        for delivery in slack_server.deliveries_of(question):
            slack_server.courier.redeliver(delivery, 1, "timeout")
        slack_server.wait_for(
            lambda: all(len(d.attempts) == 2 for d in slack_server.deliveries_of(question))
        )
        settle(slack_server)
    assert len(slack_server.bot_replies(question)) == len(engine.asked) == 1


def test_an_answer_that_was_kept_is_posted_and_not_worked_out_again(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    with running(slack_server, engine):
        first = ask(slack_server)
        [posted] = answers(slack_server, first)
        settle(slack_server)
    with slack_server.workspace.changed:
        del slack_server.workspace.channels[GENERAL].messages[posted.ts]
    change(engine, work="held", owner="dead", lease_until=0, outcome=None, posted_ts=None)
    engine.script = answered(sentence("Something else."))
    with running(slack_server, engine):
        [again] = answers(slack_server, first)
    assert shown(again) == shown(posted)
    assert len(engine.asked) == 1


def test_an_answer_that_was_posted_but_not_noted_is_found(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    with running(slack_server, engine):
        question = ask(slack_server)
        [posted] = answers(slack_server, question)
        settle(slack_server)
    change(engine, work="held", owner="dead", lease_until=0, outcome=None, posted_ts=None)
    with running(slack_server, engine):
        slack_server.wait_for(lambda: outcome(engine).outcome == "answered")
    assert outcome(engine).posted_ts == posted.ts
    assert len(slack_server.bot_replies(question)) == 1


@pytest.mark.parametrize("asked_anew", [True, False])
def test_a_country_button_of_a_lost_database_answers_no_other_question(
    slack_server: SlackServer, engine: ScriptedEngine, asked_anew: bool
) -> None:
    engine.script = with_country(answered(), "DE")
    with running(slack_server, engine):
        [old] = answers(slack_server, ask(slack_server))
        settle(slack_server)
    for file in engine.settings.data.glob("policypal.db*"):
        file.unlink()
    with running(slack_server, engine):
        if asked_anew:
            other = ask(slack_server, "What is my notice?")
            answers(slack_server, other)
        slack_server.click(ASKER, old, "choose_country_DE")
        [told] = slack_server.wait_for(lambda: slack_server.ephemerals(GENERAL, ASKER))
        settle(slack_server)
        assert told.text == "From now on I show you the policies for Germany."
        assert told.thread_ts == old.thread_ts
        answers(slack_server, ask(slack_server, "How much sick leave?"))
    assert len(engine.asked) == 2 + asked_anew
    assert engine.asked[-1].country == "DE"


def test_a_database_that_was_made_anew_takes_no_old_message_for_its_own(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    with running(slack_server, engine):
        question = ask(slack_server)
        answers(slack_server, question)
        settle(slack_server)
    for file in engine.settings.data.glob("policypal.db*"):
        file.unlink()
    with running(slack_server, engine):
        slack_server.faults.server_error("chat.postMessage")
        follow_up = slack_server.post_as(ASKER, GENERAL, f"{MENTION} And in India?", question.ts)
        answers(slack_server, question, 2)
        settle(slack_server)
    assert outcome(engine).ts == follow_up.ts
    assert len(slack_server.bot_replies(question)) == 2


def test_restarts_during_a_computation_do_not_send_its_question_to_hr(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.SETTLE_S", 0.0)
    asked, release = threading.Semaphore(0), threading.Event()

    def compute(_: Asked) -> Answer:
        asked.release()
        release.wait(20)
        return answered()

    engine.script = compute
    for restart in range(4):
        with running(slack_server, engine) as started:
            if restart == 0:
                question = ask(slack_server)
            assert asked.acquire(timeout=10)
            started.bot.questions.stop(0.1)
    release.set()
    with running(slack_server, engine):
        [answer] = answers(slack_server, question)
        settle(slack_server)
    assert "25 days" in shown(answer)
    assert outcome(engine).outcome == "answered"
    assert len(slack_server.bot_replies(question)) == 1


def test_an_answer_that_cannot_be_shown_ends_with_hr(
    slack_server: SlackServer,
    engine: ScriptedEngine,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("bot.worker.MAX_DELAY_S", 0.05)

    def url_for(source: object, page: int) -> str:
        raise RuntimeError("no key for links")

    monkeypatch.setattr(engine, "url_for", url_for)
    with running(slack_server, engine):
        question = ask(slack_server)
        [told] = answers(slack_server, question)
        slack_server.wait_for(lambda: outcome(engine).outcome == "handed_over")
        settle(slack_server)
    assert "I couldn't work this out. I've passed your question to HR." in shown(told)
    [case] = [m for m in slack_server.messages(HR_CHANNEL) if m.bot_id]
    assert "> How much leave?" in shown(case)
    assert "the bot failed on it; its log says why" in shown(case)
    assert "no key for links" in caplog.text
    assert len(engine.asked) == len(slack_server.bot_replies(question)) == 1
    assert outcome(engine).attempts == 3


def test_a_case_whose_sources_cannot_be_shown_reaches_hr_without_them(
    slack_server: SlackServer,
    engine: ScriptedEngine,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    engine.script = handed_over()

    def url_for(source: object, page: int) -> str:
        raise RuntimeError("no key for links")

    monkeypatch.setattr(engine, "url_for", url_for)
    with running(slack_server, engine):
        [told] = answers(slack_server, ask(slack_server))
        settle(slack_server)
    assert "I've passed your question to HR." in shown(told)
    [case] = [m for m in slack_server.messages(HR_CHANNEL) if m.bot_id]
    assert "> How much leave?" in shown(case)
    assert "no key for links" in caplog.text


def test_two_bots_on_one_database_answer_each_question_once(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    slack_server.courier.copies = 3
    other = ScriptedEngine(engine.settings)
    with (
        running(slack_server, engine, owner="one"),
        running(slack_server, other, owner="two"),
    ):
        asked = [ask(slack_server, f"Question {n}?") for n in range(12)]
        slack_server.wait_for(lambda: all(slack_server.bot_replies(q) for q in asked), 40)
        settle(slack_server)
    assert [len(slack_server.bot_replies(q)) for q in asked] == [1] * 12
    assert len(engine.asked) + len(other.asked) == 12


def test_a_question_whose_thread_is_gone_is_given_up_and_logged(
    slack_server: SlackServer, engine: ScriptedEngine, caplog: pytest.LogCaptureFixture
) -> None:
    hold = slack_server.faults.hold("users.profile.get")
    with running(slack_server, engine):
        question = ask(slack_server)
        assert hold.reached.wait(5)
        slack_server.delete_as(ASKER, question)
        hold.release()
        slack_server.wait_for(lambda: outcome(engine).outcome == "failed")
    assert "its thread takes no message" in caplog.text
    assert "How much leave" not in caplog.text


def test_an_answer_that_slack_does_not_take_for_a_day_is_given_up(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.MAX_DELAY_S", 0.1)
    fault = slack_server.faults.error("chat.postMessage", "token_revoked", times=None)
    with running(slack_server, engine):
        question = ask(slack_server)
        slack_server.wait_for(lambda: fault.hits >= 4, 20)
        assert outcome(engine).outcome is None
        change(engine, created_at=0.0)
        slack_server.wait_for(lambda: outcome(engine).outcome == "failed", 20)
    assert not slack_server.bot_replies(question)
