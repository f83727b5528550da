"""Bradley–Terry strengths and cycles, from files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import explain_value_errors
from poolbench.preferences.formats import STRENGTH_FORMATS
from poolbench.preferences.preference_table import read_preferences
from poolbench.preferences.strengths import compute_strengths


class BradleyTerryCommand(FileCommand):
    help = "Compute Bradley–Terry strengths of documents from preferences, and list cycles."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "preferences",
            metavar="FILE",
            help="table with topic, better, worse and, if needed, times, tie, judge; or a click "
            "log (plain or gzip)",
        )
        add(
            "--prior",
            type=float,
            default=0.0,
            help="wins and losses of each document against one of strength 0, added so that every "
            "strength is defined (default: 0, none)",
        )
        add("--format", choices=tuple(STRENGTH_FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        reader = FileReader(out)
        preferences = reader.accept(reader.read(options["preferences"], read_preferences))
        with explain_value_errors():
            report = compute_strengths(preferences.records, options["prior"])
        out.write(STRENGTH_FORMATS[options["format"]](report))
