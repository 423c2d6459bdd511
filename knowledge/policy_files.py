"""The files that a catalog names, read and cut into chunks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from knowledge.catalog import Catalog, Version
from knowledge.chunks import Chunk, chunk_document, embedding_text
from knowledge.embedding import Embedder
from knowledge.errors import PdfError
from knowledge.former import Former
from knowledge.generation import IndexedFile, PageProblem, version_id
from knowledge.pdf import Document, read_pdfs

Progress = Callable[[str, int, int], None]
"""Takes what is being done, how many steps are done, and how many there are."""

_NO_TITLE = re.compile(r"untitled|anonymous|\(.*\)|.*\.(docx?|pdf|indd|odt)|microsoft word.*", re.I)


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A file that was left out, and why, in one line."""

    file: str
    problem: str


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A PDF ready to be indexed, with the versions that name it.

    `path` is None where the file as it lies in the folder cannot be read and the index keeps the
    last good copy.
    """

    name: str
    path: Path | None
    info: IndexedFile
    chunks: tuple[Chunk, ...]
    versions: tuple[Version, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The outcome for all files of a catalog; `indexed` and `unchanged` count files."""

    files: tuple[PolicyFile, ...]
    failed: tuple[FileProblem, ...]
    indexed: int
    unchanged: int


def gather_files(
    policies: Path, catalog: Catalog, former: Former, embedder: Embedder, progress: Progress
) -> Gathered:
    """Read what changed, take over what did not, and name what cannot be read."""
    named: dict[str, list[Version]] = {}
    for version in catalog.versions:
        named.setdefault(version.file, []).append(version)
    problems: dict[str, str] = {}
    hashes: dict[str, str] = {}
    for name in named:
        try:
            hashes[name] = _sha256(policies / name)
        except OSError as error:
            problems[name] = _cannot_open(error)
    fresh = {sha: name for name, sha in hashes.items() if sha not in former.files}
    read = _read_files(policies, fresh, named, embedder, progress, problems)

    files: list[PolicyFile] = []
    for name, versions in named.items():
        sha256 = hashes.get(name)
        known = (read.get(sha256) or former.files.get(sha256)) if sha256 else None
        path: Path | None = policies / name
        if known is None and sha256 is not None:
            problems.setdefault(name, problems.get(fresh.get(sha256, ""), ""))
            versions, known = _last_good(versions, former)
            path = None
            if known is not None:
                problems[name] += " (the last good copy stays in force)"
        if known is None:
            continue
        info, chunks = known
        if not catalog.titled and _is_title(info.title):
            versions = [replace(version, title=str(info.title)) for version in versions]
        files.append(PolicyFile(name, path, info, chunks, tuple(versions)))
    return Gathered(
        files=tuple(files),
        failed=tuple(FileProblem(name, problems[name]) for name in named if name in problems),
        indexed=sum(1 for name, sha in hashes.items() if sha in read),
        unchanged=sum(1 for sha in hashes.values() if sha in former.files),
    )


def _read_files(
    policies: Path,
    fresh: dict[str, str],
    named: dict[str, list[Version]],
    embedder: Embedder,
    progress: Progress,
    problems: dict[str, str],
) -> dict[str, tuple[IndexedFile, tuple[Chunk, ...]]]:
    """The files that are new, by SHA-256; what cannot be read is added to `problems`."""
    read: dict[str, tuple[IndexedFile, tuple[Chunk, ...]]] = {}
    paths = [policies / name for name in fresh.values()]
    results = read_pdfs(paths)
    for done, ((sha256, name), (_, result)) in enumerate(zip(fresh.items(), results, strict=True)):
        progress(name, done + 1, len(paths))
        if isinstance(result, PdfError):
            problems[name] = result.problem
            continue
        title = named[name][0].title
        chunks = chunk_document(result, _fits(embedder, title))
        if chunks:
            read[sha256] = (_info(sha256, result), tuple(chunks))
        else:
            problems[name] = "no page of it can be quoted: " + _first_problem(result)
    return read


def _fits(embedder: Embedder, title: str) -> Callable[[tuple[str, ...], str], bool]:
    most = embedder.max_tokens

    def fits(headings: tuple[str, ...], text: str) -> bool:
        return embedder.count_tokens(embedding_text(title, headings, text)) <= most

    return fits


def _info(sha256: str, document: Document) -> IndexedFile:
    problems = tuple(
        PageProblem(page.number, page.problem) for page in document.pages if page.problem
    )
    return IndexedFile(sha256, document.title, len(document.pages), problems)


def _first_problem(document: Document) -> str:
    return next((page.problem for page in document.pages if page.problem), "it holds no text")


def _last_good(
    versions: list[Version], former: Former
) -> tuple[list[Version], tuple[IndexedFile, tuple[Chunk, ...]] | None]:
    """The versions that were indexed from an earlier, readable copy of the same file."""
    for version in versions:
        sha256 = former.copies.get((version_id(version), version.file))
        if sha256 in former.files:
            same = [v for v in versions if former.copies.get((version_id(v), v.file)) == sha256]
            return same, former.files[sha256]
    return versions, None


def _is_title(title: str | None) -> bool:
    return bool(title) and not _NO_TITLE.fullmatch(title or "")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cannot_open(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file in the policies folder: add it, or take it out of catalog.yml"
    return f"cannot be opened ({error.strerror}): check the file and its permissions"
