"""What `serve` needs before it starts: everything that is missing is named in one line."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from bot.errors import SettingsError
from bot.samples import samples_folder
from bot.settings import SLACK_API_URL, Settings
from knowledge.errors import IndexUnavailable
from knowledge.generation import live_id, read_record


def require(settings: Settings) -> None:
    """Raises SettingsError that names everything missing or mixed up."""
    problems = [*_token_problems(settings), *_policy_problems(settings)]
    if problems:
        raise SettingsError(f"cannot serve; set {'; '.join(problems)}")


def indexed_folder(data: Path) -> Path | None:
    """The policies folder that the live index was built from; None where there is no index."""
    try:
        live = live_id(data)
        return None if live is None else Path(read_record(data, live).policies)
    except IndexUnavailable:
        return None


def _token_problems(settings: Settings) -> list[str]:
    problems = []
    if not _starts(settings.slack_bot_token, "xoxb-"):
        problems.append("SLACK_BOT_TOKEN (xoxb-..., from OAuth & Permissions)")
    if settings.slack_app_token is None and settings.slack_signing_secret is None:
        problems.append(
            "SLACK_APP_TOKEN (xapp-..., for Socket Mode) or SLACK_SIGNING_SECRET (for HTTP)"
        )
    elif settings.slack_app_token and not _starts(settings.slack_app_token, "xapp-"):
        problems.append("SLACK_APP_TOKEN (xapp-..., from Basic Information)")
    return problems


def _policy_problems(settings: Settings) -> list[str]:
    indexed = indexed_folder(settings.data)
    folder = settings.policies or indexed
    if folder is None:
        return ["POLICYPAL_POLICIES (the folder of your policy PDFs)"]
    if settings.policies and not settings.policies.is_dir() and indexed is None:
        return [f"POLICYPAL_POLICIES (there is no folder {settings.policies})"]
    if _real_slack(settings) and folder.resolve() == samples_folder().resolve():
        return ["POLICYPAL_POLICIES (the folder of your own policy PDFs, not the samples)"]
    return []


def _starts(secret: SecretStr | None, start: str) -> bool:
    return secret is not None and secret.get_secret_value().startswith(start)


def _real_slack(settings: Settings) -> bool:
    return settings.slack_api_url.rstrip("/") == SLACK_API_URL.rstrip("/")
