"""The README says what is true: its settings, scopes, commands and files exist."""

from __future__ import annotations

import re
from pathlib import Path

from ruamel.yaml import YAML
from typer.main import get_command

from bot.cli import app
from bot.settings import NO_EFFECT, Settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[str]:
    """The first cells of the table under `heading`."""
    _, _, rest = README.partition(f"# {heading}\n")
    section = re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def test_each_setting_is_described_and_each_described_setting_exists() -> None:
    fields = Settings.model_fields
    heeded = {
        str(field.validation_alias) for name, field in fields.items() if name not in NO_EFFECT
    }

    assert sorted(rows("Settings")) == sorted(heeded)


def test_each_scope_of_the_manifest_is_explained_and_no_other_is() -> None:
    manifest = YAML(typ="safe").load(ROOT / "manifest.yml")

    assert sorted(rows("What each scope is for")) == sorted(
        manifest["oauth_config"]["scopes"]["bot"]
    )


def test_each_command_is_listed() -> None:
    commands = getattr(get_command(app), "commands")  # noqa: B009 - a Group, typed as a Command
    listed = {name.split()[1] for name in rows("Commands")}

    assert listed == set(commands)


def test_the_files_that_it_links_to_exist() -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)

    assert linked
    assert [name for name in linked if not (ROOT / name).exists()] == []
