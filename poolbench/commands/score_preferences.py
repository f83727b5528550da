"""The share of preferences that runs keep, from files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import explain_value_errors
from poolbench.commands.run_lists import add_run_files
from poolbench.preferences.formats import SCORE_FORMATS
from poolbench.preferences.preference_pairs import group_preferences
from poolbench.preferences.preference_score import (
    count_own_lists,
    list_rankings,
    score_run_by_preferences,
    warn_own_lists,
)
from poolbench.preferences.preference_table import read_preferences
from poolbench.runs.runs import read_run
from poolbench.statistics.draws import ResamplingOptions


class ScorePreferencesCommand(FileCommand):
    help = "Score runs by the share of preferences that they keep."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add_run_files(parser, "runs: topic Q0 docno rank score tag")
        add(
            "--preferences",
            metavar="FILE",
            required=True,
            help="table with topic, better, worse and, if needed, times, tie, judge; or a click "
            "log",
        )
        add("-q", dest="by_topic", action="store_true", help="also print per-topic values")
        add("--resamples", type=int, default=10_000, help="of topics (default: %(default)s)")
        add("--seed", type=int, default=0, help="random seed (default: 0)")
        add("--format", choices=tuple(SCORE_FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        reader = FileReader(out)
        read = reader.read(options["preferences"], read_preferences)
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        preferences = reader.accept(read)
        with explain_value_errors():
            sampling = ResamplingOptions(options["seed"], options["resamples"])
        grouped = group_preferences(preferences.records)
        scores = []
        for run in runs.values():
            rankings = list_rankings(run)
            own = count_own_lists(preferences.log, run.tag, rankings) if preferences.log else 0
            scores.append(score_run_by_preferences(run.tag, rankings, grouped, sampling, own))
        warnings = warn_own_lists({score.run: score.own_lists for score in scores})
        for line in warnings if options["format"] in {"csv", "json"} else ():
            out.note(line)
        out.write(SCORE_FORMATS[options["format"]](scores, by_topic=options["by_topic"]))
