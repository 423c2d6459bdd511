"""Messages that ask nothing: greetings and thanks. HR should get no case for them."""

from __future__ import annotations

import re

_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|hi there|good (?:morning|afternoon|evening)|help)[\s,.!?]*)+",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:(?:ok(?:ay)?|great|perfect|got it|cheers|many thanks|thanks|thx|thank you"
    r"|so much|very much|a lot|again|that helps|:[a-z0-9_+'-]+:)[\s,.!]*)+",
    re.IGNORECASE,
)


def is_greeting(text: str) -> bool:
    """Whether somebody only says hello, or asks what this is."""
    return _GREETING.fullmatch(text) is not None


def is_thanks(text: str) -> bool:
    """Whether somebody only says thank you."""
    return _THANKS.fullmatch(text) is not None
