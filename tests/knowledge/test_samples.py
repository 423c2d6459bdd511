"""The sample company's policies: enough of them, drawn from their sources, as the catalog says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from html import unescape
from itertools import pairwise, product
from pathlib import Path

import pytest
from pypdf import PdfReader
from ruamel.yaml import YAML

from knowledge.samples.draw import SAMPLES, draw, draw_all
from knowledge.samples.draw.blocks import Block, Clause, Cover, Document, Rows, SourceError, read
from knowledge.sources import long_date

COMPANY = "Harbourline Shipping Group plc"


@dataclass(frozen=True)
class Sample:
    """One row of the catalog with its PDF and its source."""

    policy: str
    file: str
    effective_from: date
    effective_to: date | None

    @property
    def pages(self) -> list[str]:
        return _texts(self.file)

    @property
    def source(self) -> Document:
        return _source(Path(self.file).stem)

    @property
    def cover(self) -> Cover:
        return self.source.cover


@cache
def _texts(file: str) -> list[str]:
    return [page.extract_text() for page in PdfReader(SAMPLES / file).pages]


@cache
def _source(stem: str) -> Document:
    return read(SAMPLES / "sources" / f"{stem}.md")


def _samples() -> list[Sample]:
    catalog = YAML(typ="safe").load((SAMPLES / "catalog.yml").read_text(encoding="utf-8"))
    return [
        Sample(
            policy["id"], version["file"], version["effective_from"], version.get("effective_to")
        )
        for policy in catalog["policies"]
        for version in policy["versions"]
    ]


ALL = _samples()
each_sample = pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.file)


def test_there_is_a_company_worth_of_policies() -> None:
    assert len({sample.policy for sample in ALL}) >= 14
    assert len(ALL) >= 18
    assert sum(len(sample.pages) for sample in ALL) >= 70


def test_catalog_pdfs_and_sources_name_the_same_versions() -> None:
    named = {Path(sample.file).stem for sample in ALL}
    assert {path.stem for path in SAMPLES.glob("*.pdf")} == named
    assert {path.stem for path in (SAMPLES / "sources").glob("*.md")} == named


def test_drawing_again_gives_the_same_bytes(tmp_path: Path) -> None:
    for drawn in draw_all(tmp_path):
        assert drawn.read_bytes() == (SAMPLES / drawn.name).read_bytes(), drawn.name


@each_sample
def test_each_page_after_the_cover_has_its_header_and_footer(sample: Sample) -> None:
    cover, pages = sample.cover, sample.pages
    front = 3 if cover.layout == "roman" else 0
    for number, text in enumerate(pages[1:], start=2):
        assert text.splitlines()[:2] == [COMPANY, cover.title]
        assert f"{cover.reference}  |  Version {cover.version}  |  Effective" in text
        if number > front:
            assert f"Page {number - front} of {len(pages) - front}" in text
        else:
            assert f"Page {'i' * number} of iii" in text


@each_sample
def test_the_cover_says_the_dates_of_the_catalog(sample: Sample) -> None:
    words = long_date(sample.effective_from)
    if sample.effective_to:
        words += f" to {long_date(sample.effective_to)}"
    assert sample.cover.effective == words
    assert words in sample.pages[0]


@each_sample
def test_metadata_and_outline_name_the_title_and_each_section(sample: Sample) -> None:
    reader = PdfReader(SAMPLES / sample.file)
    assert reader.metadata is not None
    assert reader.metadata.title == sample.cover.title
    sections = [entry for entry in reader.outline if not isinstance(entry, list)]
    assert [str(entry.title).split(".")[0] for entry in sections] == [
        str(number) for number in range(1, len(sections) + 1)
    ]
    for entry in sections:
        page = reader.get_destination_page_number(entry)
        assert page is not None
        assert entry.title is not None
        assert " ".join(entry.title.split()) in " ".join(sample.pages[page].split())


def test_roman_front_matter_has_page_labels_of_its_own() -> None:
    roman = [sample for sample in ALL if sample.cover.layout == "roman"]
    assert roman
    for sample in roman:
        labels = PdfReader(SAMPLES / sample.file).page_labels
        assert labels[:4] == ["i", "ii", "iii", "1"]
        assert labels[-1] == str(len(labels) - 3)


def test_contents_give_the_page_that_the_footer_of_the_section_gives() -> None:
    sample = next(sample for sample in ALL if sample.cover.layout == "roman")
    lines = sample.pages[2].splitlines()
    entries = [
        (title, page)
        for title, page in pairwise(lines)
        if page.isdigit() and title[0].isdigit() and not title.isdigit()
    ]
    assert len(entries) >= 10
    for title, page in entries:
        text = sample.pages[int(page) + 2]
        assert title in text
        assert f"Page {page} of" in text


def test_layouts_and_turned_pages_are_all_there() -> None:
    assert {sample.cover.layout for sample in ALL} == {"single", "two-column", "roman"}
    turned = [
        sample.file
        for sample in ALL
        for page in PdfReader(SAMPLES / sample.file).pages
        if page.mediabox.width > page.mediabox.height
    ]
    assert turned


@each_sample
def test_every_text_of_the_source_is_drawn(sample: Sample) -> None:
    drawn = _bare("".join(sample.pages))
    for block in sample.source.blocks:
        for text in _block_texts(block):
            assert _bare(text)[:30] in drawn, text  # a page may end further on


def _block_texts(block: Block) -> list[str]:
    match block:
        case Rows(rows=rows):
            return [cell for row in rows for cell in row]
        case Clause(number=number, text=text):
            return [f"{number} {text}"]
        case _:
            return [block.text]


def _bare(text: str) -> str:
    return re.sub(r"</?[bi]>|\s", "", unescape(text))


def _markdown(body: str, layout: str = "single", front: str = "") -> str:
    return (
        "---\ntitle: Test policy\nreference: HL-1\nowner: HR\nversion: '1'\n"
        f"effective: 1 January 2026\nscope: All\nlayout: {layout}\n{front}---\n{body}"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_markdown("# 1. One\n\n1.1 Pay ₹500.\n"), "no glyph for '₹'"),
        (_markdown("# 1. One\n", layout="three-column"), "unknown layout 'three-column'"),
        (_markdown("# 1. One\n", front="colour: red\n"), "front matter needs"),
        (_markdown("# 1. One\n\n```\ncode\n```\n"), "cannot draw fence"),
    ],
)
def test_a_source_that_cannot_be_drawn_is_refused_by_name(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "odd.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"^odd\.md: ") as raised:
        read(path)
    assert problem in str(raised.value)


def test_a_heading_is_never_left_alone_at_the_foot_of_a_page(tmp_path: Path) -> None:
    long = "Words that fill the line of a clause and run on into another line. " * 2
    for longs, shorts in product(range(14, 19), range(7)):  # the heading sinks by a few points
        clauses = [*[long] * longs, *["Short."] * shorts]
        body = "".join(f"1.{n} {clause}\n\n" for n, clause in enumerate(clauses, start=1))
        rest = f"# 2. Two\n\n2.1 {long}\n\n" + f"{long}\n\n" * 12
        texts = _drawn(tmp_path, _markdown(f"# 1. One\n\n{body}{rest}"))
        assert [("2. Two" in text) for text in texts] == [("2.1 " in text) for text in texts]


def _drawn(folder: Path, markdown: str) -> list[str]:
    source, pdf = folder / "test.md", folder / "test.pdf"
    source.write_text(markdown, encoding="utf-8")
    pdf.write_bytes(draw(read(source)))
    return [page.extract_text() for page in PdfReader(pdf).pages]
