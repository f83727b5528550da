"""Simulate pool specs on a finished campaign, from files, without a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.management.files import FileReader, file_stem
from campaigns.management.run_lists import add_run_files, add_run_tags
from evaluation.management.cli_output import reject_runs_without_topics
from evaluation.management.run_tags import read_run_tags
from evaluation.management.scale_option import add_max_rel, build_scoring_options, state_scale
from pooling.core.spec import PoolSpec, depth_spec
from pooling.core.spec_file import read_spec
from pooling.management.option_checks import check_run_choice, check_unique_tags
from reliability.core.simulation.finished_campaign import FinishedCampaign
from reliability.core.simulation.formats import FORMATS
from reliability.core.simulation.report import MEASURES, SEEDS, SHARES, Progress
from reliability.core.simulation.simulator import (
    check_simulation,
    ignore_progress,
    parse_ranking_measures,
    simulate_specs,
)

CONSEQUENCE = "no output written"


class Command(BaseCommand):
    help = "Simulate pool specs on a finished campaign: relevant documents found, and judging cost."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="complete judgments: topic 0 docno grade")
        add_run_files(parser, "runs: topic Q0 docno rank score tag")
        add("--spec", metavar="FILE", action="append", default=[], help="a pool spec; repeatable")
        add(
            "--depth",
            metavar="K",
            type=int,
            action="append",
            default=[],
            help="a depth-K pool; repeatable",
        )
        add(
            "--seeds",
            metavar="N",
            type=int,
            default=SEEDS,
            help="seeds per spec (default: %(default)s)",
        )
        add(
            "--budgets",
            metavar="N",
            help="total judgments, comma-separated (default: "
            f"{', '.join(map(str, SHARES))} %% of the judgments of the deepest spec)",
        )
        add(
            "-m",
            dest="measures",
            metavar="MEASURE",
            action="append",
            help=f"measure to rank runs by; repeatable (default: {', '.join(MEASURES)})",
        )
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default: 1)")
        add_max_rel(parser)
        add_run_tags(parser, "--pooled", "contributing runs (default: all)")
        add("--format", choices=tuple(FORMATS), default="table")

    def handle(self, **options: Any) -> None:
        try:
            measures = parse_ranking_measures(options["measures"] or MEASURES)
        except ValueError as error:
            raise CommandError(str(error)) from error
        budgets = parse_budgets(options["budgets"])
        reader = FileReader(self)
        specs = read_specs(reader, options)
        finished = read_finished_campaign(reader, options)
        try:
            check_simulation(finished, specs, measures, options["seeds"], budgets)
        except ValueError as error:
            raise CommandError(capitalize_sentence(error)) from error
        measures = state_scale(self, options, measures, finished.qrels.grades)
        verbose = bool(options["verbosity"])
        progress = make_progress_printer(self.stderr.write) if verbose else ignore_progress
        settings = {"seeds": options["seeds"], "budgets": budgets, "progress": progress}
        simulation = simulate_specs(finished, specs, measures, **settings)
        self.stdout.write(FORMATS[options["format"]](simulation), ending="")


def parse_budgets(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",")) if text is not None else ()
    except ValueError as error:
        raise CommandError(
            f"--budgets must be integers, such as 500,1000,2000, not {text}."
        ) from error


def read_specs(reader: FileReader, options: dict[str, Any]) -> dict[str, PoolSpec]:
    """The specs by name; specs in files are named after their files."""
    if any(depth < 1 for depth in options["depth"]):
        raise CommandError("--depth must be an integer of at least 1.")
    read = reader.read_all(options["spec"], read_spec)
    named = [(f"depth {depth}", depth_spec(depth)) for depth in dict.fromkeys(options["depth"])]
    named += [(file_stem(path), spec) for path, spec in read.items()]
    names = [name for name, _ in named]
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise CommandError(f"Duplicate spec names: {', '.join(duplicates)}. Rename a file.")
    if not options["spec"] and not named:
        raise CommandError("Specify at least one pool: --spec or --depth.")
    for name, spec in named:
        check_run_choice(spec, name)
    return dict(named)


def read_finished_campaign(reader: FileReader, options: dict[str, Any]) -> FinishedCampaign:
    """The campaign in the files; all files are read before any error is raised."""
    qrels = reader.read_all([options["qrels"]], read_qrels)
    runs = reader.read_all(options["runs"], read_run, lenient=True)
    pooled = read_run_tags(reader, options["pooled"], {run.tag for run in runs.values()})
    if options["qrels"] in qrels:
        reject_runs_without_topics(reader, runs, qrels[options["qrels"]].topics)
    reader.raise_if_rejected(CONSEQUENCE)
    check_unique_tags(runs)
    try:
        build_scoring_options(options)
        return FinishedCampaign.from_tables(
            [*runs.values()], qrels[options["qrels"]], pooled or None, options["level"]
        )
    except ValueError as error:
        raise CommandError(capitalize_sentence(error)) from error


def make_progress_printer(write: Callable[[str], object]) -> Progress:
    """Prints each replay, and each measure once it is scored."""

    def print_progress(activity: str, done: int, total: int) -> None:
        if done == total or activity.startswith("replaying"):
            write(f"{activity}: {done} of {total}")

    return print_progress


def capitalize_sentence(error: ValueError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
