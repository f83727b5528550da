"""Preferences from files: derived from clicks, kept by runs, as strengths; interleaved lists."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import explain_value_errors
from poolbench.commands.run_lists import add_run_files
from poolbench.preferences.click_log import read_click_log, read_sessions
from poolbench.preferences.formats import (
    LIST_FORMATS,
    PAIR_FORMATS,
    SCORE_FORMATS,
    STRENGTH_FORMATS,
)
from poolbench.preferences.interleaved_runs import credit_sessions, interleave_runs
from poolbench.preferences.interleaving import METHODS
from poolbench.preferences.preference_pairs import count_clicked_pairs, group_preferences
from poolbench.preferences.preference_score import (
    count_own_lists,
    list_rankings,
    score_run_by_preferences,
    warn_own_lists,
)
from poolbench.preferences.preference_table import read_preferences
from poolbench.preferences.strengths import compute_strengths
from poolbench.runs.runs import read_run
from poolbench.statistics.draws import ResamplingOptions


class PreferencesCommand(FileCommand):
    help = "Derive preferences from a click log: clicked above unclicked that stood higher."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "clicks",
            metavar="CLICKS",
            help="click log, JSON Lines: session, topic, shown, clicks (plain or gzip)",
        )
        add("--format", choices=tuple(PAIR_FORMATS), default="csv")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        reader = FileReader(out)
        log = reader.accept(reader.read(options["clicks"], read_click_log))
        records = count_clicked_pairs(log.pairs)
        out.write(PAIR_FORMATS[options["format"]](records, log.sessions))


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
