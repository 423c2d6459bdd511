"""Building: what is read, taken over, removed, refused; what stays when something fails."""

from __future__ import annotations

import errno
import os
import string
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from pypdf import PdfReader, PdfWriter

from knowledge.embedding import Embedder
from knowledge.errors import CatalogError, IndexUnavailable, KnowledgeError
from knowledge.index import FileProblem, build_index, open_index
from knowledge.links import pdf_path
from knowledge.retrieval import Retrieval, retrieve
from tests.knowledge.drawing import draw_policy, draw_streams, placed
from tests.knowledge.shelf import LEAVE, TRAVEL, draw_shelf, write_catalog


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    return draw_shelf(tmp_path / "policies")


def ask(data: Path, embedder: Embedder, question: str) -> Retrieval:
    return retrieve(open_index(data, embedder), question, country=None)


def files(found: Retrieval) -> set[str]:
    return {source.file for source in found.sources}


def kept_pdfs(data: Path) -> set[str]:
    return {path.stem for path in (data / "files").iterdir()}


def test_a_folder_of_pdfs_is_indexed_and_found(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    steps: list[tuple[str, int, int]] = []
    report = build_index(policies, data, embedder, lambda *step: steps.append(step))
    assert (report.indexed, report.unchanged, report.removed) == (2, 0, 0)
    assert (report.failed, report.warnings, report.pages, report.chunks) == ((), (), 2, 2)
    assert steps == [("leave.pdf", 1, 2), ("travel.pdf", 2, 2), ("chunks", 2, 2)]
    best = ask(data, embedder, "how much holiday do I get?").sources[0]
    assert (best.title, best.pages, best.headings) == (
        "Annual leave policy", [1], ("1. Annual leave",)
    )  # fmt: skip
    assert pdf_path(data, best.sha256).read_bytes() == (policies / "leave.pdf").read_bytes()


def test_the_record_says_where_it_came_from(policies: Path, data: Path, embedder: Embedder) -> None:
    build_index(policies, data, embedder)
    record = open_index(data, embedder).generation
    assert record.policies == str(policies.resolve())
    assert record.embedding_model == embedder.name
    assert record.built_at.tzinfo is not None


class CountingEmbedder(Embedder):
    """The built-in model, which notes how many texts it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        self.read += texts
        return super().encode(texts)


def test_files_that_did_not_change_are_neither_read_nor_embedded_again(
    policies: Path, data: Path
) -> None:
    counting = CountingEmbedder()
    build_index(policies, data, counting)
    counting.read.clear()
    draw_policy(policies / "travel.pdf", [*TRAVEL, "1.3 Hotels are booked online."], title="Trips")
    report = build_index(policies, data, counting)
    assert (report.indexed, report.unchanged, report.removed) == (1, 1, 0)
    assert len(counting.read) == 1
    assert "Hotels" in counting.read[0]


def test_new_dates_scope_and_title_are_taken_up_without_a_new_file(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    write_catalog(policies, ("leave", "leave.pdf", "scope: global"))
    build_index(policies, data, embedder)
    text = (policies / "catalog.yml").read_text(encoding="utf-8")
    text = text.replace("title: Leave policy", "title: Time off").replace(
        "scope: global", "scope: [DE]\n        effective_from: 2020-05-01"
    )
    (policies / "catalog.yml").write_text(text, encoding="utf-8")
    report = build_index(policies, data, embedder)
    assert (report.indexed, report.unchanged) == (0, 1)
    [version] = open_index(data, embedder).catalog.versions
    assert (version.title, version.scope, str(version.effective_from)) == (
        "Time off", ("DE",), "2020-05-01"
    )  # fmt: skip
    assert ask(data, embedder, "annual leave").sources == ()


def test_a_removed_policy_is_gone_with_its_pdf(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    build_index(policies, data, embedder)
    (policies / "travel.pdf").unlink()
    report = build_index(policies, data, embedder)
    assert (report.removed, report.chunks) == (1, 1)
    found = ask(data, embedder, "which class for long flights?")
    assert files(found) == {"leave.pdf"}
    assert kept_pdfs(data) == {source.sha256 for source in found.sources}


def test_only_two_generations_are_kept(policies: Path, data: Path, embedder: Embedder) -> None:
    for _ in range(4):
        build_index(policies, data, embedder)
    folders = [path for path in (data / "index").iterdir() if path.is_dir()]
    assert len(folders) == 2


def test_each_bad_file_is_one_line_and_the_others_are_indexed(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    locked = PdfWriter(clone_from=PdfReader(policies / "travel.pdf"))
    locked.encrypt("tide", "owner")
    locked.write(policies / "locked.pdf")
    draw_streams(policies / "scan.pdf", "0 0 50 50 re f")
    (policies / "form.pdf").write_bytes(b"PK\x03\x04")
    names = ("leave", "locked", "scan", "form", "gone")
    write_catalog(policies, *((name, f"{name}.pdf", "") for name in names))
    report = build_index(policies, data, embedder)
    assert report.indexed == 1
    assert [problem.file for problem in report.failed] == [f"{name}.pdf" for name in names[1:]]
    for problem, word in zip(
        report.failed, ("password", "text", "not a PDF", "no such file"), strict=True
    ):
        assert word in problem.problem
        assert "\n" not in problem.problem


def test_pages_that_are_not_quoted_are_named_and_named_again_next_time(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    draw_streams(policies / "mixed.pdf", placed((60, 700, "Pets stay at home.")), "0 0 9 9 re f")
    for _ in range(2):
        [warning] = build_index(policies, data, embedder).warnings
        assert (warning.file, warning.page) == ("mixed.pdf", 2)
        assert "no text" in warning.problem


def test_a_file_that_became_unreadable_leaves_its_last_good_copy_in_force(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    build_index(policies, data, embedder)
    (policies / "leave.pdf").write_bytes(b"%PDF-1.7 half a fi")
    for _ in range(2):
        report = build_index(policies, data, embedder)
        [problem] = report.failed
        assert problem.file == "leave.pdf"
        assert problem.problem.endswith("(the last good copy stays in force)")
        assert (report.indexed, report.unchanged, report.removed) == (0, 1, 0)
        best = ask(data, embedder, "how much holiday do I get?").sources[0]
        assert pdf_path(data, best.sha256).is_file()


def test_a_file_that_cannot_be_opened_leaves_its_last_good_copy_in_force(
    policies: Path, data: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(policies, data, embedder)

    def refuse(path: Path) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("knowledge.policy_files._sha256", refuse)
    report = build_index(policies, data, embedder)
    assert [problem.file for problem in report.failed] == ["leave.pdf", "travel.pdf"]
    assert all("Permission denied" in problem.problem for problem in report.failed)
    assert files(ask(data, embedder, "holiday")) == {"leave.pdf", "travel.pdf"}


def test_only_files_of_the_folder_are_read(
    tmp_path: Path, policies: Path, data: Path, embedder: Embedder
) -> None:
    secret = draw_policy(tmp_path / "board.pdf", ["1.1 The board meets in secret."])
    (policies / "linked.pdf").symlink_to(secret)
    (policies / "lost.pdf").symlink_to(tmp_path / "nowhere.pdf")
    (policies / "within.pdf").symlink_to(policies / "leave.pdf")
    os.mkfifo(policies / "pipe.pdf")
    report = build_index(policies, data, embedder)
    assert [problem.file for problem in report.failed] == ["linked.pdf", "lost.pdf", "pipe.pdf"]
    for problem, said in zip(
        report.failed, ("leads out of", "no such file", "is not a file"), strict=True
    ):
        assert said in problem.problem
    assert files(ask(data, embedder, "holiday")) >= {"leave.pdf", "within.pdf"}


def test_a_file_name_that_is_no_text_is_one_line_and_the_others_are_indexed(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    try:
        (policies / "leave.pdf").rename(policies / os.fsdecode(b"M\xfcller.pdf"))
    except OSError:
        pytest.skip("this system keeps no such names")
    report = build_index(policies, data, embedder)
    assert report.indexed == 1
    [problem] = report.failed
    assert problem.file == "M?ller.pdf"
    assert "not UTF-8" in problem.problem


def test_policies_in_subfolders_are_not_passed_over_in_silence(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    draw_policy(policies / "old" / "2019" / "travel.pdf", TRAVEL)
    draw_policy(policies / ".trash" / "pets.pdf", ["1.1 Dogs stay at home."])
    (policies / "pictures").mkdir()
    report = build_index(policies, data, embedder)
    assert report.indexed == 2
    [problem] = report.failed
    assert problem.file == "old"
    assert "its PDFs are not indexed" in problem.problem
    write_catalog(policies, ("leave", "leave.pdf", ""))
    assert build_index(policies, data, embedder).failed == ()


def test_a_full_disk_is_one_clear_line_and_the_old_index_serves(
    policies: Path, data: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(policies, data, embedder)
    draw_policy(policies / "new.pdf", ["1.1 Dogs stay at home."])

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(KnowledgeError, match=r"cannot be written \(No space left on device\)"):
        build_index(policies, data, embedder)
    assert files(ask(data, embedder, "holiday")) == {"leave.pdf", "travel.pdf"}


def test_a_data_folder_that_is_a_file_is_one_clear_line(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    data.write_text("", encoding="utf-8")
    with pytest.raises(KnowledgeError, match="cannot be written"):
        build_index(policies, data, embedder)


def test_when_nothing_can_be_indexed_the_old_index_serves(
    tmp_path: Path, policies: Path, data: Path, embedder: Embedder
) -> None:
    build_index(policies, data, embedder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.pdf").write_bytes(b"not a pdf")
    report = build_index(other, data, embedder)
    assert (report.indexed, report.unchanged, report.chunks) == (0, 0, 0)
    assert report.failed == (
        FileProblem("x.pdf", "is not a PDF: save or export the document as PDF"),
    )
    assert files(ask(data, embedder, "holiday")) == {"leave.pdf", "travel.pdf"}


def test_a_missing_or_empty_policies_folder_is_one_line(
    tmp_path: Path, data: Path, embedder: Embedder
) -> None:
    with pytest.raises(KnowledgeError, match="no folder"):
        build_index(tmp_path / "nowhere", data, embedder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(KnowledgeError, match="no PDF in"):
        build_index(tmp_path / "empty", data, embedder)


def test_a_mistake_in_the_catalog_leaves_the_old_index(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    build_index(policies, data, embedder)
    (policies / "catalog.yml").write_text("policies: 7\n", encoding="utf-8")
    with pytest.raises(CatalogError):
        build_index(policies, data, embedder)
    assert files(ask(data, embedder, "holiday")) == {"leave.pdf", "travel.pdf"}


class FailingEmbedder(Embedder):
    """Gives up once it has read `enough` texts."""

    def __init__(self, enough: int) -> None:
        super().__init__()
        self._left = enough

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        self._left -= len(texts)
        if self._left < 0:
            raise KnowledgeError("the embedding model gave up")
        return super().encode(texts)


def test_a_build_that_fails_half_way_leaves_the_old_index_and_no_rubbish(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    build_index(policies, data, embedder)
    before = sorted(path.name for path in (data / "index").iterdir())
    sections = ["".join(pair) for pair in product(string.ascii_lowercase, "aeo")]
    lines = [line for word in sections for line in (f"# {word}", f"The rule on {word} holds.")]
    draw_policy(policies / "leave.pdf", lines)
    with pytest.raises(KnowledgeError, match="gave up"):
        build_index(policies, data, FailingEmbedder(64))
    assert sorted(path.name for path in (data / "index").iterdir()) == before
    assert files(ask(data, embedder, "holiday")) == {"leave.pdf", "travel.pdf"}


def test_a_file_named_twice_is_read_once(policies: Path, data: Path, embedder: Embedder) -> None:
    write_catalog(
        policies,
        ("leave", "leave.pdf", "effective_from: 2020-01-01; scope: global"),
        ("leave", "leave.pdf", "effective_from: 2021-01-01; scope: [IN]"),
    )
    report = build_index(policies, data, embedder)
    assert (report.indexed, report.pages, report.chunks) == (1, 1, 2)


def test_texts_of_different_policies_never_share_pages(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    front = ["Cover of the rules on berths."]
    draw_policy(policies / "a.pdf", front, ["# 1. Berths", "1.1 Berth nine is for pilots."])
    draw_policy(policies / "b.pdf", ["# 1. Cranes", "1.1 Crane four lifts 90 tonnes."])
    build_index(policies, data, embedder)
    pages = {
        (source.file, page)
        for question in ("pilots' berth", "what does crane four lift?")
        for source in ask(data, embedder, question).sources[:1]
        for page in source.pages
    }
    assert pages == {("a.pdf", 2), ("b.pdf", 1)}


@pytest.mark.parametrize("titles", [["Untitled"], ["Microsoft Word - leave.docx"], [""]])
def test_a_title_that_is_none_gives_way_to_the_file_name(
    tmp_path: Path, data: Path, embedder: Embedder, titles: Sequence[str]
) -> None:
    draw_policy(tmp_path / "p" / "shore-leave.pdf", LEAVE, title=titles[0])
    build_index(tmp_path / "p", data, embedder)
    assert [v.title for v in open_index(data, embedder).catalog.versions] == ["Shore leave"]


def test_without_an_index_the_way_out_is_named(data: Path, embedder: Embedder) -> None:
    with pytest.raises(IndexUnavailable, match="policypal index"):
        open_index(data, embedder)
