from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.validation_alias), raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_set_is_enough_to_ask() -> None:
    settings = load_settings()
    assert settings.data == Path(".policypal")
    assert settings.slack_api_url == "https://slack.com/api/"
    assert settings.model is None
    assert settings.database == f"sqlite:///{Path('.policypal/policypal.db').absolute()}"


def test_the_environment_stands_above_the_file(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_folder / ".env").write_text("POLICYPAL_DATA=from-file\nPOLICYPAL_HR_CHANNEL=C0FILE1\n")
    monkeypatch.setenv("POLICYPAL_DATA", "from-environment")
    settings = load_settings()
    assert settings.data == Path("from-environment")
    assert settings.hr_channel == "C0FILE1"


def test_an_option_stands_above_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYPAL_DATA", "from-environment")
    assert load_settings(Path("option")).data == Path("option")
    assert load_settings(Path("option")).names_data


def test_the_default_data_folder_is_nobodys_choice() -> None:
    assert not load_settings().names_data


def test_an_empty_value_means_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYPAL_HR_CHANNEL", "")
    monkeypatch.setenv("POLICYPAL_ADMINS", "")
    settings = load_settings()
    assert settings.hr_channel is None
    assert settings.admins == ()


def test_a_setting_that_does_nothing_yet_is_said_to(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    load_settings()
    assert not caplog.messages
    monkeypatch.setenv("POLICYPAL_RETENTION_DAYS", "30")
    load_settings()
    assert caplog.messages == ["POLICYPAL_RETENTION_DAYS has no effect in this version"]


def test_admins_are_parted_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYPAL_ADMINS", "U0ADMIN1, S0GROUP1,")
    assert load_settings().admins == ("U0ADMIN1", "S0GROUP1")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("POLICYPAL_HR_CHANEL", "POLICYPAL_HR_CHANNEL"),
        ("POLICYPAL_DATABASE", "POLICYPAL_DATABASE_URL"),
        ("policypal_polices", "POLICYPAL_POLICIES"),
    ],
)
def test_an_unknown_name_is_an_error_that_suggests_one(
    monkeypatch: pytest.MonkeyPatch, given: str, meant: str
) -> None:
    monkeypatch.setenv(given, "x")
    with pytest.raises(SettingsError, match=f"{given}: did you mean {meant}"):
        load_settings()


def test_an_unknown_name_in_the_file_is_an_error_too(empty_folder: Path) -> None:
    (empty_folder / ".env").write_text("POLICYPAL_RETENTION=3\n")
    with pytest.raises(SettingsError, match="POLICYPAL_RETENTION_DAYS"):
        load_settings()


def test_names_that_are_not_ours_are_nobodys_business(empty_folder: Path) -> None:
    (empty_folder / ".env").write_text("SOMETHING_ELSE=1\n")
    load_settings()


@pytest.mark.parametrize(
    ("name", "value", "must_be"),
    [
        ("POLICYPAL_HR_CHANNEL", "#hr", "channel's id"),
        ("POLICYPAL_PUBLIC_URL", "policies.example.com", "http"),
        ("SLACK_API_URL", "localhost:8080", "http"),
        ("OPENAI_BASE_URL", "localhost", "http"),
        ("POLICYPAL_RETENTION_DAYS", "0", "whole number"),
        ("POLICYPAL_RETENTION_DAYS", "soon", "whole number"),
        ("POLICYPAL_LINK_SECRET", "hunter2", "16 characters"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, must_be: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).startswith(f"{name} must")
    assert must_be in str(caught.value)
    assert value not in str(caught.value) or len(value) < 5


@pytest.mark.parametrize("name", ["POLICYPAL_MODEL", "POLICYPAL_CHECK_MODEL"])
def test_a_model_without_an_endpoint_is_an_error(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "some-model")
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        load_settings()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    load_settings()


def test_secrets_never_print(monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "SLACK_SIGNING_SECRET",
        "POLICYPAL_LINK_SECRET",
        "POLICYPAL_DATABASE_URL",
        "OPENAI_API_KEY",
    )
    for name in names:
        monkeypatch.setenv(name, "hunter2-hunter2-hunter2")
    settings = load_settings()
    assert "hunter2" not in f"{settings!r}{settings}{settings.model_dump()}"
    assert settings.database == "hunter2-hunter2-hunter2"
