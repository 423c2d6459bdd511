from __future__ import annotations

import pytest

from knowledge.embedding import Embedder


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The built-in model, loaded once."""
    model = Embedder()
    model.load()
    return model
