"""Simulate pool specs on a finished campaign, from files, without a database."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.files import FileReader, file_stem
from poolbench.commands.notes import reject_runs_without_topics
from poolbench.commands.options import (
    add_level,
    add_measures,
    build_scoring_options,
    explain_value_errors,
    read_run_tags,
    state_scale,
)
from poolbench.commands.pool import check_run_choice, check_unique_tags
from poolbench.commands.progress import ProgressBar
from poolbench.commands.run_lists import add_run_files, add_run_tags
from poolbench.pooling.spec import PoolSpec, depth_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.reliability.disagreement.report import parse_ranking_measures
from poolbench.reliability.simulation.finished_campaign import FinishedCampaign
from poolbench.reliability.simulation.formats import FORMATS
from poolbench.reliability.simulation.report import MEASURES, SEEDS, SHARES
from poolbench.reliability.simulation.simulator import check_simulation, simulate_specs
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run


class SimulatePoolCommand(FileCommand):
    help = "Simulate pool specs on a finished campaign: relevant documents found, and judging cost."

    def add_arguments(self, parser: ArgumentParser) -> None:
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
        add_measures(
            parser, f"measure to rank runs by; repeatable (default: {', '.join(MEASURES)})"
        )
        add_level(parser)
        add_run_tags(parser, "--pooled", "contributing runs (default: all)")
        add("--format", choices=tuple(FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        with explain_value_errors(ValueError):
            measures = parse_ranking_measures(options["measures"] or MEASURES)
        budgets = parse_budgets(options["budgets"])
        reader = FileReader(out)
        specs = read_specs(reader, options)
        finished = read_finished_campaign(reader, options)
        with explain_value_errors():
            check_simulation(finished, specs, measures, options["seeds"], budgets)
        measures = state_scale(out, options, measures, finished.qrels.grades)
        bar = ProgressBar(verbose=bool(options["verbosity"]))
        settings = {"seeds": options["seeds"], "budgets": budgets, "progress": bar}
        simulation = simulate_specs(finished, specs, measures, **settings)
        out.write(FORMATS[options["format"]](simulation))


def parse_budgets(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",")) if text is not None else ()
    except ValueError as error:
        raise CliError(f"--budgets must be integers, such as 500,1000,2000, not {text}.") from error


def read_specs(reader: FileReader, options: Mapping[str, Any]) -> dict[str, PoolSpec]:
    """The specs by name; specs in files are named after their files."""
    if any(depth < 1 for depth in options["depth"]):
        raise CliError("--depth must be an integer of at least 1.")
    read = reader.read_all(options["spec"], read_spec)
    named = [(f"depth {depth}", depth_spec(depth)) for depth in dict.fromkeys(options["depth"])]
    named += [(file_stem(path), spec) for path, spec in read.items()]
    names = [name for name, _ in named]
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise CliError(f"Duplicate spec names: {', '.join(duplicates)}. Rename a file.")
    if not options["spec"] and not named:
        raise CliError("Specify at least one pool: --spec or --depth.")
    for name, spec in named:
        check_run_choice(spec, name)
    return dict(named)


def read_finished_campaign(reader: FileReader, options: Mapping[str, Any]) -> FinishedCampaign:
    """The campaign in the files; all files are read before any error is raised."""
    qrels = reader.read(options["qrels"], read_qrels)
    runs = reader.read_all(options["runs"], read_run, lenient=True)
    pooled = read_run_tags(reader, options["pooled"], {run.tag for run in runs.values()})
    if qrels is not None:
        reject_runs_without_topics(reader, runs, qrels.topics)
    qrels = reader.accept(qrels)
    check_unique_tags(runs)
    with explain_value_errors():
        build_scoring_options(options)
        return FinishedCampaign.from_tables(
            [*runs.values()], qrels, pooled or None, options["level"]
        )
