from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.workspace.server import SlackServer
from tests.bot.running import RunningBot, running, settings_for
from tests.bot.scripted import ScriptedEngine


@pytest.fixture
def engine(slack_server: SlackServer, tmp_path: Path) -> ScriptedEngine:
    return ScriptedEngine(settings_for(slack_server, tmp_path / "data"))


@pytest.fixture
def bot(slack_server: SlackServer, engine: ScriptedEngine) -> Iterator[RunningBot]:
    """A bot with scripted answers on one socket."""
    with running(slack_server, engine) as started:
        yield started
