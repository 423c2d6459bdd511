"""Building the index: a new generation beside the live one, then one swap."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.metadata import version as installed_version
from pathlib import Path

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from knowledge.catalog import Catalog, load_catalog
from knowledge.chunks import embedding_text
from knowledge.embedding import Embedder
from knowledge.errors import IndexBusy, KnowledgeError
from knowledge.former import Former, load_former
from knowledge.generation import (
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
from knowledge.policy_files import FileProblem, PolicyFile, Progress, gather_files
from knowledge.vectors import ChunkStore, StoredChunk, chunk_id, segment_sums

_EMBED_BATCH = 64
_SAME = 0.99


@dataclass(frozen=True, slots=True)
class PageWarning:
    """A page (physical, from 1) that is not quoted, and why."""

    file: str
    page: int
    problem: str


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    `indexed` files were newly read, `unchanged` ones were taken over by their SHA-256; `removed`
    counts the versions of the former generation that are gone. `pages` and `chunks` are of the
    whole index; both are 0 where nothing could be indexed and the former index stays.
    """

    indexed: int
    unchanged: int
    removed: int
    failed: tuple[FileProblem, ...]
    warnings: tuple[PageWarning, ...]
    pages: int
    chunks: int


def build_index(
    policies: Path, data: Path, embedder: Embedder, progress: Progress | None = None
) -> BuildReport:
    """Index a policies folder into `data`; the former index serves until the new one is whole.

    `progress` is called with what is being done, how many steps are done and how many there are.
    Raises CatalogError, IndexBusy where another build is running, and KnowledgeError.
    """
    policies, report_step = policies.resolve(), progress or _silent
    with _builder_lock(data):
        catalog = load_catalog(policies)
        if not catalog.versions:
            raise KnowledgeError(f"no PDF in {policies}: put the policies there as PDF files")
        former = load_former(data, embedder)
        gathered = gather_files(policies, catalog, former, embedder, report_step)
        warnings = tuple(
            PageWarning(file.name, problem.page, problem.problem)
            for file in gathered.files
            for problem in file.info.problems
        )
        if not gathered.files:
            return BuildReport(0, 0, 0, gathered.failed, warnings, 0, 0)
        record = _write_generation(
            policies, data, catalog, gathered.files, former, embedder, report_step
        )
        now = {indexed.id for indexed in record.versions}
        return BuildReport(
            indexed=gathered.indexed,
            unchanged=gathered.unchanged,
            removed=len(former.version_ids - now),
            failed=gathered.failed,
            warnings=warnings,
            pages=sum(file.pages for file in record.files),
            chunks=sum(indexed.chunks for indexed in record.versions),
        )


def _write_generation(
    policies: Path,
    data: Path,
    catalog: Catalog,
    files: tuple[PolicyFile, ...],
    former: Former,
    embedder: Embedder,
    progress: Progress,
) -> Record:
    built_at, today = datetime.now(UTC), catalog.today()
    id = f"{built_at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    folder = index_folder(data) / id
    folder.mkdir()
    try:
        store = ChunkStore(folder / "chroma")
        try:
            store.create()
            versions = _store_chunks(store, files, former, embedder, today, progress)
            _probe(store, versions)
        finally:
            store.close()
        for file in files:
            _keep_pdf(data, file)
        record = Record(
            id=id,
            built_at=built_at,
            policies=str(policies),
            timezone=catalog.timezone,
            chromadb=installed_version("chromadb"),
            embedding_model=embedder.name,
            space=SPACE,
            format=FORMAT,
            versions=versions,
            files=tuple({file.info.sha256: file.info for file in files}.values()),
            segments=segment_sums(folder / "chroma"),
        )
        write_record(data, record)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    before = live_id(data)
    set_live(data, id)
    _prune(data, record, before)
    return record


def _store_chunks(
    store: ChunkStore,
    files: tuple[PolicyFile, ...],
    former: Former,
    embedder: Embedder,
    today: date,
    progress: Progress,
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
    vectors = _vectors(texts[LIVE] + texts[HISTORY], former, embedder, progress)
    for name in (LIVE, HISTORY):
        if rows[name]:
            store.add(name, rows[name], np.stack([vectors[text] for text in texts[name]]))
    return tuple(versions)


def _vectors(
    texts: list[str], former: Former, embedder: Embedder, progress: Progress
) -> dict[str, npt.NDArray[np.float32]]:
    vectors = {text: former.vectors[text] for text in texts if text in former.vectors}
    new = list(dict.fromkeys(text for text in texts if text not in vectors))
    for start in range(0, len(new), _EMBED_BATCH):
        batch = new[start : start + _EMBED_BATCH]
        vectors.update(zip(batch, embedder.encode(batch), strict=True))
        progress("chunks", start + len(batch), len(new))
    return vectors


def _probe(store: ChunkStore, versions: tuple[IndexedVersion, ...]) -> None:
    """Each version's first chunk must find itself: an index that loses rows is not made live."""
    for name in (LIVE, HISTORY):
        held = [indexed for indexed in versions if indexed.collection == name]
        if store.count(name) != sum(indexed.chunks for indexed in held):
            raise KnowledgeError(
                "the new index lost chunks while it was written: run `policypal index` again"
            )
        vectors = store.vectors(name)
        for indexed in held:
            first = chunk_id(indexed.sha256, indexed.id, 0)
            hits = store.nearest(name, vectors[first], [indexed.id], 1)
            # Chunks with the same words have the same vector, so the cosine decides.
            if not hits or hits[0][1] < _SAME:
                raise KnowledgeError(
                    "the new index does not find its own chunks: run `policypal index` again"
                )


def _keep_pdf(data: Path, file: PolicyFile) -> None:
    target = pdf_path(data, file.info.sha256)
    if file.path is None or target.is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".part")
    shutil.copyfile(file.path, half)
    half.replace(target)


def _prune(data: Path, record: Record, before: str | None) -> None:
    """Drop what nothing points to; a query that is under way may still read `before`."""
    for folder in index_folder(data).iterdir():
        if folder.is_dir() and folder.name not in (record.id, before):
            shutil.rmtree(folder, ignore_errors=True)
    kept = {file.sha256 for file in record.files}
    for pdf in (data / "files").iterdir():
        if pdf.stem not in kept:
            pdf.unlink(missing_ok=True)


@contextmanager
def _builder_lock(data: Path) -> Iterator[None]:
    folder = index_folder(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KnowledgeError(
            f"{folder} cannot be made ({error.strerror}): choose another --data folder"
        ) from error
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout:
        raise IndexBusy(
            f"another build of the index in {data} is running: wait for it and try again"
        ) from None


def _silent(what: str, done: int, total: int) -> None:
    pass
