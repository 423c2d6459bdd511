"""chat.* and reactions.*"""

import time
from typing import Any

from bot.workspace.blocks import check_blocks, with_ids
from bot.workspace.context import Args, Context
from bot.workspace.errors import SlackError
from bot.workspace.messages import add_message, change_message, remove_message
from bot.workspace.shapes import message_json
from bot.workspace.state import Channel, Message

# Slack cuts longer texts of a post off and warns; refusing keeps a test from passing on half a
# text. For chat.update the reference gives 4,000.
MOST_TEXT = 40_000
MOST_UPDATED_TEXT = 4_000
# Slack names the error and no figure.
MOST_METADATA = 8_000
MOST_ATTACHMENTS = 100


def post_message(call: Context) -> dict[str, Any]:
    channel = _postable(call, open_dm=True)
    message = _draft(call, channel)
    thread_ts = _thread(call, channel)
    if thread_ts:
        message.thread_ts = thread_ts
        if call.args.flag("reply_broadcast"):
            message.subtype = "thread_broadcast"
    _clear_status(call, channel, thread_ts)
    add_message(call.workspace, call.courier, message)
    shape = message_json(call.workspace, message, all_metadata=True)
    return {"channel": channel.id, "ts": message.ts, "message": shape}


def post_ephemeral(call: Context) -> dict[str, Any]:
    channel = _postable(call)
    user = call.args.needed("user")
    if user not in channel.members:
        raise SlackError("user_not_in_channel")
    message = _draft(call, channel)
    message.ephemeral_to = user
    # The reference: an ephemeral message keeps no event metadata.
    message.metadata = None
    message.thread_ts = _thread(call, channel)
    channel.ephemerals.append(message)
    return {"message_ts": message.ts}


def update(call: Context) -> dict[str, Any]:
    """Text without blocks takes the blocks away and marks the message as edited; metadata and
    attachments stay unless given (docs of chat.update)."""
    channel = call.channel()
    message = _own(call, channel, "cant_update_message")
    if channel.is_archived:
        raise SlackError("is_inactive")
    content = _content(call.args, most_text=MOST_UPDATED_TEXT)
    if "metadata" in call.args:
        message.metadata = content["metadata"] or None
    change_message(
        call.workspace,
        call.courier,
        message,
        text=content["text"],
        blocks=content["blocks"],
        attachments=content["attachments"] if "attachments" in call.args else None,
    )
    shape = message_json(call.workspace, message, all_metadata=True)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shape}


def delete(call: Context) -> dict[str, Any]:
    channel = call.channel()
    message = _own(call, channel, "cant_delete_message")
    remove_message(call.workspace, call.courier, message)
    return {"channel": channel.id, "ts": message.ts}


def permalink(call: Context) -> dict[str, Any]:
    channel = call.channel()
    message = call.message(channel, call.args.needed("message_ts"))
    path = f"{call.base_url}/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        path += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": path}


def add_reaction(call: Context) -> dict[str, Any]:
    users, bot = _reaction(call)
    if bot in users:
        raise SlackError("already_reacted")
    users.append(bot)
    return {}


def remove_reaction(call: Context) -> dict[str, Any]:
    users, bot = _reaction(call)
    if bot not in users:
        raise SlackError("no_reaction")
    users.remove(bot)
    return {}


def _reaction(call: Context) -> tuple[list[str], str]:
    channel = call.channel()
    if not call.is_member(channel):
        raise SlackError("not_in_channel")
    if channel.is_archived:
        raise SlackError("is_archived")
    name = call.args.needed("name").strip(":")
    if not name.replace("_", "").replace("-", "").replace("+", "").isalnum():
        raise SlackError("invalid_name")
    message = call.message(channel, call.args.needed("timestamp"))
    return message.reactions.setdefault(name, []), call.workspace.app.bot_user


def _postable(call: Context, *, open_dm: bool = False) -> Channel:
    target = call.args.text("channel")
    person = call.workspace.users.get(target)
    if open_dm and person:
        if person.is_bot:
            raise SlackError("cannot_dm_bot")
        call.args["channel"] = call.workspace.dm(target).id
    channel = call.channel() if target else None
    if channel is None:
        raise SlackError("channel_not_found")
    may_post = call.is_member(channel) or "chat:write.public" in call.workspace.app.scopes
    if not may_post:
        raise SlackError("not_in_channel")
    if channel.is_archived:
        raise SlackError("is_archived")
    return channel


def _draft(call: Context, channel: Channel) -> Message:
    app = call.workspace.app
    args = call.args
    if args.text("username") or args.text("icon_emoji") or args.text("icon_url"):
        call.needs("chat:write.customize")
    content = _content(args, most_text=MOST_TEXT)
    return Message(
        channel=channel.id,
        ts=call.workspace.next_ts(),
        user=app.bot_user,
        bot_id=app.bot_id,
        app_id=app.app_id,
        username=args.text("username") or None,
        **content,
    )


def _content(args: Args, *, most_text: int) -> dict[str, Any]:
    """text, blocks, attachments and metadata, checked as Slack checks them."""
    text = args.text("text")
    blocks = args.structure("blocks") or []
    attachments = args.structure("attachments") or []
    markdown = args.text("markdown_text")
    if markdown:
        if text or blocks:
            raise SlackError("markdown_text_conflict")
        blocks = [{"type": "markdown", "text": markdown}]
    if not text.strip() and not blocks and not attachments:
        raise SlackError("no_text")
    if len(text) > most_text:
        raise SlackError("msg_too_long")
    blocks = accepted(blocks)
    if not isinstance(attachments, list) or not all(isinstance(a, dict) for a in attachments):
        raise SlackError("invalid_attachments")
    if len(attachments) > MOST_ATTACHMENTS:
        raise SlackError("too_many_attachments")
    for attachment in attachments:
        accepted(attachment.get("blocks") or [])
    metadata = args.structure("metadata")
    _check_metadata(metadata)
    return {"text": text, "blocks": blocks, "attachments": attachments, "metadata": metadata}


def accepted(blocks: Any) -> list[dict[str, Any]]:
    """The blocks as Slack keeps them.

    Raises SlackError `invalid_blocks_format`, `invalid_blocks` or `msg_blocks_too_long`.
    """
    if not isinstance(blocks, list):
        raise SlackError("invalid_blocks_format")
    checked = check_blocks(blocks)
    if checked.problems:
        raise SlackError("invalid_blocks", *checked.problems, errors=checked.problems)
    if checked.too_long:
        raise SlackError("msg_blocks_too_long")
    return with_ids(blocks)


def _check_metadata(metadata: Any) -> None:
    if not metadata:
        return
    if (
        not isinstance(metadata, dict)
        or not isinstance(metadata.get("event_type"), str)
        or not isinstance(metadata.get("event_payload"), dict)
    ):
        raise SlackError("invalid_metadata_format")
    if len(str(metadata)) > MOST_METADATA:
        raise SlackError("metadata_too_large")


def _thread(call: Context, channel: Channel) -> str | None:
    """The thread to post in. A reply's ts is refused: Slack asks for the root's."""
    thread_ts = call.args.text("thread_ts") or None
    if thread_ts is None:
        return None
    root = channel.messages.get(thread_ts)
    if root is None:
        raise SlackError("thread_not_found")
    if root.is_reply:
        raise SlackError("cannot_reply_to_message")
    return thread_ts


def _own(call: Context, channel: Channel, refusal: str) -> Message:
    message = call.message(channel, call.args.needed("ts"))
    if message.bot_id != call.workspace.app.bot_id:
        raise SlackError(refusal)
    return message


def _clear_status(call: Context, channel: Channel, thread_ts: str | None) -> None:
    session = call.workspace.sessions.get((channel.id, thread_ts))
    if session and session.status:
        session.status = ""
        session.status_at = time.time()
        session.statuses.append("")
