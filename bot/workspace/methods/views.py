"""views.*"""

import json
import secrets
from typing import Any, Literal

from bot.workspace.blocks import check_view, with_ids
from bot.workspace.context import Context
from bot.workspace.errors import SlackError
from bot.workspace.shapes import view_json
from bot.workspace.state import View, Workspace

MOST_STACKED = 3
MOST_BYTES = 250_000


def open_(call: Context) -> dict[str, Any]:
    body = _body(call, "modal")
    user, _ = call.triggers.exchange(call.args.needed("trigger_id"))
    for old in call.workspace.modals.pop(user, []):
        del call.workspace.views[old]
    return {"view": view_json(call.workspace, push_modal(call.workspace, user, body))}


def push(call: Context) -> dict[str, Any]:
    body = _body(call, "modal")
    user, view_id = call.triggers.exchange(call.args.needed("trigger_id"))
    stack = call.workspace.modals.get(user, [])
    if view_id not in stack:
        raise SlackError("invalid_trigger_id")
    if len(stack) >= MOST_STACKED:
        raise SlackError("push_limit_reached")
    return {"view": view_json(call.workspace, push_modal(call.workspace, user, body))}


def update(call: Context) -> dict[str, Any]:
    view = _existing(call)
    body = _body(call, view.kind, replacing=view)
    _check_hash(call, view)
    replace_view(view, body)
    return {"view": view_json(call.workspace, view)}


def publish(call: Context) -> dict[str, Any]:
    user = call.args.needed("user_id")
    if user not in call.workspace.users:
        raise SlackError("user_not_found")
    home = call.workspace.homes.get(user)
    old = call.workspace.views.get(home) if home else None
    body = _body(call, "home", replacing=old)
    if old:
        _check_hash(call, old)
        replace_view(old, body)
        return {"view": view_json(call.workspace, old)}
    id = call.workspace.new_id("V")
    view = View(id, "home", user, _with_ids(body), new_hash(), root_id=id)
    call.workspace.views[id] = view
    call.workspace.homes[user] = id
    return {"view": view_json(call.workspace, view)}


def push_modal(workspace: Workspace, user: str, body: dict[str, Any]) -> View:
    """Put a checked modal on top of the user's stack."""
    stack = workspace.modals.setdefault(user, [])
    id = workspace.new_id("V")
    root, previous = (stack[0], stack[-1]) if stack else (id, None)
    view = View(id, "modal", user, _with_ids(body), new_hash(), root_id=root, previous_id=previous)
    workspace.views[id] = view
    stack.append(id)
    return view


def replace_view(view: View, body: dict[str, Any]) -> None:
    """Give a view a new body; what the user filled in stays where the input stays."""
    view.body = _with_ids(body)
    view.hash = new_hash()
    kept = {b["block_id"] for b in view.body["blocks"]}
    view.values = {block: values for block, values in view.values.items() if block in kept}


def new_hash() -> str:
    return secrets.token_hex(8)


def _body(
    call: Context, kind: Literal["modal", "home"], replacing: View | None = None
) -> dict[str, Any]:
    view = call.args.structure("view")
    problems = check_view(view, kind)
    if len(json.dumps(view)) > MOST_BYTES:
        raise SlackError("view_too_large")
    if problems:
        raise SlackError("invalid_arguments", *problems)
    external = view.get("external_id")
    for other in call.workspace.views.values():
        if external and other is not replacing and other.body.get("external_id") == external:
            raise SlackError("duplicate_external_id")
    checked: dict[str, Any] = view
    return checked


def _existing(call: Context) -> View:
    views = call.workspace.views
    view_id, external = call.args.text("view_id"), call.args.text("external_id")
    found = views.get(view_id)
    if external:
        found = next((v for v in views.values() if v.body.get("external_id") == external), None)
    if found is None:
        raise SlackError("not_found")
    return found


def _check_hash(call: Context, view: View) -> None:
    given = call.args.text("hash")
    if given and given != view.hash:
        raise SlackError("hash_conflict")


def _with_ids(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"blocks": with_ids(body["blocks"])}
