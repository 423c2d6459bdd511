"""The Web API: which methods there are, what each needs, and how a call is answered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from bot.workspace.context import Context
from bot.workspace.errors import SlackError
from bot.workspace.methods import agents, chat, conversations, files, people, views
from bot.workspace.state import Workspace


@dataclass(frozen=True, slots=True)
class Method:
    """`token`: "bot", "app" or None where a call needs no token."""

    run: Callable[[Context], dict[str, Any]]
    scopes: tuple[str, ...] = ()
    token: Literal["bot", "app"] | None = "bot"


METHODS: dict[str, Method] = {
    "api.test": Method(people.api_test, token=None),
    "auth.test": Method(people.auth_test),
    "apps.connections.open": Method(people.connections_open, token="app"),
    "agents.sessions.rename": Method(agents.session_rename, ("chat:write",)),
    "agents.sessions.setStatus": Method(agents.session_status, ("chat:write",)),
    "assistant.threads.setStatus": Method(agents.set_status),
    "assistant.threads.setSuggestedPrompts": Method(
        agents.set_suggested_prompts, ("assistant:write",)
    ),
    "assistant.threads.setTitle": Method(agents.set_title, ("assistant:write",)),
    "chat.delete": Method(chat.delete, ("chat:write",)),
    "chat.getPermalink": Method(chat.permalink),
    "chat.postEphemeral": Method(chat.post_ephemeral, ("chat:write",)),
    "chat.postMessage": Method(chat.post_message, ("chat:write",)),
    "chat.update": Method(chat.update, ("chat:write",)),
    "conversations.history": Method(conversations.history),
    "conversations.info": Method(conversations.info),
    "conversations.join": Method(conversations.join, ("channels:join",)),
    "conversations.list": Method(conversations.list_),
    "conversations.members": Method(conversations.members),
    "conversations.open": Method(conversations.open_, ("im:write",)),
    "conversations.replies": Method(conversations.replies),
    "files.completeUploadExternal": Method(files.complete_upload, ("files:write",)),
    "files.getUploadURLExternal": Method(files.upload_url, ("files:write",)),
    "files.info": Method(files.info, ("files:read",)),
    "reactions.add": Method(chat.add_reaction, ("reactions:write",)),
    "reactions.remove": Method(chat.remove_reaction, ("reactions:write",)),
    "team.info": Method(people.team_info, ("team:read",)),
    "team.profile.get": Method(people.team_profile_get, ("users.profile:read",)),
    "usergroups.users.list": Method(people.usergroup_users, ("usergroups:read",)),
    "users.info": Method(people.users_info, ("users:read",)),
    "users.list": Method(people.users_list, ("users:read",)),
    "users.profile.get": Method(people.profile_get, ("users.profile:read",)),
    "views.open": Method(views.open_),
    "views.publish": Method(views.publish),
    "views.push": Method(views.push),
    "views.update": Method(views.update),
}


def run(name: str, call: Context, token: str) -> dict[str, Any]:
    """The answer to one call, as JSON; the method's effect is complete when it returns.

    Raises SlackError, also for a missing token or scope and an unknown method.
    """
    method = METHODS.get(name)
    if method is None:
        raise SlackError("unknown_method", req_method=name)
    _check_token(method, call.workspace, token)
    call.needs(*method.scopes)
    return {"ok": True} | method.run(call)


def _check_token(method: Method, workspace: Workspace, token: str) -> None:
    if method.token is None:
        return
    if not token:
        raise SlackError("not_authed")
    app = workspace.app
    if token not in (app.bot_token, app.app_token):
        raise SlackError("invalid_auth")
    if token != (app.bot_token if method.token == "bot" else app.app_token):
        raise SlackError("not_allowed_token_type")
