from __future__ import annotations

import freezegun
import pytest

from knowledge.embedding import Embedder

# The clock stops in our code alone: a search through these for their clocks takes half a minute.
freezegun.configure(
    extend_ignore_list=["chromadb", "sentence_transformers", "torch", "transformers"]
)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The built-in model, loaded once."""
    model = Embedder()
    model.load()
    return model
