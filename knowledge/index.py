"""The index: built anew beside the live one, opened with a probe, and followed as it changes."""

from __future__ import annotations

from importlib.metadata import version as installed_version
from pathlib import Path
from threading import Lock

from knowledge.building import BuildReport, PageWarning, build_index, move_ended
from knowledge.catalog import Catalog
from knowledge.embedding import Embedder
from knowledge.errors import IndexUnavailable
from knowledge.generation import (
    AGAIN,
    HISTORY,
    LIVE,
    SPACE,
    IndexedVersion,
    Record,
    index_folder,
    live_id,
    read_record,
)
from knowledge.lexical import Lexicon
from knowledge.policy_files import FileProblem
from knowledge.vectors import ChunkStore, StoredChunk, segment_sums

__all__ = [
    "BuildReport",
    "FileProblem",
    "Generation",
    "Index",
    "PageWarning",
    "build_index",
    "move_ended",
    "open_index",
]


class Generation:
    """One generation, opened for reading."""

    def __init__(self, record: Record, store: ChunkStore) -> None:
        self.record = record
        self.store = store
        self.versions: dict[str, IndexedVersion] = {v.id: v for v in record.versions}
        self.chunks: dict[str, list[StoredChunk]] = {
            name: store.chunks(name) for name in (LIVE, HISTORY)
        }
        self.by_id: dict[str, StoredChunk] = {
            stored.id: stored for rows in self.chunks.values() for stored in rows
        }
        self._lexicons: dict[str, Lexicon] = {}
        self._lock = Lock()

    def lexicon(self, name: str) -> Lexicon:
        """The word index of a collection, made at first use."""
        with self._lock:
            if name not in self._lexicons:
                titles = {id: v.version.title for id, v in self.versions.items()}
                self._lexicons[name] = Lexicon(self.chunks[name], titles)
            return self._lexicons[name]


class Index:
    """The live generation of the index in a data folder; safe to share between threads."""

    def __init__(self, data: Path, embedder: Embedder, server: str | None = None) -> None:
        self.data = data
        self._server = server
        self.embedder = embedder
        self._lock = Lock()
        self._generation: Generation | None = None

    def current(self) -> Generation:
        """The live generation, opened anew where another process has swapped it.

        Raises IndexUnavailable.
        """
        with self._lock:
            live = self._live()
            while self._generation is None or self._generation.record.id != live:
                try:
                    opened = _opened(self.data, live, self.embedder, self._server)
                except IndexUnavailable:
                    # Two builds may have ended since the pointer was read, and this one be gone.
                    if live == (live := self._live()):
                        raise
                    continue
                self._generation = opened
            return self._generation

    def _live(self) -> str:
        live = live_id(self.data)
        if live is None:
            raise IndexUnavailable(
                f"there is no index in {self.data}: run `policypal index POLICIES_DIR`"
            )
        return live

    @property
    def catalog(self) -> Catalog:
        """The versions that can be retrieved now."""
        return self.current().record.catalog

    @property
    def generation(self) -> Record:
        """The record of the live generation: id, when it was built, from which folder."""
        return self.current().record


def open_index(data: Path, embedder: Embedder, server: str | None = None) -> Index:
    """Open and probe the index in a data folder. Raises IndexUnavailable.

    `server` is the address of the Chroma server that it was built on, None for the folder alone.
    """
    index = Index(data, embedder, server)
    index.current()
    return index


def _opened(data: Path, live: str, embedder: Embedder, server: str | None) -> Generation:
    record = read_record(data, live)
    installed = installed_version("chromadb")
    if record.chromadb != installed:
        raise IndexUnavailable(
            f"the index was made with chromadb {record.chromadb}, this is {installed}: {AGAIN}"
        )
    if record.embedding_model != embedder.name:
        raise IndexUnavailable(
            f"the index was made with the embedding model {record.embedding_model!r}, "
            f"the settings name {embedder.name!r}: {AGAIN}"
        )
    if record.space != SPACE:
        raise IndexUnavailable(f"the index measures distance as {record.space!r}: {AGAIN}")
    folder = index_folder(data) / live
    if segment_sums(folder) != record.segments:
        raise IndexUnavailable(f"the index in {folder} is damaged: {AGAIN}")
    store = ChunkStore(folder, server)
    generation = Generation(record, store)
    _probe(generation)
    return generation


def _probe(generation: Generation) -> None:
    for name in (LIVE, HISTORY):
        held = [v for v in generation.record.versions if v.collection == name]
        expected = sum(v.chunks for v in held)
        if not expected == generation.store.count(name) == len(generation.chunks[name]):
            raise IndexUnavailable(f"the index has lost chunks: {AGAIN}")
        if held:
            [vector] = list(generation.store.vectors(name, limit=1).values())
            if not generation.store.nearest(name, vector, [v.id for v in held], 1):
                raise IndexUnavailable(f"the index finds none of its chunks: {AGAIN}")
