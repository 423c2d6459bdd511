"""Source -> link to the page of the PDF: signed, so that a link opens only what it was made for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer

from knowledge.errors import KnowledgeError

_SALT = "policypal.page-link"
_SHA256 = re.compile(r"[0-9a-f]{64}")


class BadLink(KnowledgeError):
    """A page link that was not made here, was changed, or is too old (`expired`)."""

    def __init__(self, expired: bool = False) -> None:
        super().__init__(
            "this link has expired: ask the question again for a new one"
            if expired
            else "this link is not valid: open it from the answer that it came with"
        )
        self.expired = expired


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The PDF with this SHA-256, at physical page `page` (from 1)."""

    sha256: str
    page: int


def page_link(
    base_url: str, secret: str, sha256: str, page: int, source_url: str | None = None
) -> str:
    """A URL that opens the PDF at `page`; the catalog's own `source_url` wins where there is one.

    `base_url` is where the page links are served, with or without a slash at its end.
    """
    if source_url:
        return f"{source_url.partition('#')[0]}#page={page}"
    token = _serializer(secret).dumps([sha256, page])
    return f"{base_url.rstrip('/')}/policies/{token}#page={page}"


def read_link(secret: str, token: str, max_age: int | None = None) -> LinkTarget:
    """What a token of `page_link` opens. `max_age` is in seconds. Raises BadLink."""
    try:
        payload = _serializer(secret).loads(token, max_age=max_age)
    except SignatureExpired:
        raise BadLink(expired=True) from None
    except BadSignature:
        raise BadLink from None
    sha256, page = payload
    return LinkTarget(str(sha256), int(page))


def pdf_path(data: Path, sha256: str) -> Path:
    """Where the index keeps its copy of the PDF with this SHA-256 (64 hex digits)."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"not a SHA-256: {sha256!r}")
    return data / "files" / f"{sha256}.pdf"


def _serializer(secret: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt=_SALT)
