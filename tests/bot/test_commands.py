"""What `/policypal` does, for employees and for admins."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from bot.cases import hr_channel_problem
from bot.clients import slack_client
from bot.engine import Progress
from bot.workspace.server import SlackServer
from bot.workspace.state import Message
from bot.workspace.text import notified
from grounding.errors import CheckerUnavailable
from knowledge.errors import IndexBusy, IndexUnavailable, KnowledgeError
from knowledge.index import BuildReport, FileProblem, PageWarning
from tests.bot.running import MENTION, RunningBot, answers, running, settle
from tests.bot.scripted import REPORT, ScriptedEngine, handed_over
from tests.workspace.fixtures import (
    ADMIN,
    ASKER,
    GENERAL,
    HR,
    HR_CHANNEL,
    HR_GROUP,
    NOT_JOINED,
    OTHER,
)


def run(server: SlackServer, user: str, text: str, channel: str = GENERAL) -> str:
    """What the person is shown, and nobody else."""
    before = len(server.ephemerals(channel, user))
    delivery = server.command(user, channel, "/policypal", text)
    server.wait_for(lambda: delivery.acked, 3)
    told = server.wait_for(lambda: server.ephemerals(channel, user)[before:])
    return told[0].text


def progress_of(server: SlackServer) -> str:
    """The one message in which the admin sees how the re-index goes."""
    texts = [m.text for m in server.messages(ADMIN) if m.bot_id]
    assert len(texts) < 2
    return "".join(texts)


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("text", ["", "help", "  HELP "])
def test_help_says_what_the_bot_is_for(slack_server: SlackServer, text: str) -> None:
    told = run(slack_server, OTHER, text)
    assert told.startswith("Ask me about a company policy")
    assert "For admins" not in told
    assert "For admins" in run(slack_server, ADMIN, text)


@pytest.mark.usefixtures("bot")
def test_a_word_that_is_no_command_is_repeated_and_pings_nobody(slack_server: SlackServer) -> None:
    told = run(slack_server, OTHER, f"<!channel>&<@{HR}>")
    assert told.startswith("I don't know “")
    [message] = slack_server.ephemerals(GENERAL, OTHER)
    assert not notified(message)


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize(
    ("given", "code", "name"),
    [
        ("UK", "GB", "United Kingdom"),
        ("in", "IN", "India"),
        ("United States", "US", "United States"),
        ("germany", "DE", "Germany"),
    ],
)
def test_a_chosen_country_is_kept_and_used(
    slack_server: SlackServer, engine: ScriptedEngine, given: str, code: str, name: str
) -> None:
    told = run(slack_server, ASKER, f"country {given}")
    assert told == f"Thank you. From now on I show you the policies for {name}."
    assert run(slack_server, ASKER, "country") == f"I show you the policies for {name}."
    answers(slack_server, slack_server.post_as(ASKER, ASKER, "How much leave?"))
    assert engine.asked[0].country == code


@pytest.mark.usefixtures("bot")
def test_a_country_that_is_none_is_said_to_be_unknown(
    slack_server: SlackServer, bot: RunningBot
) -> None:
    told = run(slack_server, OTHER, "country Atlantis & <!here>" + "x" * 500)
    assert told.startswith("I don't know the country “Atlantis &amp; &lt;!here&gt;xxx")
    assert len(told) < 250
    assert bot.bot.people.country(OTHER) is None
    assert "I don't know your country" in run(slack_server, OTHER, "country")


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("command", ["status", "reindex"])
def test_who_is_no_admin_is_refused_politely_and_nothing_is_done(
    slack_server: SlackServer, engine: ScriptedEngine, command: str
) -> None:
    engine.rebuild = lambda progress: pytest.fail("it was done")
    told = run(slack_server, OTHER, command)
    assert told == (
        "Only PolicyPal's admins can do that. Ask your HR or IT team if something is missing or "
        "wrong."
    )
    settle(slack_server)
    assert not [m for m in slack_server.messages(OTHER) if m.bot_id]


@pytest.mark.parametrize(
    "admins", [(OTHER,), (HR_GROUP,), ("U0X", "S0GONE", OTHER), ("S0GONE", HR_GROUP)]
)
def test_admins_are_those_of_the_settings_by_user_or_group(
    slack_server: SlackServer, engine: ScriptedEngine, admins: tuple[str, ...]
) -> None:
    engine.settings = engine.settings.model_copy(update={"admins": admins})
    with running(slack_server, engine):
        user = HR if HR_GROUP in admins else OTHER
        assert "*Questions:*" in run(slack_server, user, "status")
        assert run(slack_server, ADMIN, "status").startswith("Only PolicyPal's admins")


@pytest.mark.usefixtures("bot")
def test_nobody_is_an_admin_while_slack_cannot_say_so(slack_server: SlackServer) -> None:
    slack_server.faults.error("users.info", "internal_error")
    assert run(slack_server, ADMIN, "reindex").startswith("Only PolicyPal's admins")


@pytest.mark.usefixtures("bot")
def test_status_shows_what_is_in_force_what_waits_and_what_was_asked(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    answers(slack_server, slack_server.post_as(ASKER, ASKER, "How much leave?"))
    engine.script = handed_over()
    answers(slack_server, slack_server.post_as(ASKER, ASKER, "May I bring my dog?"))
    told = run(slack_server, ADMIN, "status")
    assert "*Index:* built 01 March 2026 08:30 UTC; 1 of 1 versions in force today" in told
    assert "• Travel &lt;policy&gt; &amp; more (global), in force always" in told
    assert "1 answered" in told
    assert "1 handed over" in told
    assert "*Cases waiting to reach HR:* 0" in told
    assert "*HR channel:* reachable" in told
    assert "*Checker:* ready" in told


@pytest.mark.parametrize(
    ("channel", "problem"),
    [
        (None, "not set: set POLICYPAL_HR_CHANNEL"),
        (NOT_JOINED, "invite the bot to it"),
        ("C0GONE", "invite the bot to it"),
    ],
)
def test_status_says_what_is_wrong_and_what_to_do(
    slack_server: SlackServer,
    engine: ScriptedEngine,
    channel: str | None,
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine.settings = engine.settings.model_copy(update={"hr_channel": channel})
    engine.broken = IndexUnavailable("there is no index: run `policypal index`")

    def unavailable(self: object) -> object:
        raise CheckerUnavailable("the model's folder is empty: download it again")

    monkeypatch.setattr(ScriptedEngine, "checker", property(unavailable))
    with running(slack_server, engine):
        told = run(slack_server, ADMIN, "status")
    assert problem in told
    assert "*Index:* not available. there is no index: run `policypal index`" in told
    assert "*Checker:* not available: every question goes to HR." in told


def test_an_archived_hr_channel_is_not_called_reachable(slack_server: SlackServer) -> None:
    workspace = slack_server.workspace
    channel, ts = workspace.channels[HR_CHANNEL], workspace.next_ts()
    said = "archived the channel"
    channel.messages[ts] = Message(HR_CHANNEL, ts, ADMIN, said, subtype="channel_archive")
    channel.is_archived = True
    problem = hr_channel_problem(
        slack_client(slack_server.app.bot_token, slack_server.api_url), HR_CHANNEL
    )
    assert problem is not None
    assert "archived: unarchive it" in problem


@pytest.mark.usefixtures("bot")
def test_a_reindex_shows_its_progress_in_one_message_and_what_came_of_it(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.operations.UPDATE_S", 0.0)
    seen: list[str] = []

    def rebuild(progress: Progress) -> BuildReport:
        for done in range(1, 4):
            progress("travel <2026>.pdf", done, 3)
            seen.append(progress_of(slack_server))
        return BuildReport(
            2,
            1,
            0,
            (FileProblem("a&b.pdf", "it is encrypted"),),
            (PageWarning("c.pdf", 7, "no text"),),
            30,
            120,
        )

    engine.rebuild = rebuild
    told = run(slack_server, ADMIN, "reindex")
    assert told == "Re-indexing has started. I'll show how it goes in our direct messages."
    slack_server.wait_for(lambda: progress_of(slack_server).startswith("Re-indexed:"))
    assert seen == [f"Re-indexing: travel &lt;2026&gt;.pdf, {n} of 3" for n in (1, 2, 3)]
    assert progress_of(slack_server) == (
        "Re-indexed: 2 new or changed, 1 unchanged, 0 removed; 30 pages in 120 chunks.\n"
        "• Left out: a&amp;b.pdf: it is encrypted\n"
        "• c.pdf, page 7: no text"
    )


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("named", [None, Path("/srv/named")])
def test_a_reindex_reads_the_folder_indexed_last_unless_the_settings_name_one(
    slack_server: SlackServer,
    engine: ScriptedEngine,
    monkeypatch: pytest.MonkeyPatch,
    named: Path | None,
) -> None:
    last = Path("/srv/last")
    monkeypatch.setattr("bot.operations.indexed_folder", lambda data: last)
    engine.settings = engine.settings.model_copy(update={"policies": named})
    run(slack_server, ADMIN, "reindex")
    slack_server.wait_for(lambda: progress_of(slack_server).startswith("Re-indexed:"))
    assert engine.rebuilt == [named or last]


@pytest.mark.usefixtures("bot")
def test_the_second_of_two_reindexes_is_told_so(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    release, running_one = threading.Event(), threading.Lock()

    def rebuild(progress: Progress) -> BuildReport:
        if not running_one.acquire(blocking=False):
            raise IndexBusy("another build is running")
        release.wait(10)
        return REPORT

    engine.rebuild = rebuild
    run(slack_server, ADMIN, "reindex")
    run(slack_server, ADMIN, "reindex")

    def texts() -> list[str]:
        return sorted(m.text for m in slack_server.messages(ADMIN) if m.bot_id)

    slack_server.wait_for(lambda: "Another re-index is running." in " ".join(texts()))
    release.set()
    slack_server.wait_for(lambda: "Re-indexed:" in " ".join(texts()))
    assert len(texts()) == 2


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KnowledgeError("catalog.yml, line 3: no file <x>"), "catalog.yml, line 3: no file &lt;x"),
        (RuntimeError("/srv/secret"), "The log says why."),
    ],
)
def test_a_reindex_that_fails_says_that_the_former_index_stays(
    slack_server: SlackServer, engine: ScriptedEngine, error: Exception, told: str
) -> None:
    def rebuild(progress: Progress) -> BuildReport:
        raise error

    engine.rebuild = rebuild
    run(slack_server, ADMIN, "reindex")
    slack_server.wait_for(lambda: "questions are answered as before" in progress_of(slack_server))
    assert told in progress_of(slack_server)
    assert "/srv/secret" not in progress_of(slack_server)


@pytest.mark.usefixtures("bot")
def test_slack_that_takes_no_progress_does_not_hold_up_a_reindex(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.operations.UPDATE_S", 0.0)
    done = threading.Event()

    def rebuild(progress: Progress) -> BuildReport:
        slack_server.faults.rate_limit("chat.update", 20, times=3)
        for step in range(3):
            progress("travel.pdf", step, 3)
        done.set()
        return REPORT

    engine.rebuild = rebuild
    run(slack_server, ADMIN, "reindex")
    assert done.wait(5)
    slack_server.wait_for(lambda: progress_of(slack_server).startswith("Re-indexed:"))


def test_a_reindex_that_a_stop_cuts_short_says_so(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.operations.UPDATE_S", 0.0)
    release, stepped = threading.Event(), threading.Event()

    def rebuild(progress: Progress) -> BuildReport:
        progress("travel.pdf", 3, 10)
        release.wait(20)
        progress("leave.pdf", 4, 10)
        stepped.set()
        threading.Event().wait(60)
        return REPORT

    engine.rebuild = rebuild
    with running(slack_server, engine):
        run(slack_server, ADMIN, "reindex")
        slack_server.wait_for(lambda: progress_of(slack_server).endswith("3 of 10"))
    told = progress_of(slack_server)
    assert told.startswith("Re-indexing was interrupted: PolicyPal was stopped.")
    release.set()
    assert stepped.wait(5)
    assert progress_of(slack_server) == told


def test_a_stop_leaves_the_report_of_a_reindex_that_is_done(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    with running(slack_server, engine):
        run(slack_server, ADMIN, "reindex")
        slack_server.wait_for(lambda: progress_of(slack_server).startswith("Re-indexed:"))
    assert progress_of(slack_server).startswith("Re-indexed:")


@pytest.mark.usefixtures("bot")
def test_questions_are_answered_and_commands_acked_while_the_index_is_rebuilt(
    slack_server: SlackServer, engine: ScriptedEngine
) -> None:
    release = threading.Event()

    def rebuild(progress: Progress) -> BuildReport:
        release.wait(10)
        return REPORT

    engine.rebuild = rebuild
    run(slack_server, ADMIN, "reindex")
    question = slack_server.post_as(ASKER, GENERAL, f"{MENTION} how much leave?")
    answers(slack_server, question)
    assert "Ask me about" in run(slack_server, OTHER, "help")
    release.set()


@pytest.mark.usefixtures("bot")
def test_a_command_that_fails_says_so_without_the_exception(
    slack_server: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> object:
        raise RuntimeError("/srv/secret")

    monkeypatch.setattr("bot.questions.counts", broken)
    assert run(slack_server, ADMIN, "status") == (
        "That didn't work. The log says why; please try again later."
    )


@pytest.mark.usefixtures("bot")
def test_a_response_that_slack_refuses_is_logged_and_no_more(
    slack_server: SlackServer, caplog: pytest.LogCaptureFixture
) -> None:
    slack_server.faults.cut("response_url", times=None)
    slack_server.command(OTHER, GENERAL, "/policypal", "help")
    slack_server.wait_for(lambda: "a command could not be answered" in caplog.text)
    slack_server.faults.clear()
    assert run(slack_server, OTHER, "help")
