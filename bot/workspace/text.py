"""How people's text reaches the app, and whom a text notifies."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.workspace.state import Message, Workspace

_TOKEN = re.compile(
    r"<@(?P<user>[UW][A-Z0-9]+)>|<#(?P<channel>[CG][A-Z0-9]+)>"
    r"|<!(?P<broadcast>here|channel|everyone)>|<!subteam\^(?P<group>S[A-Z0-9]+)>"
    r"|(?P<url>https?://[^\s<>]+)"
)
_PING = re.compile(
    r"<@(?P<user>[UW][A-Z0-9]+)(\|[^>]*)?>|<!subteam\^(?P<group>S[A-Z0-9]+)(\|[^>]*)?>"
    r"|<!(?P<broadcast>here|channel|everyone)(\|[^>]*)?>"
)


@dataclass(frozen=True, slots=True)
class Notified:
    """Whom a message notifies: user ids, user group ids, and `here`, `channel`, `everyone`."""

    users: frozenset[str] = field(default_factory=frozenset)
    groups: frozenset[str] = field(default_factory=frozenset)
    broadcasts: frozenset[str] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.users or self.groups or self.broadcasts)


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def inbound(workspace: Workspace, typed: str) -> tuple[str, list[dict[str, Any]]]:
    """What a person typed as Slack sends it on: escaped text, and a rich_text block.

    `<@U..>` of a user, `<#C..>` of a channel, `<!here>` and its like stand for what the client
    completes from `@name`; where nobody has that id, the characters were typed and are escaped.
    URLs become links.
    """
    text: list[str] = []
    elements: list[dict[str, Any]] = []
    at = 0
    for match in _TOKEN.finditer(typed):
        element = _element(workspace, match)
        if element is None:
            continue
        _plain(typed[at : match.start()], text, elements)
        shown = match.group()
        text.append(f"<{escape(shown)}>" if element["type"] == "link" else shown)
        elements.append(element)
        at = match.end()
    _plain(typed[at:], text, elements)
    section = {"type": "rich_text_section", "elements": elements}
    return "".join(text), [{"type": "rich_text", "block_id": "b1", "elements": [section]}]


def notified(message: Message) -> Notified:
    """Whom the message notifies, wherever the mention is: text, blocks, attachments.

    Mentions within code or behind a fallback text are counted as well: Slack leaves open which
    of them notify, and a bot that repeats other people's words should send none.
    """
    users: set[str] = set()
    groups: set[str] = set()
    broadcasts: set[str] = set()
    for text in [message.text, *_mrkdwn([message.blocks, message.attachments])]:
        for match in _PING.finditer(text):
            for found, name in ((users, "user"), (groups, "group"), (broadcasts, "broadcast")):
                if match[name]:
                    found.add(match[name])
    for element in _dicts([message.blocks, message.attachments]):
        match element:
            case {"type": "user", "user_id": str(id)}:
                users.add(id)
            case {"type": "usergroup", "usergroup_id": str(id)}:
                groups.add(id)
            case {"type": "broadcast", "range": str(range_)}:
                broadcasts.add(range_)
    return Notified(frozenset(users), frozenset(groups), frozenset(broadcasts))


def readable(message: Message) -> str:
    """The message as its reader sees it: one line for each text, entities unescaped.

    With blocks, Slack shows the blocks and not `text`.
    """
    if not message.blocks:
        return unescape(message.text)
    lines: list[str] = []
    for item in _dicts(message.blocks):
        if item.get("type") in ("mrkdwn", "markdown") and isinstance(item.get("text"), str):
            lines.append(unescape(item["text"]))
        elif item.get("type") in ("plain_text", "text") and isinstance(item.get("text"), str):
            lines.append(item["text"])
    return "\n".join(lines)


def _element(workspace: Workspace, match: re.Match[str]) -> dict[str, Any] | None:
    if match["url"]:
        return {"type": "link", "url": match["url"]}
    if match["broadcast"]:
        return {"type": "broadcast", "range": match["broadcast"]}
    if match["user"] in workspace.users:
        return {"type": "user", "user_id": match["user"]}
    if match["channel"] in workspace.channels:
        return {"type": "channel", "channel_id": match["channel"]}
    if match["group"] in workspace.groups:
        return {"type": "usergroup", "usergroup_id": match["group"]}
    return None


def _plain(typed: str, text: list[str], elements: list[dict[str, Any]]) -> None:
    if typed:
        text.append(escape(typed))
        elements.append({"type": "text", "text": typed})


def _mrkdwn(items: Iterable[Any]) -> Iterator[str]:
    for item in _dicts(items):
        kind = item.get("type")
        for key in ("text", "pretext", "fallback"):
            value = item.get(key)
            # An attachment has no type and its text is mrkdwn.
            if isinstance(value, str) and kind in ("mrkdwn", "markdown", None):
                yield value


def _dicts(item: Any) -> Iterator[dict[str, Any]]:
    if isinstance(item, list):
        for inner in item:
            yield from _dicts(inner)
    elif isinstance(item, dict):
        yield item
        for inner in item.values():
            yield from _dicts(inner)
