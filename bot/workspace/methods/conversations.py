"""conversations.*"""

from typing import Any

from bot.workspace.context import Context
from bot.workspace.errors import SlackError
from bot.workspace.shapes import channel_json, message_json
from bot.workspace.state import Channel, Message

MOST_PER_PAGE = 1000
BROADCAST = "thread_broadcast"


def replies(call: Context) -> dict[str, Any]:
    channel = _readable(call)
    ts = call.args.needed("ts")
    root = channel.messages.get(ts)
    if root is None:
        raise SlackError("thread_not_found")
    found = [root] if root.is_reply else channel.thread(ts)
    # Slack gives the root on every page, whatever the bounds.
    page = _page(call, [m for m in found if m.ts != ts], usual=1000)
    return page | {"messages": [_shape(call, root), *page["messages"]]}


def history(call: Context) -> dict[str, Any]:
    channel = _readable(call)
    shown = [m for m in channel.messages.values() if not m.is_reply or m.subtype == BROADCAST]
    page = _page(call, shown[::-1])
    return page | {"pin_count": 0}


def info(call: Context) -> dict[str, Any]:
    channel = call.channel(reading="read")
    return {"channel": channel_json(call.workspace, channel)}


def members(call: Context) -> dict[str, Any]:
    channel = call.channel(reading="read")
    return {"members": list(channel.members), "response_metadata": {"next_cursor": ""}}


def open_(call: Context) -> dict[str, Any]:
    users = call.args.text("users").split(",")
    if len(users) != 1 or not users[0]:
        raise SlackError("invalid_arguments", "only one user at a time on this server: users")
    user = call.workspace.users.get(users[0])
    if user is None:
        raise SlackError("user_not_found")
    if user.id == call.workspace.app.bot_user or user.is_bot:
        raise SlackError("cannot_dm_bot")
    return {"channel": {"id": call.workspace.dm(user.id).id}}


def join(call: Context) -> dict[str, Any]:
    channel = call.channel()
    if channel.kind != "public":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise SlackError("is_archived")
    if not call.is_member(channel):
        channel.members.append(call.workspace.app.bot_user)
    return {"channel": channel_json(call.workspace, channel)}


def list_(call: Context) -> dict[str, Any]:
    wanted = call.args.text("types", "public_channel").split(",")
    kinds = {"public": "public_channel", "private": "private_channel", "dm": "im", "mpim": "mpim"}
    scopes = {
        "public": "channels:read",
        "private": "groups:read",
        "dm": "im:read",
        "mpim": "mpim:read",
    }
    call.needs(*(scope for kind, scope in scopes.items() if kinds[kind] in wanted))
    seen = [
        channel_json(call.workspace, c)
        for c in call.workspace.channels.values()
        if kinds[c.kind] in wanted
        and (c.kind == "public" or call.is_member(c))
        and not (c.is_archived and call.args.flag("exclude_archived"))
    ]
    return {"channels": seen, "response_metadata": {"next_cursor": ""}}


def _readable(call: Context) -> Channel:
    channel = call.channel(reading="history")
    if not call.is_member(channel):
        raise SlackError("not_in_channel")
    return channel


def _page(call: Context, messages: list[Message], usual: int = 100) -> dict[str, Any]:
    """One page within `oldest` and `latest`; the cursor is an offset."""
    args = call.args
    limit = args.number("limit", usual)
    if not 1 <= limit <= MOST_PER_PAGE:
        raise SlackError("invalid_limit")
    oldest, latest = args.text("oldest", "0"), args.text("latest", "9999999999")
    edge = args.flag("inclusive")
    bounded = [
        m
        for m in messages
        if float(oldest) < float(m.ts) < float(latest) or (edge and m.ts in (oldest, latest))
    ]
    start = _offset(args.text("cursor"))
    page = bounded[start : start + limit]
    more = start + limit < len(bounded)
    return {
        "messages": [_shape(call, m) for m in page],
        "has_more": more,
        "response_metadata": {"next_cursor": f"offset:{start + limit}" if more else ""},
    }


def _offset(cursor: str) -> int:
    if not cursor:
        return 0
    number = cursor.removeprefix("offset:")
    if number == cursor or not number.isdigit():
        raise SlackError("invalid_cursor")
    return int(number)


def _shape(call: Context, message: Message) -> dict[str, Any]:
    all_metadata = call.args.flag("include_all_metadata")
    return message_json(call.workspace, message, all_metadata=all_metadata)
