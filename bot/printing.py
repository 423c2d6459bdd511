"""What the commands print: JSON by the contract, or the same for a reader."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grounding.answer import Answer, CheckedSentence, Evidence, Reason
from knowledge.sources import Source, dates_in_words

if TYPE_CHECKING:
    from knowledge.index import BuildReport

UrlFor = Callable[[Source, int], str]

_REASONS = {
    Reason.NO_SOURCE: "No policy in force answers this question.",
    Reason.UNSUPPORTED: "No answer could be supported by the policies.",
    Reason.CONFLICT: "The policies contradict each other on this.",
    Reason.MODEL_UNAVAILABLE: "The answer model cannot be reached.",
    Reason.CHECKER_UNAVAILABLE: "The checker is out of order, and nothing is shown unchecked.",
    Reason.INDEX_UNAVAILABLE: "There is no index to search: run policypal index.",
}


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def answer_json(answer: Answer, url_for: UrlFor) -> dict[str, Any]:
    """The contract of `policypal ask`."""
    pages = {e.source: e.page for s in answer.sentences for e in reversed(s.evidence) if e.page}
    return {
        "status": answer.status.value,
        "reason": answer.reason.value if answer.reason else None,
        "sentences": [
            {
                "text": sentence.text,
                "citations": list(sentence.citations),
                "evidence": evidence_json(sentence.evidence),
            }
            for sentence in answer.sentences
        ],
        "sources": [
            _source_json(source, url_for(source, opening_page(source, pages.get(source.n))))
            for source in answer.sources
        ],
        "removed": [
            {"text": sentence.text, "problem": str(sentence.problem)} for sentence in answer.removed
        ],
        "other_countries": list(answer.other_countries),
        "timings_ms": answer.timings_ms,
    }


def evidence_json(evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    return [
        {
            "source": item.source,
            "page": item.page,
            "text": item.text,
            "score": round(item.score, 4),
        }
        for item in evidence
    ]


def checked_json(sentences: Sequence[CheckedSentence]) -> dict[str, Any]:
    """The contract of `policypal check-answer`."""
    return {
        "supported": all(sentence.supported for sentence in sentences),
        "sentences": [
            {
                "text": sentence.text,
                "citations": list(sentence.citations),
                "supported": sentence.supported,
                "problem": sentence.problem.value if sentence.problem else None,
                "detail": sentence.detail,
                "evidence": evidence_json(sentence.evidence),
            }
            for sentence in sentences
        ],
    }


def report_json(report: BuildReport) -> dict[str, Any]:
    """The contract of `policypal index`."""
    return {
        "indexed": report.indexed,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "failed": [asdict(problem) for problem in report.failed],
        "warnings": [asdict(warning) for warning in report.warnings],
        "pages": report.pages,
        "chunks": report.chunks,
    }


def opening_page(source: Source, page: int | None) -> int:
    """The physical page that a link to `source` opens: the evidence's, else the first."""
    return page or (source.pages or [1])[0]


def show_answer(answer: Answer, url_for: UrlFor) -> None:
    """An answer with its sources for a reader."""
    out = Console(highlight=False)
    if not answer.sentences:
        out.print(f"[bold]For HR:[/] {_REASONS[answer.reason or Reason.UNSUPPORTED]}")
        return
    marked = (
        escape(sentence.text) + "".join(f" [cyan]\\[{n}][/]" for n in sentence.citations)
        for sentence in answer.sentences
    )
    out.print(" ".join(marked))
    if answer.other_countries:
        others = ", ".join(answer.other_countries)
        out.print(f"This is the global rule. These countries have their own: {others}.")
    out.print()
    pages = {e.source: e.page for s in answer.sentences for e in reversed(s.evidence)}
    for n in sorted({n for sentence in answer.sentences for n in sentence.citations}):
        source = answer.sources[n - 1]
        page = opening_page(source, pages.get(n))
        dates = dates_in_words(source.effective_from, source.effective_to)
        where = ", ".join(part for part in (source.title, f"page {page}", dates) if part)
        out.print(f"[cyan]\\[{n}][/] {escape(where)}")
        out.print(f"    [dim]{escape(url_for(source, page))}[/]", soft_wrap=True)


def show_checked(sentences: Sequence[CheckedSentence]) -> None:
    """A checked answer for a reader."""
    out = Console(highlight=False)
    for sentence in sentences:
        mark = "[green]supported[/]" if sentence.supported else f"[red]{sentence.problem}[/]"
        out.print(f"{mark}  {escape(sentence.text)}")
        if sentence.detail and not sentence.supported:
            out.print(f"    [dim]{escape(sentence.detail)}[/]")


def show_report(report: BuildReport) -> None:
    """What a build of the index did, for a reader."""
    out = Console(highlight=False)
    out.print(
        f"{report.indexed} indexed, {report.unchanged} unchanged, {report.removed} removed; "
        f"{report.pages} pages, {report.chunks} chunks"
    )
    for problem in report.failed:
        out.print(f"[red]left out[/] {escape(problem.file)}: {escape(problem.problem)}")
    for warning in report.warnings:
        place = f"{warning.file}, page {warning.page}"
        out.print(f"[yellow]look at[/] {escape(place)}: {escape(warning.problem)}")


def show_figures(figures: Mapping[str, Any], title: str) -> None:
    """Nested figures as one table; the rows of `--rows` are left to JSON."""
    table = Table(title=title, show_header=False)
    for name, value in _flat(figures):
        table.add_row(escape(name), "-" if value is None else escape(str(value)))
    Console(highlight=False).print(table)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar on standard error when that is a terminal; it is told (file, done, of how many)."""
    err = Console(stderr=True)
    if not err.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(name: str, done: int, total: int) -> None:
            bar.update(task, description=escape(name), completed=done, total=total)

        yield advance


@contextmanager
def status_line() -> Iterator[Callable[[str], None] | None]:
    """A changing line on standard error, when that is a terminal, that says what is being done."""
    err = Console(stderr=True)
    if not err.is_terminal:
        yield None
        return
    with err.status("Starting…") as status:
        yield status.update


def _source_json(source: Source, url: str) -> dict[str, Any]:
    effective_from = source.effective_from.isoformat() if source.effective_from else None
    return {
        "n": source.n,
        "policy": source.policy,
        "title": source.title,
        "version": effective_from,
        "scope": list(source.scope) or "global",
        "effective_from": effective_from,
        "effective_to": source.effective_to.isoformat() if source.effective_to else None,
        "file": source.file,
        "pages": source.pages,
        "url": url,
        "text": source.text,
    }


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name} ")
        elif not isinstance(value, list):
            yield f"{prefix}{name}", value
