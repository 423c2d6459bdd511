"""Settings, from the environment or a `.env` file in the working folder.

The environment stands above `.env`. An empty value means absent.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot.errors import SettingsError

log = logging.getLogger(__name__)

PREFIX = "POLICYPAL_"
SLACK_API_URL = "https://slack.com/api/"

LEAST_SECRET = 16
"""Characters of a key that signs page links."""

NO_EFFECT = ("retention_days",)
"""Settings that are read and do nothing in this version; whoever sets one is told so."""

_URL = "must be a URL that starts with http:// or https://"
_MUST_BE = {
    "SLACK_API_URL": _URL,
    "POLICYPAL_PUBLIC_URL": _URL,
    "POLICYPAL_CHROMA_URL": _URL,
    "OPENAI_BASE_URL": _URL,
    "POLICYPAL_HR_CHANNEL": "must be a channel's id, such as C0123ABCD: not its name",
    "POLICYPAL_LINK_SECRET": f"must have {LEAST_SECRET} characters or more",
    "POLICYPAL_RETENTION_DAYS": "must be a whole number of days from 1",
}


class Settings(BaseSettings):
    """All that can be set, by its name in the environment. Secrets print masked."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    slack_bot_token: SecretStr | None = Field(default=None, validation_alias="SLACK_BOT_TOKEN")
    slack_app_token: SecretStr | None = Field(default=None, validation_alias="SLACK_APP_TOKEN")
    slack_signing_secret: SecretStr | None = Field(
        default=None, validation_alias="SLACK_SIGNING_SECRET"
    )
    slack_api_url: str = Field(
        default=SLACK_API_URL, validation_alias="SLACK_API_URL", pattern=r"^https?://"
    )

    data: Path = Field(default=Path(".policypal"), validation_alias="POLICYPAL_DATA")
    policies: Path | None = Field(default=None, validation_alias="POLICYPAL_POLICIES")
    hr_channel: str | None = Field(
        default=None, validation_alias="POLICYPAL_HR_CHANNEL", pattern=r"^[CGD][A-Z0-9]+$"
    )
    admins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), validation_alias="POLICYPAL_ADMINS"
    )
    country_field: str | None = Field(default=None, validation_alias="POLICYPAL_COUNTRY_FIELD")
    public_url: str | None = Field(
        default=None, validation_alias="POLICYPAL_PUBLIC_URL", pattern=r"^https?://"
    )
    link_secret: SecretStr | None = Field(
        default=None, validation_alias="POLICYPAL_LINK_SECRET", min_length=LEAST_SECRET
    )
    database_url: SecretStr | None = Field(default=None, validation_alias="POLICYPAL_DATABASE_URL")
    chroma_url: str | None = Field(
        default=None, validation_alias="POLICYPAL_CHROMA_URL", pattern=r"^https?://"
    )
    nli_model: str | None = Field(default=None, validation_alias="POLICYPAL_NLI_MODEL")
    embedding_model: str | None = Field(default=None, validation_alias="POLICYPAL_EMBEDDING_MODEL")
    retention_days: int | None = Field(
        default=None, validation_alias="POLICYPAL_RETENTION_DAYS", ge=1
    )

    model: str | None = Field(default=None, validation_alias="POLICYPAL_MODEL")
    check_model: str | None = Field(default=None, validation_alias="POLICYPAL_CHECK_MODEL")
    openai_base_url: str | None = Field(
        default=None, validation_alias="OPENAI_BASE_URL", pattern=r"^https?://"
    )
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")

    @field_validator("admins", mode="before")
    @classmethod
    def _split_commas(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @property
    def names_data(self) -> bool:
        """Whether somebody chose the data folder."""
        return "data" in self.model_fields_set

    @property
    def database(self) -> str:
        """The database URL: the one that is set, else an SQLite file in the data folder."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{(self.data / 'policypal.db').absolute()}"


def load_settings(data: Path | None = None) -> Settings:
    """The settings in force; `data` stands above `POLICYPAL_DATA`. Raises SettingsError."""
    _refuse_unknown([*os.environ, *dotenv_values(".env")])
    try:
        settings = Settings()
    except ValidationError as error:
        raise SettingsError(_first_problem(error)) from None
    if (settings.model or settings.check_model) and not (
        settings.openai_api_key or settings.openai_base_url
    ):
        raise SettingsError(
            "POLICYPAL_MODEL and POLICYPAL_CHECK_MODEL need OPENAI_API_KEY or OPENAI_BASE_URL:"
            " set one of them"
        )
    for name in NO_EFFECT:
        if getattr(settings, name) is not None:
            alias = Settings.model_fields[name].validation_alias
            log.warning("%s has no effect in this version", alias)
    return settings if data is None else settings.model_copy(update={"data": data})


def _refuse_unknown(names: Iterable[str]) -> None:
    known = [str(field.validation_alias) for field in Settings.model_fields.values()]
    for name in names:
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            near = get_close_matches(name.upper(), known, n=1, cutoff=0.0)
            raise SettingsError(f"unknown setting {name}: did you mean {near[0]}?")


def _first_problem(error: ValidationError) -> str:
    name = str(error.errors(include_input=False)[0]["loc"][0])
    return f"{name} {_MUST_BE.get(name, 'cannot be used')}"
