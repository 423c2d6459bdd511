from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.cli import main
from bot.samples import samples_folder
from bot.settings import Settings


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs `policypal` in an empty folder with nothing set."""
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.validation_alias), raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*args: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["policypal", *map(str, args)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        captured = capfd.readouterr()
        return Ran(int(caught.value.code or 0), captured.out, captured.err)

    return run


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def one_line(ran: Ran, *parts: str) -> None:
    """Bad input: exit 2, nothing on standard output, one line that says all of `parts`."""
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("policypal: ")
    assert ran.err.count("\n") == 1
    for part in parts:
        assert part in ran.err


def test_help_comes_at_once_and_names_the_commands() -> None:
    start = time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-c", "from bot.cli import app; app()", "--help"],
        capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip
    took = time.monotonic() - start
    for name in ("index", "ask", "check", "check-answer", "evaluate", "serve"):
        assert name in ran.stdout
    imported = subprocess.run(
        [sys.executable, "-c", "import sys, bot.cli; print(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=30,
    ).stdout.split()  # fmt: skip
    assert not {"torch", "chromadb", "sentence_transformers", "slack_bolt", "openai"} & {*imported}
    assert took < 5


def test_ask_prints_the_contract(run: Run, indexed: Path) -> None:
    ran = run(
        "ask", "How many days of annual leave do I get?", "--data", indexed, "--country", "in",
        "--on", "2026-06-01", "--json",
    )  # fmt: skip
    assert ran.code == 0
    answer = ran.json
    assert answer["status"] == "answered"
    assert answer["reason"] is None
    assert set(answer) >= {"sentences", "sources", "removed", "timings_ms"}
    sentence = answer["sentences"][0]
    assert "[" not in sentence["text"]
    evidence = sentence["evidence"][0]
    assert set(evidence) == {"source", "page", "text", "score"}
    assert evidence["source"] in sentence["citations"]
    source = answer["sources"][evidence["source"] - 1]
    assert source["n"] == evidence["source"]
    assert set(source) == {
        "n", "policy", "title", "version", "scope", "effective_from", "effective_to", "file",
        "pages", "url", "text",
    }  # fmt: skip
    assert source["file"] == "annual-leave-in.pdf"
    assert source["scope"] == ["IN"]
    assert source["version"] == source["effective_from"] == "2025-04-01"
    assert evidence["page"] in source["pages"]
    assert evidence["text"] in source["text"]
    assert source["url"].endswith(f"#page={evidence['page']}")


def test_ask_hands_over_with_exit_0(run: Run, indexed: Path) -> None:
    ran = run("ask", "Is there a dress code?", "--data", indexed, "--json")
    assert ran.code == 0
    assert ran.json["status"] == "needs_human"
    assert ran.json["reason"] == "no_source"
    assert ran.json["sentences"] == []
    assert all(source["scope"] in ("global", ["IN"]) for source in ran.json["sources"])


def test_ask_without_an_index_in_a_named_folder_says_so(run: Run, tmp_path: Path) -> None:
    ran = run("ask", "How many days?", "--data", tmp_path / "none", "--json")
    assert ran.code == 0
    assert ran.json["reason"] == "index_unavailable"
    assert ran.json["sources"] == []


def test_ask_for_a_reader(run: Run, indexed: Path) -> None:
    ran = run("ask", "How many days of annual leave do I get?", "--data", indexed)
    assert ran.code == 0
    assert "[1]" in ran.out
    assert "Annual leave policy, page" in ran.out
    assert "IN" in ran.out


def test_ask_takes_the_question_before_along(run: Run, indexed: Path) -> None:
    ran = run(
        "ask", "And in Chennai?", "--previous", "What is the hotel limit in Mumbai for band B?",
        "--data", indexed, "--on", "2026-06-01", "--json",
    )  # fmt: skip
    assert "9,000" in " ".join(sentence["text"] for sentence in ran.json["sentences"])


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (("ask", " "), ("question is empty",)),
        (("ask", "x", "--country", "Atlantis"), ("unknown country", "Atlantis")),
        (("ask", "x", "--on", "2026-13-01"), ("2026-13-01", "not a date")),
        (("index", "nowhere"), ("nowhere", "no such folder")),
        (("check", "nowhere.jsonl"), ("nowhere.jsonl", "no such file")),
        (("evaluate", "nowhere.jsonl"), ("nowhere.jsonl", "no such file")),
        (
            ("check-answer", "--sources", "nowhere.json", "--answer", "a.txt"),
            ("nowhere.json", "no such file"),
        ),
    ],
)
def test_bad_usage_is_one_line(run: Run, args: tuple[str, ...], parts: tuple[str, ...]) -> None:
    one_line(run(*args), *parts)


def test_an_unknown_setting_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYPAL_DATTA", "x")
    one_line(run("ask", "How many days?"), "POLICYPAL_DATTA", "POLICYPAL_DATA")


def test_an_unknown_option_is_bad_usage(run: Run) -> None:
    assert run("ask", "x", "--colour", "red").code == 2
    assert run("index").code == 2
    assert run("check", "x", "--without", "luck").code == 2


def test_index_prints_the_contract(run: Run, tmp_path: Path) -> None:
    policies = tmp_path / "policies"
    policies.mkdir()
    shutil.copy(samples_folder() / "travel-2024.pdf", policies)
    (policies / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    ran = run("index", policies, "--data", "d", "--json")
    assert ran.code == 1
    assert set(ran.json) == {
        "indexed", "unchanged", "removed", "failed", "warnings", "pages", "chunks",
    }  # fmt: skip
    assert ran.json["indexed"] == 1
    assert [problem["file"] for problem in ran.json["failed"]] == ["broken.pdf"]
    (policies / "broken.pdf").unlink()
    again = run("index", policies, "--data", "d", "--json")
    assert again.code == 0
    assert again.json["unchanged"] == 1


def test_nothing_indexed_is_exit_2(run: Run, tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    assert run("index", "policies").code == 2
    (tmp_path / "policies" / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    assert run("index", "policies", "--json").code == 2


def test_a_catalog_that_cannot_be_used_is_one_line_with_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "catalog.yml").write_text(
        "policies:\n  - id: travel\n    colour: red\n"
    )
    one_line(run("index", "policies"), "catalog.yml", "line 3")


def test_a_first_question_indexes_the_samples(
    run: Run, tmp_path: Path, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tmp_path / "few"
    few.mkdir()
    shutil.copy(samples_folder() / "annual-leave-global.pdf", few)
    monkeypatch.setattr("bot.samples.samples_folder", lambda: few)
    ran = run("ask", "How many days of annual leave do I get?", "--json")
    assert ran.code == 0
    assert ran.json["status"] == "answered"
    assert "samples" in ran.err
    assert (tmp_path / ".policypal" / "index").is_dir()
    assert "samples" not in run("ask", "Is there a dress code?").err


def test_check_measures_pairs(run: Run, tmp_path: Path) -> None:
    rule = "A locker may be rented for GBP 4 a month."
    pairs = lines(
        tmp_path / "pairs.jsonl",
        {"id": "a", "premise": rule, "hypothesis": rule, "label": "supported"},
        {"id": "b", "premise": rule, "hypothesis": "A locker may be rented for GBP 9 a month.",
         "label": "unsupported", "error_type": "number", "note": None},
    )  # fmt: skip
    ran = run("check", pairs, "--without", "nli", "--rows", "--json")
    assert ran.code == 0
    assert ran.json["n"] == 2
    assert ran.json["balanced_accuracy"] == 1.0
    assert ran.json["by_error_type"]["number"] == {"n": 1, "wrong": 0}
    assert len(ran.json["rows"]) == 2
    assert "rows" not in run("check", pairs, "--without", "nli", "--json").json


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ("not json", ("line 2", "not JSON")),
        ("[1]", ("line 2", "JSON object")),
        ('{"premise": "x", "hypothesis": "y"}', ("line 2", "label")),
        ('{"premise": "x", "hypothesis": null, "label": "supported"}', ("line 2", "hypothesis")),
        ('{"premise": "x", "hypothesis": "y", "label": "maybe"}', ("line 2", "label")),
        ('{"premise": 1, "hypothesis": "y", "label": "supported"}', ("line 2", "premise")),
    ],
)
def test_a_bad_pair_is_named_by_its_line(
    run: Run, tmp_path: Path, row: str, parts: tuple[str, ...]
) -> None:
    good = '{"premise": "x", "hypothesis": "y", "label": "supported"}'
    (tmp_path / "pairs.jsonl").write_text(f"{good}\n{row}\n")
    one_line(run("check", "pairs.jsonl"), *parts)


def test_check_answer_prints_the_contract(run: Run, tmp_path: Path) -> None:
    rule = "A locker may be rented for GBP 4 a month."
    sources = [{"text": rule, "title": "Lockers", "scope": ["UK"], "effective_from": "2030-01-01"}]
    (tmp_path / "sources.json").write_text(json.dumps(sources))
    (tmp_path / "answer.txt").write_text(f"{rule[:-1]} [1]. Rent is paid by card. It is due. [4]")
    ran = run("check-answer", "--sources", "sources.json", "--answer", "answer.txt", "--json")
    assert ran.code == 0
    assert ran.json["supported"] is False
    first, second, third = ran.json["sentences"]
    assert set(first) >= {"text", "citations", "supported", "problem", "evidence"}
    assert (first["supported"], first["problem"]) == (True, None)
    assert (second["supported"], second["problem"]) == (False, "no_citation")
    assert third["problem"] == "unknown_source"


@pytest.mark.parametrize(
    ("sources", "parts"),
    [
        ({"text": "x"}, ("list",)),
        ([{"title": "x"}], ("item 1", "text")),
        ([{"text": "x", "scope": ["Atlantis"]}], ("item 1", "Atlantis")),
        ([{"text": "x", "effective_to": "soon"}], ("item 1", "soon")),
    ],
)
def test_bad_sources_are_named_by_their_place(
    run: Run, tmp_path: Path, sources: Any, parts: tuple[str, ...]
) -> None:
    (tmp_path / "sources.json").write_text(json.dumps(sources))
    (tmp_path / "answer.txt").write_text("x")
    ran = run("check-answer", "--sources", "sources.json", "--answer", "answer.txt")
    one_line(ran, "sources.json", *parts)


def test_evaluate_prints_the_contract(run: Run, tmp_path: Path, indexed: Path) -> None:
    questions = lines(
        tmp_path / "questions.jsonl",
        {"id": "1", "question": "How many days of annual leave do I get?", "answerable": True,
         "file": "annual-leave-global.pdf", "pages": [2], "key": "25", "kind": "amount",
         "on": "2026-06-01", "previous": None},
        {"id": "2", "question": "Is there a dress code?", "answerable": False, "pages": []},
    )  # fmt: skip
    ran = run("evaluate", questions, "--data", indexed, "--rows", "--json")
    assert ran.code == 0
    figures = ran.json
    assert set(figures) == {
        "n", "recall", "answerable", "unanswerable", "citation_page_accuracy", "key_accuracy",
        "by_kind", "ms", "rows",
    }  # fmt: skip
    assert set(figures["recall"]) == {"1", "3", "5", "10"}
    assert figures["answerable"] == {"n": 1, "answered_rate": 1.0}
    assert figures["unanswerable"] == {"n": 1, "handed_over_rate": 1.0}
    assert figures["key_accuracy"] == 1.0
    assert [row["id"] for row in figures["rows"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ({"id": "1", "question": "x"}, "answerable"),
        ({"id": "1", "question": "x", "answerable": "yes"}, "true or false"),
        ({"id": "1", "question": "x", "answerable": True, "pages": [0]}, "pages"),
        ({"id": "1", "question": "x", "answerable": True, "on": "soon"}, "soon"),
        ({"id": "1", "question": "x", "answerable": True, "country": "Atlantis"}, "Atlantis"),
        ({"id": "1", "question": "x", "answerable": True, "key": 4}, "key"),
    ],
)
def test_a_bad_question_is_named_by_its_line(
    run: Run, tmp_path: Path, row: dict[str, Any], part: str
) -> None:
    lines(tmp_path / "questions.jsonl", row)
    one_line(run("evaluate", "questions.jsonl"), "questions.jsonl, line 1", part)


def test_evaluate_without_an_index_is_bad_usage(run: Run, tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", {"id": "1", "question": "x", "answerable": True})
    one_line(run("evaluate", "questions.jsonl", "--data", "none"), "no index")


def test_an_nli_model_that_is_not_there_is_a_failure(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLICYPAL_NLI_MODEL", "./nowhere")
    pair = {"premise": "x", "hypothesis": "y", "label": "supported"}
    ran = run("check", lines(tmp_path / "pairs.jsonl", pair))
    assert ran.code == 1
    assert ran.err.count("\n") == 1
    assert "nowhere" in ran.err
