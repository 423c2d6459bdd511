"""The app as installed in the workspace: its tokens, scopes, events and commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.workspace.errors import WorkspaceError

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
    "mpim:history",
    "mpim:read",
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
    is_agent: bool = True


EVENT_SCOPES = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "member_joined_channel": "channels:read",
    "reaction_added": "reactions:read",
}


def from_manifest(manifest: Mapping[str, Any]) -> Installation:
    """The installation that an app manifest (schema 2, as parsed YAML or JSON) asks for.

    Being an agent brings `assistant:write`. Raises WorkspaceError when an event or a command
    lacks its scope.
    """
    features = manifest.get("features", {})
    settings = manifest.get("settings", {})
    events = tuple(settings.get("event_subscriptions", {}).get("bot_events", ()))
    commands = tuple(c["command"] for c in features.get("slash_commands", ()))
    scopes = set(manifest.get("oauth_config", {}).get("scopes", {}).get("bot", ()))
    is_agent = "agent_view" in features
    if is_agent:
        scopes.add("assistant:write")
    needed = {EVENT_SCOPES[event] for event in events if event in EVENT_SCOPES}
    if commands:
        needed.add("commands")
    if needed - scopes:
        raise WorkspaceError(f"the manifest lacks scopes: {', '.join(sorted(needed - scopes))}")
    return Installation(
        name=manifest["display_information"]["name"],
        scopes=tuple(sorted(scopes)),
        events=events,
        commands=commands,
        is_agent=is_agent,
    )
