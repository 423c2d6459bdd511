"""Errors of the local workspace.

WorkspaceError
├── SlackError      an answer `{"ok": false, "error": CODE}`, as Slack gives it
└── MisuseError     a person did what Slack's clients do not let a person do
"""

from typing import Any

from bot.errors import BotError


class WorkspaceError(BotError):
    """Root of what the local workspace raises."""


class SlackError(WorkspaceError):
    """A Web API method refuses; `code` is Slack's own error code."""

    def __init__(self, code: str, *messages: str, **extra: Any) -> None:
        super().__init__(code, *messages)
        self.code = code
        self.messages = messages
        self.extra = extra

    def body(self) -> dict[str, Any]:
        """The JSON that Slack answers with (always with HTTP status 200)."""
        body: dict[str, Any] = {"ok": False, "error": self.code, **self.extra}
        if self.messages:
            body["response_metadata"] = {"messages": [f"[ERROR] {m}" for m in self.messages]}
        return body


class MisuseError(WorkspaceError):
    """The caller asks a person to do what Slack's clients do not offer (a button that is gone)."""
