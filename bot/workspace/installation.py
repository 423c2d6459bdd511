"""The app as installed in the workspace: its tokens, scopes, events and commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DEFAULT_SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "channels:join",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "reactions:write",
    "team:read",
    "usergroups:read",
    "users.profile:read",
    "users:read",
    "users:read.email",
)
DEFAULT_EVENTS = (
    "agent_session_stopped",
    "app_context_changed",
    "app_home_opened",
    "app_mention",
    "message.channels",
    "message.groups",
    "message.im",
)


@dataclass(frozen=True, slots=True)
class Installation:
    """One installed app. `commands` None accepts every slash command."""

    app_id: str = "A0POLICYPAL"
    name: str = "PolicyPal"
    bot_user: str = "U0POLICYPAL"
    bot_id: str = "B0POLICYPAL"
    bot_token: str = "xoxb-local"
    app_token: str = "xapp-local"
    signing_secret: str = "local-signing-secret"
    scopes: tuple[str, ...] = DEFAULT_SCOPES
    events: tuple[str, ...] = DEFAULT_EVENTS
    commands: tuple[str, ...] | None = None


def from_manifest(manifest: Mapping[str, Any]) -> Installation:
    """The installation that an app manifest (schema 2, as parsed YAML or JSON) asks for."""
    features = manifest.get("features", {})
    settings = manifest.get("settings", {})
    subscriptions = settings.get("event_subscriptions", {})
    scopes = manifest.get("oauth_config", {}).get("scopes", {})
    return Installation(
        name=manifest["display_information"]["name"],
        scopes=tuple(scopes.get("bot", ())),
        events=tuple(subscriptions.get("bot_events", ())),
        commands=tuple(c["command"] for c in features.get("slash_commands", ())),
    )
