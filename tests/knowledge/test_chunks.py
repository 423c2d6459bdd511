"""Pages -> chunks: whole clauses, exact pages, lead-ins that stay with their lists."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunks import FULL_WORDS, MAX_WORDS, chunk_document
from knowledge.pdf import Block, Document, Kind, Page
from knowledge.sources import Source


def document(*pages: list[Block]) -> Document:
    return Document(
        None, tuple(Page(n, str(n), tuple(blocks)) for n, blocks in enumerate(pages, start=1))
    )


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{number}" for number in range(count)) + "."


def heading(text: str, level: int = 1) -> Block:
    return Block(text, Kind.HEADING, level)


def test_a_chunk_carries_its_headings_from_the_outermost_in() -> None:
    [chunk] = chunk_document(
        document([heading("3. Leave"), heading("Part time", 2), Block("3.1 " + words(60))])
    )
    assert chunk.headings == ("3. Leave", "Part time")
    assert chunk.text.startswith("3.1 ")


def test_a_chunk_never_runs_into_another_section() -> None:
    chunks = chunk_document(
        document([heading("1. One"), Block(words(20)), heading("2. Two"), Block(words(20))])
    )
    assert [chunk.headings for chunk in chunks] == [("1. One",), ("2. Two",)]


def test_clauses_are_whole_and_chunks_about_as_long_as_wanted() -> None:
    clauses = [Block(f"2.{n} {words(40)}") for n in range(9)]
    chunks = chunk_document(document(clauses))
    assert [chunk.text.count("2.") for chunk in chunks] == [3, 3, 3]
    assert all(len(chunk.text.split()) <= FULL_WORDS for chunk in chunks)


def test_a_clause_that_is_too_long_is_cut_at_sentence_ends() -> None:
    long = " ".join(f"Rule {n} holds for {words(20)}" for n in range(20))
    chunks = chunk_document(document([Block(long)]))
    assert len(chunks) > 2
    assert all(chunk.text.startswith("Rule ") for chunk in chunks)
    assert all(len(chunk.text.split()) <= MAX_WORDS for chunk in chunks)


def test_a_chunk_fits_what_the_embedding_model_reads() -> None:
    chunks = chunk_document(
        document([heading("1. Long"), Block(words(100)), Block(words(400))]),
        lambda headings, text: len(text.split()) <= 30,
    )
    assert all(len(chunk.text.split()) <= 30 for chunk in chunks)
    assert sum(len(chunk.text.split()) for chunk in chunks) == 500


def test_a_list_that_runs_on_in_the_next_chunk_keeps_its_lead_in() -> None:
    items = [Block(f"• {words(30, f'item{n}-')}", Kind.ITEM) for n in range(8)]
    chunks = chunk_document(document([Block("4.2 These costs are never paid:"), *items]))
    assert len(chunks) > 1
    assert all(chunk.text.startswith("4.2 These costs are never paid:\n•") for chunk in chunks)


def test_a_repeated_lead_in_keeps_the_page_where_it_stands() -> None:
    items = [Block(f"• {words(50, f'item{n}-')}", Kind.ITEM) for n in range(4)]
    _, second = chunk_document(document([Block("Never paid:"), *items[:2]], items[2:]))
    assert [(start.offset, start.page) for start in second.page_starts] == [
        (0, 1), (len("Never paid:\n"), 2)
    ]  # fmt: skip


def test_a_chunk_lies_on_two_pages_at_most() -> None:
    chunks = chunk_document(document(*[[Block(f"{n}.1 {words(10)}")] for n in range(1, 6)]))
    assert all(len({start.page for start in chunk.page_starts}) <= 2 for chunk in chunks)


def test_short_text_before_a_heading_does_not_make_the_next_chunk_too_long() -> None:
    chunks = chunk_document(
        document(
            [heading("1. Leave"), heading("1.1 Scope", 2), Block(words(30))],
            [heading("1.2 Forms", 2)],
            [heading("1.3 Carrying over", 2), Block(words(MAX_WORDS - 2))],
        )
    )
    assert [chunk.headings[-1] for chunk in chunks] == ["1.1 Scope", "1.3 Carrying over"]
    assert [len({start.page for start in chunk.page_starts}) for chunk in chunks] == [1, 1]
    assert all(len(chunk.text.split()) <= MAX_WORDS for chunk in chunks)


def test_the_page_of_a_sentence_is_the_one_where_it_begins() -> None:
    first = Block("5.1 Expenses are claimed in Ledger. They are approved by the")
    chunks = chunk_document(
        document(
            [Block("5.0 Read this."), first],
            [Block("line manager. Then they are paid.", continues=True)],
        )
    )
    [chunk] = chunks
    source = Source(1, chunk.text, page_starts=chunk.page_starts)
    assert source.page_at(chunk.text.index("They are approved")) == 1
    assert source.page_at(chunk.text.index("Then they")) == 2
    assert source.page_at(chunk.text.index("5.0")) == 1


def test_a_page_that_is_not_quoted_does_not_shift_the_others() -> None:
    pages = (
        Page(1, "i", (Block("One is here."),)),
        Page(2, "ii", (), problem="cannot be read"),
        Page(3, "1", (Block("Three is here."),)),
    )
    [chunk] = chunk_document(Document(None, pages))
    source = Source(1, chunk.text, page_starts=chunk.page_starts)
    assert [source.page_at(chunk.text.index(word)) for word in ("One", "Three")] == [1, 3]


blocks = st.lists(
    st.builds(
        Block,
        st.text(st.sampled_from("abc .;\n"), min_size=1, max_size=400).map(
            lambda text: " ".join(text.split()) or "x"
        ),
        st.sampled_from(Kind),
        st.integers(1, 3),
        st.booleans(),
    ),
    max_size=8,
)


@given(st.lists(blocks, max_size=5))
def test_nothing_is_lost_or_put_on_a_page_where_it_is_not(pages: list[list[Block]]) -> None:
    whole = document(*pages)
    chunks = chunk_document(whole)
    bodies = [
        block.text
        for page in whole.pages
        for block in page.blocks
        if block.kind is not Kind.HEADING
    ]
    text = " ".join(chunk.text for chunk in chunks)
    assert all(word in text for body in bodies for word in body.split())
    for chunk in chunks:
        assert chunk.page_starts[0].offset == 0
        assert all(a.offset < b.offset for a, b in pairwise(chunk.page_starts))
        assert all(start.offset < len(chunk.text) for start in chunk.page_starts)
        assert len({start.page for start in chunk.page_starts}) <= max(2, len(pages))
