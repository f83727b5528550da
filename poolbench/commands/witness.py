"""What machines' grades are worth beside people's, from files, without a database."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.estimate import add_estimate_options, read_estimate_inputs
from poolbench.estimation.diagnostics.formats import FORMATS
from poolbench.estimation.witnesses import examine_machines
from poolbench.runs.sampled_qrels import read_judged_pairs


class WitnessCommand(FileCommand):
    help = (
        "Examine machines as second witnesses: their grades by people's, the ranking they would "
        "give, alarms, and what they bring to estimates."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "judgments",
            metavar="JUDGMENTS",
            help="people's grades: qrels, or the file `frame` of a sampled pool",
        )
        add_estimate_options(
            parser,
            FORMATS,
            machine="; repeatable",
            teams="run and team per line: which teams a machine favours (default: not examined)",
            seed="seed of resamples and folds (default: 0)",
            required=True,
        )

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        judgments = options["judgments"]
        with read_estimate_inputs(options, out, judgments, read_judged_pairs) as inputs:
            runs, judged, more = inputs
            examined = examine_machines(runs, judged, **more)
        out.write(FORMATS[options["format"]](examined.report, judgments))
