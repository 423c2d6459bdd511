"""Drafts of answers: what a generator is, and the one that asks an OpenAI-compatible model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Protocol

from grounding.answer import CheckedSentence
from grounding.chat import ChatModel
from grounding.prompt import NO_ANSWER, messages_for
from knowledge.sources import Source

_NO_ANSWER = re.compile(rf"\W*{NO_ANSWER}\W*", re.IGNORECASE)


class Generator(Protocol):
    """Writes a draft from sources. Whatever it writes is checked before anybody sees it."""

    def draft(
        self,
        question: str,
        sources: Sequence[Source],
        *,
        relevance: Sequence[float] = (),
        findings: Sequence[CheckedSentence] = (),
        previous: str | None = None,
        country: str | None = None,
        day: date | None = None,
    ) -> str:
        """Sentences with citation marks `[n]`; "" when the sources do not answer.

        `relevance` goes with `sources`, 0 to 1. `findings` are the checked sentences of the draft
        before, when this is the second. `country` is the reader's ISO code, `day` the day to
        answer for. Raises ModelUnavailable.
        """
        ...


class OpenAIGenerator:
    """Asks a chat model behind an OpenAI-compatible endpoint."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def draft(
        self,
        question: str,
        sources: Sequence[Source],
        *,
        relevance: Sequence[float] = (),
        findings: Sequence[CheckedSentence] = (),
        previous: str | None = None,
        country: str | None = None,
        day: date | None = None,
    ) -> str:
        """See Generator."""
        if not sources:
            return ""
        messages = messages_for(
            question, sources, findings, previous=previous, country=country, day=day
        )
        text = self._chat.complete(messages)
        return "" if _NO_ANSWER.fullmatch(text) else text
