"""What `serve` refuses to start with, and what it does before it answers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import serve as serving
from bot.engine import Progress
from bot.errors import BotError, SettingsError
from bot.samples import samples_folder
from bot.serve import serve
from bot.settings import SLACK_API_URL, Settings
from bot.startup import indexed_folder, require
from bot.workspace.server import SlackServer
from knowledge.errors import CatalogError, IndexBusy
from knowledge.index import BuildReport, FileProblem
from tests.bot.process import RUN, free_port
from tests.bot.running import RunningBot, answers, running, settings_for
from tests.bot.scripted import REPORT, ScriptedEngine
from tests.workspace.fixtures import ASKER


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def no_settings_of_the_developers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("POLICYPAL_", "SLACK_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    folder = tmp_path / "policies"
    folder.mkdir()
    return folder


def settings(data: Path, **rest: Any) -> Settings:
    given: dict[str, Any] = {
        "data": data,
        "slack_bot_token": "xoxb-1",
        "slack_app_token": "xapp-1",
    }
    return Settings(**given | rest)


def refusal(made: Settings) -> str:
    with pytest.raises(SettingsError) as caught:
        require(made)
    return str(caught.value)


def test_all_that_is_missing_is_named_in_one_line(tmp_path: Path) -> None:
    told = refusal(Settings(data=tmp_path / "data"))
    assert "\n" not in told
    for name in (
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "SLACK_SIGNING_SECRET",
        "POLICYPAL_POLICIES",
    ):
        assert name in told


@pytest.mark.parametrize(
    ("rest", "named"),
    [
        ({"slack_bot_token": "xapp-swapped"}, "SLACK_BOT_TOKEN (xoxb-"),
        ({"slack_app_token": "xoxb-swapped"}, "SLACK_APP_TOKEN (xapp-"),
        ({"policies": Path("/nowhere")}, "POLICYPAL_POLICIES (there is no folder /nowhere)"),
        ({"policies": None}, "POLICYPAL_POLICIES (the folder of your policy PDFs)"),
    ],
)
def test_what_is_mixed_up_is_named_and_no_secret_told(
    tmp_path: Path, policies: Path, rest: dict[str, Any], named: str
) -> None:
    told = refusal(settings(tmp_path / "data", **{"policies": policies, **rest}))
    assert named in told
    assert "swapped" not in told


@pytest.mark.parametrize(
    "rest",
    [
        {},
        {"slack_app_token": None, "slack_signing_secret": "s" * 32},
    ],
)
def test_nothing_is_refused_that_works(
    tmp_path: Path, policies: Path, rest: dict[str, Any]
) -> None:
    require(settings(tmp_path / "data", policies=policies, **rest))


def test_the_samples_are_no_policies_on_real_slack(tmp_path: Path) -> None:
    samples = settings(tmp_path / "data", policies=samples_folder())
    assert samples.slack_api_url == SLACK_API_URL
    assert "not the samples" in refusal(samples)
    require(samples.model_copy(update={"slack_api_url": "http://127.0.0.1:9/api/"}))


def test_an_index_of_own_policies_is_enough(indexed: Path) -> None:
    require(settings(indexed))
    folder = indexed_folder(indexed)
    assert folder is not None
    assert (folder / "travel-2026.pdf").is_file()


@pytest.mark.parametrize("where", ["bot", "app"])
def test_a_token_that_slack_refuses_is_named_and_not_told(
    slack_server: SlackServer, indexed: Path, where: str
) -> None:
    wrong = {f"slack_{where}_token": {"bot": "xoxb-", "app": "xapp-"}[where] + "wrong"}
    with pytest.raises(SettingsError) as caught:
        serve(settings_for(slack_server, indexed, **wrong), "127.0.0.1", 0)
    assert f"Slack refuses SLACK_{where.upper()}_TOKEN (invalid_auth)" in str(caught.value)
    assert "wrong" not in str(caught.value)


def test_the_command_ends_with_one_line_and_the_code_for_bad_input(
    slack_server: SlackServer, indexed: Path, tmp_path: Path
) -> None:
    wrong = {
        "SLACK_BOT_TOKEN": slack_server.app.bot_token,
        "SLACK_APP_TOKEN": "xapp-wrong",
        "SLACK_API_URL": slack_server.api_url,
        "POLICYPAL_DATA": str(indexed),
    }
    ended = subprocess.run(
        [sys.executable, "-c", RUN, "serve", "--port", "0"],
        env=os.environ | wrong,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("policypal: Slack refuses SLACK_APP_TOKEN")
    assert "Traceback" not in ended.stderr
    assert "xapp-wrong" not in ended.stderr


def test_a_port_that_is_taken_is_named(slack_server: SlackServer, indexed: Path) -> None:
    made = settings_for(slack_server, indexed)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BotError, match=f"cannot listen on 127.0.0.1:{port}"):
            serve(made, "127.0.0.1", port)


@pytest.mark.parametrize("trouble", ["gone", "503", "gone a moment later"])
def test_a_slack_that_cannot_be_reached_is_told_from_a_wrong_setting(
    slack_server: SlackServer, indexed: Path, trouble: str
) -> None:
    if trouble == "gone":
        slack_server.stop()
    elif trouble == "gone a moment later":
        # Bolt asks once more who the bot is.
        first = iter([False])
        slack_server.faults.cut("auth.test", when=lambda args: next(first, True))
    else:
        slack_server.faults.server_error("auth.test")
    with pytest.raises(BotError, match="cannot reach Slack") as caught:
        serve(settings_for(slack_server, indexed), "127.0.0.1", free_port())
    assert not isinstance(caught.value, SettingsError)


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:////nowhere/secret-password/x.db",
        # Not escaped: SQLAlchemy takes what follows the colon for a port, and tells it.
        "postgresql+psycopg://policypal:12@34:secret-password@host/x",
    ],
)
def test_a_database_that_cannot_be_used_is_named_without_its_password(
    slack_server: SlackServer, indexed: Path, url: str
) -> None:
    made = settings_for(slack_server, indexed, database_url=url)
    with pytest.raises(BotError, match="POLICYPAL_DATABASE_URL") as caught:
        serve(made, "127.0.0.1", free_port())
    assert "secret-password" not in str(caught.value)


def test_a_database_whose_driver_is_missing_is_told_with_the_way_out(
    slack_server: SlackServer, indexed: Path
) -> None:
    made = settings_for(slack_server, indexed, database_url="mysql+asyncmy://u:password@host/x")
    with pytest.raises(BotError, match="POLICYPAL_DATABASE_URL needs asyncmy: install it") as told:
        serve(made, "127.0.0.1", free_port())
    assert "password" not in str(told.value)


def test_a_link_key_that_cannot_be_used_is_named_before_anybody_waits_for_an_answer(
    slack_server: SlackServer, policies: Path, tmp_path: Path
) -> None:
    made = settings_for(slack_server, tmp_path / "data", policies=policies)
    (made.data / "link.key").mkdir(parents=True)
    with pytest.raises(BotError, match=r"cannot use link\.key in .*: Is a directory"):
        serve(made, "127.0.0.1", free_port())


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:"),
        ("0.0.0.0", "http://127.0.0.1:"),
        ("::1", "http://[::1]:"),
    ],
)
def test_page_links_lead_to_an_address_that_a_browser_can_open(host: str, shown: str) -> None:
    with serving._listen(host, 0) as listening:
        assert serving._base_url(host, listening).startswith(shown)


# Before the first answer


def build(bot: RunningBot, engine: ScriptedEngine, *outcomes: Exception | BuildReport) -> int:
    """How often it was tried until `_build` returned."""
    tries: list[Exception | BuildReport] = []

    def rebuild(progress: Progress) -> BuildReport:
        tries.append(outcomes[len(tries)])
        if isinstance(tries[-1], Exception):
            raise tries[-1]
        return tries[-1]

    engine.rebuild = rebuild
    serving._build(bot.bot, threading.Event())
    return len(tries)


def test_a_build_that_another_process_is_at_is_waited_for(
    bot: RunningBot, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "BUSY_S", 0.01)
    assert build(bot, engine, IndexBusy("busy"), IndexBusy("busy"), REPORT) == 3


@pytest.mark.parametrize(
    ("outcome", "logged"),
    [
        (CatalogError("catalog.yml", 3, "no such country"), "catalog.yml, line 3"),
        (RuntimeError("disk"), "the policies are not indexed"),
        (BuildReport(0, 0, 0, (FileProblem("a.pdf", "is encrypted"),), (), 0, 0), "a.pdf: is enc"),
    ],
)
def test_a_build_that_fails_is_logged_and_does_not_end_the_bot(
    bot: RunningBot,
    engine: ScriptedEngine,
    outcome: Exception | BuildReport,
    logged: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert build(bot, engine, outcome) == 1
    assert logged in caplog.text


@pytest.mark.parametrize(
    ("named", "needed"),
    [(lambda own: None, False), (lambda own: own, False), (lambda own: own.parent, True)],
)
def test_an_index_of_other_policies_than_the_settings_name_is_built_anew(
    indexed: Path, named: Callable[[Path], Path | None], needed: bool
) -> None:
    own = indexed_folder(indexed)
    assert own is not None
    assert serving._needs_index(settings(indexed, policies=named(own))) is needed


def test_ended_versions_are_looked_for_until_the_stop(
    slack_server: SlackServer, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MOVE_ENDED_S", 0.01)
    stop, moves = threading.Event(), []

    def move_ended(_engine: object) -> None:
        moves.append(1)
        if len(moves) == 2:
            stop.set()

    monkeypatch.setattr(ScriptedEngine, "move_ended", move_ended)
    with running(slack_server, engine, at_work=False) as started:
        serving._move_ended(started.bot, stop)
    assert len(moves) == 2


def test_what_cannot_be_prepared_does_not_keep_questions_waiting(
    slack_server: SlackServer,
    engine: ScriptedEngine,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(settings: Settings) -> bool:
        raise OSError("stale file handle")

    monkeypatch.setattr(serving, "_needs_index", broken)
    with running(slack_server, engine, at_work=False) as started:
        question = slack_server.post_as(ASKER, ASKER, "How much leave?")
        serving._work(started.bot, threading.Event())
        answers(slack_server, question)
    assert "not all is prepared" in caplog.text
    assert "page links lead to http://127.0.0.1:9" in caplog.text
