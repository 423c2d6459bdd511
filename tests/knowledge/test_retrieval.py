"""Question + reader + day -> sources, on the sample company's policies."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from freezegun import freeze_time

from knowledge.embedding import Embedder
from knowledge.generation import HISTORY, LIVE
from knowledge.index import BuildReport, Index, build_index, open_index
from knowledge.retrieval import Retrieval, retrieve
from tests.knowledge.drawing import draw_policy
from tests.knowledge.measure import rank, read_questions, recall
from tests.knowledge.shelf import write_catalog

SAMPLES = Path(__file__).resolve().parents[2] / "knowledge" / "samples"
AUTUMN = date(2026, 10, 15)


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory, embedder: Embedder
) -> tuple[Index, BuildReport]:
    data = tmp_path_factory.mktemp("samples")
    report = build_index(SAMPLES, data, embedder)
    return open_index(data, embedder), report


@pytest.fixture
def index(built: tuple[Index, BuildReport]) -> Index:
    return built[0]


def files(found: Retrieval) -> list[str]:
    return [source.file for source in found.sources]


def test_all_samples_are_indexed_whole(built: tuple[Index, BuildReport]) -> None:
    report = built[1]
    assert (report.failed, report.warnings) == ((), ())
    assert report.indexed == len(list(SAMPLES.glob("*.pdf")))


def test_the_right_page_is_among_five_sources_for_nineteen_questions_in_twenty(
    index: Index,
) -> None:
    found = recall([rank(index, row) for row in read_questions()])
    assert found[5] >= 0.95
    assert found[1] >= 0.75


@pytest.mark.parametrize(
    ("country", "first", "never"),
    [
        ("IN", "annual-leave-in.pdf", "annual-leave-global.pdf"),
        ("GB", "annual-leave-gb.pdf", "annual-leave-global.pdf"),
        ("DE", "annual-leave-global.pdf", "annual-leave-in.pdf"),
        (None, "annual-leave-global.pdf", "annual-leave-gb.pdf"),
    ],
)
def test_the_countrys_own_version_replaces_the_global_one(
    index: Index, country: str | None, first: str, never: str
) -> None:
    found = retrieve(index, "how much annual leave do I have?", country=country, day=AUTUMN)
    assert files(found)[0] == first
    assert never not in files(found)


def test_the_global_version_answers_where_the_countrys_own_is_silent(index: Index) -> None:
    question = "may I go to the dentist in working time?"
    found = retrieve(index, question, country="DE", day=AUTUMN)
    assert files(found)[0] == "sick-leave-global.pdf"


def test_other_countries_with_rules_of_their_own_are_named(index: Index) -> None:
    question = "how much annual leave do I have?"
    assert {"GB", "IN"} <= set(retrieve(index, question, country=None, day=AUTUMN).other_countries)
    others = retrieve(index, question, country="IN", day=AUTUMN).other_countries
    assert "IN" not in others
    assert "GB" in others


@pytest.mark.parametrize(
    ("day", "shown"),
    [
        (date(2023, 12, 31), set()),
        (date(2025, 6, 1), {"travel-2024.pdf"}),
        (date(2025, 12, 1), {"travel-2024.pdf"}),
        (date(2025, 12, 2), {"travel-2024.pdf", "travel-2026.pdf"}),
        (date(2025, 12, 31), {"travel-2024.pdf", "travel-2026.pdf"}),
        (date(2026, 1, 1), {"travel-2026.pdf"}),
    ],
)
def test_only_versions_in_force_or_about_to_be_are_found(
    index: Index, day: date, shown: set[str]
) -> None:
    found = retrieve(index, "premium economy on a long flight", country=None, day=day, limit=40)
    assert {file for file in files(found) if file.startswith("travel")} == shown
    assert all(s.effective_from for s in found.sources)


def test_a_version_that_is_to_come_is_not_taken_for_todays(index: Index) -> None:
    found = retrieve(index, "car mileage rate in 2027", country="GB", day=AUTUMN, limit=40)
    assert "expenses-2027.pdf" not in files(found)


def test_ended_versions_lie_in_the_history_and_answer_for_their_days(index: Index) -> None:
    generation = index.current()
    where = {v.version.file: v.collection for v in generation.record.versions}
    assert where["travel-2024.pdf"] == HISTORY
    assert where["travel-2026.pdf"] == LIVE
    texts = {stored.sha256 for stored in generation.chunks[LIVE]}
    ended = {v.sha256 for v in generation.record.versions if v.collection == HISTORY}
    assert not texts & ended
    found = retrieve(index, "how far ahead are flights booked?", country=None, day=date(2025, 3, 1))
    assert files(found)[0] == "travel-2024.pdf"


@pytest.mark.parametrize("question", ["", "   ", "???", "q" * 3000, "Was ist \x00 das? 年假"])
def test_any_text_may_be_asked(index: Index, question: str) -> None:
    found = retrieve(index, question, country=None, day=AUTUMN)
    assert len(found.sources) == len(found.relevance) == 5
    assert all(0 <= relevance <= 1 for relevance in found.relevance)


def test_relevance_tells_what_is_asked_for_from_what_is_not(index: Index) -> None:
    def best(question: str) -> float:
        return max(retrieve(index, question, country="GB", day=AUTUMN).relevance)

    assert best("How many days of annual leave may I carry over?") > 0.8
    assert best("can i bring my dog to the office") < 0.35


def test_sources_are_numbered_from_one_with_all_that_a_reader_sees(index: Index) -> None:
    found = retrieve(index, "deadline for expense claims", country="GB", day=AUTUMN, limit=3)
    assert [source.n for source in found.sources] == [1, 2, 3]
    best = found.sources[0]
    assert (best.policy, best.file, best.scope) == ("expenses", "expenses-2026.pdf", ())
    assert (best.effective_from, best.effective_to) == (date(2026, 4, 1), date(2027, 3, 31))
    assert "60 days" in best.text
    assert best.headings == ("10. Making a claim",)


def test_withdrawn_and_reissued_versions_follow_the_catalog(
    tmp_path: Path, embedder: Embedder
) -> None:
    policies, data = tmp_path / "policies", tmp_path / "data"
    for number, days in (("1", 25), ("2", 28), ("3", 30)):
        text = [
            f"# {number}. Leave",
            f"1.1 This replaces Policy 12. Staff have {days} days of leave.",
        ]
        draw_policy(policies / f"v{number}.pdf", text)
    rows = [
        ("leave", "v1.pdf", "effective_from: 2023-01-01; effective_to: 2025-12-31"),
        ("leave", "v2.pdf", "effective_from: 2026-01-01"),
        ("leave", "v3.pdf", "effective_from: 2027-01-01"),
    ]
    write_catalog(policies, *rows, zone="Pacific/Auckland")
    build_index(policies, data, embedder)
    index = open_index(data, embedder)

    def held(day: date | None) -> list[str]:
        return files(retrieve(index, "how many days of leave?", country=None, day=day))

    assert held(date(2025, 11, 1)) == ["v1.pdf"]
    assert held(date(2026, 1, 1)) == ["v2.pdf"]
    assert held(date(2027, 1, 1)) == ["v3.pdf"]
    with freeze_time("2026-12-31 11:30:00"):
        assert held(None) == ["v3.pdf"]
    with freeze_time("2026-11-01 11:30:00"):
        assert held(None) == ["v2.pdf"]

    (policies / "v1.pdf").rename(policies / "old.pdf")
    write_catalog(policies, ("leave", "old.pdf", rows[0][2]), zone="Pacific/Auckland")
    build_index(policies, data, embedder)
    assert held(date(2026, 1, 1)) == []
    assert held(date(2025, 11, 1)) == ["old.pdf"]


def test_a_countrys_version_that_is_to_come_leaves_the_global_one_in_force(
    tmp_path: Path, embedder: Embedder
) -> None:
    policies, data = tmp_path / "policies", tmp_path / "data"
    draw_policy(policies / "all.pdf", ["# 1. Leave", "1.1 Staff have 25 days of annual leave."])
    draw_policy(policies / "in.pdf", ["# 1. Leave", "1.1 Staff have 18 days of annual leave."])
    write_catalog(
        policies,
        ("leave", "all.pdf", "effective_from: 2025-01-01"),
        ("leave", "in.pdf", "effective_from: 2026-12-20; scope: [IN]"),
    )
    build_index(policies, data, embedder)
    index = open_index(data, embedder)

    def held(day: date) -> set[str]:
        found = retrieve(index, "how many days of annual leave?", country="IN", day=day)
        return set(files(found))

    assert held(date(2026, 11, 19)) == {"all.pdf"}
    assert held(date(2026, 12, 19)) == {"all.pdf", "in.pdf"}
    assert held(date(2026, 12, 20)) == {"in.pdf"}


def test_two_policies_that_speak_of_the_same_stay_two_sources(
    tmp_path: Path, embedder: Embedder
) -> None:
    policies, data = tmp_path / "policies", tmp_path / "data"
    draw_policy(policies / "it.pdf", ["1.1 Personal phones may open e-mail and the portal only."])
    draw_policy(policies / "home.pdf", ["1.1 Staff at home may use approved remote-work tools."])
    build_index(policies, data, embedder)
    question = "can I open work files on my own phone at home?"
    found = retrieve(open_index(data, embedder), question, country=None)
    assert sorted(files(found)) == ["home.pdf", "it.pdf"]
    assert all(len({source.policy}) == 1 for source in found.sources)
