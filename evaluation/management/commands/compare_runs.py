"""Compare runs over their values by topic, from files, without a database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.management.files import FileReader
from evaluation.core.comparison.compare import UnknownTestError, choose_correction, compare_all
from evaluation.core.comparison.estimate import ResamplingOptions
from evaluation.core.comparison.formats import FORMATS
from evaluation.core.comparison.registry import CORRECTIONS, FAMILY_TESTS, TESTS
from evaluation.core.comparison.scores import is_comparable, unique_run_tags, values_by_measure
from evaluation.core.evaluate import ScoredRun, evaluate
from evaluation.core.judgments import Judged
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.options import ScoringOptions
from evaluation.management.cli_output import format_provenance_line, group_shared_texts


class Command(BaseCommand):
    help = "Compare every two of the runs, topic by topic, with a test and a correction."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add("runs", metavar="RUN", nargs="+", help="two or more: topic Q0 docno rank score tag")
        add(
            "-m",
            dest="measures",
            metavar="MEASURE",
            action="append",
            help="a measure as `evaluate` takes it; may be repeated (default: map)",
        )
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("--test", choices=(*TESTS, *FAMILY_TESTS), default="t", help="default: %(default)s")
        add(
            "--correction",
            choices=tuple(CORRECTIONS),
            help="for testing many pairs (default: holm; none for Tukey's HSD)",
        )
        add("--alpha", type=float, default=0.05, help="significance level (default 0.05)")
        add("--resamples", type=int, default=10_000, help="random draws (default 10000)")
        add("--seed", type=int, default=0, help="where random numbers start (default 0)")
        add("--format", choices=tuple(FORMATS), default="table")

    def handle(self, **given: Any) -> None:
        measures = self._checked(given)
        scores, shown = self._scored(given, measures)
        chosen = ("test", "correction", "alpha", "resamples", "seed")
        how = {name: given[name] for name in chosen}
        try:
            compared = {
                name: compare_all(values, shown, **how)
                for name, values in values_by_measure(scores).items()
            }
        except ValueError as wrong:
            raise CommandError(f"{str(wrong).capitalize()}.") from wrong
        conditions = dict(zip(shown, (run.conditions for run in scores), strict=True))
        self.stdout.write(FORMATS[given["format"]](compared, conditions), ending="")

    def _checked(self, given: dict[str, Any]) -> tuple[Measure, ...]:
        """The measures; refuses what can be refused before a file is read."""
        if len(set(given["runs"])) < 2:
            raise CommandError("A comparison needs two runs or more.")
        try:
            choose_correction(given["test"], given["correction"])
            ResamplingOptions(given["seed"], given["resamples"])
            measures = parse_measures(given["measures"] or ["map"])
        except (UnknownTestError, UnknownMeasureError) as unknown:
            raise CommandError(str(unknown)) from unknown
        except ValueError as wrong:
            raise CommandError(f"{str(wrong).capitalize()}.") from wrong
        if not 0 < given["alpha"] < 1:
            raise CommandError("Alpha is between 0 and 1.")
        return self._comparable(measures)

    def _comparable(self, measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
        """Those of ``measures`` with a value by topic; refuses where there is none."""
        kept = tuple(filter(is_comparable, measures))
        if without := ", ".join(measure.name for measure in measures if measure not in kept):
            if not kept:
                raise CommandError(f"No value by topic to compare: {without}.")
            self.stderr.write(f"Left out, without a value by topic to compare: {without}.")
        return kept

    def _scored(
        self, given: dict[str, Any], measures: tuple[Measure, ...]
    ) -> tuple[list[ScoredRun], tuple[str, ...]]:
        try:
            options = ScoringOptions(level=given["level"])
        except ValueError as wrong:
            raise CommandError(f"{str(wrong).capitalize()}.") from wrong
        reader = FileReader(self)
        qrels = reader.read(given["qrels"], read_qrels)
        runs = reader.read_all(given["runs"], read_run, lenient=True)
        reader.stop_if_refused("nothing was compared")
        if qrels is None:
            return [], ()
        judged = Judged.from_table(qrels)
        scores = [evaluate(run, judged, measures, options) for run in runs.values()]
        lines = zip(runs, map(format_provenance_line, scores), strict=True)
        for line in group_shared_texts(lines, len(runs)) if given["verbosity"] else ():
            self.stderr.write(line)
        return scores, unique_run_tags([run.tag for run in scores], list(runs))
