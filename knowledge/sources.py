"""A source: a chunk as it is shown to the model, the checker and the reader."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

GLOBAL: tuple[str, ...] = ()
"""The scope of a version that is for everybody; else a tuple of ISO 3166 alpha-2 codes."""


@dataclass(frozen=True, slots=True)
class PageStart:
    """From character `offset` of the source's text on, the text stands on physical page `page`."""

    offset: int
    page: int


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered chunk of one version.

    `n` counts from 1. `page_starts` ascends by offset, the first at 0; it is empty for a text that
    comes from no PDF. `headings` runs from the outermost heading to the innermost.
    """

    n: int
    text: str
    title: str = ""
    policy: str = ""
    file: str = ""
    sha256: str = ""
    scope: tuple[str, ...] = GLOBAL
    effective_from: date | None = None
    effective_to: date | None = None
    headings: tuple[str, ...] = ()
    page_starts: tuple[PageStart, ...] = ()
    source_url: str | None = None

    @property
    def pages(self) -> list[int]:
        """The physical pages (from 1) that the text stands on, ascending."""
        return sorted({start.page for start in self.page_starts})

    def page_at(self, offset: int) -> int | None:
        """The physical page of the character at `offset`; None for a text without pages."""
        if not self.page_starts:
            return None
        at = bisect_right([start.offset for start in self.page_starts], offset) - 1
        return self.page_starts[max(at, 0)].page


def long_date(day: date) -> str:
    """A date as policies write it: `1 April 2026`."""
    return f"{day.day} {day:%B %Y}"


def dates_in_words(effective_from: date | None, effective_to: date | None) -> str:
    """`from 1 April 2026 until 31 March 2027`, or one half of it, or nothing."""
    halves: Iterable[str] = (
        f"from {long_date(effective_from)}" if effective_from else "",
        f"until {long_date(effective_to)}" if effective_to else "",
    )
    return " ".join(half for half in halves if half)
