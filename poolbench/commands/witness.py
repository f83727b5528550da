"""What machines' grades are worth beside people's, from files, without a database."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import add_level, add_measures, explain_value_errors
from poolbench.commands.run_lists import add_run_files
from poolbench.estimation.diagnostics.formats import FORMATS
from poolbench.estimation.estimate import MEASURES, NoFrameError
from poolbench.estimation.machine_files import read_machine_file
from poolbench.estimation.measures import NoFractionError
from poolbench.estimation.witnesses import examine_machines
from poolbench.evaluation.measures.names import UnknownMeasureError
from poolbench.evaluation.name_files import read_teams
from poolbench.runs.runs import read_run
from poolbench.runs.sampled_qrels import read_judged_pairs


class WitnessCommand(FileCommand):
    help = (
        "Examine machines as second witnesses: their grades by people's, the ranking they would "
        "give, alarms, and what they bring to estimates."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "judgments",
            metavar="JUDGMENTS",
            help="people's grades: qrels, or the file `frame` of a sampled pool",
        )
        add_run_files(parser, "topic Q0 docno rank score tag")
        add(
            "--machine",
            action="append",
            required=True,
            metavar="FILE",
            help="grades of an automatic assessor, as qrels, or its chances, as lines of topic "
            "docno p0 p1 …; repeatable",
        )
        add(
            "--teams",
            metavar="FILE",
            help="run and team per line: which teams a machine favours (default: not examined)",
        )
        add_measures(parser, f"a measure that has estimates (default: {', '.join(MEASURES)})")
        add_level(parser)
        add("--seed", type=int, default=0, help="seed of resamples and folds (default: 0)")
        add("--format", choices=tuple(FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        reader = FileReader(out)
        judged = reader.read(options["judgments"], read_judged_pairs)
        machines = reader.read_all(options["machine"], read_machine_file, top=options["max_rel"])
        teams = reader.read(options["teams"], read_teams) if options["teams"] else None
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        judged = reader.accept(judged)
        with explain_value_errors(NoFrameError, NoFractionError, UnknownMeasureError):
            examined = examine_machines(
                list(runs.values()),
                judged,
                machines,
                options["measures"] or MEASURES,
                teams=teams,
                level=options["level"],
                top=options["max_rel"],
                seed=options["seed"],
            )
        out.write(FORMATS[options["format"]](examined.report, options["judgments"]))
