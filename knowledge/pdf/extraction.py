"""One PDF file as a Document. Runs in the reader process."""

from __future__ import annotations

import logging
import struct
import zlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from knowledge.errors import PdfError
from knowledge.pdf.blocks import Former, Style, outline_key, page_blocks, runs_on
from knowledge.pdf.columns import reading_order
from knowledge.pdf.content import Drawing, draw
from knowledge.pdf.furniture import Layout, without_furniture, without_running_rules
from knowledge.pdf.hyphens import Hyphens
from knowledge.pdf.lines import lines_and_tables
from knowledge.pdf.pages import Document, Page
from knowledge.pdf.suspicion import text_problem
from knowledge.pdf.tables import ruled_tables
from knowledge.pdf.words import Fragment, fragments

MAX_PAGES = 2000
_NOT_QUOTED = "so it is not quoted"
_NO_TEXT = f"holds no text, {_NOT_QUOTED}: scan it with text recognition (OCR)"
_AGAIN = "save or export it again as a new PDF"
_DAMAGE = (
    PyPdfError, ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError,
    TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
"""What pypdf meets a damaged page, outline or label with."""


def limit_memory(most: int) -> None:
    """Let this process use at most `most` bytes of address space, where the system can."""
    try:
        import resource
    except ImportError:  # Windows has no such limit; the time limit still holds there.
        return
    # macOS refuses this limit, and a lower one may be set already; the time limit holds there too.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def document_or_problem(path: Path) -> Document | str:
    """Read one PDF; what goes wrong comes back as words, for errors do not cross processes."""
    try:
        return read_document(path)
    except PdfError as error:
        return error.problem


def read_document(path: Path) -> Document:
    """Read one PDF in this process. Raises PdfError."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        return _document(path)
    except PdfError:
        raise
    except FileNotDecryptedError:
        raise PdfError(path.name, "is locked with a password: save a copy without one") from None
    except DependencyError as error:
        raise PdfError(path.name, f"cannot be decrypted here ({error})") from None
    except MemoryError:
        raise PdfError(path.name, f"needs too much memory: {_AGAIN}") from None
    except Exception as error:
        # pypdf meets damage with most any error there is.
        raise PdfError(path.name, f"is damaged ({_reason(error)}): {_AGAIN}") from error


def _document(path: Path) -> Document:
    reader = PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        raise FileNotDecryptedError
    count = len(reader.pages)
    if count == 0:
        raise PdfError(path.name, f"holds no pages: {_AGAIN}")
    if count > MAX_PAGES:
        raise PdfError(path.name, f"has {count} pages, more than {MAX_PAGES}: split it")
    layouts: list[Layout] = []
    in_tables: list[str | None] = []
    drawings = [_drawing(page) for page in reader.pages]
    if all(drawing.problem for drawing in drawings):
        raise PdfError(path.name, f"{drawings[0].problem}: {_AGAIN}")
    for drawing, rules in zip(drawings, without_running_rules(drawings), strict=True):
        loose = fragments(drawing.glyphs, rules)
        tables, rest = ruled_tables(loose, rules)
        layouts.append(Layout(drawing.width, drawing.height, rest, tables))
        in_tables.append(_fragment_problem([f for f in loose if f not in rest]))
    layouts = without_furniture(layouts)
    problems = [
        _page_problem(drawing) or problem or _fragment_problem(layout.fragments)
        for drawing, problem, layout in zip(drawings, in_tables, layouts, strict=True)
    ]
    pages = _pages(layouts, problems, _labels(reader, count), _outline(reader))
    if not any(page.blocks or page.problem != _NO_TEXT for page in pages):
        raise PdfError(path.name, "holds no text on any page: scan it with text recognition (OCR)")
    return Document(_title(reader), tuple(pages))


def _drawing(page: PageObject) -> Drawing:
    try:
        return draw(page)
    except _DAMAGE as error:
        # One damaged page leaves the others their words.
        return Drawing(0.0, 0.0, problem=f"is damaged ({_reason(error)})")


def _page_problem(drawing: Drawing) -> str | None:
    return f"{drawing.problem}, {_NOT_QUOTED}: {_AGAIN}" if drawing.problem else None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


def _pages(
    layouts: list[Layout], problems: list[str | None], labels: list[str], outline: dict[str, int]
) -> list[Page]:
    everything = [f for layout in layouts for f in layout.fragments]
    cells = (
        cell.text for layout in layouts for t in layout.tables for row in t.rows for cell in row
    )
    hyphens = Hyphens([*(f.text for f in everything), *cells])
    style = Style(_body_size(everything), outline)
    former = Former()
    pages: list[Page] = []
    for number, (layout, problem, label) in enumerate(
        zip(layouts, problems, labels, strict=True), start=1
    ):
        columns = [
            lines_and_tables(column)
            for column in reading_order([*layout.fragments, *layout.tables])
        ]
        blocks = page_blocks(columns, style, hyphens, former)
        text = "\n".join(block.text for block in blocks)
        problem = problem or (text_problem(text) if blocks else None)
        if not blocks and not problem and not any(columns):
            problem = _NO_TEXT
        pages.append(Page(number, label, () if problem else tuple(blocks), problem))
    return _with_breaks_mended(pages, hyphens)


def _with_breaks_mended(pages: list[Page], hyphens: Hyphens) -> list[Page]:
    """Mark the blocks that go on from the page before; a word cut by the break goes before it."""
    mended = list(pages)
    for at in range(1, len(mended)):
        before, after = mended[at - 1], mended[at]
        if not before.blocks or not after.blocks:
            continue
        last, first = before.blocks[-1], after.blocks[0]
        if not runs_on(last, first):
            continue
        head, _, tail = first.text.partition(" ")
        if last.text[-1:] in "-\u00ad\u2010" and tail:
            last = replace(last, text=hyphens.join(last.text, head))
            first = replace(first, text=tail)
        mended[at - 1] = replace(before, blocks=(*before.blocks[:-1], last))
        mended[at] = replace(after, blocks=(replace(first, continues=True), *after.blocks[1:]))
    return mended


def _fragment_problem(loose: list[Fragment]) -> str | None:
    return next((fragment.problem for fragment in loose if fragment.problem), None)


def _body_size(everything: list[Fragment]) -> float:
    sizes: dict[float, int] = {}
    for fragment in everything:
        sizes[fragment.size] = sizes.get(fragment.size, 0) + len(fragment.text)
    return max(sizes, key=lambda size: sizes[size], default=10.0)


def _labels(reader: PdfReader, count: int) -> list[str]:
    try:
        labels = list(reader.page_labels)
    except _DAMAGE:
        labels = []
    return labels if len(labels) == count else [str(n + 1) for n in range(count)]


def _outline(reader: PdfReader) -> dict[str, int]:
    titles: dict[str, int] = {}

    def walk(items: list[Any], level: int) -> None:
        for item in items:
            if isinstance(item, list):
                walk(item, level + 1)
            elif key := outline_key(str(getattr(item, "title", "") or "")):
                titles.setdefault(key, level)

    try:
        walk(list(reader.outline), 1)
    except _DAMAGE:
        return {}
    return titles


def _title(reader: PdfReader) -> str | None:
    title = reader.metadata.title if reader.metadata else None
    words = str(title or "").encode("utf-8", "ignore").decode("utf-8").split()
    return " ".join(words) or None
