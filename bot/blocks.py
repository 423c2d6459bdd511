"""Blocks of Slack's Block Kit, and texts that fit them.

Slack's limits are kept by construction, measured after escaping: 3,000 characters in a section,
75 in a button's text, 3,000 in its URL, 25 buttons in a row of actions, 50 blocks, and the whole
message, blocks and text together, under 12,000 characters: Slack refuses it at about 13,000
(msg_blocks_too_long).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.text import escape, shorten_escaped

SECTION = 2_900
BUTTON = 75
BUTTONS = 25

Block = dict[str, Any]


def section(text: str) -> Block:
    return {"type": "section", "text": _mrkdwn(text)}


def plain_section(text: str) -> Block:
    """Text shown letter for letter, unescaped: no `*`, `_` or `~` in it formats anything."""
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}


def context(text: str) -> Block:
    """Small print."""
    return {"type": "context", "elements": [_mrkdwn(text)]}


def actions(buttons: Sequence[Block]) -> list[Block]:
    """Rows of buttons."""
    return [
        {"type": "actions", "elements": list(buttons[at : at + BUTTONS])}
        for at in range(0, len(buttons), BUTTONS)
    ]


def quoted(text: str) -> str:
    """`text` escaped and quoted, whole.

    A line too long for a section goes on in the next one, with a mark of quotation of its own.
    """
    return "\n".join(
        f"> {piece}"
        for line in text.splitlines() or [""]
        for piece in _pieces(escape(line), SECTION - 2)
    )


def quote(text: str, limit: int) -> str:
    """The same, at most `limit` characters with the marks of quotation."""
    whole = quoted(text)
    if len(whole) <= limit:
        return whole
    lines: list[str] = []
    room = limit - len("\n> …")
    for line in text.splitlines():
        if room < BUTTON:
            lines.append("> …")
            break
        piece = f"> {shorten_escaped(line, room - 2)}"
        lines.append(piece)
        room -= len(piece) + 1
    return "\n".join(lines)


def paragraphs(parts: Sequence[str], separator: str = " ") -> list[str]:
    """Parts joined into texts that fit a section; a part too long is cut at a space."""
    texts: list[str] = []
    for part in parts:
        for piece in _pieces(part, SECTION):
            if texts and len(texts[-1]) + len(separator) + len(piece) <= SECTION:
                texts[-1] += separator + piece
            else:
                texts.append(piece)
    return texts


def _pieces(text: str, most: int) -> list[str]:
    pieces = []
    while len(text) > most:
        at = text.rfind(" ", 1, most)
        if at < 0:
            # Not within an entity such as &amp;.
            at = text.rfind("&", most - 5, most)
        at = most if at < 0 else at
        pieces.append(text[:at])
        text = text[at:].lstrip(" ")
    return [*pieces, text]


def _mrkdwn(text: str) -> Block:
    # Verbatim: Slack makes no links and no mentions of what only looks like one, such as @here.
    return {"type": "mrkdwn", "text": text, "verbatim": True}
