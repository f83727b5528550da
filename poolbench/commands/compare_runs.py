"""Compare runs by their per-topic scores, from files, without a database."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.notes import format_provenance_line, reject_runs_without_topics, write_notes
from poolbench.commands.options import (
    add_level,
    add_measures,
    build_scoring_options,
    explain_value_errors,
)
from poolbench.commands.run_lists import add_run_files
from poolbench.evaluation.comparison.compare import UnknownTestError, choose_correction, compare_all
from poolbench.evaluation.comparison.formats import FORMATS
from poolbench.evaluation.comparison.registry import CORRECTIONS, FAMILY_TESTS, TESTS
from poolbench.evaluation.comparison.scores import is_comparable, unique_run_tags, values_by_measure
from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measures
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.statistics.draws import ResamplingOptions


class CompareRunsCommand(FileCommand):
    help = (
        "Compare all pairs of runs with a paired significance test and a "
        "multiple-comparison correction."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add_run_files(parser, "at least two: topic Q0 docno rank score tag")
        add_measures(parser, "a measure, named as in `evaluate`; repeatable (default: map)")
        add_level(parser)
        add("--test", choices=(*TESTS, *FAMILY_TESTS), default="t", help="default: %(default)s")
        add(
            "--correction",
            choices=tuple(CORRECTIONS),
            help="multiple-comparison correction (default: holm; none for Tukey's HSD)",
        )
        add("--alpha", type=float, default=0.05, help="significance level (default: 0.05)")
        add("--resamples", type=int, default=10_000, help="number of resamples (default: 10000)")
        add("--seed", type=int, default=0, help="random seed (default: 0)")
        add("--format", choices=tuple(FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        measures = self._check_options(options, out)
        scores, tags = self._score_runs(options, measures, out)
        names = ("test", "correction", "alpha", "resamples", "seed")
        settings = {name: options[name] for name in names}
        with explain_value_errors():
            compared = {
                name: compare_all(values, tags, **settings)
                for name, values in values_by_measure(scores).items()
            }
        conditions = dict(zip(tags, (run.conditions for run in scores), strict=True))
        out.write(FORMATS[options["format"]](compared, conditions))

    def _check_options(self, options: Mapping[str, Any], out: Output) -> tuple[Measure, ...]:
        """The measures; raises ``CliError`` for invalid options before a file is read."""
        if len(set(options["runs"])) < 2:
            raise CliError("Specify at least two different runs.")
        with explain_value_errors(UnknownTestError, UnknownMeasureError):
            choose_correction(options["test"], options["correction"])
            ResamplingOptions(options["seed"], options["resamples"])
            measures = parse_measures(options["measures"] or ["map"])
        if not 0 < options["alpha"] < 1:
            raise CliError(f"--alpha must be a number between 0 and 1, not {options['alpha']:g}.")
        return self._select_comparable(measures, out)

    def _select_comparable(self, measures: tuple[Measure, ...], out: Output) -> tuple[Measure, ...]:
        """Those of ``measures`` with per-topic values; raises ``CliError`` without any."""
        comparable = tuple(filter(is_comparable, measures))
        if without := ", ".join(measure.name for measure in measures if measure not in comparable):
            if not comparable:
                raise CliError(f"Measures without per-topic values cannot be compared: {without}.")
            out.note(f"Measures without per-topic values are omitted: {without}.")
        return comparable

    def _score_runs(
        self, options: Mapping[str, Any], measures: tuple[Measure, ...], out: Output
    ) -> tuple[list[ScoredRun], tuple[str, ...]]:
        with explain_value_errors():
            scoring = build_scoring_options(options)
        reader = FileReader(out)
        qrels = reader.read(options["qrels"], read_qrels)
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        if qrels is not None:
            reject_runs_without_topics(reader, runs, qrels.topics)
        judged = JudgmentTable.from_table(reader.accept(qrels))
        scores = [evaluate(run, judged, measures, scoring) for run in runs.values()]
        notes = ([format_provenance_line(run), *run.conditions["remarks"]] for run in scores)
        write_notes(options, out, notes)
        return scores, unique_run_tags([run.tag for run in scores], list(runs))
