from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from grounding.answer import Problem
from grounding.chat import ChatModel
from grounding.checker import Checker
from grounding.errors import CheckerUnavailable, ModelUnavailable
from grounding.generation import OpenAIGenerator
from grounding.second_check import SecondCheck
from knowledge.sources import Source
from tests.grounding.chat_server import ChatServer, chat_server, completion, error

SOURCES = (
    Source(1, "A locker may be rented for GBP 4 a month.", title="Lockers"),
    Source(2, "Lockers are cleaned in May.", title="Lockers"),
)
QUESTION = "What is the rent of a locker?"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as started:
        yield started


def model(server: ChatServer, attempts: int = 3, timeout_s: float = 5.0) -> ChatModel:
    return ChatModel(
        "m", base_url=server.url, api_key="sk-secret", timeout_s=timeout_s, attempts=attempts
    )


def test_a_draft_is_what_the_model_writes(server: ChatServer) -> None:
    server.script = [completion(" A locker may be rented for GBP 4 a month [1]. ")]
    draft = OpenAIGenerator(model(server)).draft(QUESTION, SOURCES)
    assert draft == "A locker may be rented for GBP 4 a month [1]."
    (request,) = server.requests
    assert request["model"] == "m"
    assert request["temperature"] == 0
    assert QUESTION in request["messages"][-1]["content"]
    assert server.keys == ["Bearer sk-secret"]


@pytest.mark.parametrize("text", ["NO_ANSWER", "no_answer.", "`NO_ANSWER`\n"])
def test_a_model_that_finds_no_answer_drafts_nothing(server: ChatServer, text: str) -> None:
    server.script = [completion(text)]
    assert OpenAIGenerator(model(server)).draft(QUESTION, SOURCES) == ""


def test_without_sources_nobody_is_asked(server: ChatServer) -> None:
    assert OpenAIGenerator(model(server)).draft(QUESTION, ()) == ""
    assert server.requests == []


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_what_may_pass_is_tried_again(server: ChatServer, status: int) -> None:
    again = {"retry-after": "0.05"}
    server.script = [error(status, **again), error(status, **again), completion("Yes [1].")]
    assert model(server).complete([{"role": "user", "content": "x"}]) == "Yes [1]."
    assert len(server.requests) == 3


def test_the_pause_that_the_endpoint_asks_for_is_kept(server: ChatServer) -> None:
    server.script = [error(429, **{"retry-after": "1"}), completion("Yes [1].")]
    start = time.monotonic()
    model(server).complete([{"role": "user", "content": "x"}])
    assert time.monotonic() - start >= 1


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_will_not_pass_is_not_tried_again(server: ChatServer, status: int) -> None:
    server.script = [error(status)]
    with pytest.raises(ModelUnavailable, match=f"HTTP {status}") as caught:
        model(server).complete([{"role": "user", "content": "x"}])
    assert len(server.requests) == 1
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_that_takes_no_temperature_is_asked_without(server: ChatServer) -> None:
    server.script = [error(400, param="temperature"), completion("Yes [1].")]
    chat = model(server)
    chat.complete([{"role": "user", "content": "x"}])
    chat.complete([{"role": "user", "content": "x"}])
    assert ["temperature" in request for request in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        (completion(""), "empty"),
        (completion(None), "empty"),
        (completion("A lock", finish="length"), "cut off"),
        (completion(None, refusal="I cannot help with that."), "refused"),
        (completion("x", finish="content_filter"), "refused"),
        (JSONResponse({"choices": []}), "no chat completion"),
        (JSONResponse({}), "no chat completion"),
        (PlainTextResponse("<html>Welcome</html>"), "no chat completion"),
    ],
)
def test_half_an_answer_is_none(server: ChatServer, response: Response, problem: str) -> None:
    server.script = [response]
    with pytest.raises(ModelUnavailable, match=problem):
        model(server).complete([{"role": "user", "content": "x"}])


def test_an_endpoint_that_is_not_there_is_named_without_its_password() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chat = ChatModel("m", base_url=f"http://me:hunter2@127.0.0.1:{port}/v1", attempts=1)
    with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
        chat.complete([{"role": "user", "content": "x"}])
    assert f"127.0.0.1:{port}" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_an_endpoint_that_hangs_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        chat = ChatModel("m", base_url=f"http://127.0.0.1:{port}/v1", attempts=1, timeout_s=0.3)
        with pytest.raises(ModelUnavailable, match=r"within 0\.3 s"):
            chat.complete([{"role": "user", "content": "x"}])


def test_the_second_check_stops_what_the_first_let_pass(server: ChatServer) -> None:
    server.script = [completion("NOT_SUPPORTED"), completion("SUPPORTED")]
    checked = SecondCheck(Checker(None), model(server)).check(
        "Lockers are cleaned in May [2]. A locker may be rented for GBP 4 a month [1].", SOURCES
    )
    assert [sentence.problem for sentence in checked] == [Problem.NOT_SUPPORTED, None]
    assert len(server.requests) == 2


def test_the_second_check_is_not_asked_about_what_is_flagged_already(server: ChatServer) -> None:
    server.script = [completion("SUPPORTED")]
    checked = SecondCheck(Checker(None), model(server)).check("Rent is GBP 4.", SOURCES)
    assert [sentence.problem for sentence in checked] == [Problem.NO_CITATION]
    assert server.requests == []


def test_a_source_that_the_second_check_refuses_loses_its_citation(server: ChatServer) -> None:
    server.script = [completion("SUPPORTED"), completion("NOT_SUPPORTED")]
    check = SecondCheck(Checker(None), model(server))
    (sentence,) = check.check("A locker may be rented [1][2].", SOURCES)
    assert sentence.supported
    assert [evidence.source for evidence in sentence.evidence] == [1]


def test_no_second_opinion_means_no_check(server: ChatServer) -> None:
    server.script = [error(401)]
    check = SecondCheck(Checker(None), model(server))
    with pytest.raises(CheckerUnavailable, match="HTTP 401"):
        check.check_claim("A locker may be rented.", SOURCES[:1])
