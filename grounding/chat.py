"""A chat model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from grounding.errors import ModelUnavailable

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletion

OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT_S = 30.0
ATTEMPTS = 3

Message = dict[str, str]


class ChatModel:
    """Asks one model, at temperature 0. Safe to share between threads.

    `timeout_s` is for one attempt. Connection errors, time-outs and the statuses 408, 409, 429
    and 5xx are tried `attempts` times in all, with the pause that the endpoint asks for.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.model = model
        self._base_url = base_url or OPENAI_URL
        self._api_key = api_key or "none"
        self._timeout_s = timeout_s
        self._attempts = attempts
        self._made: OpenAI | None = None
        self._sampling: dict[str, Any] = {"temperature": 0}

    def complete(self, messages: list[Message]) -> str:
        """What the model answers, never empty.

        Raises ModelUnavailable with one line for the log, without the key or any of the texts.
        """
        completion = self._complete(messages)
        if not getattr(completion, "choices", None):
            raise self._unavailable("answered with something that is no chat completion")
        choice = completion.choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise self._unavailable("refused to answer")
        if choice.finish_reason == "length":
            raise self._unavailable("was cut off at its length limit")
        text = (choice.message.content or "").strip()
        if not text:
            raise self._unavailable("sent an empty answer")
        return text

    def _complete(self, messages: list[Message]) -> ChatCompletion:
        import openai

        try:
            return self._ask(messages)
        except openai.BadRequestError as error:
            # Reasoning models refuse a temperature; they are asked again without one.
            if error.param == "temperature" and self._sampling:
                self._sampling = {}
                return self._complete(messages)
            raise self._unavailable(_status_in_words(error)) from None
        except openai.APIStatusError as error:
            raise self._unavailable(_status_in_words(error)) from None
        except openai.APITimeoutError:
            raise self._unavailable(f"gave no answer within {self._timeout_s:g} s") from None
        except openai.APIConnectionError:
            raise self._unavailable("cannot be reached") from None
        except (openai.OpenAIError, ValueError):
            raise self._unavailable("answered with something that is no chat completion") from None

    def _ask(self, messages: Any) -> ChatCompletion:
        completion: ChatCompletion = self._client().chat.completions.create(
            model=self.model, messages=messages, **self._sampling
        )
        return completion

    def _client(self) -> OpenAI:
        if self._made is None:
            from openai import OpenAI

            self._made = OpenAI(
                base_url=self._base_url,
                api_key=self._api_key,
                timeout=self._timeout_s,
                max_retries=self._attempts - 1,
            )
        return self._made

    def _unavailable(self, problem: str) -> ModelUnavailable:
        return ModelUnavailable(f"model {self.model} at {_host(self._base_url)} {problem}")


def _host(url: str) -> str:
    """Host and port alone: a URL may carry a password."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def _status_in_words(error: Any) -> str:
    """The status alone: an endpoint's message may quote the prompt or the key."""
    hints = {401: ": check OPENAI_API_KEY", 404: ": check the model's name and OPENAI_BASE_URL"}
    return f"answered with HTTP {error.status_code}{hints.get(error.status_code, '')}"
