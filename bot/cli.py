"""The `policypal` command. Standard output holds the result, standard error all else."""

from __future__ import annotations

import logging
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from bot.errors import UsageError
from knowledge.errors import IndexUnavailable, KnowledgeError, PolicyPalError, UnknownCountry

if TYPE_CHECKING:
    from bot.engine import Engine
    from grounding.answer import Answer
    from grounding.checker import Checker
    from grounding.evaluation import Row
    from knowledge.index import BuildReport
    from knowledge.sources import Source


app = typer.Typer(
    name="policypal",
    help="Answers policy questions from PDFs; each sentence is checked against its source.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

Data = Annotated[
    Path | None,
    typer.Option(help="Folder of the index. Default: POLICYPAL_DATA, else ./.policypal"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
WithRows = Annotated[bool, typer.Option("--rows", help="Add each row's result.")]
Country = Annotated[str | None, typer.Option(help="The reader's country: IN, GB, Germany, ...")]
On = Annotated[str | None, typer.Option(help="The day to answer for, such as 2026-04-01.")]


class Part(StrEnum):
    """A part of the checker that can be left out for comparison."""

    GUARDS = "guards"
    NLI = "nli"


@app.command()
def index(
    policies: Annotated[Path, typer.Argument(metavar="POLICIES_DIR", help="Folder of PDFs.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Index a folder of policies (PDFs, and a catalog.yml for versions and countries)."""
    from bot.printing import print_json, report_json, show_report

    if not policies.is_dir():
        raise UsageError(f"{policies}: no such folder")
    try:
        report = _reindex(_engine(data), policies)
    except KnowledgeError as error:
        raise UsageError(str(error)) from None
    if as_json:
        print_json(report_json(report))
    else:
        show_report(report)
    if report.failed:
        raise typer.Exit(1 if report.indexed or report.unchanged else 2)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    data: Data = None,
    country: Country = None,
    on: On = None,
    previous: Annotated[str | None, typer.Option(help="The question before this one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the policies in force, or say that HR must."""
    from bot.inputs import read_country, read_day
    from bot.printing import answer_json, print_json, show_answer, status_line

    if not question.strip():
        raise UsageError("the question is empty")
    code, day = read_country(country), read_day(on)
    engine = _engine(data)
    if data is None:
        _index_samples_if_nothing_is_set_up(engine)
    with status_line() as on_step:
        answer = engine.answer(question, code, day, previous, on_step)
    if as_json:
        print_json(answer_json(answer, engine.local_url))
    else:
        show_answer(answer, engine.local_url)


@app.command()
def check(
    pairs: Annotated[Path, typer.Argument(help="JSON Lines: premise, hypothesis, label.")],
    without: Annotated[Part | None, typer.Option(help="Leave out a part of the checker.")] = None,
    rows: WithRows = False,
    as_json: AsJson = False,
) -> None:
    """Measure the checker on labelled pairs."""
    from bot.inputs import read_pairs
    from bot.printing import print_json, show_figures
    from grounding.pairs import check_pairs

    figures = check_pairs(read_pairs(pairs), _checker(without), with_rows=rows)
    if as_json:
        print_json(figures)
    else:
        show_figures(figures, f"Checker on {pairs}")


@app.command("check-answer")
def check_answer(
    sources: Annotated[Path, typer.Option(help="JSON list of sources, numbered from 1.")],
    answer: Annotated[Path, typer.Option(help="Answer text with citation marks.")],
    as_json: AsJson = False,
) -> None:
    """Check each sentence of an answer against the sources that it cites."""
    from bot.inputs import read_sources
    from bot.printing import checked_json, print_json, show_checked
    from bot.rows import read_text

    given, text = read_sources(sources), read_text(answer)
    sentences = _checker().check(text, given)
    if as_json:
        print_json(checked_json(sentences))
    else:
        show_checked(sentences)


@app.command()
def evaluate(
    questions: Annotated[Path, typer.Argument(help="JSON Lines: id, question, answerable, ...")],
    data: Data = None,
    rows: WithRows = False,
    as_json: AsJson = False,
) -> None:
    """Measure answers on a question set."""
    from bot.inputs import read_questions
    from bot.printing import print_json, progress_bar, show_figures
    from grounding.evaluation import RANKS, result_row
    from grounding.evaluation import evaluate as measure
    from grounding.sourcing import find_sources

    given = read_questions(questions)
    engine = _engine(data)
    opened = engine.index()
    engine.checker  # noqa: B018 - without a checker there is nothing to measure

    def search(row: Row) -> tuple[Source, ...]:
        found = find_sources(
            opened,
            engine.ranker,
            row.question,
            country=row.country,
            day=row.on,
            previous=row.previous,
            limit=max(RANKS),
        )
        return found.sources

    with progress_bar("Asking") as progress:
        done = 0

        def answer(row: Row) -> Answer:
            nonlocal done
            answered = engine.answer(row.question, row.country, row.on, row.previous)
            done += 1
            if progress:
                progress(row.id, done, len(given))
            return answered

        figures, results = measure(given, answer, search)
    if rows:
        figures["rows"] = [result_row(result) for result in results]
    if as_json:
        print_json(figures)
    else:
        show_figures(figures, f"Answers on {questions}")


@app.command()
def serve(
    data: Data = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8080,
) -> None:
    """Run the bot in Slack."""
    from bot.serve import serve as run
    from bot.settings import load_settings

    _log_from(logging.INFO)
    run(load_settings(data), host, port)


def main() -> NoReturn:
    """The entry point: one line on standard error and an exit code instead of a traceback."""
    os.environ.setdefault("TQDM_DISABLE", "1")
    _log_from(logging.WARNING)
    try:
        app()
    except PolicyPalError as error:
        sys.stderr.write(f"policypal: {' '.join(str(error).split())}\n")
        bad_input = isinstance(error, UsageError | UnknownCountry | IndexUnavailable)
        sys.exit(2 if bad_input else 1)
    sys.exit(0)


def _log_from(level: int) -> None:
    """Log to standard error. The handler has the level: some libraries set their loggers' own."""
    handler = logging.StreamHandler()
    handler.setLevel(level)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)


def _engine(data: Path | None) -> Engine:
    from bot.engine import Engine
    from bot.settings import load_settings

    return Engine(load_settings(data))


def _checker(without: Part | None = None) -> Checker:
    from bot.engine import new_checker
    from bot.settings import load_settings

    nli, guards = without is not Part.NLI, without is not Part.GUARDS
    return new_checker(load_settings().nli_model, nli=nli, guards=guards)


def _reindex(engine: Engine, policies: Path) -> BuildReport:
    from bot.printing import progress_bar

    with progress_bar("Indexing") as progress:
        return engine.reindex(progress, policies)


def _index_samples_if_nothing_is_set_up(engine: Engine) -> None:
    from bot.samples import samples_folder

    settings = engine.settings
    if settings.names_data or settings.policies or engine.has_index():
        return
    sys.stderr.write(
        f"No policies are indexed in {settings.data} yet: indexing the samples of the invented "
        "company Harbourline. For your own: policypal index POLICIES_DIR\n"
    )
    _reindex(engine, samples_folder())
