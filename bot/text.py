"""Text on its way in from Slack and out to Slack.

Slack escapes `&`, `<` and `>` on the way in, and reads `<...>` as a mention or a link on the way
out. Everything inside the bot is plain text: unescaped once on arrival, escaped once when posted.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_MENTION = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")
_CHANNEL = re.compile(r"<#([CG][A-Z0-9]+)(?:\|([^>]*))?>")
_ESCAPED_CHANNEL = re.compile(r"&lt;(#[CG][A-Z0-9]+)&gt;")
_NAMELESS_GROUP = re.compile(r"<!subteam\^[A-Z0-9]+\|?>")
_SPECIAL = re.compile(r"<!(?:subteam\^[A-Z0-9]+|[a-z]+)(?:\^[^|>^]*)*(?:\|([^>]*))?>")
_LINK = re.compile(r"<((?:https?|mailto|tel):[^|>]+)(?:\|([^>]*))?>")
_SPACE = re.compile(r"[ \t]+")


def escape(text: str) -> str:
    """`&`, `<` and `>` so that Slack shows them and obeys none of them.

    `&` comes first, or the others would be escaped twice.
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """The reverse of `escape`; `&` comes last, or `&amp;lt;` would become `<`."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def plain(text: str) -> str:
    """What somebody wrote, as plain text without Slack's markup: no ids, no links, no pings.

    A person's mention is dropped: a name is nothing that a policy answers to, and ids stay inside
    Slack. A channel becomes its name, a link its label or address.
    """
    text = _MENTION.sub(" ", text)
    text = _CHANNEL.sub(lambda found: f"#{found[2]}" if found[2] else " ", text)
    text = _SPECIAL.sub(lambda found: found[1] or " ", text)
    text = _LINK.sub(lambda found: found[2] or found[1], text)
    return "\n".join(_SPACE.sub(" ", line).strip() for line in unescape(text).splitlines()).strip()


def relayed(text: str, name_of: Callable[[str], str]) -> str:
    """What HR wrote, as plain text for somebody else to read.

    Nothing of its meaning goes: a mention becomes the person's name, which pings nobody, and a
    link keeps its address beside its label. A channel without a name stays as `<#C...>`, for
    `link_channels`; Slack names no user group, and the reader must see that one was meant.
    """
    text = _MENTION.sub(lambda found: "@" + escape(name_of(found[1])), text)
    text = _CHANNEL.sub(lambda found: found[0] if found[2] else f"&lt;#{found[1]}&gt;", text)
    text = _NAMELESS_GROUP.sub("@(a user group)", text)
    return plain(_LINK.sub(_label_and_address, text))


def link_channels(escaped: str) -> str:
    """Escaped text in which each `<#C...>` is a link again: it shows a name, and pings nobody."""
    return _ESCAPED_CHANNEL.sub(r"<\1>", escaped)


def _label_and_address(found: re.Match[str]) -> str:
    address, label = found[1], found[2]
    bare = address.partition(":")[2].lstrip("/")
    return label if label in (bare, address) else f"{label} ({address})" if label else address


def mentions(text: str, user: str) -> bool:
    """Whether raw Slack text mentions the user id `user`."""
    return any(found[1] == user for found in _MENTION.finditer(text))


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a space where there is one, with an ellipsis."""
    return text if len(text) <= limit else _cut(text, limit - 1)


def shorten_escaped(text: str, limit: int) -> str:
    """`text` escaped, at most `limit` characters long after that and never cut inside an entity.

    `&` grows fivefold when escaped, so the length is measured after escaping.
    """
    escaped = escape(text)
    if len(escaped) <= limit:
        return escaped
    kept, room = 0, limit - 1
    for character in text:
        room -= len(escape(character))
        if room < 0:
            break
        kept += 1
    return escape(_cut(text, kept))


def _cut(text: str, length: int) -> str:
    """The first `length` characters or fewer, to a space where there is one, and an ellipsis."""
    start = text[:length]
    head, space, _ = start.rpartition(" ")
    return (head if space and len(head) > length // 2 else start).rstrip() + "…"
