"""Glyphs -> words: what is drawn is what is read, or the page is not quoted."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NumberObject, RectangleObject

from knowledge.pdf import Page
from knowledge.pdf.extraction import read_document
from knowledge.pdf.suspicion import text_problem
from tests.knowledge.drawing import (
    Fonts,
    draw_streams,
    glyph_numbers_only,
    helvetica,
    name,
    placed,
    to_unicode,
)


def read(tmp_path: Path, stream: str, fonts: Fonts | None = None) -> Page:
    [page] = read_document(draw_streams(tmp_path / "policy.pdf", stream, fonts=fonts)).pages
    return page


def mapped(*pairs: str) -> Fonts:
    return lambda writer: {"/F1": helvetica(ToUnicode=to_unicode(writer, *pairs))}


@pytest.mark.parametrize(
    ("stream", "text"),
    [
        (
            "BT /F1 11 Tf 60 600 Td [(Every)-120(claim)-118(needs)-125(a)-120(receipt.)] TJ ET",
            "Every claim needs a receipt.",
        ),
        ("BT /F2 12 Tf 60 600 Td (Unused) Tj 43.86 0 Td (days) Tj ET", "Unused days"),
        ("BT /F2 10 Tf 60 600 Td (37) Tj 11.12 0 Td (.5 hours) Tj ET", "37.5 hours"),
        ("BT /F2 12 Tf 60 600 Td (M) Tj 9.996 0 Td (aternity) Tj ET", "Maternity"),
        ("BT /F1 10 Tf 140 Tz 60 600 Td (allowanc) Tj (e) Tj ET", "allowance"),
        ("BT /F1 14 Tf 60 600 Td [(S)-170(c)-170(o)-170(p)-170(e)] TJ ET", "Scope"),
        ("BT /F1 10 Tf 2 Tc 60 600 Td (Annual leave) Tj ET", "Annual leave"),
        ("BT /F1 10 Tf 60 600 Td (Mileage) Tj 60.2 600 Td ET", "Mileage"),
    ],
    ids=[
        "tight justified line",
        "small gap, no widths stated",
        "number in two runs",
        "capital in a run of its own",
        "stretched type",
        "letterspaced by kerning",
        "letterspaced by character spacing",
        "plain",
    ],
)
def test_words_are_whole_and_apart(tmp_path: Path, stream: str, text: str) -> None:
    page = read(tmp_path, stream)
    assert (page.text, page.problem) == (text, None)


def test_a_word_printed_twice_for_boldness_is_one_word(tmp_path: Path) -> None:
    page = read(
        tmp_path, placed((60, 600, "Billing all illness"), (60.3, 600, "Billing all illness"))
    )
    assert page.text == "Billing all illness"


@pytest.mark.parametrize(
    "mark",
    ["/F1 6 Tf 5 Ts (3) Tj 0 Ts", "/F1 6 Tf 1 0 0 1 150.32 605 Tm (3) Tj 1 0 0 1 153.66 600 Tm"],
    ids=["by text rise", "by position"],
)
def test_a_raised_note_mark_does_not_change_the_number_before_it(tmp_path: Path, mark: str) -> None:
    stream = (
        f"BT /F1 12 Tf 1 0 0 1 60 600 Tm (not more than 12) Tj {mark} /F1 12 Tf ( nights) Tj ET"
    )
    assert read(tmp_path, stream).text == "not more than 12 nights"


def test_raised_letters_stay_with_their_number(tmp_path: Path) -> None:
    stream = (
        "BT /F1 12 Tf 60 600 Td (on the 21) Tj /F1 7 Tf 4 Ts (st) Tj /F1 12 Tf 0 Ts ( of May) Tj ET"
    )
    assert read(tmp_path, stream).text == "on the 21st of May"


def test_a_number_that_changes_its_size_in_the_middle_is_not_quoted(tmp_path: Path) -> None:
    page = read(
        tmp_path, "BT /F1 12 Tf 60 600 Td (up to 4) Tj /F1 7 Tf (1) Tj /F1 12 Tf ( days) Tj ET"
    )
    assert page.blocks == ()
    assert page.problem is not None
    assert "number" in page.problem


def test_a_ligature_character_becomes_its_letters(tmp_path: Path) -> None:
    page = read(
        tmp_path,
        "BT /F1 12 Tf 60 600 Td (Sta\\200 e\\201ects) Tj ET",
        mapped("<80> <FB00>", "<81> <FB00>"),
    )
    assert page.text == "Staff effects"


def test_a_ligature_is_read_from_the_text_that_it_stands_for(tmp_path: Path) -> None:
    stream = (
        "BT /F1 12 Tf 60 600 Td (Bene) Tj /Span<</ActualText(fi)>>BDC (\\200) Tj EMC (ts) Tj ET"
    )
    assert read(tmp_path, stream, mapped("<80> <E001>")).text == "Benefits"


@pytest.mark.parametrize(
    "code",
    ["<E010>", "<0000>", "<FFFD>", "<D83D>"],
    ids=["private", "NUL", "lost", "half"],
)
def test_a_page_with_an_unreadable_character_in_a_word_is_not_quoted(
    tmp_path: Path, code: str
) -> None:
    page = read(
        tmp_path, "BT /F1 12 Tf 60 600 Td (A di\\200erent rule) Tj ET", mapped(f"<80> {code}")
    )
    assert (page.text, page.blocks) == ("", ())
    assert page.problem is not None
    assert "cannot be read" in page.problem


def test_a_private_character_at_the_head_of_a_line_is_a_bullet(tmp_path: Path) -> None:
    page = read(
        tmp_path,
        "BT /F1 12 Tf 60 600 Td (\\200 tickets) Tj 0 -16 Td (\\200 visas) Tj ET",
        mapped("<80> <F0B7>"),
    )
    assert [block.text for block in page.blocks] == ["• tickets", "• visas"]


def test_glyph_numbers_without_characters_are_never_taken_for_text(tmp_path: Path) -> None:
    page = read(tmp_path, "BT /F1 12 Tf 60 600 Td <0036004C0046004E> Tj ET", glyph_numbers_only)
    assert (page.blocks, page.problem is None) == ((), False)


def test_glyph_names_that_mean_nothing_are_never_taken_for_text(tmp_path: Path) -> None:
    def fonts(writer: PdfWriter) -> dict[str, DictionaryObject]:
        names = [NumberObject(33), *(name(f"/glyph{number}") for number in range(4))]
        differences = DictionaryObject({name("/Differences"): ArrayObject(names)})
        return {"/F1": helvetica(BaseFont=name("/Subset"), Encoding=differences)}

    page = read(tmp_path, 'BT /F1 12 Tf 60 600 Td (!"#$) Tj ET', fonts)
    assert (page.blocks, page.problem is None) == ((), False)


def test_a_shifted_alphabet_is_not_quoted(tmp_path: Path) -> None:
    plain = "Employees receive twenty five days of annual leave in each calendar year"
    shifted = "".join(chr(ord(c) - 29) if c.islower() else c for c in plain)
    escaped = shifted.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    page = read(tmp_path, placed((60, 600, escaped)))
    assert (page.blocks, page.problem is None) == ((), False)


def test_text_of_a_turned_page_reads_from_left_to_right(tmp_path: Path) -> None:
    stream = (
        "BT /F1 12 Tf 0 1 -1 0 100 60 Tm (First line) Tj 0 1 -1 0 120 60 Tm (second line.) Tj ET"
    )
    assert read(tmp_path, stream).text == "First line second line."


def test_a_watermark_across_the_page_is_no_part_of_the_text(tmp_path: Path) -> None:
    stream = "BT /F1 60 Tf 0.7 0.7 -0.7 0.7 150 300 Tm (DRAFT) Tj ET " + placed(
        (60, 600, "Receipts are needed above EUR 20.")
    )
    assert read(tmp_path, stream).text == "Receipts are needed above EUR 20."


@pytest.mark.parametrize("degrees", [-2.5, -0.4, 0.6, 2.0])
def test_lines_that_a_scan_set_askew_are_all_read_in_order(tmp_path: Path, degrees: float) -> None:
    lines = [
        "Staff may not leave a car in the garage over night or at the weekend",
        "unless they hold a permit that Facilities gave out for that very car",
        "and that names the days on which the garage may be used by its owner.",
    ]
    shown = ""
    for number, line in enumerate(lines):
        turn = math.radians(degrees + 0.1 * (number - 1))
        cosine, sine = math.cos(turn), math.sin(turn)
        x, y = 72 + 14 * number * sine, 700 - 14 * number * cosine
        shown += f"{cosine} {sine} {-sine} {cosine} {x} {y} Tm ({line}) Tj "
    path = draw_streams(tmp_path / "askew.pdf", f"BT /F1 11 Tf {shown}ET")
    assert read_document(path).pages[0].text == " ".join(lines)


def test_text_outside_what_a_reader_sees_of_the_page_is_left_out(tmp_path: Path) -> None:
    seen = (60, 700, "Leave is paid.")
    path = draw_streams(tmp_path / "p.pdf", placed((60, 825, "Leave_v3.indd 12"), seen))
    writer = PdfWriter(clone_from=path)
    writer.pages[0].cropbox = RectangleObject((20, 20, 575, 800))
    writer.write(path)
    assert read_document(path).pages[0].text == "Leave is paid."


def test_a_page_box_may_name_any_two_opposite_corners(tmp_path: Path) -> None:
    path = draw_streams(tmp_path / "p.pdf", placed((60, 700, "Leave is paid.")))
    writer = PdfWriter(clone_from=path)
    writer.pages[0].mediabox = RectangleObject((595, 842, 0, 0))
    writer.write(path)
    assert read_document(path).pages[0].text == "Leave is paid."


@pytest.mark.parametrize(
    "text",
    [
        "Draft a policy | R | A | C | I\nApprove a policy | I | R | A | C\nTrain staff | C | I | R",
        "Item: Hotel | Band A: N | Band B: Y | Band C: Y\nItem: Taxi | Band A: Y | Band B: N",
        "Claims are paid in GBP BRL CHF CNY CZK DKK HKD HUF INR JPY KRW MXN MYR NOK NZD PHP PLN.",
    ],
)
def test_letters_and_codes_in_a_table_are_no_garbage(text: str) -> None:
    assert text_problem(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "A | P o l i c y | o f | t h e | c o m p a n y\nt h a t h o l d s",
        "DQQXDO OHDYH LV SDLG IRU WZHQWB ILYH GDBV LQ HDFK FDOHQGDU BHDU",
    ],
)
def test_words_that_fall_apart_or_are_shifted_stay_garbage(text: str) -> None:
    assert text_problem(text) is not None
