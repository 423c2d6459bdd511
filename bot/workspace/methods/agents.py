"""assistant.threads.* and agents.sessions.*"""

import time
from typing import Any

from bot.workspace.context import Context
from bot.workspace.errors import SlackError
from bot.workspace.state import Session

STATES = ("processing", "active", "suspended", "closed")
MOST_PROMPTS = 4
MOST_LOADING_MESSAGES = 10
TITLE_LENGTH = 200


def set_status(call: Context) -> dict[str, Any]:
    """The status line of a thread; a message of the app in that thread clears it.

    Either scope will do for now (docs of assistant.threads.setStatus).
    """
    if "assistant:write" not in call.workspace.app.scopes:
        call.needs("chat:write")
    session = _thread_session(call)
    loading = call.args.structure("loading_messages") or []
    if not isinstance(loading, list) or len(loading) > MOST_LOADING_MESSAGES:
        raise SlackError("invalid_arguments", "no more than 10 items allowed: loading_messages")
    session.status = call.args.text("status")
    session.loading_messages = loading
    session.status_at = time.time()
    session.statuses.append(session.status)
    return {}


def set_title(call: Context) -> dict[str, Any]:
    session = _thread_session(call)
    session.title = call.args.needed("title")
    return {}


def set_suggested_prompts(call: Context) -> dict[str, Any]:
    """Prompts of a DM. With `thread_ts` an agent app gets "ok" and no prompts, as on Slack."""
    if not call.workspace.app.is_agent:
        raise SlackError("not_agent_app")
    channel = call.channel("channel_id")
    prompts = call.args.structure("prompts")
    if not isinstance(prompts, list) or not 1 <= len(prompts) <= MOST_PROMPTS:
        raise SlackError("invalid_arguments", "between 1 and 4 items allowed: prompts")
    if not all(isinstance(p, dict) and p.get("title") and p.get("message") for p in prompts):
        raise SlackError("invalid_arguments", "title and message are needed: prompts")
    if not call.args.text("thread_ts"):
        call.workspace.session(channel.id, None).prompts = prompts
    return {}


def session_status(call: Context) -> dict[str, Any]:
    """Move the session to a state; the first call makes it, and only that one sets its title."""
    status = call.args.needed("status")
    if status not in STATES:
        raise SlackError("invalid_status")
    session = _agent_session(call)
    initiator = call.args.text("initiator_user_id")
    if initiator and initiator not in call.workspace.users:
        raise SlackError("user_not_found")
    title = _title(call)
    if session.state is None and title:
        session.title = title
    session.state = status
    session.states.append(status)
    answer: dict[str, Any] = {"session": _shape(session)}
    if "agent_session_stopped" not in call.workspace.app.events:
        answer["warning"] = "missing_agent_session_stopped_event_subscription"
    return answer


def session_rename(call: Context) -> dict[str, Any]:
    call.args.needed("title")
    session = _agent_session(call)
    session.title = _title(call)
    return {"session": _shape(session)}


def _thread_session(call: Context) -> Session:
    channel = call.channel("channel_id")
    thread_ts = call.args.needed("thread_ts")
    if not call.is_member(channel):
        raise SlackError("channel_not_found")
    if thread_ts not in channel.messages:
        raise SlackError("invalid_thread_ts")
    return call.workspace.session(channel.id, thread_ts)


def _agent_session(call: Context) -> Session:
    if not call.workspace.app.is_agent:
        raise SlackError("feature_disabled")
    if any(call.args.text(name) for name in ("username", "icon_emoji", "icon_url")):
        call.needs("chat:write.customize")
    channel = call.channel("channel_id")
    if not call.is_member(channel):
        raise SlackError("not_authorized")
    thread_ts = call.args.text("thread_ts")
    if thread_ts not in channel.messages:
        raise SlackError("thread_ts_required")
    return call.workspace.session(channel.id, thread_ts)


def _title(call: Context) -> str:
    title = call.args.text("title")
    if len(title) > TITLE_LENGTH:
        raise SlackError("invalid_arguments", "must be no more than 200 characters: title")
    return title


def _shape(session: Session) -> dict[str, Any]:
    return {
        "channel_id": session.channel,
        "thread_ts": session.thread_ts,
        "status": session.state,
        "title": session.title,
    }
