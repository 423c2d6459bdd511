"""Building the index: a new generation beside the live one, then one swap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from knowledge.catalog import load_catalog
from knowledge.embedding import Embedder
from knowledge.errors import IndexBusy, IndexUnavailable, KnowledgeError
from knowledge.former import load_former
from knowledge.generation import AGAIN, LIVE, index_folder
from knowledge.new_generation import NewGeneration
from knowledge.policy_files import FileProblem, PolicyFile, Progress, gather_files


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
    policies: Path,
    data: Path,
    embedder: Embedder,
    progress: Progress | None = None,
    server: str | None = None,
) -> BuildReport:
    """Index a policies folder into `data`; the former index serves until the new one is whole.

    `progress` is called with what is being done, how many steps are done and how many there are.
    `server` is the address of a Chroma server to hold the chunks; None keeps them in `data`.
    Raises CatalogError, IndexBusy where another build is running, and KnowledgeError.
    """
    policies, report_step = policies.resolve(), progress or _silent
    with _builder_lock(data):
        catalog = load_catalog(policies)
        if not catalog.versions:
            raise KnowledgeError(
                f"no PDF in {policies}: put the policies there as PDF files, not in subfolders"
            )
        former = load_former(data, embedder, server)
        gathered = gather_files(policies, catalog, former, embedder, report_step)
        warnings = tuple(
            PageWarning(file.name, problem.page, problem.problem)
            for file in gathered.files
            for problem in file.info.problems
        )
        if not gathered.files:
            return BuildReport(0, 0, 0, gathered.failed, warnings, 0, 0)
        new = NewGeneration(data, server, embedder, former, report_step)
        record = new.write(policies, catalog, gathered.files)
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


def move_ended(data: Path, embedder: Embedder, server: str | None = None) -> bool:
    """Move the versions that ended since the last build to the history; False where none did.

    Needs neither the policies folder nor the model. To be called when the day changes; a version
    that has ended is never retrieved for a later day, moved or not. Raises IndexBusy and
    IndexUnavailable.
    """
    with _builder_lock(data):
        former = load_former(data, embedder, server)
        record = former.record
        if record is None:
            raise IndexUnavailable(f"there is no index in {data} to keep up: {AGAIN}")
        today = record.catalog.today()
        if not any(v.collection == LIVE and v.version.ended(today) for v in record.versions):
            return False
        if len(former.files) < len(record.files):
            raise IndexUnavailable(f"the index in {data} is damaged: {AGAIN}")
        files = tuple(
            PolicyFile(
                indexed.version.file, None, *former.files[indexed.sha256], (indexed.version,)
            )
            for indexed in record.versions
        )
        new = NewGeneration(data, server, embedder, former, _silent)
        new.write(Path(record.policies), record.catalog, files)
        return True


@contextmanager
def _builder_lock(data: Path) -> Iterator[None]:
    folder = index_folder(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout:
        raise IndexBusy(
            f"another build of the index in {data} is running: wait for it and try again"
        ) from None
    except OSError as error:
        raise KnowledgeError(
            f"the index in {data} cannot be written ({error.strerror or error}): "
            "check the disk and the folder's permissions, or choose another --data folder"
        ) from error


def _silent(what: str, done: int, total: int) -> None:
    pass
