"""Input files of the commands: JSON Lines and JSON, with the line named where one is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.errors import UsageError

_NAMES = {str: "text", bool: "true or false", list: "a list", dict: "an object"}


def read_text(path: Path) -> str:
    """The text of a file in UTF-8. Raises UsageError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{path}: is a folder, not a file") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None


def read_json_lines(path: Path, required: Mapping[str, type]) -> list[tuple[str, dict[str, Any]]]:
    """Each row with where it stands ("FILE, line 3"), without keys whose value is null.

    Blank lines are skipped. Raises UsageError for a line that is no object or lacks a key.
    """
    rows = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            rows.append((where, checked_row(where, _parse(where, line), required)))
    if not rows:
        raise UsageError(f"{path}: holds no rows")
    return rows


def read_json_list(path: Path, required: Mapping[str, type]) -> list[tuple[str, dict[str, Any]]]:
    """The same for a file that holds one JSON list of objects ("FILE, item 2")."""
    items = _parse(str(path), read_text(path))
    if not isinstance(items, list):
        raise UsageError(f"{path}: must hold a JSON list of objects")
    places = [f"{path}, item {number}" for number in range(1, len(items) + 1)]
    return [
        (where, checked_row(where, item, required))
        for where, item in zip(places, items, strict=True)
    ]


def checked_row(where: str, row: Any, required: Mapping[str, type]) -> dict[str, Any]:
    """`row` without nulls. Raises UsageError unless it is an object with the `required` keys."""
    if not isinstance(row, dict):
        raise UsageError(f"{where}: must be a JSON object")
    held = {key: value for key, value in row.items() if value is not None}
    for key, kind in required.items():
        if key not in held:
            raise UsageError(f"{where}: lacks {key!r}")
        if not isinstance(held[key], kind):
            raise UsageError(f"{where}: {key!r} must be {_NAMES[kind]}")
    return held


def _parse(where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        raise UsageError(f"{where}: is not JSON ({error.msg}, {place})") from None
