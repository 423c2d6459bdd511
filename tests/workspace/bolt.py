"""A real Bolt app connected to the local Slack over Socket Mode."""

from collections.abc import Iterator
from contextlib import contextmanager

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

from bot.workspace.server import SlackServer


def client_of(server: SlackServer) -> WebClient:
    return WebClient(token=server.app.bot_token, base_url=server.api_url)


@contextmanager
def connected(
    server: SlackServer, app: App, ping_interval: float = 1
) -> Iterator[SocketModeHandler]:
    """One more socket for `app`, until the block ends.

    slack_sdk notices a broken connection at its fifth ping in vain, so the interval (10 s by
    default there) decides how long the app is deaf.
    """
    handler = SocketModeHandler(app, server.app.app_token, ping_interval=ping_interval)
    before = len(server.sockets.links)
    handler.connect()  # type: ignore[no-untyped-call]
    server.wait_for(lambda: len(server.sockets.links) > before)
    try:
        yield handler
    finally:
        handler.close()  # type: ignore[no-untyped-call]
