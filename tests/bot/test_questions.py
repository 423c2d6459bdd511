"""A question in Slack, from its message to the answer in its thread."""

from __future__ import annotations

import threading

import pytest

from bot import questions
from bot.workspace.server import SlackServer
from bot.workspace.text import notified, readable
from tests.bot.running import MENTION, RunningBot, answers, buttons, settle, shown
from tests.bot.scripted import (
    Asked,
    ScriptedEngine,
    answered,
    sentence,
    source,
    with_country,
)
from tests.workspace.fixtures import ASKER, GENERAL, HR, HR_CHANNEL, OTHER

pytestmark = pytest.mark.usefixtures("bot")


def test_a_direct_message_is_answered_in_its_thread_as_one_message(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    question = slack_server.post_as(ASKER, ASKER, "How many days of leave do I get?")
    [answer] = answers(slack_server, question)
    assert answer.thread_ts == question.ts
    assert "You get 25 days of leave. [1]" in shown(answer)
    [button] = buttons(answer)
    assert button["text"]["text"] == "[1] Annual leave policy, p. 4"
    assert button["url"].startswith("http://127.0.0.1:9/policies/")
    assert button["url"].endswith("#page=4")
    assert engine.asked == [Asked("How many days of leave do I get?", "IN", None)]
    settle(slack_server)
    assert len(slack_server.bot_replies(question)) == 1


def test_a_status_is_shown_while_it_works_and_gone_with_the_answer(
    slack_server: SlackServer,
) -> None:
    question = slack_server.post_as(ASKER, ASKER, "How many days of leave do I get?")
    answers(slack_server, question)
    session = slack_server.workspace.session(question.channel, question.ts)
    assert session.statuses == [
        "Searching policies…",
        "Searching policies…",
        "Checking each sentence against its source…",
        "",
    ]


def test_a_mention_is_answered_in_its_thread_in_the_channel(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    question = slack_server.post_as(ASKER, GENERAL, f"{MENTION} may I fly business?")
    [answer] = answers(slack_server, question)
    assert (answer.channel, answer.thread_ts) == (GENERAL, question.ts)
    assert engine.asked[0].question == "may I fly business?"


def test_a_mention_and_a_channel_message_of_the_same_text_are_one_question(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    question = slack_server.post_as(ASKER, GENERAL, f"{MENTION} may I fly business?")
    assert {d.name for d in slack_server.deliveries_of(question)} == {"app_mention", "message"}
    answers(slack_server, question)
    settle(slack_server)
    assert len(slack_server.bot_replies(question)) == len(engine.asked) == 1


def test_an_event_delivered_three_times_is_answered_once(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    slack_server.courier.copies = 3
    question = slack_server.post_as(ASKER, ASKER, "May I fly business?")
    answers(slack_server, question)
    [delivery] = slack_server.deliveries_of(question)
    for attempt in (1, 2):
        slack_server.courier.redeliver(delivery, attempt, "timeout")
    slack_server.wait_for(lambda: len([a for a in delivery.attempts if a.acked_at]) == 5)
    settle(slack_server)
    assert len(slack_server.bot_replies(question)) == len(engine.asked) == 1


def test_every_event_is_acked_within_three_seconds_while_answers_are_slow(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    release = threading.Event()

    def slow(asked: Asked) -> object:
        release.wait(10)
        return answered()

    engine.script = slow  # type: ignore[assignment]
    asked = [slack_server.post_as(ASKER, ASKER, f"Question {n}?") for n in range(12)]
    deliveries = [d for q in asked for d in slack_server.deliveries_of(q)]
    slack_server.wait_for(lambda: all(d.acked for d in deliveries), 3)
    command = slack_server.command(ASKER, GENERAL, "/policypal", "help")
    slack_server.wait_for(lambda: command.acked, 3)
    release.set()
    slack_server.wait_for(lambda: all(slack_server.bot_replies(q) for q in asked))
    assert all((d.ack_seconds or 9) < 3 for d in deliveries)


def test_a_question_is_kept_before_slack_is_told_that_it_came(
    slack_server: SlackServer, bot: RunningBot, engine: ScriptedEngine
) -> None:
    with bot.bot.sessions.begin() as session:
        # The write lock is held: the row cannot be kept, so there must be no ack.
        session.connection()
        question = slack_server.post_as(ASKER, ASKER, "May I fly business?")
        [delivery] = slack_server.deliveries_of(question)
        threading.Event().wait(0.7)
        assert not delivery.acked
    answers(slack_server, question)
    assert delivery.acked
    assert len(engine.asked) == 1


@pytest.mark.parametrize(
    "text",
    [MENTION, f"{MENTION}  ", f"<@{OTHER}> {MENTION}", f"{MENTION} Hello!", f"{MENTION} help"],
)
def test_a_mention_that_asks_nothing_gets_help_once(
    slack_server: SlackServer, engine: ScriptedEngine, text: str
) -> None:
    question = slack_server.post_as(ASKER, GENERAL, text)
    [reply] = answers(slack_server, question)
    assert "Ask me about a company policy" in shown(reply)
    settle(slack_server)
    assert len(slack_server.bot_replies(question)) == 1
    assert not engine.asked


@pytest.mark.parametrize("text", ["Thanks!", "ok, thank you so much", ":thumbsup: great"])
def test_thanks_are_no_question_and_no_case_for_hr(
    slack_server: SlackServer, engine: ScriptedEngine, text: str
) -> None:
    message = slack_server.post_as(ASKER, ASKER, text)
    settle(slack_server)
    assert not engine.asked
    assert not slack_server.bot_replies(message)


@pytest.mark.parametrize("text", ["Thanks, and how much leave in Spain?", "ok to fly business?"])
def test_a_question_that_begins_politely_is_a_question(
    slack_server: SlackServer, engine: ScriptedEngine, text: str
) -> None:
    answers(slack_server, slack_server.post_as(ASKER, ASKER, text))
    assert engine.asked[0].question == text


def test_bots_edits_deletions_joins_and_own_messages_are_no_questions(
    slack_server: SlackServer, bot: RunningBot, engine: ScriptedEngine
) -> None:
    slack_server.workspace.add_user("U0ROBOT", "robot", is_bot=True)
    slack_server.workspace.channels[GENERAL].members.append("U0ROBOT")
    slack_server.post_as("U0ROBOT", GENERAL, f"{MENTION} beep?")
    chat = slack_server.post_as(OTHER, GENERAL, "Not for the bot")
    slack_server.edit_as(OTHER, chat, f"{MENTION} now it is?")
    slack_server.delete_as(OTHER, chat)
    slack_server.workspace.add_user("U0NEW", "nadia")
    slack_server.join_as("U0NEW", GENERAL)
    slack_server.post_as(OTHER, GENERAL, "How many days of leave do I get?")
    bot.bot.client.chat_postMessage(channel=GENERAL, text=f"{MENTION} talking to myself?")
    settle(slack_server)
    assert not engine.asked
    assert all(d.acked for d in slack_server.deliveries())


def test_events_and_clicks_that_nobody_listens_to_are_acked(
    slack_server: SlackServer, bot: RunningBot
) -> None:
    slack_server.open_home(ASKER)
    slack_server.change_context(GENERAL)
    question = slack_server.post_as(ASKER, ASKER, "How many days of leave do I get?")
    [answer] = answers(slack_server, question)
    slack_server.click(ASKER, answer, buttons(answer)[0]["action_id"])
    settle(slack_server)
    assert all(d.acked for d in slack_server.deliveries())
    assert [len(d.attempts) for d in slack_server.deliveries()] == [1] * len(
        slack_server.deliveries()
    )


def test_a_follow_up_brings_the_question_before_it(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    first = slack_server.post_as(ASKER, GENERAL, f"{MENTION} May I fly business?")
    answers(slack_server, first)
    slack_server.post_as(OTHER, GENERAL, f"{MENTION} And I?", first.ts)
    slack_server.post_as(ASKER, GENERAL, f"{MENTION} And over eight hours?", first.ts)
    answers(slack_server, first, 3)
    assert engine.asked[1:] in (
        [Asked("And I?", None, None), Asked("And over eight hours?", "IN", "May I fly business?")],
        [Asked("And over eight hours?", "IN", "May I fly business?"), Asked("And I?", None, None)],
    )


def test_text_is_unescaped_once_on_its_way_in(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    question = slack_server.post_as(ASKER, ASKER, "Is leave < 5 days & paid, or &lt; 6?")
    answers(slack_server, question)
    assert engine.asked[0].question == "Is leave < 5 days & paid, or &lt; 6?"


def test_a_policy_text_pings_nobody_and_shows_as_it_is_written(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    text = f"If tenure is <1 year & grade >B, ask <!channel> or <@{HR}> at <#{GENERAL}> or @here."
    engine.script = answered(
        sentence(text, (1, 2)),
        sources=[source(1, text, title=f"R&D <2025> <@{HR}>", file="R&D <2025>.pdf")],
    )
    question = slack_server.post_as(ASKER, GENERAL, f"{MENTION} whom do I ask?")
    [answer] = answers(slack_server, question)
    assert not notified(answer)
    assert f"{text} [1]" in readable(answer)
    assert buttons(answer)[0]["text"]["text"] == f"[1] R&D <2025> <@{HR}>, p. 2"


def test_an_answer_that_rests_on_the_global_rule_offers_countries_and_a_click_asks_again_once(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    engine.script = lambda asked: (
        answered(sentence("In Germany you get 28 days."), sources=[source(scope=("DE",))])
        if asked.country
        else with_country(answered(), "IN", "DE")
    )
    question = slack_server.post_as(OTHER, GENERAL, f"{MENTION} how many days of leave?")
    [answer] = answers(slack_server, question)
    assert "This is the global rule." in shown(answer)
    assert [b["text"]["text"] for b in buttons(answer)][1:] == [
        "I work in India",
        "I work in Germany",
    ]
    for _ in range(2):
        slack_server.click(OTHER, answer, "choose_country_DE")
    answers(slack_server, question, 2)
    settle(slack_server)
    [_, again] = slack_server.bot_replies(question)
    assert "In Germany you get 28 days." in shown(again)
    assert "Showing the policy for Germany." in shown(again)
    assert [asked.country for asked in engine.asked] == [None, "DE"]
    assert engine.asked[1].previous is None


def test_a_question_asked_again_does_not_lean_on_what_was_asked_after_it(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    engine.script = with_country(answered(), "DE")
    first = slack_server.post_as(OTHER, GENERAL, f"{MENTION} how many days do I get?")
    [answer] = answers(slack_server, first)
    slack_server.post_as(OTHER, GENERAL, f"{MENTION} and what is my notice?", first.ts)
    answers(slack_server, first, 2)
    slack_server.click(OTHER, answer, "choose_country_DE")
    answers(slack_server, first, 3)
    assert [asked.previous for asked in engine.asked] == [None, "how many days do I get?", None]


def test_somebody_elses_click_sets_their_own_country_only(
    slack_server: SlackServer, engine: ScriptedEngine, bot: RunningBot
) -> None:
    engine.script = with_country(answered(), "IN", "DE")
    question = slack_server.post_as(OTHER, GENERAL, f"{MENTION} how many days of leave?")
    [answer] = answers(slack_server, question)
    slack_server.click(HR, answer, "choose_country_DE")
    [told] = slack_server.wait_for(lambda: slack_server.ephemerals(GENERAL, HR))
    assert told.text == "From now on I show you the policies for Germany."
    settle(slack_server)
    assert len(slack_server.bot_replies(question)) == 1
    assert bot.bot.people.country(HR) == "DE"
    assert bot.bot.people.country(OTHER) is None


def test_a_failure_within_is_tried_again_and_then_handed_over_without_its_text(
    slack_server: SlackServer,
    engine: ScriptedEngine,
    bot: RunningBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.worker.MAX_DELAY_S", 0.1)

    def broken(asked: Asked) -> object:
        raise RuntimeError("secret-path /srv/keys and a stack")

    engine.script = broken  # type: ignore[assignment]
    question = slack_server.post_as(ASKER, ASKER, "May I fly business?")
    [told] = answers(slack_server, question)
    assert shown(told).startswith("I couldn't work this out. I've passed your question to HR.")
    [case] = slack_server.messages(HR_CHANNEL)
    assert "May I fly business?" in shown(case)
    assert "secret-path" not in shown(told) + told.text + shown(case) + case.text
    assert len(engine.asked) == 3
    slack_server.wait_for(lambda: questions.counts(bot.bot.sessions) == {"handed_over": 1})


def test_a_failure_that_passes_is_answered(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.MAX_DELAY_S", 0.1)

    def broken_once(asked: Asked) -> object:
        if len(engine.asked) == 1:
            raise RuntimeError("hiccup")
        return answered()

    engine.script = broken_once  # type: ignore[assignment]
    question = slack_server.post_as(ASKER, ASKER, "May I fly business?")
    [answer] = answers(slack_server, question)
    assert "You get 25 days of leave." in shown(answer)


def test_twenty_questions_at_once_are_each_answered_once(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    slack_server.courier.copies = 2
    asked = [slack_server.post_as(ASKER, GENERAL, f"{MENTION} question {n}?") for n in range(20)]
    slack_server.wait_for(lambda: all(slack_server.bot_replies(q) for q in asked), 30)
    settle(slack_server)
    assert [len(slack_server.bot_replies(q)) for q in asked] == [1] * 20
    assert len(engine.asked) == 20


@pytest.mark.parametrize("trouble", ["refresh_sockets", "drop_sockets", "close_sockets"])
def test_a_socket_that_breaks_loses_no_question(
    slack_server: SlackServer, engine: ScriptedEngine, trouble: str
) -> None:
    # The SDK notices a broken connection at the fifth ping in vain; Slack retries for minutes.
    slack_server.courier.retry_delays = (0.2, 2.0, 4.0, 8.0)
    asked = [slack_server.post_as(ASKER, GENERAL, f"{MENTION} before?")]
    getattr(slack_server, trouble)()
    asked += [slack_server.post_as(ASKER, GENERAL, f"{MENTION} after {n}?") for n in range(3)]
    slack_server.wait_for(lambda: all(slack_server.bot_replies(q) for q in asked), 20)
    settle(slack_server)
    assert [len(slack_server.bot_replies(q)) for q in asked] == [1] * 4
