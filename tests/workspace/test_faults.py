"""Faults on demand, as slack_sdk meets them."""

import threading
import time
from contextlib import suppress
from http.client import RemoteDisconnected

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

from bot.workspace.server import SlackServer
from tests.workspace.bolt import client_of
from tests.workspace.fixtures import GENERAL, HR_CHANNEL


@pytest.fixture
def client(slack_server: SlackServer) -> WebClient:
    """A client that tries nothing again by itself."""
    return WebClient(
        token=slack_server.app.bot_token, base_url=slack_server.api_url, retry_handlers=[]
    )


def texts(server: SlackServer) -> list[str]:
    return [m.text for m in server.messages(GENERAL)]


def test_a_rate_limit_says_when_to_come_back(slack_server: SlackServer, client: WebClient) -> None:
    slack_server.faults.rate_limit("chat.postMessage", retry_after=30)
    with pytest.raises(SlackApiError) as caught:
        client.chat_postMessage(channel=GENERAL, text="x")
    assert caught.value.response.status_code == 429
    assert caught.value.response["error"] == "ratelimited"
    headers = {k.lower(): v for k, v in caught.value.response.headers.items()}
    assert headers["retry-after"] == "30"
    client.chat_postMessage(channel=GENERAL, text="y")
    assert texts(slack_server) == ["y"]


def test_the_sdks_handler_gets_over_a_rate_limit(slack_server: SlackServer) -> None:
    client = client_of(slack_server)
    client.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=2))
    slack_server.faults.rate_limit("chat.*", retry_after=1, times=2)
    client.chat_postMessage(channel=GENERAL, text="x")
    outcomes = [c.outcome for c in slack_server.calls("chat.postMessage")]
    assert outcomes == ["http 429", "http 429", "ok"]


@pytest.mark.parametrize(("after", "posted"), [(False, []), (True, ["x"])])
def test_a_server_error_comes_before_or_after_the_effect(
    slack_server: SlackServer, client: WebClient, after: bool, posted: list[str]
) -> None:
    slack_server.faults.server_error("chat.postMessage", 502, after=after)
    with pytest.raises(SlackApiError) as caught:
        client.chat_postMessage(channel=GENERAL, text="x")
    assert caught.value.response.status_code == 502
    assert texts(slack_server) == posted
    assert slack_server.calls("chat.postMessage")[0].effect is after


@pytest.mark.parametrize(("after", "posted"), [(False, []), (True, ["x"])])
def test_a_connection_is_cut_before_or_after_the_effect(
    slack_server: SlackServer, client: WebClient, after: bool, posted: list[str]
) -> None:
    slack_server.faults.cut("chat.postMessage", after=after)
    with pytest.raises((RemoteDisconnected, ConnectionError)):
        client.chat_postMessage(channel=GENERAL, text="x")
    assert texts(slack_server) == posted


def test_the_sdks_own_retry_after_a_cut_posts_twice(slack_server: SlackServer) -> None:
    slack_server.faults.cut("chat.postMessage", after=True)
    client_of(slack_server).chat_postMessage(channel=GENERAL, text="x")
    assert texts(slack_server) == ["x", "x"]


def test_slack_can_refuse_on_demand_for_some_calls(
    slack_server: SlackServer, client: WebClient
) -> None:
    slack_server.faults.error(
        "chat.postMessage",
        "restricted_action",
        times=None,
        when=lambda args: args["channel"] == HR_CHANNEL,
    )
    for _ in range(2):
        with pytest.raises(SlackApiError, match="restricted_action"):
            client.chat_postMessage(channel=HR_CHANNEL, text="x")
    client.chat_postMessage(channel=GENERAL, text="y")
    slack_server.faults.clear()
    client.chat_postMessage(channel=HR_CHANNEL, text="z")


def test_faults_are_used_up_in_their_order(slack_server: SlackServer, client: WebClient) -> None:
    slack_server.faults.rate_limit("chat.postMessage")
    slack_server.faults.server_error("chat.postMessage", 500)
    for status in (429, 500):
        with pytest.raises(SlackApiError) as caught:
            client.chat_postMessage(channel=GENERAL, text="x")
        assert caught.value.response.status_code == status
    client.chat_postMessage(channel=GENERAL, text="x")


def test_a_delay_holds_up_only_its_own_call(slack_server: SlackServer, client: WebClient) -> None:
    slack_server.faults.delay("chat.postMessage", 0.5)
    slow = threading.Thread(target=lambda: client.chat_postMessage(channel=GENERAL, text="slow"))
    slow.start()
    slack_server.wait_for(lambda: slack_server.calls("chat.postMessage"))
    began = time.monotonic()
    client.chat_postMessage(channel=GENERAL, text="quick")
    assert time.monotonic() - began < 0.4
    slow.join()
    assert texts(slack_server) == ["quick", "slow"]


def test_a_held_call_waits_for_its_release(slack_server: SlackServer, client: WebClient) -> None:
    hold = slack_server.faults.hold("chat.postMessage", after=True)
    answers: list[str] = []
    call = threading.Thread(
        target=lambda: answers.append(client.chat_postMessage(channel=GENERAL, text="x")["ts"])
    )
    call.start()
    assert hold.reached.wait(5)
    assert texts(slack_server) == ["x"]
    assert answers == []
    hold.release()
    call.join()
    assert len(answers) == 1


def test_a_channel_takes_one_message_a_second(slack_server: SlackServer, client: WebClient) -> None:
    slack_server.faults.channel_limit(0.3)
    client.chat_postMessage(channel=GENERAL, text="x")
    client.chat_postMessage(channel=HR_CHANNEL, text="elsewhere")
    with pytest.raises(SlackApiError, match="ratelimited"):
        client.chat_postMessage(channel=GENERAL, text="too soon")
    time.sleep(0.35)
    client.chat_postMessage(channel=GENERAL, text="y")
    assert texts(slack_server) == ["x", "y"]


def test_stopping_the_server_releases_what_is_held(
    slack_server: SlackServer, client: WebClient
) -> None:
    hold = slack_server.faults.hold("api.test")

    def call() -> None:
        with suppress(SlackApiError, OSError):
            client.api_test()

    thread = threading.Thread(target=call)
    thread.start()
    assert hold.reached.wait(5)
    began = time.monotonic()
    slack_server.stop()
    thread.join()
    assert time.monotonic() - began < 5
