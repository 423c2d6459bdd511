"""The manifest asks for what the bot uses, no more, within Slack's limits.

The limits are those of Slack's manifest schema (docs.slack.dev/reference/app-manifest).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from bot.workspace.installation import from_manifest
from bot.workspace.server import SlackServer
from bot.workspace.text import notified
from tests.bot.running import BOT, MENTION, answers, running, settings_for, settle
from tests.bot.scripted import ScriptedEngine, handed_over
from tests.workspace.fixtures import ADMIN, ASKER, GENERAL, HR, HR_CHANNEL, HR_GROUP, people

PATH = Path(__file__).resolve().parents[2] / "manifest.yml"
TEXT = PATH.read_text(encoding="utf-8")
MANIFEST: dict[str, Any] = YAML(typ="safe").load(TEXT)


def listed(name: str) -> list[str]:
    """The lines of a list in the manifest, with their comments."""
    block = re.search(rf"^( *){name}:\n((?:\1  - .*\n)+)", TEXT, re.MULTILINE)
    assert block
    return block[2].splitlines()


def test_texts_keep_slacks_lengths() -> None:
    shown, features = MANIFEST["display_information"], MANIFEST["features"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert 175 <= len(shown["long_description"]) <= 4000
    assert re.fullmatch(r"#[0-9a-f]{6}", shown["background_color"])
    assert len(features["agent_view"]["agent_description"]) <= 300

    assert all(
        p.keys() == {"title", "message"} for p in features["agent_view"]["suggested_prompts"]
    )
    assert len(features["bot_user"]["display_name"]) <= 80
    [command] = features["slash_commands"]
    assert command["command"] == "/policypal"
    assert len(command["description"]) <= 2000
    assert len(command["usage_hint"]) <= 1000


def test_it_is_todays_agent_app_on_socket_mode() -> None:
    assert "agent_view" in MANIFEST["features"]
    assert "assistant_view" not in MANIFEST["features"]
    assert MANIFEST["features"]["app_home"] == {
        "home_tab_enabled": False,
        "messages_tab_enabled": True,
        "messages_tab_read_only_enabled": False,
    }
    settings = MANIFEST["settings"]
    assert settings["socket_mode_enabled"] is True
    assert settings["interactivity"] == {"is_enabled": True}
    assert not re.search(r"^[^#]*\burl:", TEXT, re.MULTILINE)


@pytest.mark.parametrize("name", ["bot", "bot_events"])
def test_each_scope_and_event_is_named_once_with_its_reason(name: str) -> None:
    lines = listed(name)
    names = [line.split("#")[0].strip(" -") for line in lines]
    assert names == sorted(set(names))
    assert all(len(line.partition("# ")[2]) > 8 for line in lines)


@pytest.fixture
def server() -> Iterator[SlackServer]:
    """A workspace where the app has the manifest's scopes and events only."""
    server = SlackServer(from_manifest(MANIFEST))
    server.courier.retry_delays = (0.2,)
    people(server.workspace)
    with server:
        yield server


def test_all_that_the_bot_does_works_with_these_scopes_and_events(
    server: SlackServer, tmp_path: Path
) -> None:
    settings = settings_for(server, tmp_path / "data", admins=(HR_GROUP,))
    engine = ScriptedEngine(settings, handed_over())
    with running(server, engine):
        mention = server.post_as(ASKER, GENERAL, f"{MENTION} May I bring my dog?")
        direct = server.post_as(ASKER, ASKER, "May I bring my cat?")
        for question in (mention, direct):
            answers(server, question)
        [first, _] = [m for m in server.messages(HR_CHANNEL) if m.bot_id]
        reply = server.post_as(HR, HR_CHANNEL, "Yes.", first.ts)
        server.wait_for(lambda: reply.reactions)
        commands = ((HR, "reindex"), (HR, "status"), (ADMIN, "status"), (ASKER, "help"))
        for user, words in commands:
            server.command(user, GENERAL, "/policypal", words)
        told = server.workspace.channels[GENERAL].ephemerals
        server.wait_for(lambda: len(told) == len(commands))
    refused = {c.outcome for c in server.calls()} - {"ok", None}
    assert not refused
    assert not [m for m in server.messages(GENERAL) if m.bot_id and notified(m)]


def test_an_answer_in_a_group_message_whose_arrival_is_unclear_is_posted_once(
    server: SlackServer, tmp_path: Path
) -> None:
    """Its thread is searched: that takes a scope of its own, as only mentions are heard there."""
    server.workspace.add_channel("G0GROUP", "mpdm", [ASKER, HR, BOT], kind="mpim")
    server.faults.server_error("chat.postMessage", after=True)
    with running(server, ScriptedEngine(settings_for(server, tmp_path / "data"))):
        question = server.post_as(ASKER, "G0GROUP", f"{MENTION} How much leave?")
        answers(server, question)
        settle(server)
    assert [c.outcome for c in server.calls("conversations.replies")] == ["ok"]
    assert len(server.bot_replies(question)) == 1


def test_no_scope_is_asked_for_that_nothing_uses() -> None:
    used = {
        "app_mentions:read": "app_mention",
        "channels:history": "message.channels",
        "groups:history": "message.groups",
        "im:history": "message.im",
    }
    scopes, events = MANIFEST["oauth_config"]["scopes"]["bot"], listed("bot_events")
    assert [s for s in scopes if s in used] == sorted(used)
    assert sorted(used.values()) == [line.split("#")[0].strip(" -") for line in events]
    assert {s for s in scopes if s not in used} == {
        "assistant:write",
        "chat:write",
        "commands",
        "mpim:history",
        "reactions:write",
        "usergroups:read",
        "users.profile:read",
        "users:read",
    }
