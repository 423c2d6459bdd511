"""Pages -> chunks: whole clauses, about as long as the embedding model reads well."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from knowledge.pdf.pages import Block, Document, Kind
from knowledge.sources import PageStart

FULL_WORDS = 140
"""A chunk is closed where the next clause would take it past this. On the sample questions the
chunks that come of it, about 95 words long, found the right page more often than those that come
of 80, 110 or 170."""
MAX_WORDS = 180
_SMALL_WORDS = 45
_LEAD_IN_WORDS = 60
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\]”\"'%][.;!?]) +(?=[A-Z(“\"'\[•–-])")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of text of one version.

    `headings` runs from the outermost to the innermost. `page_starts` are offsets in `text`.
    `start` and `end` are the character span in the document's text, which is all its blocks,
    each followed by a line break; a lead-in that is repeated at the head is not counted.
    """

    text: str
    headings: tuple[str, ...]
    page_starts: tuple[PageStart, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block, or a part of one, that no chunk divides."""

    text: str
    kind: Kind
    headings: tuple[str, ...]
    page_starts: tuple[PageStart, ...]
    start: int

    @property
    def words(self) -> int:
        return len(self.text.split())

    @property
    def pages(self) -> set[int]:
        return {start.page for start in self.page_starts}


@dataclass(slots=True)
class _Draft:
    """A chunk that is being filled."""

    pieces: list[_Piece] = field(default_factory=list)
    lead_in: _Piece | None = None

    @property
    def all(self) -> list[_Piece]:
        return ([self.lead_in] if self.lead_in else []) + self.pieces

    @property
    def words(self) -> int:
        return sum(piece.words for piece in self.all)


def embedding_text(title: str, headings: tuple[str, ...], text: str) -> str:
    """What the embedding model reads for a chunk: its place in the policy, then its text."""
    return "\n".join((" > ".join((title, *headings)), text))


def chunk_document(
    document: Document, fits: Callable[[tuple[str, ...], str], bool] = lambda headings, text: True
) -> list[Chunk]:
    """Cut a document into chunks, in reading order.

    A chunk has up to about FULL_WORDS words and at most MAX_WORDS, lies on at most two pages, and
    passes `fits(headings, text)`, which says whether the embedding model reads it whole. A list or
    table that runs on in the next chunk has its lead-in repeated there.
    """
    chunks: list[Chunk] = []
    draft = _Draft()
    lead_in: _Piece | None = None
    for piece in _pieces(document, fits):
        if draft.pieces and not _belongs(draft, piece, fits):
            chunks.append(_closed(draft))
            draft = _Draft()
            if lead_in and piece.kind in (Kind.ITEM, Kind.ROW):
                draft.lead_in = lead_in
                if not _may_join(draft, piece, fits):
                    draft.lead_in = None
        draft.pieces.append(piece)
        if piece.kind is Kind.HEADING:
            lead_in = None
        elif piece.kind is Kind.TEXT:
            lead_in = piece if piece.words <= _LEAD_IN_WORDS else None
    if draft.pieces:
        chunks.append(_closed(draft))
    return [chunk for chunk in chunks if chunk.text]


def _belongs(draft: _Draft, piece: _Piece, fits: Callable[[tuple[str, ...], str], bool]) -> bool:
    last = draft.pieces[-1]
    if last.kind is Kind.HEADING and piece.kind is not Kind.HEADING:
        return _may_join(draft, piece, fits)
    if piece.kind is Kind.HEADING:
        same_section = piece.headings[:1] == draft.pieces[0].headings[:1]
        return draft.words < _SMALL_WORDS and same_section
    if draft.words + piece.words > FULL_WORDS and draft.words >= _SMALL_WORDS:
        return False
    return _may_join(draft, piece, fits)


def _may_join(draft: _Draft, piece: _Piece, fits: Callable[[tuple[str, ...], str], bool]) -> bool:
    pages = set().union(piece.pages, *(other.pages for other in draft.all))
    if len(pages) > 2 or draft.words + piece.words > MAX_WORDS:
        return False
    text, _ = _joined([*draft.all, piece])
    return fits((draft.pieces or [piece])[0].headings, text)


def _closed(draft: _Draft) -> Chunk:
    pieces = list(draft.all)
    # A heading at the head is in `headings` already; alone it says nothing.
    while pieces and pieces[0].kind is Kind.HEADING:
        pieces.pop(0)
    while pieces and pieces[-1].kind is Kind.HEADING:
        pieces.pop()
    if not pieces:
        return Chunk("", (), (), 0, 0)
    text, page_starts = _joined(pieces)
    first, last = next(p for p in pieces if p is not draft.lead_in), pieces[-1]
    return Chunk(text, first.headings, page_starts, first.start, last.start + len(last.text))


def _joined(pieces: list[_Piece]) -> tuple[str, tuple[PageStart, ...]]:
    text = ""
    starts: list[PageStart] = []
    before: _Piece | None = None
    for piece in pieces:
        if before is not None:
            text += _separator(before, piece)
        for start in piece.page_starts:
            if not starts or starts[-1].page != start.page:
                starts.append(PageStart(len(text) + start.offset, start.page))
        text += piece.text
        before = piece
    return text, tuple(starts)


def _separator(before: _Piece, after: _Piece) -> str:
    in_list = after.kind in (Kind.ITEM, Kind.ROW) and before.kind is not Kind.HEADING
    return "\n" if in_list else "\n\n"


def _pieces(document: Document, fits: Callable[[tuple[str, ...], str], bool]) -> Iterator[_Piece]:
    headings: list[Block] = []
    for block, starts, offset in _blocks(document):
        if block.kind is Kind.HEADING:
            headings = [h for h in headings if h.level < block.level] + [block]
        path = tuple(h.text for h in headings)
        piece = _Piece(block.text, block.kind, path, starts, offset)
        if piece.words <= MAX_WORDS and fits(path, piece.text):
            yield piece
        else:
            yield from _parts(piece, fits)


def _blocks(document: Document) -> list[tuple[Block, tuple[PageStart, ...], int]]:
    """The blocks with the pages that they stand on; one that runs over a page break is whole."""
    blocks: list[tuple[Block, tuple[PageStart, ...], int]] = []
    offset = 0
    for page in document.pages:
        for block in page.blocks:
            if block.continues and blocks and blocks[-1][0].kind in (Kind.TEXT, Kind.ITEM):
                first, starts, at = blocks[-1]
                text = f"{first.text} {block.text}"
                starts = (*starts, PageStart(len(first.text) + 1, page.number))
                blocks[-1] = (Block(text, first.kind, first.level), starts, at)
                offset = at + len(text) + 1
            else:
                blocks.append((block, (PageStart(0, page.number),), offset))
                offset += len(block.text) + 1
    return blocks


def _parts(piece: _Piece, fits: Callable[[tuple[str, ...], str], bool]) -> Iterator[_Piece]:
    """A piece that is too long for a chunk, cut at sentence ends, else between words."""
    start = 0
    ends = [match.start() for match in _SENTENCE_END.finditer(piece.text)] + [len(piece.text)]
    while start < len(piece.text):
        whole = [end for end in ends if end > start and _good(piece, start, end, fits)]
        end = whole[-1] if whole else _last_word_that_fits(piece, start, fits)
        yield _part(piece, start, end)
        start = end + len(piece.text[end:]) - len(piece.text[end:].lstrip())


def _good(
    piece: _Piece, start: int, end: int, fits: Callable[[tuple[str, ...], str], bool]
) -> bool:
    text = piece.text[start:end]
    return len(text.split()) <= FULL_WORDS and fits(piece.headings, text)


def _last_word_that_fits(
    piece: _Piece, start: int, fits: Callable[[tuple[str, ...], str], bool]
) -> int:
    ends = [match.end() for match in re.finditer(r"\S+", piece.text) if match.start() >= start]
    low, high = 1, min(len(ends), FULL_WORDS)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(piece.headings, piece.text[start : ends[middle - 1]]):
            low = middle
        else:
            high = middle - 1
    return ends[low - 1]


def _part(piece: _Piece, start: int, end: int) -> _Piece:
    page = piece.page_starts[0].page
    starts: list[PageStart] = []
    for mark in piece.page_starts:
        if mark.offset <= start:
            page = mark.page
        elif mark.offset < end:
            starts.append(PageStart(mark.offset - start, mark.page))
    return _Piece(
        piece.text[start:end],
        piece.kind,
        piece.headings,
        (PageStart(0, page), *starts),
        piece.start + start,
    )
