"""Socket Mode under trouble: retries, duplicates, lost acks, reconnects."""

import json
import re
import threading
from contextlib import ExitStack
from typing import Any

import pytest
from slack_bolt import App
from slack_sdk import WebClient
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bot.workspace.errors import WorkspaceError
from bot.workspace.server import SlackServer
from tests.workspace.bolt import client_of, connected
from tests.workspace.fixtures import ADMIN, ASKER, GENERAL


def counting(server: SlackServer) -> tuple[App, list[tuple[str, str]]]:
    """An app that notes the retry number and reason of each event."""
    seen: list[tuple[str, str]] = []
    app = App(client=client_of(server))

    @app.event(re.compile(".*"))
    def note(request: Any) -> None:
        number = request.headers["x-slack-retry-num"][0]
        seen.append((number, request.headers["x-slack-retry-reason"][0]))

    return app, seen


def test_an_event_is_acked_at_once_and_noted_with_its_time(slack_server: SlackServer) -> None:
    app, seen = counting(slack_server)
    with connected(slack_server, app):
        message = slack_server.post_as(ASKER, GENERAL, "hello")
        delivery = slack_server.wait_for(lambda: slack_server.deliveries_of(message))[0]
        slack_server.wait_for(lambda: delivery.acked)
    assert seen == [("0", "")]
    assert delivery.ack_seconds is not None
    assert delivery.ack_seconds < 1
    assert len(delivery.attempts) == 1


def test_an_event_without_a_listener_is_tried_again_and_fails(slack_server: SlackServer) -> None:
    slack_server.courier.ack_seconds = 0.2
    slack_server.courier.retry_delays = (0.1, 0.1)
    app = App(client=client_of(slack_server))
    with connected(slack_server, app):
        message = slack_server.post_as(ASKER, GENERAL, "hello")
        delivery = slack_server.deliveries_of(message)[0]
        slack_server.wait_for(lambda: delivery.outcome == "failed")
    assert [a.problem for a in delivery.attempts] == ["timeout"] * 3
    assert [a.number for a in delivery.attempts] == [0, 1, 2]
    assert len({a.envelope_id for a in delivery.attempts}) == 3


def test_a_lost_ack_brings_the_event_again_as_a_retry(slack_server: SlackServer) -> None:
    slack_server.courier.ack_seconds = 0.5
    slack_server.sockets.acks_to_lose = 1
    app, seen = counting(slack_server)
    with connected(slack_server, app):
        message = slack_server.post_as(ASKER, GENERAL, "hello")
        slack_server.wait_for(lambda: slack_server.deliveries_of(message)[0].acked)
    assert seen == [("0", ""), ("1", "timeout")]


def test_an_event_waits_for_a_bot_that_comes_later(slack_server: SlackServer) -> None:
    message = slack_server.post_as(ASKER, GENERAL, "hello")
    app, seen = counting(slack_server)
    with connected(slack_server, app):
        delivery = slack_server.deliveries_of(message)[0]
        slack_server.wait_for(lambda: delivery.acked)
    assert delivery.attempts[0].problem == "no_socket"
    assert seen[0][1] == "no_socket"


def test_copies_and_redelivery_bring_the_same_event_again(slack_server: SlackServer) -> None:
    slack_server.courier.copies = 2
    app, seen = counting(slack_server)
    with connected(slack_server, app):
        message = slack_server.post_as(ASKER, GENERAL, "hello")
        delivery = slack_server.deliveries_of(message)[0]
        slack_server.wait_for(lambda: len(seen) == 2)
        slack_server.courier.redeliver(delivery, attempt=1, reason="timeout")
        slack_server.wait_for(lambda: len(seen) == 3)
    assert sorted(seen) == [("0", ""), ("0", ""), ("1", "timeout")]


def test_a_command_is_never_tried_again(slack_server: SlackServer) -> None:
    slack_server.courier.ack_seconds = 0.2
    app = App(client=client_of(slack_server))
    app.command("/policy")(lambda: None)
    with connected(slack_server, app):
        delivery = slack_server.command(ADMIN, GENERAL, "/policy", "reindex")
        slack_server.wait_for(lambda: delivery.outcome == "failed")
    assert [a.problem for a in delivery.attempts] == ["timeout"]


def test_several_sockets_share_the_events(slack_server: SlackServer) -> None:
    one, seen_by_one = counting(slack_server)
    other, seen_by_other = counting(slack_server)
    with connected(slack_server, one), connected(slack_server, other):
        assert len(slack_server.sockets.links) == 2
        for number in range(30):
            slack_server.post_as(ASKER, GENERAL, f"{number}")
        slack_server.wait_for(lambda: len(seen_by_one) + len(seen_by_other) == 30)
    assert seen_by_one
    assert seen_by_other


def test_an_eleventh_socket_is_sent_away(slack_server: SlackServer) -> None:
    token = slack_server.app.app_token
    client = WebClient(base_url=slack_server.api_url)
    with ExitStack() as stack:
        sockets = [
            stack.enter_context(connect(client.apps_connections_open(app_token=token)["url"]))
            for _ in range(11)
        ]
        greetings = [json.loads(socket.recv()) for socket in sockets]
    assert [g["type"] for g in greetings] == ["hello"] * 10 + ["disconnect"]
    assert greetings[-1]["reason"] == "too_many_websockets"
    assert [g["num_connections"] for g in greetings[:-1]] == list(range(1, 11))


def test_a_link_is_good_for_one_connection(slack_server: SlackServer) -> None:
    client = WebClient(base_url=slack_server.api_url)
    url = client.apps_connections_open(app_token=slack_server.app.app_token)["url"]
    with connect(url), pytest.raises(InvalidStatus):
        connect(url)


@pytest.mark.parametrize("trouble", ["refresh_sockets", "drop_sockets", "close_sockets"])
def test_the_app_comes_back_after(slack_server: SlackServer, trouble: str) -> None:
    slack_server.courier.retry_delays = (0.5,) * 60
    app, seen = counting(slack_server)
    with connected(slack_server, app):
        first = slack_server.sockets.links[0].id
        getattr(slack_server, trouble)()
        slack_server.wait_for(
            lambda: any(link.id != first for link in slack_server.sockets.links), timeout=30
        )
        message = slack_server.post_as(ASKER, GENERAL, "again")
        slack_server.wait_for(lambda: slack_server.deliveries_of(message)[0].acked, timeout=30)
    assert seen


def test_a_socket_that_is_told_to_go_gets_no_more(slack_server: SlackServer) -> None:
    app, _ = counting(slack_server)
    with connected(slack_server, app):
        slack_server.sockets.refusing = True
        slack_server.refresh_sockets()
        message = slack_server.post_as(ASKER, GENERAL, "lost")
        delivery = slack_server.deliveries_of(message)[0]
        slack_server.wait_for(lambda: delivery.attempts and delivery.attempts[0].problem)
        assert delivery.attempts[0].problem == "no_socket"


def test_state_and_port_outlive_a_restart_of_the_server(slack_server: SlackServer) -> None:
    client_of(slack_server).chat_postMessage(channel=GENERAL, text="before")
    slack_server.stop()
    with pytest.raises(WorkspaceError, match="not running"):
        slack_server.drop_sockets()
    slack_server.start()
    client_of(slack_server).chat_postMessage(channel=GENERAL, text="after")
    assert [m.text for m in slack_server.messages(GENERAL)] == ["before", "after"]


def test_waiting_in_vain_tells_what_happened(slack_server: SlackServer) -> None:
    client_of(slack_server).chat_postMessage(channel=GENERAL, text="x")
    with pytest.raises(WorkspaceError, match=r"chat.postMessage -> ok"):
        slack_server.wait_for(lambda: False, timeout=0.1)


def test_no_thread_is_left_behind(slack_server: SlackServer) -> None:
    with SlackServer() as server:
        inside = threading.active_count()
        client_of(server).api_test()
    assert threading.active_count() < inside
