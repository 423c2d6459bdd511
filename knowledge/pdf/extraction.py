"""One PDF file as a Document. Runs in the reader process."""

from __future__ import annotations

import logging
from pathlib import Path

from knowledge.errors import PdfError
from knowledge.pdf.pages import Block, Document, Page


def limit_memory(most: int) -> None:
    """Let this process use at most `most` bytes of address space, where the system can."""
    try:
        import resource
    except ImportError:  # Windows has no such limit; the time limit still holds there.
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def read_document(path: Path) -> Document:
    """Read one PDF in this process. Raises PdfError."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(path)
        pages = tuple(
            Page(n, label, tuple(Block(t) for t in (page.extract_text() or "").split("\n") if t))
            for n, (page, label) in enumerate(
                zip(reader.pages, reader.page_labels, strict=True), start=1
            )
        )
        title = reader.metadata.title if reader.metadata else None
    except PyPdfError as error:
        raise PdfError(path.name, f"is damaged ({error}): save it again as a new PDF") from None
    if not any(page.blocks for page in pages):
        raise PdfError(path.name, "holds no text")
    return Document(title, pages)
