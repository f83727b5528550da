"""Forecast from run files how wide the intervals of estimates would be, before anybody judges."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import add_level, add_measures, explain_value_errors, require_least
from poolbench.commands.run_lists import add_run_files
from poolbench.estimation.machine_files import read_machine_file
from poolbench.estimation.measures import DEFAULT_MEASURES, NoFractionError
from poolbench.evaluation.measures.names import UnknownMeasureError
from poolbench.number_formats import format_percent, format_score
from poolbench.pooling.sample_plans import (
    COLUMNS,
    DEPTH,
    SHARES,
    EstimatePlan,
    list_forecast_rows,
    plan_estimates,
)
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.runs.runs import read_run

READING = (
    "Half-widths of 95 % intervals, the mean over runs: for these topics; with topics as a sample "
    "too; and that with as many judgments spread over twice the topics. Below 5 judgments a topic "
    "ratios such as AP have none."
)


class PlanSampleCommand(FileCommand):
    help = (
        "Forecast how wide intervals of estimates will be, by the number of judgments, for a "
        "sample by influence."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add_run_files(parser, "topic Q0 docno rank score tag")
        add(
            "--numbers",
            metavar="LIST",
            default=",".join(f"{share:.0%}" for share in SHARES),
            help="judgments in all topics together, or shares of all pairs such as 10%%; "
            "comma-separated (default: %(default)s)",
        )
        add(
            "--depth",
            metavar="K",
            type=int,
            default=DEPTH,
            help="all documents down to this rank can be drawn (default: %(default)s)",
        )
        add(
            "--machine",
            metavar="FILE",
            help="grades of an automatic assessor, as qrels, or its chances, as lines of topic "
            "docno p0 p1 …",
        )
        add_measures(
            parser,
            f"a measure that the sample is drawn for (default: {', '.join(DEFAULT_MEASURES)})",
        )
        add_level(parser)
        add("--format", choices=tuple(FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        require_least(options, depth=1)
        numbers = parse_numbers(options["numbers"])
        reader, path = FileReader(out), options["machine"]
        machine = reader.read(path, read_machine_file, top=options["max_rel"]) if path else None
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        reader.raise_if_rejected()
        with explain_value_errors(NoFractionError, UnknownMeasureError):
            plan = plan_estimates(
                list(runs.values()),
                numbers,
                options["measures"] or DEFAULT_MEASURES,
                depth=options["depth"],
                machine=machine,
                level=options["level"],
                top=options["max_rel"],
            )
        if options["verbosity"]:
            out.note(READING)
        out.write(FORMATS[options["format"]](plan))


def parse_numbers(text: str) -> list[float]:
    """``200,10%``: numbers and shares; raises ``CliError`` for anything else."""
    numbers = list[float]()
    for part in text.split(","):
        try:
            share = part.strip().removesuffix("%")
            numbers.append(float(share) / 100 if "%" in part else int(share))
        except ValueError as error:
            raise CliError(f"--numbers {text}: use integers, or shares such as 10%.") from error
    return numbers


def build_plan_report(plan: EstimatePlan) -> Report:
    number, share, measure, *widths = COLUMNS
    columns = (
        *make_columns(number),
        Column(share, format=format_percent),
        Column(measure, left=True),
        *make_columns(*widths, show=format_score),
    )
    table = Table("forecast", columns, list_forecast_rows(plan))
    frame = plan.plan.frame
    counts = {
        "runs": len(frame.runs),
        "topics": len(frame.topics),
        "pairs": len(plan.plan.sizes),
        "reading": READING,
    }
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in table.rows]
    return Report(
        title="What samples would tell",
        sections=[Section("", (table,))],
        conditions=counts,
        record=table,
        data=lambda: {"conditions": counts, "forecast": rows},
    )


FORMATS = make_formats(build_plan_report)
"""By the names of the formats of reports."""
