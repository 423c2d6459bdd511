"""The answer model that needs no model: it picks the policies' own sentences."""

from __future__ import annotations

from collections.abc import Sequence

from grounding.answer import CheckedSentence
from grounding.sentences import split_spans
from knowledge.embedding import Embedder
from knowledge.sources import Source

_LIKENESS = 0.45


class ExtractiveGenerator:
    """Answers with whole sentences of the sources, or with nothing."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def draft(
        self,
        question: str,
        sources: Sequence[Source],
        *,
        relevance: Sequence[float] = (),
        findings: Sequence[CheckedSentence] = (),
        previous: str | None = None,
    ) -> str:
        """See grounding.generation.Generator."""
        refused = {finding.text for finding in findings if not finding.supported}
        units = [
            (source.n, span.text)
            for source in sources
            for span in split_spans(source.text)
            if span.text not in refused
        ]
        if not units:
            return ""
        vectors = self._embedder.encode([question, *(text for _, text in units)])
        likeness = vectors[1:] @ vectors[0]
        best = int(likeness.argmax())
        if likeness[best] < _LIKENESS:
            return ""
        n, text = units[best]
        return f"{text.rstrip('.')} [{n}]."
