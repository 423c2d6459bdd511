"""What a build can take over from the generation before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge.chunks import Chunk, embedding_text
from knowledge.embedding import Embedder
from knowledge.errors import IndexUnavailable
from knowledge.generation import (
    HISTORY,
    LIVE,
    SPACE,
    IndexedFile,
    Record,
    index_folder,
    live_id,
    read_record,
)
from knowledge.vectors import ChunkStore, StoredChunk, segment_sums

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Former:
    """The live generation as material for the next one; empty where there is none to use.

    `record` is there even where nothing else can be taken over. `files` are by SHA-256, `copies`
    map (version id, file) to a SHA-256, `vectors` are by the text that was embedded.
    """

    record: Record | None = None
    files: dict[str, tuple[IndexedFile, tuple[Chunk, ...]]] = field(default_factory=dict)
    copies: dict[tuple[str, str], str] = field(default_factory=dict)
    vectors: dict[str, npt.NDArray[np.float32]] = field(default_factory=dict)

    @property
    def version_ids(self) -> set[str]:
        """The ids of the versions that could be retrieved."""
        return {indexed.id for indexed in self.record.versions} if self.record else set()


def load_former(data: Path, embedder: Embedder, server: str | None) -> Former:
    """Read the live generation; what cannot be read or does not fit is left to be built anew."""
    try:
        generation = live_id(data)
        record = read_record(data, generation) if generation else None
    except IndexUnavailable:
        record = None
    if record is None:
        return Former()
    if record.chromadb != installed_version("chromadb") or record.space != SPACE:
        return Former(record)
    folder = index_folder(data) / record.id
    if segment_sums(folder) != record.segments:
        return Former(record)
    try:
        store = ChunkStore(folder, server)
        try:
            chunks = [*store.chunks(LIVE), *store.chunks(HISTORY)]
            vectors = {**store.vectors(LIVE), **store.vectors(HISTORY)}
        finally:
            store.close()
    except IndexUnavailable:
        return Former(record)
    return Former(
        record,
        _files(record, chunks),
        {(v.id, v.version.file): v.sha256 for v in record.versions},
        _vectors(record, chunks, vectors) if record.embedding_model == embedder.name else {},
    )


def _files(
    record: Record, chunks: list[StoredChunk]
) -> dict[str, tuple[IndexedFile, tuple[Chunk, ...]]]:
    by_version: dict[str, list[Chunk]] = {}
    for stored in chunks:
        by_version.setdefault(stored.version, []).append(stored.chunk)
    infos = {info.sha256: info for info in record.files}
    files: dict[str, tuple[IndexedFile, tuple[Chunk, ...]]] = {}
    for indexed in record.versions:
        own = sorted(by_version.get(indexed.id, []), key=lambda chunk: chunk.start)
        # A file whose chunks are not all there is read again.
        if len(own) == indexed.chunks and indexed.sha256 in infos:
            files[indexed.sha256] = (infos[indexed.sha256], tuple(own))
    return files


def _vectors(
    record: Record, chunks: list[StoredChunk], vectors: dict[str, npt.NDArray[np.float32]]
) -> dict[str, npt.NDArray[np.float32]]:
    titles = {indexed.id: indexed.version.title for indexed in record.versions}
    return {
        embedding_text(titles[s.version], s.chunk.headings, s.chunk.text): vectors[s.id]
        for s in chunks
        if s.id in vectors and s.version in titles
    }
