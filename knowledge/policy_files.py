"""The files that a catalog names, read and cut into chunks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from knowledge.catalog import Catalog, Version
from knowledge.catalog_file import printable
from knowledge.chunks import Chunk, chunk_document, embedding_text
from knowledge.embedding import Embedder
from knowledge.errors import PdfError
from knowledge.former import Former
from knowledge.generation import IndexedFile, PageProblem, version_id
from knowledge.pdf import Document, read_pdfs

Progress = Callable[[str, int, int], None]
"""Takes what is being done, how many steps are done, and how many there are."""

_MISSING = "there is no such file in the policies folder: add it, or take it out of catalog.yml"
_SUBFOLDER = (
    "is a subfolder, and its PDFs are not indexed: move those in force up, or list them in "
    "catalog.yml"
)
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
    hashes = _hashes(policies, list(named), problems)
    fresh = {sha: name for name, sha in hashes.items() if sha and sha not in former.files}
    read = _read_files(policies, fresh, named, embedder, progress, problems)

    files: list[PolicyFile] = []
    for name, versions in named.items():
        if name not in hashes:
            continue
        sha256 = hashes[name]
        known = (read.get(sha256) or former.files.get(sha256)) if sha256 else None
        path: Path | None = policies / name
        if known is None:
            problems.setdefault(name, problems.get(fresh.get(sha256 or "", ""), ""))
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
        failed=(
            *(FileProblem(printable(name), problems[name]) for name in named if name in problems),
            *(() if catalog.titled else _subfolders(policies)),
        ),
        indexed=sum(1 for name, sha in hashes.items() if sha in read),
        unchanged=sum(1 for sha in hashes.values() if sha in former.files),
    )


def _hashes(policies: Path, names: list[str], problems: dict[str, str]) -> dict[str, str | None]:
    """The SHA-256 of each file, None where it is there and cannot be opened.

    What is wrong is added to `problems`; a file that is missing or refused has no hash at all.
    """
    hashes: dict[str, str | None] = {}
    for name in names:
        try:
            problem = _refused(policies, name)
            if problem is None:
                hashes[name] = _sha256(policies / name)
            else:
                problems[name] = problem
        except FileNotFoundError:
            problems[name] = _MISSING
        except OSError as error:
            hashes[name] = None
            problems[name] = (
                f"cannot be opened ({error.strerror}): check the file and its permissions"
            )
    return hashes


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
        # The longest title that may come to stand above its chunks.
        titles = [version.title for version in named[name]] + [result.title or ""]
        chunks = chunk_document(result, _fits(embedder, max(titles, key=len)))
        if chunks:
            read[sha256] = (_info(sha256, result), tuple(chunks))
        else:
            problems[name] = "no page of it can be quoted: " + _first_problem(result)
    return read


def _subfolders(policies: Path) -> Iterator[FileProblem]:
    """The subfolders with PDFs: old versions may lie there, so only a catalog brings them in."""
    for folder in sorted(policies.iterdir()):
        if not folder.is_dir() or folder.name.startswith("."):
            continue
        if any(path.suffix.lower() == ".pdf" for path in folder.rglob("*.*")):
            yield FileProblem(printable(folder.name), _SUBFOLDER)


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


def _refused(policies: Path, name: str) -> str | None:
    """Why a file is not even opened: one outside the folder, or one that is no file."""
    if name != printable(name):
        return "its name holds characters that are not UTF-8: give the file another name"
    path = (policies / name).resolve(strict=True)
    if not path.is_relative_to(policies.resolve()):
        return "is a link that leads out of the policies folder: put the PDF itself there"
    return None if path.is_file() else "is not a file: put the PDF there, or change catalog.yml"
