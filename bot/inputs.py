"""Values and files that the commands are given, read strictly."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import UsageError
from bot.rows import read_json_lines, read_json_list
from knowledge.errors import UnknownCountry
from knowledge.sources import Source

if TYPE_CHECKING:
    from grounding.evaluation import Row

T = TypeVar("T")
_LABELS = ("supported", "unsupported")
_EVERYBODY = "global"


def read_country(text: str | None) -> str | None:
    """The ISO code of a country given by code or name. Raises UnknownCountry."""
    from knowledge.countries import parse_country

    return None if text is None else parse_country(text)


def read_day(text: str | None) -> date | None:
    """A day written like 2026-04-01. Raises UsageError."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a date; write it like 2026-04-01") from None


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Labelled pairs, one a line. Raises UsageError naming the line."""
    rows = read_json_lines(path, {"premise": str, "hypothesis": str, "label": str})
    for where, row in rows:
        if row["label"] not in _LABELS:
            raise UsageError(f"{where}: 'label' must be {' or '.join(_LABELS)}")
    return [row for _, row in rows]


def read_questions(path: Path) -> list[Row]:
    """A question set, one row a line. Raises UsageError naming the line."""
    from grounding.evaluation import Row

    required = {"id": str, "question": str, "answerable": bool}
    return [
        Row(
            id=row["id"],
            question=row["question"],
            answerable=row["answerable"],
            previous=_text(where, row, "previous"),
            file=_text(where, row, "file"),
            pages=_pages(where, row.get("pages", [])),
            country=_at(where, read_country, _text(where, row, "country")),
            on=_at(where, read_day, _text(where, row, "on")),
            key=_key(where, row.get("key", [])),
            kind=_text(where, row, "kind"),
        )
        for where, row in read_json_lines(path, required)
    ]


def read_sources(path: Path) -> list[Source]:
    """The sources of an answer, numbered from 1. Raises UsageError naming the item."""
    return [
        Source(
            n=n,
            text=row["text"],
            title=_text(where, row, "title") or "",
            scope=_scope(where, row.get("scope", _EVERYBODY)),
            effective_from=_at(where, read_day, _text(where, row, "effective_from")),
            effective_to=_at(where, read_day, _text(where, row, "effective_to")),
        )
        for n, (where, row) in enumerate(read_json_list(path, {"text": str}), 1)
    ]


def _text(where: str, row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{where}: {key!r} must be text")
    return value


def _pages(where: str, pages: Any) -> tuple[int, ...]:
    if not isinstance(pages, list) or not all(type(page) is int and page > 0 for page in pages):
        raise UsageError(f"{where}: 'pages' must be a list of page numbers from 1")
    return tuple(pages)


def _key(where: str, key: Any) -> tuple[str, ...]:
    parts = [key] if isinstance(key, str) else key
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise UsageError(f"{where}: 'key' must be text or a list of texts")
    return tuple(parts)


def _scope(where: str, scope: Any) -> tuple[str, ...]:
    names = [scope] if isinstance(scope, str) else scope
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{where}: 'scope' must be {_EVERYBODY!r} or a list of countries")
    codes = [_at(where, read_country, name) for name in names if name != _EVERYBODY]
    return tuple(code for code in codes if code)


def _at(where: str, read: Callable[[str | None], T], text: str | None) -> T:
    try:
        return read(text)
    except (UsageError, UnknownCountry) as error:
        raise UsageError(f"{where}: {error}") from None
