"""`catalog.yml` as a Catalog. Each error is one line: where, what is wrong, what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from knowledge.catalog import Catalog, Version
from knowledge.countries import parse_country
from knowledge.errors import CatalogError, UnknownCountry
from knowledge.sources import GLOBAL

CATALOG_FILE = "catalog.yml"
DEFAULT_TIMEZONE = "UTC"
_NEARLY_CATALOG = re.compile(r"catalog(?:ue)?\.(?:ya?ml(?:\.txt)?|json|txt)", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9][a-z0-9._-]*")


class _Constructor(RoundTripConstructor):
    """Leaves days as text, so that one that does not exist is reported with its line."""


_Constructor.add_constructor("tag:yaml.org,2002:timestamp", RoundTripConstructor.construct_scalar)


@dataclass(frozen=True, slots=True)
class _Row:
    """A mapping of the file with the line that it starts on; every look-up checks and names it."""

    file: str
    line: int
    values: Mapping[str, Any]
    what: str

    def problem(self, problem: str, key: str | None = None) -> CatalogError:
        return CatalogError(self.file, self.line_of(key), problem)

    def line_of(self, key: str | None) -> int:
        if key is not None and isinstance(self.values, CommentedMap) and key in self.values:
            return int(self.values.lc.key(key)[0]) + 1
        return self.line

    def check_keys(self, known: tuple[str, ...]) -> None:
        for key in self.values:
            if key not in known:
                raise self.problem(
                    f"unknown key {key!r} in {self.what}: use {', '.join(known)}", key
                )

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self.problem(f"{key} must be text, not {_shown(value)}: put it in quotes", key)
        return " ".join(value.split())

    def needed_text(self, key: str) -> str:
        value = self.text(key)
        if value is None:
            raise self.problem(f"{self.what} has no {key}: add one")
        return value

    def day(self, key: str) -> date | None:
        value = self.values.get(key)
        if value is None:
            return None
        try:
            return date.fromisoformat(str(value).strip())
        except ValueError:
            raise self.problem(
                f"{key} is {_shown(value)}: write a day that exists as YYYY-MM-DD", key
            ) from None

    def rows(self, key: str, what: str) -> list[_Row]:
        value = self.values.get(key)
        if not isinstance(value, CommentedSeq) or not value:
            raise self.problem(f"{self.what} has no {key}: list at least one under `{key}:`", key)
        rows = []
        for position, item in enumerate(value):
            line = int(value.lc.item(position)[0]) + 1
            if not isinstance(item, CommentedMap):
                raise CatalogError(
                    self.file, line, f"{_shown(item)} is no {what}: write its keys under a dash"
                )
            rows.append(_Row(self.file, line, item, what))
        return rows


def find_catalog_file(folder: Path) -> Path | None:
    """The catalog of a policies folder, None where it has none.

    Raises CatalogError for one under a name that is nearly right: without its catalog, versions
    that have ended would be in force again.
    """
    names = [path.name for path in folder.iterdir()]
    if CATALOG_FILE in names:
        return folder / CATALOG_FILE
    for name in sorted(names):
        if _NEARLY_CATALOG.fullmatch(name):
            raise CatalogError(name, None, f"is not read under this name: call it {CATALOG_FILE}")
    return None


def read_catalog_file(path: Path) -> Catalog:
    """Read and check one `catalog.yml`. Raises CatalogError."""
    top = _parsed(path)
    top.check_keys(("timezone", "policies"))
    versions: list[Version] = []
    lines: dict[str, int] = {}
    for row in top.rows("policies", "policy"):
        row.check_keys(("id", "title", "owner", "versions"))
        policy = _policy_id(row)
        if policy in lines:
            raise row.problem(
                f"the id {policy!r} is taken by the policy on line {lines[policy]}: "
                "give each policy an id of its own",
                "id",
            )
        lines[policy] = row.line
        versions.extend(_versions(row, policy))
    return Catalog(_timezone(top), tuple(versions))


def catalog_of_pdfs(folder: Path) -> Catalog:
    """Each PDF directly in `folder` as a policy of its own: global and in force.

    The title is the file's name in words; the index puts the PDF's own title in its place.
    """
    versions = []
    taken: set[str] = set()
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() != ".pdf" or path.is_dir() or path.name.startswith("."):
            continue
        policy = base = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "policy"
        number = 2
        while policy in taken:
            policy, number = f"{base}-{number}", number + 1
        taken.add(policy)
        title = " ".join(re.split(r"[\s_-]+", printable(path.stem))).strip() or path.stem
        versions.append(Version(policy, title[:1].upper() + title[1:], path.name))
    return Catalog(DEFAULT_TIMEZONE, tuple(versions), titled=False)


def printable(name: str) -> str:
    """A file's name as it can be shown: bytes of it that are not UTF-8 become question marks."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _parsed(path: Path) -> _Row:
    yaml = YAML(typ="rt", pure=True)
    yaml.Constructor = _Constructor
    try:
        loaded = yaml.load(StringIO(path.read_text(encoding="utf-8-sig")))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if "simple key" in (error.context or ""):
            mark = error.context_mark
        line = mark.line + 1 if mark else None
        problem = " ".join((error.problem or "not valid YAML").split())
        raise CatalogError(
            path.name, line, f"{problem}: check the spaces, colons and quotes there"
        ) from None
    except (YAMLError, UnicodeDecodeError, ValueError, OSError) as error:
        problem = " ".join(str(error).split())
        raise CatalogError(
            path.name, None, f"cannot be read ({problem}): save it as UTF-8 YAML"
        ) from None
    if not isinstance(loaded, CommentedMap):
        raise CatalogError(path.name, 1, "holds no keys: write `timezone:` and `policies:`")
    return _Row(path.name, 1, loaded, "the catalog")


def _timezone(top: _Row) -> str:
    name = top.text("timezone") or DEFAULT_TIMEZONE
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise top.problem(
            f"unknown timezone {name!r}: use an IANA name such as Europe/London", "timezone"
        ) from None
    return name


def _policy_id(row: _Row) -> str:
    policy = row.needed_text("id")
    if not _ID.fullmatch(policy):
        raise row.problem(
            f"the id {policy!r} may hold only small letters, digits, '-', '_' and '.': change it",
            "id",
        )
    return policy


def _versions(row: _Row, policy: str) -> list[Version]:
    title, owner = row.needed_text("title"), row.text("owner")
    versions: list[Version] = []
    lines: list[int] = []
    for entry in row.rows("versions", "version"):
        entry.check_keys(("file", "effective_from", "effective_to", "scope", "source_url"))
        start, end = entry.day("effective_from"), entry.day("effective_to")
        if start and end and end < start:
            raise entry.problem(
                f"effective_to {end} lies before effective_from {start}: swap or correct them",
                "effective_to",
            )
        version = Version(
            policy=policy,
            title=title,
            file=_file(entry),
            effective_from=start,
            effective_to=end,
            scope=_scope(entry),
            owner=owner,
            source_url=_source_url(entry),
        )
        _check_repeated(entry, version, versions, lines)
        versions.append(version)
        lines.append(entry.line)
    return versions


def _check_repeated(entry: _Row, version: Version, others: list[Version], lines: list[int]) -> None:
    for other, line in zip(others, lines, strict=True):
        same_readers = (
            set(version.scope) & set(other.scope)
            if version.scope and other.scope
            else version.scope == other.scope
        )
        if same_readers and version.effective_from == other.effective_from:
            raise entry.problem(
                f"starts on the same day for the same readers as the version on line {line}: "
                "change effective_from or scope, or remove one",
                "effective_from",
            )


def _file(entry: _Row) -> str:
    name = entry.needed_text("file").replace("\\", "/")
    if not name.isprintable():
        raise entry.problem(f"the file {name!r} is no file name: write it as it is shown", "file")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", name):
        raise entry.problem(
            f"the file {name!r} lies outside the policies folder: move it into the folder", "file"
        )
    return path.as_posix()


def _scope(entry: _Row) -> tuple[str, ...]:
    value = entry.values.get("scope", "global")
    if isinstance(value, str) and value.strip().lower() == "global":
        return GLOBAL
    if not isinstance(value, CommentedSeq) or not value:
        raise entry.problem(
            f"scope is {_shown(value)}: write `global` or a list of country codes such as [IN]",
            "scope",
        )
    codes = []
    for item in value:
        try:
            code = parse_country(str(item))
        except UnknownCountry as error:
            raise entry.problem(f"scope: {error}", "scope") from None
        if code not in codes:
            codes.append(code)
    return tuple(codes)


def _source_url(entry: _Row) -> str | None:
    url = entry.text("source_url")
    if url is not None and not re.match(r"https?://\S+$", url):
        raise entry.problem(
            f"source_url is {_shown(url)}: write a web address that starts with https://",
            "source_url",
        )
    return url


def _shown(value: object) -> str:
    text = " ".join(str(value).split())
    return repr(text if len(text) <= 60 else text[:57] + "...")
