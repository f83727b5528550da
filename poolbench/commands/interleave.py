"""Interleaved lists of two runs, from files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import explain_value_errors
from poolbench.preferences.click_log import read_sessions
from poolbench.preferences.formats import LIST_FORMATS
from poolbench.preferences.interleaved_runs import credit_sessions, interleave_runs
from poolbench.preferences.interleaving import METHODS
from poolbench.preferences.preference_score import list_rankings
from poolbench.runs.runs import read_run
from poolbench.statistics.draws import ResamplingOptions


class InterleaveCommand(FileCommand):
    help = "Interleave two runs into one list per topic, and credit the clicks on these lists."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("run_a", metavar="RUN_A", help="run A: topic Q0 docno rank score tag")
        add("run_b", metavar="RUN_B", help="run B")
        add(
            "--method",
            choices=tuple(METHODS),
            default="team-draft",
            help="how lists are built and credited (default: %(default)s)",
        )
        add("--depth", type=int, default=10, help="documents of a list (default: %(default)s)")
        add("--seed", type=int, default=0, help="random seed (default: 0)")
        add(
            "--clicks",
            metavar="FILE",
            help="click log of sessions in which these lists were shown, to be credited",
        )
        add("--format", choices=tuple(LIST_FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        reader = FileReader(out)
        a, b = (reader.read(options[name], read_run, lenient=True) for name in ("run_a", "run_b"))
        clicks = options["clicks"] and reader.read(options["clicks"], read_sessions)
        a, b = reader.accept(a), reader.accept(b)
        with explain_value_errors():
            sampling = ResamplingOptions(seed=options["seed"])
            runs = interleave_runs(
                (a.tag, list_rankings(a)),
                (b.tag, list_rankings(b)),
                method=options["method"],
                seed=options["seed"],
                depth=options["depth"],
            )
        credited = credit_sessions(runs, clicks, sampling) if clicks else None
        out.write(LIST_FORMATS[options["format"]](runs, credited))
