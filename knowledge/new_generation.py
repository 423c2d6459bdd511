"""Writing a generation: beside the live one, probed, then swapped in."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.metadata import version as installed_version
from pathlib import Path

import numpy as np
import numpy.typing as npt

from knowledge.catalog import Catalog
from knowledge.chunks import embedding_text
from knowledge.embedding import Embedder
from knowledge.errors import IndexUnavailable, KnowledgeError
from knowledge.former import Former
from knowledge.generation import (
    AGAIN,
    FORMAT,
    HISTORY,
    LIVE,
    SPACE,
    IndexedVersion,
    Record,
    index_folder,
    live_id,
    set_live,
    version_id,
    write_record,
)
from knowledge.links import pdf_path
from knowledge.policy_files import PolicyFile, Progress
from knowledge.vectors import ChunkStore, StoredChunk, chunk_id, segment_sums

_EMBED_BATCH = 64
_SAME = 0.99


@dataclass(frozen=True, slots=True)
class NewGeneration:
    """Where a generation goes, and what it is made with."""

    data: Path
    server: str | None
    embedder: Embedder
    former: Former
    progress: Progress

    def write(self, policies: Path, catalog: Catalog, files: tuple[PolicyFile, ...]) -> Record:
        """Write, probe and swap in a generation of these files; on failure all stays as it was."""
        built_at = datetime.now(UTC)
        id = f"{built_at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
        folder = index_folder(self.data) / id
        folder.mkdir()
        try:
            versions = self._store(folder, files, catalog.today())
            for file in files:
                _keep_pdf(self.data, file)
            record = Record(
                id=id,
                built_at=built_at,
                policies=str(policies),
                timezone=catalog.timezone,
                chromadb=installed_version("chromadb"),
                embedding_model=self.embedder.name,
                space=SPACE,
                format=FORMAT,
                versions=versions,
                files=tuple({file.info.sha256: file.info for file in files}.values()),
                segments=segment_sums(folder),
            )
            write_record(self.data, record)
        except BaseException:
            self._drop(folder)
            raise
        before = live_id(self.data)
        set_live(self.data, id)
        self._prune(record, before)
        return record

    def _store(
        self, folder: Path, files: tuple[PolicyFile, ...], today: date
    ) -> tuple[IndexedVersion, ...]:
        versions: list[IndexedVersion] = []
        rows: dict[str, list[StoredChunk]] = {LIVE: [], HISTORY: []}
        texts: dict[str, list[str]] = {LIVE: [], HISTORY: []}
        for file in files:
            for version in file.versions:
                name, id = HISTORY if version.ended(today) else LIVE, version_id(version)
                versions.append(IndexedVersion(version, file.info.sha256, name, len(file.chunks)))
                for number, chunk in enumerate(file.chunks):
                    key = chunk_id(file.info.sha256, id, number)
                    rows[name].append(StoredChunk(key, id, file.info.sha256, chunk))
                    texts[name].append(embedding_text(version.title, chunk.headings, chunk.text))
        vectors = self._vectors(texts[LIVE] + texts[HISTORY])
        store = ChunkStore(folder, self.server)
        try:
            store.create()
            for name in (LIVE, HISTORY):
                if rows[name]:
                    store.add(name, rows[name], np.stack([vectors[text] for text in texts[name]]))
            _probe(store, versions)
        finally:
            store.close()
        return tuple(versions)

    def _vectors(self, texts: list[str]) -> dict[str, npt.NDArray[np.float32]]:
        known = self.former.vectors
        vectors = {text: known[text] for text in texts if text in known}
        new = list(dict.fromkeys(text for text in texts if text not in vectors))
        for start in range(0, len(new), _EMBED_BATCH):
            batch = new[start : start + _EMBED_BATCH]
            vectors.update(zip(batch, self.embedder.encode(batch), strict=True))
            self.progress("chunks", start + len(batch), len(new))
        return vectors

    def _prune(self, record: Record, before: str | None) -> None:
        """Drop what nothing points to; a query that is under way may still read `before`."""
        for folder in index_folder(self.data).iterdir():
            if folder.is_dir() and folder.name not in (record.id, before):
                self._drop(folder)
        kept = {file.sha256 for file in record.files}
        for pdf in (self.data / "files").glob("*"):
            if pdf.stem not in kept:
                pdf.unlink(missing_ok=True)

    def _drop(self, folder: Path) -> None:
        if self.server is not None:
            try:
                store = ChunkStore(folder, self.server)
            except IndexUnavailable:
                # The folder stays, so that the next build tries again.
                return
            store.drop()
            store.close()
        shutil.rmtree(folder, ignore_errors=True)


def _probe(store: ChunkStore, versions: list[IndexedVersion]) -> None:
    """Each version's first chunk must find itself: an index that loses rows is not made live."""
    for name in (LIVE, HISTORY):
        held = [indexed for indexed in versions if indexed.collection == name]
        if store.count(name) != sum(indexed.chunks for indexed in held):
            raise KnowledgeError(f"the new index lost chunks while it was written: {AGAIN}")
        vectors = store.vectors(name)
        for indexed in held:
            first = chunk_id(indexed.sha256, indexed.id, 0)
            hits = store.nearest(name, vectors[first], [indexed.id], 1)
            # Chunks with the same words have the same vector, so the cosine decides.
            if not hits or hits[0][1] < _SAME:
                raise KnowledgeError(f"the new index does not find its own chunks: {AGAIN}")


def _keep_pdf(data: Path, file: PolicyFile) -> None:
    target = pdf_path(data, file.info.sha256)
    if file.path is None or target.is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".part")
    shutil.copyfile(file.path, half)
    with half.open("rb") as copy:
        if hashlib.file_digest(copy, "sha256").hexdigest() != file.info.sha256:
            raise KnowledgeError(f"{file.name} changed while it was being indexed: {AGAIN}")
    half.replace(target)
