"""Generations: each build of the index is a folder of its own, and one file says which is live.

data/index/current            the id of the live generation
data/index/<id>/record.json   what the generation holds and how it was made
data/index/<id>/chroma/       its chunks and vectors
data/files/<sha256>.pdf       the PDFs that the page links open
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from knowledge.catalog import Catalog, Version
from knowledge.errors import IndexUnavailable

FORMAT = 2
"""Raised when files are read or cut into chunks in another way: nothing older is reused."""
SPACE = "cosine"
LIVE, HISTORY = "live", "history"
_RECORD = "record.json"
AGAIN = "run `policypal index` again"


@dataclass(frozen=True, slots=True)
class IndexedVersion:
    """A version whose PDF is in the index. `id` is its own among all versions."""

    version: Version
    sha256: str
    collection: str
    chunks: int

    @property
    def id(self) -> str:
        """The version's policy, first day and scope, as one string."""
        return version_id(self.version)


@dataclass(frozen=True, slots=True)
class PageProblem:
    """A page of a file that could not be read well, and is not quoted."""

    page: int
    problem: str


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What reading one PDF gave besides its chunks."""

    sha256: str
    title: str | None
    pages: int
    problems: tuple[PageProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What a generation holds and how it was made.

    `policies` is the folder that was read, `segments` are the SHA-256 sums of the vector graphs.
    """

    id: str
    built_at: datetime
    policies: str
    timezone: str
    chromadb: str
    embedding_model: str
    space: str
    format: int
    versions: tuple[IndexedVersion, ...]
    files: tuple[IndexedFile, ...]
    segments: dict[str, str]

    @property
    def catalog(self) -> Catalog:
        """The versions that can be retrieved."""
        return Catalog(self.timezone, tuple(indexed.version for indexed in self.versions))


def version_id(version: Version) -> str:
    """`travel/2026-04-01/GB,IN`: unique within a catalog."""
    start = version.effective_from.isoformat() if version.effective_from else "always"
    return f"{version.policy}/{start}/{','.join(sorted(version.scope)) or 'global'}"


def index_folder(data: Path) -> Path:
    """Where the generations lie."""
    return data / "index"


def live_id(data: Path) -> str | None:
    """The id of the live generation; None where nothing was ever indexed."""
    try:
        return (index_folder(data) / "current").read_text(encoding="utf-8").strip() or None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IndexUnavailable(
            f"the index in {data} cannot be read ({error.strerror}): check the folder's permissions"
        ) from error


def set_live(data: Path, generation: str) -> None:
    """Make a generation the live one, at once for every process."""
    pointer = index_folder(data) / "current"
    write_whole(pointer, generation + "\n")


def write_record(data: Path, record: Record) -> None:
    """Store a generation's record in its folder."""
    text = json.dumps(asdict(record), default=_plain, indent=1)
    write_whole(index_folder(data) / record.id / _RECORD, text + "\n")


def read_record(data: Path, generation: str) -> Record:
    """A generation's record. Raises IndexUnavailable where it is missing or not one of ours."""
    path = index_folder(data) / generation / _RECORD
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["format"] != FORMAT:
            raise IndexUnavailable(f"the index was made by another release of policypal: {AGAIN}")
        return _record(raw)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexUnavailable(f"the index in {path.parent} is damaged: {AGAIN}") from error


def write_whole(path: Path, text: str) -> None:
    """Replace a file so that a reader sees the old text or the new one, never a part."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    with half.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def _record(raw: dict[str, Any]) -> Record:
    versions = tuple(
        IndexedVersion(
            Version(
                **{
                    **row["version"],
                    "scope": tuple(row["version"]["scope"]),
                    "effective_from": _day(row["version"]["effective_from"]),
                    "effective_to": _day(row["version"]["effective_to"]),
                }
            ),
            row["sha256"],
            row["collection"],
            row["chunks"],
        )
        for row in raw["versions"]
    )
    files = tuple(
        IndexedFile(
            row["sha256"],
            row["title"],
            row["pages"],
            tuple(PageProblem(**problem) for problem in row["problems"]),
        )
        for row in raw["files"]
    )
    return Record(
        **{
            **raw,
            "built_at": datetime.fromisoformat(raw["built_at"]).astimezone(UTC),
            "versions": versions,
            "files": files,
        }
    )


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _plain(value: object) -> str:
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    raise TypeError(f"not JSON: {value!r}")
