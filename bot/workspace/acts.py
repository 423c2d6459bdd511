"""What people do in the workspace: write, edit, delete, join, open the app."""

from collections.abc import Mapping
from typing import Any

from bot.workspace.context import Triggers
from bot.workspace.delivery import Courier
from bot.workspace.errors import MisuseError
from bot.workspace.messages import add_message, change_message, remove_message
from bot.workspace.responses import ResponseUrls
from bot.workspace.shapes import view_json
from bot.workspace.state import Channel, File, Message, Workspace
from bot.workspace.text import inbound


class Acts:
    """People's acts, each with the deliveries that Slack makes of it.

    Users and channels are ids; the user's own id in place of a channel is their DM with the bot.
    MisuseError is raised for what Slack's clients do not let that person do.
    """

    def __init__(
        self, workspace: Workspace, courier: Courier, triggers: Triggers, responses: ResponseUrls
    ) -> None:
        self.workspace = workspace
        self.courier = courier
        self.triggers = triggers
        self.responses = responses

    def post_as(
        self,
        user: str,
        channel: str,
        text: str,
        thread_ts: str | None = None,
        *,
        blocks: list[dict[str, Any]] | None = None,
        files: Mapping[str, bytes] | None = None,
        broadcast: bool = False,
    ) -> Message:
        """Write a message: `text` as typed, with `<@U..>` for a mention (see `text.inbound`).

        A bot's message (`is_bot`) carries its bot_id and takes `text` and `blocks` as they are.
        `files` are attached by name; `broadcast` shows a reply in the channel as well.
        """
        with self.workspace.changed:
            place = self._place(user, channel)
            if place.is_archived:
                raise MisuseError(f"{place.id} is archived")
            if thread_ts and thread_ts not in place.messages:
                raise MisuseError(f"no message {thread_ts} to reply to in {place.id}")
            if thread_ts and place.messages[thread_ts].is_reply:
                raise MisuseError("a reply goes to the thread's root, not to another reply")
            person = self.workspace.users[user]
            if not person.is_bot:
                text, blocks = inbound(self.workspace, text)
            message = Message(
                channel=place.id,
                ts=self.workspace.next_ts(),
                user=user,
                text=text,
                thread_ts=thread_ts,
                blocks=blocks or [],
                bot_id=(person.bot_id or f"B{user[1:]}") if person.is_bot else None,
                app_id=person.app_id,
                subtype="thread_broadcast" if broadcast else "file_share" if files else None,
                files=[self._attach(user, place, *file) for file in (files or {}).items()],
                client_msg_id=None if person.is_bot else self.workspace.new_id("m"),
            )
            add_message(self.workspace, self.courier, message)
            self.workspace.changed.notify_all()
        return message

    def edit_as(self, user: str, message: Message, text: str) -> None:
        with self.workspace.changed:
            self._own(user, message)
            wire, blocks = inbound(self.workspace, text)
            change_message(self.workspace, self.courier, message, text=wire, blocks=blocks)
            self.workspace.changed.notify_all()

    def delete_as(self, user: str, message: Message) -> None:
        with self.workspace.changed:
            self._own(user, message)
            remove_message(self.workspace, self.courier, message)
            self.workspace.changed.notify_all()

    def join_as(self, user: str, channel: str) -> None:
        """Join a channel, or be added to it; the channel shows that as a message."""
        with self.workspace.changed:
            place = self.workspace.channels[channel]
            if user in place.members:
                raise MisuseError(f"{user} is in {channel} already")
            place.members.append(user)
            note = Message(
                channel=channel,
                ts=self.workspace.next_ts(),
                user=user,
                text=f"<@{user}> has joined the channel",
                subtype="channel_join",
            )
            add_message(self.workspace, self.courier, note)
            kind = {"public": "C", "private": "G", "dm": "D", "mpim": "G"}[place.kind]
            event = {"type": "member_joined_channel", "user": user, "channel": channel}
            self._event(event | {"channel_type": kind, "team": self.workspace.team.id})

    def open_home(self, user: str, tab: str = "home") -> None:
        """Open the app's home or messages tab."""
        with self.workspace.changed:
            event: dict[str, Any] = {
                "type": "app_home_opened",
                "user": user,
                "channel": self.workspace.dm(user).id,
                "tab": tab,
            }
            home = self.workspace.homes.get(user)
            if home and tab == "home":
                event["view"] = view_json(self.workspace, self.workspace.views[home])
            self._event(event)

    def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """Press stop in the agent's thread."""
        event = {
            "type": "agent_session_stopped",
            "user": user,
            "channel": channel,
            "thread_ts": thread_ts,
            "streaming_message_ts": [],
        }
        with self.workspace.changed:
            self._event(event)

    def change_context(self, channel: str) -> None:
        """Somebody looks at another channel beside the agent; the event names no user."""
        entity = {
            "type": "slack#/types/channel_id",
            "value": channel,
            "team_id": self.workspace.team.id,
        }
        with self.workspace.changed:
            self._event({"type": "app_context_changed", "context": {"entities": [entity]}})

    def _event(self, event: dict[str, Any]) -> None:
        if event["type"] in self.workspace.app.events:
            self.courier.event(event)

    def _place(self, user: str, channel: str) -> Channel:
        if user not in self.workspace.users:
            raise MisuseError(f"no user {user}")
        if channel == user:
            return self.workspace.dm(user)
        place = self.workspace.channels.get(channel)
        if place is None or user not in place.members:
            raise MisuseError(f"{user} is not in {channel}")
        return place

    def _attach(self, user: str, place: Channel, name: str, content: bytes) -> str:
        id = self.workspace.new_id("F")
        file = File(id, name, user, len(content), content=content, channels=[place.id])
        self.workspace.files[id] = file
        return id

    def _own(self, user: str, message: Message) -> None:
        if message.user != user:
            raise MisuseError(f"{user} did not write that message")
