from typing import Any

import pytest

from bot.workspace.errors import WorkspaceError
from bot.workspace.installation import from_manifest


def manifest(**settings: Any) -> dict[str, Any]:
    return {
        "display_information": {"name": "PolicyPal"},
        "features": {
            "agent_view": {"agent_description": "Answers policy questions"},
            "slash_commands": [{"command": "/policy", "description": "Policies"}],
        },
        "oauth_config": {"scopes": {"bot": ["chat:write", "commands", "im:history"]}},
        "settings": {"event_subscriptions": {"bot_events": ["message.im"]}} | settings,
    }


def test_a_manifest_gives_scopes_events_and_commands() -> None:
    app = from_manifest(manifest())
    assert app.scopes == ("assistant:write", "chat:write", "commands", "im:history")
    assert app.events == ("message.im",)
    assert app.commands == ("/policy",)
    assert app.is_agent


def test_an_event_without_its_scope_is_refused() -> None:
    asked = manifest(event_subscriptions={"bot_events": ["app_mention", "message.im"]})
    with pytest.raises(WorkspaceError, match="lacks scopes: app_mentions:read"):
        from_manifest(asked)
