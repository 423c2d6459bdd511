"""A PDF as pages of clean text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a block is on the page."""

    TEXT = "text"
    ITEM = "item"
    HEADING = "heading"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, heading or table row, as one line of text.

    `level` is 1 for the outermost headings and counts inwards; 0 for all else. `continues` says
    that the text goes on from the last block of the page before, in the middle of a sentence.
    """

    text: str
    kind: Kind = Kind.TEXT
    level: int = 0
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `number` is its physical place, from 1; `label` is what is printed on it (`iv`).

    `problem` says why nothing on the page may be quoted, in words for an admin; None where all is
    well. A page with a problem has no blocks.
    """

    number: int
    label: str
    blocks: tuple[Block, ...]
    problem: str | None = None

    @property
    def text(self) -> str:
        """The page's blocks, one a line."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings on the page, in reading order."""
        return tuple(block.text for block in self.blocks if block.kind is Kind.HEADING)


@dataclass(frozen=True, slots=True)
class Document:
    """A PDF that could be read. `title` is the one in its metadata, None where it has none."""

    title: str | None
    pages: tuple[Page, ...]
