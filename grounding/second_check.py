"""A second opinion on what the NLI model let pass: a chat model asked sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grounding.answer import CheckedSentence, Problem
from grounding.chat import ChatModel
from grounding.checker import Checker
from grounding.errors import CheckerUnavailable, ModelUnavailable
from grounding.prompt import check_messages
from knowledge.sources import Source

_YES = "SUPPORTED"


class SecondCheck:
    """A Checker whose supported sentences must pass a chat model too.

    Each source is read alone. Raises CheckerUnavailable when the model cannot be asked: nothing
    is let through on one opinion where two are wanted.
    """

    def __init__(self, checker: Checker, chat: ChatModel) -> None:
        self._checker = checker
        self._chat = chat

    def check(self, answer_text: str, sources: Sequence[Source]) -> tuple[CheckedSentence, ...]:
        """See Checker.check."""
        checked = self._checker.check(answer_text, sources)
        return tuple(self._again(sentence, sources) for sentence in checked)

    def check_claim(
        self, claim: str, sources: Sequence[Source], lead_in: str | None = None
    ) -> CheckedSentence:
        """See Checker.check_claim."""
        return self._again(self._checker.check_claim(claim, sources, lead_in), sources)

    def _again(self, sentence: CheckedSentence, sources: Sequence[Source]) -> CheckedSentence:
        if not sentence.supported or sentence.guidance:
            return sentence
        by_number = {source.n: source for source in sources}
        kept = tuple(
            evidence
            for evidence in sentence.evidence
            if self._supports(by_number[evidence.source], sentence.text)
        )
        if kept:
            return replace(sentence, evidence=kept)
        detail = "the second check does not find it in the source"
        return replace(sentence, evidence=(), problem=Problem.NOT_SUPPORTED, detail=detail)

    def _supports(self, source: Source, claim: str) -> bool:
        try:
            verdict = self._chat.complete(check_messages(source, claim))
        except ModelUnavailable as error:
            raise CheckerUnavailable(f"second check: {error}") from None
        return verdict.strip(" .*`'\"").upper() == _YES
