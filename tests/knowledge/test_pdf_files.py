"""Whole files: what cannot be read gives one clear line, in bounded time, and harms no other."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import NameObject, StreamObject

from knowledge.errors import PdfError
from knowledge.pdf import Document, read_pdf, read_pdfs
from knowledge.pdf.extraction import limit_memory
from tests.knowledge.drawing import draw_policy, draw_streams, placed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return draw_policy(tmp_path / "leave.pdf", ["# 1. Leave", "1.1 Leave is paid."], title="Leave")


def encrypted(path: Path, user_password: str, algorithm: str) -> Path:
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.encrypt(user_password, "the owner's", algorithm=algorithm)
    locked = path.with_name("locked.pdf")
    writer.write(locked)
    return locked


def problem(path: Path, **limits: float) -> str:
    with pytest.raises(PdfError) as caught:
        read_pdf(path, **limits)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(path.name)
    return caught.value.problem


def test_a_policy_is_read_with_its_title(policy: Path) -> None:
    document = read_pdf(policy)
    assert (document.title, document.pages[0].text) == ("Leave", "1. Leave\n1.1 Leave is paid.")


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256"])
def test_an_empty_user_password_is_tried_silently(policy: Path, algorithm: str) -> None:
    assert "Leave is paid." in read_pdf(encrypted(policy, "", algorithm)).pages[0].text


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_real_password_gives_a_clear_line(policy: Path, algorithm: str) -> None:
    assert "password" in problem(encrypted(policy, "tide", algorithm))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04 a word processor's file", "is not a PDF"),
        (b"%PDF-1.7\n%nothing that a reader could follow", "is damaged"),
    ],
)
def test_a_file_that_is_no_pdf_gives_a_clear_line(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "form.pdf"
    path.write_bytes(content)
    assert problem(path).startswith(said)


def test_a_missing_file_gives_a_clear_line(tmp_path: Path) -> None:
    assert "cannot be opened" in problem(tmp_path / "gone.pdf")


def test_a_scan_without_text_gives_a_clear_line(tmp_path: Path) -> None:
    assert "no text" in problem(draw_streams(tmp_path / "scan.pdf", "0 0 100 100 re f"))


def test_a_page_without_text_among_others_is_named(tmp_path: Path) -> None:
    path = draw_streams(tmp_path / "p.pdf", placed((60, 700, "Leave is paid.")), "0 0 9 9 re f")
    first, second = read_pdf(path).pages
    assert first.problem is None
    assert second.problem is not None
    assert "no text" in second.problem


def damaged_stream(page: PageObject) -> None:
    stream = StreamObject()
    stream.set_data(b"BT /F1 11 Tf (Leave is paid Tj ET [ <<")
    page[NameObject("/Contents")] = stream


def box_that_is_none(page: PageObject) -> None:
    page[NameObject("/MediaBox")] = NameObject("/Large")


def turn_that_is_none(page: PageObject) -> None:
    page[NameObject("/Rotate")] = NameObject("/Sideways")


@pytest.mark.parametrize("damage", [damaged_stream, box_that_is_none, turn_that_is_none])
def test_a_damaged_page_is_named_and_leaves_the_others_their_words(
    tmp_path: Path, damage: Callable[[PageObject], None]
) -> None:
    pages = [placed((60, 700, f"Rule {word} holds.")) for word in ("one", "two", "three")]
    writer = PdfWriter(clone_from=draw_streams(tmp_path / "whole.pdf", *pages))
    damage(writer.pages[1])
    writer.write(tmp_path / "damaged.pdf")
    first, second, third = read_pdf(tmp_path / "damaged.pdf").pages
    assert (first.text, third.text) == ("Rule one holds.", "Rule three holds.")
    assert second.text == ""
    assert second.problem is not None
    assert second.problem.startswith("is damaged (")
    assert "\n" not in second.problem


@pytest.mark.parametrize("refusal", [ValueError, OSError])
def test_a_system_that_refuses_a_memory_limit_reads_all_the_same(
    refusal: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise refusal("not allowed")

    monkeypatch.setattr("resource.setrlimit", refuse)
    limit_memory(2**30)


def test_a_truncated_file_does_not_stop_the_others(policy: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(policy.read_bytes()[: policy.stat().st_size // 3])
    results = dict(read_pdfs([broken, policy]))
    assert isinstance(results[broken], PdfError)
    assert isinstance(results[policy], Document)


def xref_loop(path: Path) -> None:
    sections = ["%PDF-1.4\n"]
    offsets = []
    for _ in range(2):
        offsets.append(len("".join(sections)))
        sections.append("xref\n0 1\n0000000000 65535 f \ntrailer << /Size 1 /Prev {} >>\n")
    body = "".join(sections)
    body = body.replace("{}", str(offsets[1] - 0), 1).replace("{}", str(offsets[0]), 1)
    path.write_bytes(f"{body}startxref\n{offsets[0]}\n%%EOF".encode())


def page_loop(path: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.write(path)
    raw = path.read_bytes()
    # The page tree's only child becomes the tree itself.
    path.write_bytes(raw.replace(b"/Kids [ 4 0 R ]", b"/Kids [ 1 0 R ]"))


def boundless_size(path: Path) -> None:
    path.write_bytes(
        b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \n"
        b"trailer << /Size 2147483647 >>\nstartxref\n9\n%%EOF"
    )


def endless_blanks(path: Path) -> None:
    path.write_bytes(b"%PDF-1.4\n" + b" " * 3_000_000 + b"startxref\nnowhere\n%%EOF")


@pytest.mark.parametrize("damage", [xref_loop, page_loop, boundless_size, endless_blanks])
def test_a_damaged_structure_ends_quickly_with_a_clear_line(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "loop.pdf"
    damage(path)  # type: ignore[operator]
    began = time.monotonic()
    assert problem(path, max_seconds=20.0)
    assert time.monotonic() - began < 20


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read(
    tmp_path: Path, policy: Path
) -> None:
    slow = draw_streams(tmp_path / "slow.pdf", "BT /F1 1 Tf " + "(x) Tj " * 400_000 + "ET")
    results = dict(read_pdfs([slow, policy], max_seconds=1.5))
    stopped = results[slow]
    assert isinstance(stopped, PdfError)
    assert "took longer than 1.5 s" in stopped.problem
    assert isinstance(results[policy], Document)


def test_a_script_without_a_guard_reads_a_file_once(policy: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from knowledge.pdf import read_pdf\n"
        "print(read_pdf(Path(sys.argv[1])).title)\n"
    )
    for command, given in (([str(script)], None), (["-"], script.read_text())):
        done = subprocess.run(
            [sys.executable, *command, str(policy)],
            input=given,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "Leave\n"


def test_a_file_over_the_size_limit_is_refused_unread(policy: Path) -> None:
    assert "MB allowed" in problem(policy, max_bytes=500)
