"""Chroma: the chunks of one generation with their vectors."""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from knowledge.chunks import Chunk
from knowledge.errors import IndexUnavailable
from knowledge.generation import AGAIN, HISTORY, LIVE, SPACE
from knowledge.sources import PageStart

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_SEARCH_WIDTH = 200
"""hnswlib's ef: wide enough that a filtered query misses nothing in an index of our size."""

_OPENING = RLock()
"""Chroma's clients share one system a folder, and count its users without a lock."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk in the index. `version` is the id of the version that it is of."""

    id: str
    version: str
    sha256: str
    chunk: Chunk


class ChunkStore:
    """The two collections of one generation: versions in force or coming, and ended ones.

    They lie in the generation's `folder` or, where one is given, on the Chroma server at `server`
    under the generation's id. `close()` lets go of them; so does the end of the last reference.
    """

    def __init__(self, folder: Path, server: str | None = None) -> None:
        self._server = server
        self._prefix = f"{folder.name}-" if server else ""
        with _OPENING, self._failures():
            self._client = _client(folder / "chroma", server)
            self._batch = int(self._client.get_max_batch_size())
        # A query may still run when the index has moved on: the last one to let go closes.
        self.close = weakref.finalize(self, _close, self._client)

    def create(self) -> None:
        """Make both collections, empty."""
        width = {"ef_construction": _SEARCH_WIDTH, "ef_search": _SEARCH_WIDTH}
        with self._failures():
            for name in (LIVE, HISTORY):
                self._client.create_collection(
                    self._prefix + name,
                    embedding_function=None,
                    configuration={"hnsw": {"space": SPACE, **width}},
                )

    def add(
        self, name: str, chunks: Sequence[StoredChunk], vectors: npt.NDArray[np.float32]
    ) -> None:
        """Store chunks with their vectors, row by row."""
        with self._failures():
            collection = self._collection(name)
            for start in range(0, len(chunks), self._batch):
                rows = chunks[start : start + self._batch]
                collection.upsert(
                    ids=[row.id for row in rows],
                    embeddings=vectors[start : start + self._batch],
                    documents=[row.chunk.text for row in rows],
                    metadatas=[_metadata(row) for row in rows],
                )

    def count(self, name: str) -> int:
        """How many chunks a collection holds."""
        with self._failures():
            return int(self._collection(name).count())

    def chunks(self, name: str) -> list[StoredChunk]:
        """All chunks of a collection that are whole."""
        with self._failures():
            rows = self._collection(name).get(include=["documents", "metadatas"])
        return [
            _stored(id, text, metadata)
            for id, text, metadata in zip(
                rows["ids"], rows["documents"] or [], rows["metadatas"] or [], strict=True
            )
            if text is not None and metadata is not None
        ]

    def vectors(self, name: str, limit: int | None = None) -> dict[str, npt.NDArray[np.float32]]:
        """The vectors of a collection's chunks, at most `limit` of them, by the chunks' ids."""
        with self._failures():
            rows = self._collection(name).get(include=["embeddings"], limit=limit)
        embeddings = rows["embeddings"]
        return dict(zip(rows["ids"], embeddings, strict=True)) if embeddings is not None else {}

    def nearest(
        self, name: str, vector: npt.NDArray[np.float32], versions: Sequence[str], limit: int
    ) -> list[tuple[str, float]]:
        """The ids of the chunks of these versions nearest to `vector`, with their cosine."""
        if not versions or limit < 1:
            return []
        with self._failures():
            hits = self._collection(name).query(
                query_embeddings=[vector],
                n_results=limit,
                where={"version": {"$in": list(versions)}},
                include=["distances"],
            )
        distances = hits["distances"] or [[]]
        return [(id, 1 - float(d)) for id, d in zip(hits["ids"][0], distances[0], strict=True)]

    def drop(self) -> None:
        """Delete both collections, those that are there."""
        with self._failures():
            there = {collection.name for collection in self._client.list_collections()}
            for name in {self._prefix + LIVE, self._prefix + HISTORY} & there:
                self._client.delete_collection(name)

    def _collection(self, name: str) -> Any:
        return self._client.get_collection(self._prefix + name, embedding_function=None)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Chroma's failures have no root of their own: a damaged folder raises most anything."""
        try:
            yield
        except IndexUnavailable:
            raise
        except Exception as error:
            raise IndexUnavailable(
                f"the index on the Chroma server {self._server} cannot be used: "
                f"check that it runs, or {AGAIN}"
                if self._server
                else f"the index cannot be used: {AGAIN}"
            ) from error


def segment_sums(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file of the vector graphs that Chroma has written out.

    Chroma reads a damaged graph without complaint, finds the wrong chunks or ends the process.
    Under its threshold of 1000 rows it keeps the vectors in SQLite, and the files mean nothing.
    """
    sums: dict[str, str] = {}
    for mark in folder.glob("chroma/*/index_metadata.pickle"):
        for path in sorted(mark.parent.iterdir()):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            sums[path.relative_to(folder).as_posix()] = digest
    return sums


def _client(folder: Path, server: str | None) -> Any:
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    if server is None:
        return chromadb.PersistentClient(path=str(folder), settings=settings)
    url = urlsplit(server)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise IndexUnavailable(
            f"{server!r} is no address of a Chroma server: write it as http://HOST:PORT"
        )
    secure = url.scheme == "https"
    port = url.port or (443 if secure else 8000)
    return chromadb.HttpClient(host=url.hostname, port=port, ssl=secure, settings=settings)


def _close(client: Any) -> None:
    with _OPENING:
        client.close()


def chunk_id(sha256: str, version: str, number: int) -> str:
    """The id of a version's chunk number `number`."""
    return f"{version}#{sha256[:12]}#{number}"


def _metadata(row: StoredChunk) -> dict[str, str | int]:
    chunk = row.chunk
    return {
        "version": row.version,
        "sha256": row.sha256,
        "headings": json.dumps(chunk.headings),
        "page_starts": json.dumps([[start.offset, start.page] for start in chunk.page_starts]),
        "start": chunk.start,
        "end": chunk.end,
    }


def _stored(id: str, text: str, metadata: Any) -> StoredChunk:
    chunk = Chunk(
        text=text,
        headings=tuple(json.loads(metadata["headings"])),
        page_starts=tuple(PageStart(*pair) for pair in json.loads(metadata["page_starts"])),
        start=int(metadata["start"]),
        end=int(metadata["end"]),
    )
    return StoredChunk(id, str(metadata["version"]), str(metadata["sha256"]), chunk)
