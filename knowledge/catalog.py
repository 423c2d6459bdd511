"""Policies and their versions: which are in force on a day, and for whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from knowledge.sources import GLOBAL


@dataclass(frozen=True, slots=True)
class Version:
    """One PDF of a policy. `file` is relative to the policies folder, with forward slashes.

    `effective_from` None means always so far, `effective_to` None means until further notice; both
    days belong to the version.
    """

    policy: str
    title: str
    file: str
    effective_from: date | None = None
    effective_to: date | None = None
    scope: tuple[str, ...] = GLOBAL
    owner: str | None = None
    source_url: str | None = None

    def in_force(self, day: date) -> bool:
        """Whether the version holds on `day`."""
        started = self.effective_from is None or self.effective_from <= day
        return started and not self.ended(day)

    def ended(self, day: date) -> bool:
        """Whether the version's last day lies before `day`."""
        return self.effective_to is not None and self.effective_to < day


@dataclass(frozen=True, slots=True)
class Catalog:
    """All versions of all policies. The day changes at midnight in `timezone` (an IANA name).

    `titled` is False where there is no `catalog.yml` and the titles are only the files' names.
    """

    timezone: str
    versions: tuple[Version, ...]
    titled: bool = True

    def today(self) -> date:
        """Today's date where the policies are kept."""
        return datetime.now(ZoneInfo(self.timezone)).date()


def load_catalog(folder: Path) -> Catalog:
    """Read `catalog.yml` in a policies folder; without one each PDF is a global policy in force.

    Raises CatalogError, which names the line, and KnowledgeError where there is no such folder. A
    row may name a file that is missing: that is for the index to report.
    """
    from knowledge.catalog_file import catalog_of_pdfs, find_catalog_file, read_catalog_file
    from knowledge.errors import KnowledgeError

    if not folder.is_dir():
        raise KnowledgeError(f"no folder {folder}: name the folder that holds the policies' PDFs")
    try:
        path = find_catalog_file(folder)
        return read_catalog_file(path) if path else catalog_of_pdfs(folder)
    except OSError as error:
        raise KnowledgeError(
            f"{folder} cannot be read ({error.strerror}): check the folder's permissions"
        ) from error
