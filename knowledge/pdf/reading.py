"""Reading PDFs in a process of their own, so that no file can hang or break the index."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path

from knowledge.errors import PdfError
from knowledge.pdf.bare_process import BareContext
from knowledge.pdf.pages import Document

MAX_BYTES = 100 * 2**20
"""Larger files are refused unread; policies run to a few megabytes."""
MAX_SECONDS = 180.0
"""A file may take this long; 300 full pages take ten to twenty seconds."""
_MAX_MEMORY = 2 * 2**30


def read_pdf(
    path: Path, *, max_seconds: float = MAX_SECONDS, max_bytes: int = MAX_BYTES
) -> Document:
    """Read one PDF. Raises PdfError where it is no PDF, damaged, locked, empty, huge or slow."""
    [(_, result)] = read_pdfs([path], max_seconds=max_seconds, max_bytes=max_bytes)
    if isinstance(result, PdfError):
        raise result
    return result


def read_pdfs(
    paths: list[Path], *, max_seconds: float = MAX_SECONDS, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[Path, Document | PdfError]]:
    """Read PDFs one after the other, in order; a file that cannot be read gives its PdfError."""
    from pebble import ProcessPool

    from knowledge.pdf.extraction import document_or_problem, limit_memory

    with ProcessPool(
        max_workers=1,
        # A fork would copy the threads and locks of the models that the parent has loaded.
        context=BareContext(),
        initializer=limit_memory,
        initargs=[_MAX_MEMORY],
    ) as pool:
        for path in paths:
            refused = _refused(path, max_bytes)
            if refused is not None:
                yield path, refused
                continue
            future = pool.schedule(document_or_problem, args=[path], timeout=max_seconds)
            yield path, _outcome(path, future, max_seconds)


def _outcome(path: Path, future: Future[Document | str], max_seconds: float) -> Document | PdfError:
    try:
        result = future.result()
    except FutureTimeout:
        return PdfError(
            path.name,
            f"reading it took longer than {max_seconds:g} s: it is damaged or far too complex; "
            "save it again as a new PDF",
        )
    except (BrokenExecutor, MemoryError, OSError):
        return PdfError(
            path.name,
            "reading it needs too much memory or ends the reader: save it again as a new PDF",
        )
    return PdfError(path.name, result) if isinstance(result, str) else result


def _refused(path: Path, max_bytes: int) -> PdfError | None:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        return PdfError(path.name, f"cannot be opened ({error.strerror}): check the file")
    if size > max_bytes:
        return PdfError(
            path.name,
            f"has {size / 2**20:.0f} MB, more than the {max_bytes / 2**20:.0f} MB allowed: "
            "save it with smaller images",
        )
    if size == 0:
        return PdfError(path.name, "is empty: replace it with the real PDF")
    if b"%PDF-" not in head:
        return PdfError(path.name, "is not a PDF: save or export the document as PDF")
    return None
