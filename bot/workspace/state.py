"""What the workspace holds, in memory: people, channels, messages, views, files, sessions."""

import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.workspace.installation import Installation

STATUS_SECONDS = 120.0

ChannelKind = Literal["public", "private", "dm", "mpim"]


@dataclass(frozen=True, slots=True)
class Team:
    id: str = "T0LOCAL"
    name: str = "Local workspace"
    domain: str = "local"


@dataclass(slots=True)
class User:
    """`fields` are custom profile fields: field id -> value."""

    id: str
    name: str
    real_name: str = ""
    email: str = ""
    title: str = ""
    is_bot: bool = False
    is_admin: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    deleted: bool = False
    team_id: str | None = None
    tz: str = "Europe/London"
    locale: str = "en-GB"
    fields: dict[str, str] = field(default_factory=dict)
    bot_id: str | None = None
    app_id: str | None = None


@dataclass(slots=True)
class UserGroup:
    id: str
    handle: str
    users: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Message:
    """`ephemeral_to` is the one user who sees the message; `ts` is its key in the channel."""

    channel: str
    ts: str
    user: str | None
    text: str
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)
    attachments: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] | None = None
    bot_id: str | None = None
    app_id: str | None = None
    username: str | None = None
    subtype: str | None = None
    edited: dict[str, str] | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    ephemeral_to: str | None = None
    client_msg_id: str | None = None

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts


@dataclass(slots=True)
class Channel:
    """`messages` by ts, in the order of posting; ephemeral ones are kept apart."""

    id: str
    kind: ChannelKind
    name: str = ""
    members: list[str] = field(default_factory=list)
    is_ext_shared: bool = False
    is_archived: bool = False
    messages: dict[str, Message] = field(default_factory=dict)
    ephemerals: list[Message] = field(default_factory=list)

    def thread(self, ts: str) -> list[Message]:
        """The root (where it is still there) and its replies, oldest first."""
        return [m for m in self.messages.values() if ts in (m.ts, m.thread_ts)]


@dataclass(slots=True)
class View:
    """A modal or an app home. `body` is the view as the app sent it."""

    id: str
    kind: Literal["modal", "home"]
    user: str
    body: dict[str, Any]
    hash: str
    root_id: str
    previous_id: str | None = None
    values: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(slots=True)
class File:
    id: str
    name: str
    user: str
    length: int
    title: str = ""
    content: bytes | None = None
    channels: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Session:
    """An agent's thread: session state, status line, prompts. `statuses` and `states`
    keep each one that was set."""

    channel: str
    thread_ts: str | None
    state: str | None = None
    title: str | None = None
    status: str = ""
    loading_messages: list[str] = field(default_factory=list)
    prompts: list[dict[str, str]] = field(default_factory=list)
    status_at: float = 0.0
    statuses: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)

    def shown(self, now: float) -> str:
        """The status line as people see it at that second; Slack removes it after 2 minutes."""
        return self.status if now - self.status_at <= STATUS_SECONDS else ""


class Workspace:
    """The state and its lock.

    Everything is read and changed under `changed`, a condition that is notified after each
    change; whoever only waits for something uses `SlackServer.wait_for`.
    """

    def __init__(self, app: Installation, team: Team | None = None) -> None:
        self.team = team or Team()
        self.app = app
        self.changed = threading.Condition(threading.RLock())
        self.users: dict[str, User] = {}
        self.groups: dict[str, UserGroup] = {}
        self.channels: dict[str, Channel] = {}
        self.views: dict[str, View] = {}
        self.modals: dict[str, list[str]] = {}
        self.homes: dict[str, str] = {}
        self.files: dict[str, File] = {}
        self.sessions: dict[tuple[str, str | None], Session] = {}
        self.profile_fields: dict[str, str] = {}
        self._last_ts = 0
        self.add_user(
            app.bot_user,
            app.name.lower(),
            real_name=app.name,
            is_bot=True,
            bot_id=app.bot_id,
            app_id=app.app_id,
        )

    def next_ts(self) -> str:
        """A message ts: seconds.microseconds, unique in the workspace and always rising."""
        self._last_ts = max(int(time.time() * 1_000_000), self._last_ts + 1)
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def new_id(self, prefix: str) -> str:
        return prefix + secrets.token_hex(5).upper()

    def add_user(self, id: str, name: str, **rest: Any) -> User:
        rest.setdefault("real_name", name.title())
        rest.setdefault("email", f"{name}@example.com")
        user = User(id, name, **rest)
        with self.changed:
            self.users[id] = user
        return user

    def add_group(self, id: str, handle: str, users: list[str]) -> UserGroup:
        group = UserGroup(id, handle, users)
        with self.changed:
            self.groups[id] = group
        return group

    def add_channel(
        self,
        id: str,
        name: str,
        members: list[str],
        *,
        kind: ChannelKind = "public",
        is_ext_shared: bool = False,
        is_archived: bool = False,
    ) -> Channel:
        channel = Channel(id, kind, name, list(members), is_ext_shared, is_archived)
        with self.changed:
            self.channels[id] = channel
        return channel

    def dm(self, user: str) -> Channel:
        """The direct messages between that user and the app's bot user, opened when needed."""
        with self.changed:
            for channel in self.channels.values():
                if channel.kind == "dm" and user in channel.members:
                    return channel
            members = [user, self.app.bot_user]
            return self.add_channel(f"D{user[1:]}", "", members, kind="dm")

    def session(self, channel: str, thread_ts: str | None) -> Session:
        return self.sessions.setdefault((channel, thread_ts), Session(channel, thread_ts))
