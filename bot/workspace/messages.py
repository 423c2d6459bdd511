"""Messages come, change and go; each time the app gets the events that it subscribed to."""

import re
from typing import Any

from bot.workspace.delivery import Courier
from bot.workspace.journal import Delivery
from bot.workspace.shapes import message_json
from bot.workspace.state import Channel, Message, Workspace

EVENT_NAMES = {
    "public": "message.channels",
    "private": "message.groups",
    "dm": "message.im",
    "mpim": "message.mpim",
}
CHANNEL_TYPES = {"public": "channel", "private": "group", "dm": "im", "mpim": "mpim"}


def add_message(workspace: Workspace, courier: Courier, message: Message) -> list[Delivery]:
    """Put the message in its channel. A mention in a channel makes two events, as on Slack."""
    channel = workspace.channels[message.channel]
    channel.messages[message.ts] = message
    deliveries = []
    mention = re.search(rf"<@{workspace.app.bot_user}(\|[^>]*)?>", message.text)
    event = _event(workspace, channel, message)
    if (
        mention
        and message.subtype in (None, "file_share", "thread_broadcast")
        and channel.kind != "dm"
        and message.user != workspace.app.bot_user
        and workspace.app.bot_user in channel.members
        and "app_mention" in workspace.app.events
    ):
        bare = {k: v for k, v in event.items() if k != "channel_type"}
        deliveries.append(courier.event(bare | {"type": "app_mention"}, channel))
    if _hears(workspace, channel):
        deliveries.append(courier.event(event, channel))
    return deliveries


def change_message(
    workspace: Workspace,
    courier: Courier,
    message: Message,
    *,
    text: str,
    blocks: list[dict[str, Any]],
    attachments: list[dict[str, Any]] | None = None,
) -> list[Delivery]:
    channel = workspace.channels[message.channel]
    before = message_json(workspace, message)
    message.text, message.blocks = text, blocks
    if attachments is not None:
        message.attachments = attachments
    if not (blocks and message.bot_id):
        message.edited = {"user": message.user or "", "ts": workspace.next_ts()}
    return _subtype(
        workspace,
        courier,
        channel,
        "message_changed",
        message=message_json(workspace, message),
        previous_message=before,
    )


def remove_message(workspace: Workspace, courier: Courier, message: Message) -> list[Delivery]:
    """Delete; a root with replies stays as a tombstone."""
    channel = workspace.channels[message.channel]
    before = message_json(workspace, message)
    if not message.is_reply and len(channel.thread(message.ts)) > 1:
        message.subtype, message.text = "tombstone", "This message was deleted."
        message.blocks, message.attachments, message.metadata = [], [], None
        message.user, message.bot_id = "USLACKBOT", None
    else:
        del channel.messages[message.ts]
    return _subtype(
        workspace,
        courier,
        channel,
        "message_deleted",
        deleted_ts=message.ts,
        previous_message=before,
    )


def _event(workspace: Workspace, channel: Channel, message: Message) -> dict[str, Any]:
    shape = message_json(workspace, message)
    shape.pop("edited", None)
    return shape | {
        "channel": channel.id,
        "channel_type": CHANNEL_TYPES[channel.kind],
        "event_ts": message.ts,
    }


def _subtype(
    workspace: Workspace, courier: Courier, channel: Channel, subtype: str, **rest: Any
) -> list[Delivery]:
    if not _hears(workspace, channel):
        return []
    ts = workspace.next_ts()
    event = {
        "type": "message",
        "subtype": subtype,
        "channel": channel.id,
        "channel_type": CHANNEL_TYPES[channel.kind],
        "ts": ts,
        "event_ts": ts,
        "hidden": True,
    }
    return [courier.event(event | rest, channel)]


def _hears(workspace: Workspace, channel: Channel) -> bool:
    return (
        EVENT_NAMES[channel.kind] in workspace.app.events
        and workspace.app.bot_user in channel.members
    )
