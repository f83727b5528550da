"""Estimate scores of runs from judgments of a sample, from files, without a database."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import add_level, add_measures, explain_value_errors
from poolbench.commands.run_lists import add_run_files
from poolbench.estimation.estimate import MEASURES, NoFrameError, estimate
from poolbench.estimation.machine_files import read_machine_file
from poolbench.estimation.measures import NoFractionError
from poolbench.estimation.results import COLUMNS, EstimatedScores
from poolbench.evaluation.measures.names import UnknownMeasureError
from poolbench.evaluation.name_files import read_teams
from poolbench.plain_data import to_plain
from poolbench.reports.csv import format_csv
from poolbench.runs.runs import read_run
from poolbench.runs.sampled_qrels import read_frame
from poolbench.runs.tables import RunTable


class EstimateCommand(FileCommand):
    help = (
        "Estimate what full judging of a pool would give from judgments of a sample by influence, "
        "with intervals."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "sample", metavar="SAMPLE", help="the file `frame` of the pool, with grades"
        )
        add_estimate_options(
            parser,
            FORMATS,
            machine=", which sharpen the estimates; repeatable",
            teams="runs of a team that a machine favours are placed by their estimates: run, team",
            seed="seed of the calibration (default: 0)",
        )

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        with read_estimate_inputs(options, out, options["sample"], read_frame) as inputs:
            runs, sample, more = inputs
            scores = estimate(runs, sample, **more)
        for remark in scores.report.remarks:
            out.note(remark.text)
        for own in scores.report.measures:
            if own.why:
                out.note(f"{own.measure} has no interval: {own.why}.")
        out.write(FORMATS[options["format"]](scores))


def add_estimate_options(
    parser: ArgumentParser,
    formats: Collection[str],
    *,
    machine: str,
    teams: str,
    seed: str,
    required: bool = False,
) -> None:
    """Runs, machines and measures, with what each is for; ``required``: a machine."""
    add = parser.add_argument
    add_run_files(parser, "topic Q0 docno rank score tag")
    add(
        "--machine",
        action="append",
        default=[],
        required=required,
        metavar="FILE",
        help="grades of an automatic assessor, as qrels, or its chances, as lines of topic "
        f"docno p0 p1 …{machine}",
    )
    add("--teams", metavar="FILE", help=teams)
    add_measures(parser, f"a measure that has estimates (default: {', '.join(MEASURES)})")
    add_level(parser)
    add("--seed", type=int, default=0, help=seed)
    add("--format", choices=tuple(formats), default="table")


@contextmanager
def read_estimate_inputs(
    options: Mapping[str, Any], out: Output, judgments: str, read: Callable[..., Any]
) -> Iterator[tuple[list[RunTable], Any, dict[str, Any]]]:
    """The arguments of ``estimate`` and ``examine_machines``, whose errors end the command."""
    reader = FileReader(out)
    judged = reader.read(judgments, read)
    machines = reader.read_all(options["machine"], read_machine_file, top=options["max_rel"])
    runs = reader.read_all(options["runs"], read_run, lenient=True)
    teams = reader.read(options["teams"], read_teams) if options["teams"] else None
    with explain_value_errors(NoFrameError, NoFractionError, UnknownMeasureError):
        yield list(runs.values()), reader.accept(judged), {
            "measures": options["measures"] or MEASURES, "machines": machines, "teams": teams,
            "level": options["level"], "top": options["max_rel"], "seed": options["seed"],
        }  # fmt: skip


def format_estimate_table(scores: EstimatedScores) -> str:
    """A line for each measure and run, by place: value and interval."""
    lines = []
    for own in scores.report.measures:
        for run in own.runs:
            ends = (run.estimate.low, run.estimate.high)
            interval = "" if None in ends else f"  {ends[0]:.4f} to {ends[1]:.4f}"
            value = run.estimate.value or 0.0
            lines.append(f"{own.measure:<14} {run.place:>4}  {run.run:<20} {value:.4f}{interval}\n")
    return "".join(lines)


def format_estimate_csv(scores: EstimatedScores) -> str:
    report = scores.report
    conditions = {"pairs": report.pairs, "judged": report.judged, "machines": report.machines}
    return format_csv("estimates", COLUMNS, list(scores.iter_rows()), conditions)


def format_estimate_json(scores: EstimatedScores) -> str:
    return json.dumps(to_plain(scores.report), indent=1, ensure_ascii=False) + "\n"


FORMATS = {"table": format_estimate_table, "csv": format_estimate_csv, "json": format_estimate_json}
