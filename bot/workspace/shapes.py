"""The state as Slack's JSON."""

from typing import Any

from bot.workspace.state import Channel, File, Message, User, View, Workspace


def message_json(
    workspace: Workspace, message: Message, *, all_metadata: bool = False
) -> dict[str, Any]:
    """A message as the Web API and events carry it.

    Without `include_all_metadata` Slack leaves the payload of the metadata out
    (python-slack-sdk issue 1501).
    """
    app = workspace.app
    shape: dict[str, Any] = {
        "type": "message",
        "subtype": message.subtype,
        "user": message.user,
        "ts": message.ts,
        "client_msg_id": message.client_msg_id,
        "text": message.text,
        "team": workspace.team.id,
        "bot_id": message.bot_id,
        "app_id": message.app_id,
        "username": message.username,
        "blocks": message.blocks or None,
        "attachments": message.attachments or None,
        "edited": message.edited,
        "files": [file_json(workspace.files[f]) for f in message.files] or None,
        "reactions": [
            {"name": name, "users": list(users), "count": len(users)}
            for name, users in message.reactions.items()
        ]
        or None,
    }
    if message.bot_id == app.bot_id:
        shape["bot_profile"] = {
            "id": app.bot_id,
            "app_id": app.app_id,
            "name": app.name,
            "team_id": workspace.team.id,
            "deleted": False,
        }
    if message.metadata:
        shape["metadata"] = (
            message.metadata if all_metadata else {"event_type": message.metadata["event_type"]}
        )
    channel = workspace.channels[message.channel]
    if message.thread_ts:
        shape["thread_ts"] = message.thread_ts
        if message.is_reply and message.thread_ts in channel.messages:
            shape["parent_user_id"] = channel.messages[message.thread_ts].user
    replies = [m for m in channel.thread(message.ts) if m.ts != message.ts]
    if replies and not message.is_reply:
        shape |= {
            "thread_ts": message.ts,
            "reply_count": len(replies),
            "reply_users": list(dict.fromkeys(r.user for r in replies if r.user)),
            "latest_reply": replies[-1].ts,
        }
    return {key: value for key, value in shape.items() if value is not None}


def user_json(workspace: Workspace, user: User, *, email: bool) -> dict[str, Any]:
    return {
        "id": user.id,
        "team_id": user.team_id or workspace.team.id,
        "name": user.name,
        "deleted": user.deleted,
        "real_name": user.real_name,
        "tz": user.tz,
        "locale": user.locale,
        "is_bot": user.is_bot,
        "is_admin": user.is_admin,
        "is_owner": False,
        "is_restricted": user.is_restricted,
        "is_ultra_restricted": user.is_ultra_restricted,
        "is_stranger": user.team_id not in (None, workspace.team.id),
        "profile": profile_json(user, email=email),
    }


def profile_json(user: User, *, email: bool, labels: dict[str, str] | None = None) -> Any:
    profile: dict[str, Any] = {
        "real_name": user.real_name,
        "display_name": user.name,
        "title": user.title,
        "fields": {
            key: {"value": value, "alt": ""} | ({"label": labels.get(key, "")} if labels else {})
            for key, value in user.fields.items()
        },
    }
    return profile | ({"email": user.email} if email else {})


def channel_json(workspace: Workspace, channel: Channel) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "id": channel.id,
        "is_channel": channel.kind == "public",
        "is_group": channel.kind == "private",
        "is_im": channel.kind == "dm",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "public",
        "is_archived": channel.is_archived,
        "is_ext_shared": channel.is_ext_shared,
        "is_shared": channel.is_ext_shared,
        "context_team_id": workspace.team.id,
    }
    if channel.kind == "dm":
        return shape | {"user": next(m for m in channel.members if m != workspace.app.bot_user)}
    return shape | {
        "name": channel.name,
        "name_normalized": channel.name,
        "is_member": workspace.app.bot_user in channel.members,
        "num_members": len(channel.members),
    }


def view_json(workspace: Workspace, view: View) -> dict[str, Any]:
    body = view.body
    return {
        "id": view.id,
        "team_id": workspace.team.id,
        "app_id": workspace.app.app_id,
        "app_installed_team_id": workspace.team.id,
        "bot_id": workspace.app.bot_id,
        "type": view.kind,
        "title": body.get("title"),
        "submit": body.get("submit"),
        "close": body.get("close"),
        "blocks": body["blocks"],
        "private_metadata": body.get("private_metadata", ""),
        "callback_id": body.get("callback_id", ""),
        "external_id": body.get("external_id", ""),
        "clear_on_close": body.get("clear_on_close", False),
        "notify_on_close": body.get("notify_on_close", False),
        "hash": view.hash,
        "root_view_id": view.root_id,
        "previous_view_id": view.previous_id,
        "state": {"values": view.values},
    }


def file_json(file: File) -> dict[str, Any]:
    return {
        "id": file.id,
        "name": file.name,
        "title": file.title or file.name,
        "user": file.user,
        "size": file.length,
        "channels": list(file.channels),
    }
