"""users.*, usergroups.*, team.*, auth.test, api.test and apps.connections.open"""

from typing import Any

from bot.workspace.context import Context
from bot.workspace.errors import SlackError
from bot.workspace.shapes import profile_json, user_json
from bot.workspace.state import User


def auth_test(call: Context) -> dict[str, Any]:
    workspace = call.workspace
    app = workspace.app
    return {
        "url": f"{call.base_url}/",
        "team": workspace.team.name,
        "team_id": workspace.team.id,
        "user": workspace.users[app.bot_user].name,
        "user_id": app.bot_user,
        "bot_id": app.bot_id,
        "is_enterprise_install": False,
    }


def api_test(call: Context) -> dict[str, Any]:
    if call.args.text("error"):
        raise SlackError(call.args.text("error"), args=dict(call.args))
    return {"args": dict(call.args)}


def connections_open(call: Context) -> dict[str, Any]:
    return {"url": call.hub.new_url()}


def users_info(call: Context) -> dict[str, Any]:
    user = _user(call)
    email = "users:read.email" in call.workspace.app.scopes
    return {"user": user_json(call.workspace, user, email=email)}


def users_list(call: Context) -> dict[str, Any]:
    email = "users:read.email" in call.workspace.app.scopes
    people = [user_json(call.workspace, u, email=email) for u in call.workspace.users.values()]
    return {"members": people, "response_metadata": {"next_cursor": ""}}


def profile_get(call: Context) -> dict[str, Any]:
    labels = call.workspace.profile_fields if call.args.flag("include_labels") else None
    email = "users:read.email" in call.workspace.app.scopes
    return {"profile": profile_json(_user(call), email=email, labels=labels)}


def team_profile_get(call: Context) -> dict[str, Any]:
    fields = [{"id": id, "label": label} for id, label in call.workspace.profile_fields.items()]
    return {"profile": {"fields": fields}}


def usergroup_users(call: Context) -> dict[str, Any]:
    group = call.workspace.groups.get(call.args.needed("usergroup"))
    if group is None:
        raise SlackError("no_such_subteam")
    return {"users": list(group.users)}


def team_info(call: Context) -> dict[str, Any]:
    team = call.workspace.team
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain}}


def _user(call: Context) -> User:
    user = call.workspace.users.get(call.args.needed("user"))
    if user is None:
        raise SlackError("user_not_found")
    return user
