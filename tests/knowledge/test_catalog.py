"""`catalog.yml`: what it means, and one clear line for each mistake in it."""

from __future__ import annotations

import errno
from datetime import date
from pathlib import Path

import pytest
from freezegun import freeze_time

from knowledge.catalog import Catalog, Version, load_catalog
from knowledge.errors import CatalogError, KnowledgeError
from knowledge.sources import GLOBAL

GOOD = """\
timezone: Asia/Kolkata
policies:
  - id: travel
    title: Travel policy
    owner: Finance
    versions:
      - file: old/travel-2025.pdf
        effective_from: 2025-01-01
        effective_to: 2026-03-31
        scope: global
      - file: travel-in.pdf
        effective_from: 2026-04-01
        scope: [IN, uk]
        source_url: https://intranet.example/travel.pdf
"""


def write(folder: Path, text: str) -> Path:
    (folder / "catalog.yml").write_text(text, encoding="utf-8")
    return folder


def test_a_catalog_is_read(tmp_path: Path) -> None:
    catalog = load_catalog(write(tmp_path, GOOD))
    first, second = catalog.versions
    assert catalog.timezone == "Asia/Kolkata"
    assert first == Version(
        "travel", "Travel policy", "old/travel-2025.pdf",
        date(2025, 1, 1), date(2026, 3, 31), GLOBAL, "Finance",
    )  # fmt: skip
    assert second.scope == ("IN", "GB")
    assert second.source_url == "https://intranet.example/travel.pdf"


@pytest.mark.parametrize(
    ("day", "holds"),
    [
        (date(2024, 12, 31), False), (date(2025, 1, 1), True),
        (date(2026, 3, 31), True), (date(2026, 4, 1), False),
    ],
)  # fmt: skip
def test_both_end_days_belong_to_a_version(tmp_path: Path, day: date, holds: bool) -> None:
    version = load_catalog(write(tmp_path, GOOD)).versions[0]
    assert version.in_force(day) is holds


@freeze_time("2026-03-31 20:00:00")
def test_the_day_changes_at_midnight_in_the_catalogs_zone() -> None:
    assert Catalog("Asia/Kolkata", ()).today() == date(2026, 4, 1)
    assert Catalog("Europe/London", ()).today() == date(2026, 3, 31)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("Asia/Kolkata", "Asia/Atlantis", 1, "unknown timezone 'Asia/Atlantis'"),
        ("    owner: Finance", "    ownr: Finance", 5, "unknown key 'ownr'"),
        ("    title: Travel policy\n", "", 3, "policy has no title"),
        ("Travel policy", "2026", 4, "title must be text"),
        ("id: travel", "id: Travel Policy", 3, "small letters"),
        ("2025-01-01", "2025-02-30", 8, "a day that exists"),
        ("2025-01-01", "soon", 8, "a day that exists"),
        ("2026-03-31", "2024-03-31", 9, "lies before effective_from"),
        ("scope: global", "scope: everyone", 10, "write `global` or a list"),
        ("scope: global", "scope: []", 10, "write `global` or a list"),
        ("[IN, uk]", "[IN, XX]", 13, "unknown country 'XX'"),
        ("travel-in.pdf", "../travel-in.pdf", 11, "outside the policies folder"),
        ("travel-in.pdf", "/srv/travel-in.pdf", 11, "outside the policies folder"),
        ("travel-in.pdf", "C:\\\\travel-in.pdf", 11, "outside the policies folder"),
        ("travel-in.pdf", '"a\\0.pdf"', 11, "is no file name"),
        ("https://intranet", "javascript://intranet", 14, "a web address"),
        ("    title: Travel policy", "    title Travel policy", 4, "check the spaces"),
        ("        scope: global\n", 2 * "        scope: global\n", 11, "duplicate"),
        ("scope: [IN, uk]", "scope: global\n        effective_to:", 13, ""),
    ],
)  # fmt: skip
def test_each_mistake_is_one_line_with_its_number(
    tmp_path: Path, old: str, new: str, line: int, says: str
) -> None:
    assert old in GOOD
    folder = write(tmp_path, GOOD.replace(old, new, 1))
    if not says:
        load_catalog(folder)
        return
    with pytest.raises(CatalogError, match=r"catalog\.yml") as caught:
        load_catalog(folder)
    assert caught.value.line == line
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_id_that_is_taken_names_both_lines(tmp_path: Path) -> None:
    again = "  - id: travel\n    title: T\n    versions:\n      - file: b.pdf\n"
    with pytest.raises(CatalogError, match=r"line 15: .* taken by the policy on line 3"):
        load_catalog(write(tmp_path, GOOD + again))


def test_two_versions_that_start_together_for_the_same_readers_are_a_mistake(
    tmp_path: Path,
) -> None:
    same = "      - file: c.pdf\n        effective_from: 2026-04-01\n        scope: [DE, IN]\n"
    with pytest.raises(CatalogError, match=r"line 16: starts on the same day .* line 11"):
        load_catalog(write(tmp_path, GOOD + same))


@pytest.mark.parametrize(
    "text", ["", "- a\n- b\n", "policies:\n", "policies: {}\n", "policies: 3\n"]
)
def test_a_catalog_that_says_nothing_is_a_mistake(tmp_path: Path, text: str) -> None:
    with pytest.raises(CatalogError):
        load_catalog(write(tmp_path, text))


def test_a_catalog_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "catalog.yml").write_bytes(b"\xff\xfe\x00policies")
    with pytest.raises(CatalogError, match="save it as UTF-8"):
        load_catalog(tmp_path)


@pytest.mark.parametrize(
    "name", ["catalog.yaml", "Catalog.yml", "catalogue.yml", "catalog.yml.txt"]
)
def test_a_catalog_under_another_name_is_never_passed_over(tmp_path: Path, name: str) -> None:
    (tmp_path / "travel.pdf").write_bytes(b"%PDF-")
    (tmp_path / name).write_text(GOOD, encoding="utf-8")
    with pytest.raises(CatalogError, match=f"^{name}: .* call it catalog.yml$"):
        load_catalog(tmp_path)


def test_a_catalog_that_is_a_folder_or_a_link_to_nothing_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "catalog.yml").symlink_to(tmp_path / "gone.yml")
    with pytest.raises(CatalogError, match=r"catalog\.yml: cannot be read"):
        load_catalog(tmp_path)


def test_norway_in_a_list_is_norway(tmp_path: Path) -> None:
    assert load_catalog(write(tmp_path, GOOD.replace("uk]", "NO]"))).versions[1].scope[1] == "NO"


def test_without_a_catalog_each_pdf_is_a_global_policy_in_force(tmp_path: Path) -> None:
    for name in ("Travel & trips 2026.pdf", "leave_rules.PDF", "notes.txt", ".hidden.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-")
    catalog = load_catalog(tmp_path)
    assert not catalog.titled
    assert [(v.policy, v.title, v.file, v.scope) for v in catalog.versions] == [
        ("travel-trips-2026", "Travel & trips 2026", "Travel & trips 2026.pdf", GLOBAL),
        ("leave-rules", "Leave rules", "leave_rules.PDF", GLOBAL),
    ]
    assert all(version.in_force(date(1999, 1, 1)) for version in catalog.versions)


def test_a_folder_that_cannot_be_read_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(KnowledgeError, match=r"cannot be read \(Permission denied\)"):
        load_catalog(tmp_path)


def test_a_missing_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"no folder .*nowhere"):
        load_catalog(tmp_path / "nowhere")
