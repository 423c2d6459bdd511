from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.engine import Engine
from bot.samples import samples_folder
from bot.settings import Settings
from bot.workspace.server import SlackServer
from tests.bot.running import RunningBot, running, settings_for
from tests.bot.scripted import ScriptedEngine

CATALOG = """\
timezone: Europe/London
policies:
  - id: annual-leave
    title: Annual leave policy
    versions:
      - {file: annual-leave-global.pdf, effective_from: 2025-01-01, scope: global}
      - {file: annual-leave-in.pdf, effective_from: 2025-04-01, scope: [IN]}
  - id: travel
    title: Travel policy
    versions:
      - {file: travel-2026.pdf, effective_from: 2026-01-01, scope: global}
"""


@pytest.fixture
def engine(slack_server: SlackServer, tmp_path: Path) -> ScriptedEngine:
    return ScriptedEngine(settings_for(slack_server, tmp_path / "data"))


@pytest.fixture
def bot(slack_server: SlackServer, engine: ScriptedEngine) -> Iterator[RunningBot]:
    """A bot with scripted answers on one socket."""
    with running(slack_server, engine) as started:
        yield started


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a real index of three sample policies; copy it before changing it."""
    policies = tmp_path_factory.mktemp("policies")
    for name in ("annual-leave-global", "annual-leave-in", "travel-2026"):
        shutil.copy(samples_folder() / f"{name}.pdf", policies)
    (policies / "catalog.yml").write_text(CATALOG)
    data = tmp_path_factory.mktemp("indexed")
    Engine(Settings(data=data)).reindex(policies=policies)
    return data
