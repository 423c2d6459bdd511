"""What can go wrong around the bot. Each message is one line: what is wrong, what to do.

PolicyPalError
└── BotError
    ├── UsageError       a value given by whoever runs the command cannot be used
    └── SettingsError    the environment or `.env` holds something that cannot be used
"""

from __future__ import annotations

from knowledge.errors import PolicyPalError


class BotError(PolicyPalError):
    """Root of the errors about running the bot."""


class UsageError(BotError):
    """An argument or an input file cannot be used; the command exits 2."""


class SettingsError(UsageError):
    """A setting is unknown, missing or malformed. The message names it and never its value."""
