"""files.*: the three steps of an upload, and info"""

from typing import Any

from bot.workspace.context import Context
from bot.workspace.errors import SlackError
from bot.workspace.messages import add_message
from bot.workspace.shapes import file_json
from bot.workspace.state import File, Message


def upload_url(call: Context) -> dict[str, Any]:
    name = call.args.needed("filename")
    length = call.args.number("length", 0)
    if length < 1:
        raise SlackError("invalid_arguments", "must be greater than 0: length")
    app = call.workspace.app
    file = File(call.workspace.new_id("F"), name, app.bot_user, length)
    call.workspace.files[file.id] = file
    return {"upload_url": f"{call.base_url}/upload/{file.id}", "file_id": file.id}


def complete_upload(call: Context) -> dict[str, Any]:
    given = call.args.structure("files")
    if not given or not isinstance(given, list) or not all(isinstance(g, dict) for g in given):
        raise SlackError("invalid_arguments", "missing required field: files")
    files = []
    for item in given:
        file = call.workspace.files.get(str(item.get("id")))
        if file is None or file.content is None:
            raise SlackError("file_not_found")
        file.title = item.get("title") or file.name
        files.append(file)
    if call.args.text("channel_id"):
        _share(call, files)
    return {"files": [file_json(file) for file in files]}


def info(call: Context) -> dict[str, Any]:
    file = call.workspace.files.get(call.args.needed("file"))
    if file is None:
        raise SlackError("file_not_found")
    return {"file": file_json(file)}


def _share(call: Context, files: list[File]) -> None:
    channel = call.channel("channel_id")
    if not call.is_member(channel):
        raise SlackError("not_in_channel")
    app = call.workspace.app
    thread_ts = call.args.text("thread_ts") or None
    if thread_ts and thread_ts not in channel.messages:
        raise SlackError("thread_not_found")
    message = Message(
        channel=channel.id,
        ts=call.workspace.next_ts(),
        user=app.bot_user,
        text=call.args.text("initial_comment"),
        thread_ts=thread_ts,
        bot_id=app.bot_id,
        app_id=app.app_id,
        files=[file.id for file in files],
    )
    for file in files:
        file.channels.append(channel.id)
    add_message(call.workspace, call.courier, message)
