"""Pages -> blocks: reading order, tables, headings, lists, running heads, breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from knowledge.chunks import chunk_document
from knowledge.pdf import Block, Document, Kind
from knowledge.pdf.content import draw
from knowledge.pdf.extraction import read_document
from tests.knowledge.drawing import draw_policy, draw_streams, placed

BODY = getSampleStyleSheet()["BodyText"]


def texts(document: Document, page: int = 1) -> list[str]:
    return [block.text for block in document.pages[page - 1].blocks]


def test_columns_drawn_row_by_row_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = ["Staff who travel by night", "are paid the higher rate", "for that journey."]
    right = ["Claims that arrive late", "are not paid unless a", "director agrees to it."]
    rows = [
        (x, 700 - 14 * row, text)
        for row, pair in enumerate(zip(left, right, strict=True))
        for x, text in zip((60, 320), pair, strict=True)
    ]
    document = read_document(draw_streams(tmp_path / "columns.pdf", placed(*rows)))
    assert texts(document) == [" ".join(left), " ".join(right)]


def test_a_title_over_two_columns_comes_before_both(tmp_path: Path) -> None:
    rows = [(60, 740, "This rule holds for all offices and for everyone who works in one of them.")]
    rows += [(60, 700 - 14 * n, f"the left column line {n} ends.") for n in range(5)]
    rows += [(320, 707 - 14 * n, f"the right column line {n} ends.") for n in range(5)]
    [first, left, *_] = texts(read_document(draw_streams(tmp_path / "c.pdf", placed(*rows))))
    assert first.startswith("This rule")
    assert "right" not in left


def test_a_value_stays_with_its_row_and_column_where_a_cell_is_empty(tmp_path: Path) -> None:
    words = [
        (60, 700, "Grade"), (130, 700, "2026"), (200, 700, "2027"),
        (60, 684, "Clerk"), (200, 684, "28"),
        (60, 668, "Master"), (130, 668, "31"),
    ]  # fmt: skip
    document = read_document(draw_streams(tmp_path / "table.pdf", placed(*words)))
    assert texts(document) == ["Grade: Clerk | 2027: 28", "Grade: Master | 2026: 31"]


def test_a_table_drawn_column_by_column_is_read_by_rows(tmp_path: Path) -> None:
    words = [
        (60, 700, "Zone"), (60, 684, "Inner"), (60, 668, "Outer"),
        (200, 700, "Fare"), (200, 684, "12"), (200, 668, "19"),
    ]  # fmt: skip
    document = read_document(draw_streams(tmp_path / "table.pdf", placed(*words)))
    assert texts(document) == ["Zone: Inner | Fare: 12", "Zone: Outer | Fare: 19"]


def test_a_table_of_long_cells_without_lines_is_read_by_rows(tmp_path: Path) -> None:
    words = [
        (60, 700, "Length of service so far"), (320, 700, "Days of leave in a year"),
        (60, 684, "Less than two full years"), (320, 684, "Twenty four working days"),
        (60, 668, "Two to five full years"), (320, 668, "Twenty seven working days"),
    ]  # fmt: skip
    document = read_document(draw_streams(tmp_path / "table.pdf", placed(*words)))
    assert texts(document)[1:] == [
        "Less than two full years | Twenty four working days",
        "Two to five full years | Twenty seven working days",
    ]


def draw_table(path: Path, rows: list[list[str]], *style: Any) -> Path:
    cells = [[Paragraph(cell, BODY) for cell in row] for row in rows]
    table = Table(cells, colWidths=[120, 150, 150], style=list(style))
    lead_in = Paragraph("4.1 The rates are as follows.", BODY)
    after = Paragraph("4.2 Rates are reviewed in May.", BODY)
    SimpleDocTemplate(str(path), pagesize=A4).build([lead_in, table, after])
    return path


GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.grey)
RATES = [
    ["<b>Country</b>", "<b>Meal</b>", "<b>Who approves</b>"],
    ["Germany", "EUR 28", "the head of the department in which the traveller works"],
    ["India", "INR 900", "the line manager"],
]
RATE_ROWS = [
    "Country: Germany | Meal: EUR 28 | "
    "Who approves: the head of the department in which the traveller works",
    "Country: India | Meal: INR 900 | Who approves: the line manager",
]


@pytest.mark.parametrize(
    "lines",
    [GRID, ("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.grey)],
    ids=["grid", "lines under rows"],
)
def test_cells_that_wrap_stay_whole_in_a_ruled_table(tmp_path: Path, lines: Any) -> None:
    document = read_document(draw_table(tmp_path / "t.pdf", RATES, lines))
    assert texts(document) == [
        "4.1 The rates are as follows.", *RATE_ROWS, "4.2 Rates are reviewed in May."
    ]  # fmt: skip


def test_a_cell_merged_over_rows_speaks_for_each_of_them(tmp_path: Path) -> None:
    rows = [
        ["<b>Country</b>", "<b>Band</b>", "<b>Days</b>"],
        ["Germany", "A", "26"],
        ["", "B", "29"],
    ]
    document = read_document(draw_table(tmp_path / "t.pdf", rows, GRID, ("SPAN", (0, 1), (0, 2))))
    assert texts(document)[1:3] == [
        "Country: Germany | Band: A | Days: 26", "Country: Germany | Band: B | Days: 29"
    ]  # fmt: skip


def test_rows_without_a_header_keep_their_empty_cells(tmp_path: Path) -> None:
    rows = [["Berth desk", "", "ask for Inga"], ["Customs", "Room four", "ask for Per"]]
    document = read_document(draw_table(tmp_path / "t.pdf", rows, GRID))
    assert texts(document)[1:3] == [
        "Berth desk | – | ask for Inga",
        "Customs | Room four | ask for Per",
    ]


def draw_running(path: Path, bodies: list[list[str]], turned: bool = False) -> Path:
    """Pages whose head and foot are drawn after the body, as many programs do."""
    canvas = Canvas(str(path))
    for number, body in enumerate(bodies, start=1):
        width, height = landscape(A4) if turned and number == 2 else A4
        canvas.setPageSize((width, height))
        canvas.setFont("Helvetica", 10)
        for row, line in enumerate(body):
            canvas.drawString(60, height - 120 - 13 * row, line)
        canvas.drawString(60, height - 50, "Quayside Ltd - internal")
        canvas.drawString(60, 40, f"HR-7 version 3, page {number} of {len(bodies)}")
        canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize("turned", [False, True], ids=["upright", "one page turned"])
def test_running_heads_are_left_out_and_a_sentence_goes_on_over_the_page_break(
    tmp_path: Path, turned: bool
) -> None:
    bodies = [
        ["1.1 Leave is asked for in the portal.", "1.2 The manager answers within five working"],
        ["days of the request and gives the reason for a refusal.", "1.3 No answer is a yes."],
        ["1.4 HR keeps the records."],
    ]
    document = read_document(draw_running(tmp_path / "r.pdf", bodies, turned))
    assert not any("Quayside" in page.text or "HR-7" in page.text for page in document.pages)
    assert document.pages[1].blocks[0] == Block(
        "days of the request and gives the reason for a refusal.", continues=True
    )
    [chunk] = [chunk for chunk in chunk_document(document) if "1.2" in chunk.text]
    assert "within five working days of the request" in chunk.text
    pages = {start.offset: start.page for start in chunk.page_starts}
    assert pages == {0: 1, chunk.text.index("days of the request"): 2}


def test_clause_numbers_at_the_head_of_each_page_are_no_running_head(tmp_path: Path) -> None:
    pages = [
        placed((60, 780, f"{n}.1"), (100, 780, text), (60, 400, "It holds for all staff."))
        for n, text in enumerate(
            ["Leave is paid.", "Trips are booked early.", "Gifts are declared."], 1
        )
    ]
    document = read_document(draw_streams(tmp_path / "p.pdf", *pages))
    assert [texts(document, page)[0] for page in (1, 2, 3)] == [
        "1.1 Leave is paid.", "2.1 Trips are booked early.", "3.1 Gifts are declared."
    ]  # fmt: skip


def test_a_rule_at_the_same_place_on_each_page_is_no_running_head(tmp_path: Path) -> None:
    pages = [
        placed(
            (60, 780, f"Staff in this office have {days} days of leave."),
            (60, 600, "Unused days lapse at the end of the year."),
            (60, 40, f"Harbourline Leave policy 2026, page {number} of 3"),
        )
        for number, days in enumerate((25, 28, 30), start=1)
    ]
    document = read_document(draw_streams(tmp_path / "countries.pdf", *pages))
    for number, days in enumerate((25, 28, 30), start=1):
        assert texts(document, number) == [
            f"Staff in this office have {days} days of leave.",
            "Unused days lapse at the end of the year.",
        ]


def test_words_cut_at_a_line_end_are_mended(tmp_path: Path) -> None:
    lines = [
        "The employee has to reim-",
        "burse a long-",
        "term loan from the self-",
        "service portal.",
    ]
    words = [(60, 700 - 13 * n, line) for n, line in enumerate(lines)]
    document = read_document(draw_streams(tmp_path / "h.pdf", placed(*words)))
    assert texts(document) == [
        "The employee has to reimburse a long-term loan from the self-service portal."
    ]


def test_a_word_cut_by_a_page_break_is_whole_on_the_page_where_it_begins(tmp_path: Path) -> None:
    first = placed((60, 700, "Each claim has to be accom-"))
    second = placed((60, 700, "panied by its receipt at all times."))
    document = read_document(draw_streams(tmp_path / "h.pdf", first, second))
    assert [texts(document, 1), texts(document, 2)] == [
        ["Each claim has to be accompanied"], ["by its receipt at all times."]
    ]  # fmt: skip


def test_headings_are_known_by_size_weight_and_number(tmp_path: Path) -> None:
    path = draw_policy(
        tmp_path / "p.pdf",
        ["# 1. Purpose", "1.1 This policy is about berths.", "# 2. Berths", "2.1 Ask the desk."],
    )
    blocks = read_document(path).pages[0].blocks
    assert [(b.text, b.level) for b in blocks if b.kind is Kind.HEADING] == [
        ("1. Purpose", 1), ("2. Berths", 1)
    ]  # fmt: skip


def test_headings_are_known_by_the_outline_where_they_look_like_text(tmp_path: Path) -> None:
    path = draw_streams(
        tmp_path / "p.pdf",
        placed(
            (60, 700, "Time away from work"),
            (60, 670, "Everyone has leave."),
            (60, 640, "Ask early."),
        ),
    )
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.add_outline_item(title="Time away from work", page_number=0)
    writer.write(path)
    page = read_document(path).pages[0]
    assert page.headings == ("Time away from work",)


def test_a_table_of_contents_is_not_quoted(tmp_path: Path) -> None:
    path = draw_streams(
        tmp_path / "p.pdf",
        placed(
            (60, 700, "Contents"),
            (60, 670, "1. Purpose ............ 2"),
            (60, 655, "2. Leave ............. 3"),
        ),
        placed((60, 700, "Leave is paid on the usual pay day.")),
    )
    document = read_document(path)
    assert [page.text for page in document.pages] == ["", "Leave is paid on the usual pay day."]


def test_list_items_are_blocks_of_their_own(tmp_path: Path) -> None:
    words = [
        (60, 700, "Paid are:"),
        (70, 684, "(a) visas,"),
        (70, 668, "(b) vaccinations."),
        (60, 652, "\\225 and maps"),
    ]
    document = read_document(draw_streams(tmp_path / "p.pdf", placed(*words)))
    assert [(b.text, b.kind) for b in document.pages[0].blocks] == [
        ("Paid are:", Kind.TEXT), ("(a) visas,", Kind.ITEM), ("(b) vaccinations.", Kind.ITEM),
        ("• and maps", Kind.ITEM),
    ]  # fmt: skip


def test_printed_page_labels_do_not_change_physical_page_numbers(tmp_path: Path) -> None:
    path = draw_policy(tmp_path / "p.pdf", ["Cover."], ["Front matter."], ["1.1 Leave is paid."])
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.set_page_label(0, 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(2, 2, style=PageLabelStyle.DECIMAL, start=1)
    writer.write(path)
    pages = read_document(path).pages
    assert [(page.number, page.label) for page in pages] == [(1, "i"), (2, "ii"), (3, "1")]


def test_curves_move_the_pen_and_draw_no_lines(tmp_path: Path) -> None:
    curve = "60 690 m 80 650 200 650 300 690 c 300 720 l S 60 690 m 80 650 300 720 v 60 720 l S "
    [page] = PdfReader(draw_streams(tmp_path / "curve.pdf", curve)).pages
    drawing = draw(page)
    assert [(rule.x0, rule.y0, rule.x1, rule.y1) for rule in drawing.rules] == [
        (300.0, 690.0, 300.0, 720.0),
        (60.0, 720.0, 300.0, 720.0),
    ]
