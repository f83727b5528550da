"""Score runs against qrels, from files, without a database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.runs import read_run
from campaigns.core.sampled_qrels import READERS
from campaigns.management.files import FileReader, FileResult, read_file
from campaigns.management.processes import choose_process_count, map_in_order
from evaluation.core.bpref_advice import list_bpref_remarks
from evaluation.core.comparison.scores import unique_run_tags
from evaluation.core.evaluate import ScoredRun, evaluate
from evaluation.core.formats import FORMATS
from evaluation.core.inputs import as_judged
from evaluation.core.judgments import Judged
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.measures.registry import SETS
from evaluation.core.options import ScoringOptions
from evaluation.core.profiles import POOLBENCH, PROFILES
from evaluation.management.cli_output import (
    format_provenance_line,
    group_shared_texts,
    iter_leading_zero_hints,
)


class Command(BaseCommand):
    help = "Score runs against qrels and print the scores as trec_eval does."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add(
            "--qrels-format",
            choices=tuple(READERS),
            default="qrels",
            help="strata and prels are judgments of a sample: topic 0 docno stratum grade, and "
            "topic docno grade method probability",
        )
        add("runs", metavar="RUN", nargs="+", help="runs: topic Q0 docno rank score tag")
        add(
            "-m",
            dest="measures",
            metavar="MEASURE",
            action="append",
            help="a measure by trec_eval's or ir_measures' name, or one of the sets "
            f"{', '.join(SETS)}; may be repeated (default: the set of the profile)",
        )
        self._add_rules(parser)
        add("-q", dest="by_topic", action="store_true", help="print each topic's values too")
        add("-n", dest="summary", action="store_false", help="with -q: no values of all topics")
        add(
            "--jobs",
            metavar="N",
            type=int,
            help="processes to read and score with (default: one a core, where it pays)",
        )
        either = parser.add_mutually_exclusive_group().add_argument
        either(
            "--bounds",
            action="store_true",
            help="print each value between the bounds that unjudged documents leave to it: the "
            "least and the greatest it can come to when all retrieved ones are judged",
        )
        either(
            "--intervals",
            action="store_true",
            help="print what is estimated from a sample with its 95%% confidence interval "
            "(infAP, xinfAP, infNDCG, statAP and their counts) and nothing else",
        )
        add("--format", choices=tuple(FORMATS), default="trec_eval")

    def _add_rules(self, parser: CommandParser) -> None:
        """The options that make the conditions of the numbers."""
        add = parser.add_argument
        add(
            "--profile",
            choices=tuple(PROFILES),
            default=POOLBENCH.name,
            help="whose rules hold where programs differ (default: %(default)s)",
        )
        add(
            "-c",
            dest="complete",
            action="store_true",
            help="average over all topics of the qrels; the default but in trec_eval's profiles",
        )
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("-J", dest="judged_only", action="store_true", help="drop unjudged documents")
        add("-M", dest="depth", metavar="N", type=int, help="cut each ranking at N documents")
        add(
            "-N",
            dest="collection_size",
            metavar="N",
            type=int,
            default=0,
            help="documents in the collection, which only utility uses",
        )
        add(
            "--topics",
            choices=("judged", "common"),
            help="average over the topics of the qrels (as -c), or those in run and qrels",
        )

    def handle(self, **given: Any) -> None:
        options = self._options(given)
        try:
            if given["intervals"]:
                self._intervals(given, options)
                return
            wanted = given["measures"] or [options.profile.measures]
            measures = parse_measures(wanted, options.profile)
            if given["bounds"]:
                self._bounds(given, measures, options)
                return
        except UnknownMeasureError as unknown:
            raise CommandError(str(unknown)) from unknown
        reader = FileReader(self)
        judged = read_judgments_option(reader, given)
        paths = list(dict.fromkeys(given["runs"]))

        def scored(path: str) -> FileResult[ScoredRun]:
            return score_file(path, judged, measures, options)

        readings = map_in_order(scored, paths, given["jobs"] or choose_process_count(paths))
        scores = [reader.take(reading) for reading in readings]
        reader.stop_if_refused("nothing was scored")
        if judged is None:
            return
        found = [replace(run, measures=measures) for run in scores if run is not None]
        self._tell(
            given,
            ((path, format_provenance_line(run)) for path, run in zip(paths, found, strict=True)),
        )
        for remark in (
            list_bpref_remarks(measures, judged, options.level) if given["verbosity"] else ()
        ):
            self.stderr.write(remark)
        tags = unique_run_tags([run.tag for run in found], paths)
        found = [replace(run, tag=tag) for run, tag in zip(found, tags, strict=True)]
        parts = {"by_topic": given["by_topic"], "summary": given["summary"]}
        text = FORMATS[given["format"]](found, **parts)
        self.stdout.write(text, ending="")

    def _intervals(self, given: dict[str, Any], options: ScoringOptions) -> None:
        # What few ask for is not loaded for all.
        from evaluation.core.sampling_formats import INTERVAL_FORMATS
        from evaluation.management.intervals import iter_interval_notes as told_of_intervals
        from evaluation.management.intervals import measures_with_intervals, read_run_intervals

        measures = measures_with_intervals(given["measures"], options)
        reader = FileReader(self)
        judged = read_judgments_option(reader, given)
        paths = list(dict.fromkeys(given["runs"]))
        readings = [
            reader.take(read_run_intervals(path, judged, measures, options)) for path in paths
        ]
        reader.stop_if_refused("nothing was estimated")
        found = [run for run in readings if run is not None]
        told = zip(paths, map(told_of_intervals, found), strict=False)
        self._tell(given, ((path, line) for path, lines in told for line in lines))
        tags = unique_run_tags([run.tag for run in found], paths[: len(found)])
        found = [run._replace(tag=tag) for run, tag in zip(found, tags, strict=True)]
        parts = {"by_topic": given["by_topic"], "summary": given["summary"]}
        self.stdout.write(INTERVAL_FORMATS[given["format"]](found, **parts), ending="")

    def _bounds(
        self, given: dict[str, Any], measures: Sequence[Measure], options: ScoringOptions
    ) -> None:
        from evaluation.core.bounds_formats import BOUNDS_FORMATS
        from evaluation.management.bounds import iter_bounds_notes as told_of_bounds
        from evaluation.management.bounds import read_run_bounds

        reader = FileReader(self)
        judged = read_judgments_option(reader, given)
        paths = list(dict.fromkeys(given["runs"]))
        readings = [reader.take(read_run_bounds(path, judged, measures, options)) for path in paths]
        reader.stop_if_refused("nothing was scored")
        found = [run for run in readings if run is not None]
        by_path = list(zip(paths, found, strict=False))
        self._tell(given, ((path, line) for path, run in by_path for line in told_of_bounds(run)))
        self._tell(given, ((path, format_provenance_line(run.scores)) for path, run in by_path))
        tags = unique_run_tags([run.scores.tag for run in found], paths[: len(found)])
        found = [
            run._replace(scores=replace(run.scores, tag=tag))
            for run, tag in zip(found, tags, strict=True)
        ]
        parts = {"by_topic": given["by_topic"], "summary": given["summary"]}
        self.stdout.write(BOUNDS_FORMATS[given["format"]](found, **parts), ending="")

    def _tell(self, given: dict[str, Any], told: Iterable[tuple[str, str]]) -> None:
        runs = len(set(given["runs"]))
        for line in group_shared_texts(told, runs) if given["verbosity"] else ():
            self.stderr.write(line)

    def _options(self, given: dict[str, Any]) -> ScoringOptions:
        if given["complete"] and given["topics"] == "common":
            raise CommandError("-c averages over all topics of the qrels: not --topics common.")
        if not given["summary"] and not given["by_topic"]:
            raise CommandError("-n leaves nothing to print: add -q.")
        if given["jobs"] is not None and given["jobs"] < 1:
            raise CommandError("--jobs is a number of processes, from 1 up.")
        try:
            return ScoringOptions(
                profile=PROFILES[given["profile"]],
                level=given["level"],
                judged_only=given["judged_only"],
                max_per_topic=given["depth"],
                topics="judged" if given["complete"] else given["topics"],
                collection_size=given["collection_size"],
            )
        except ValueError as wrong:
            raise CommandError(f"{str(wrong).capitalize()}.") from wrong


def read_judgments_option(reader: FileReader, given: dict[str, Any]) -> Judged | None:
    """The judgments of the command line, None where they are refused."""
    qrels = reader.read(given["qrels"], READERS[given["qrels_format"]])
    return None if qrels is None else as_judged(qrels)


def score_file(
    path: str, judged: Judged | None, measures: Sequence[Measure], options: ScoringOptions
) -> FileResult[ScoredRun]:
    """Read and score one run and let go of it. The measures stand not in the scores.

    Without judgments, which were refused, the file is only looked at for faults.
    """
    read = read_file(path, read_run, lenient=True)
    if read.table is None or judged is None:
        return FileResult(None, read.messages, read.rejected)
    scores = evaluate(read.table, judged, measures, options)
    hints = [f"{path}: {hint}" for hint in iter_leading_zero_hints(read.table, judged)]
    return FileResult(replace(scores, measures=()), [*read.messages, *hints])
