"""Score runs against qrels, from files, without a database."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from campaigns.cli.command import CliError, FileCommand, Output
from campaigns.cli.files import FileReader, FileResult, read_file
from campaigns.cli.processes import choose_process_count, map_in_order
from campaigns.cli.run_lists import add_run_files
from campaigns.core.runs import read_run
from campaigns.core.sampled_qrels import READERS
from evaluation.cli.notes import (
    format_provenance_line,
    group_shared_texts,
    iter_leading_zero_hints,
)
from evaluation.cli.qrels_manifest import label_scores, read_label
from evaluation.cli.scale_option import add_max_rel
from evaluation.core.bpref_advice import list_bpref_warnings
from evaluation.core.comparison.scores import unique_run_tags
from evaluation.core.evaluate import ScoredRun, evaluate
from evaluation.core.formats import FORMATS
from evaluation.core.inputs import as_judged
from evaluation.core.judgments import JudgmentTable
from evaluation.core.matching import describe_no_common_topic
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.measures.registry import SETS
from evaluation.core.options import ScoringOptions
from evaluation.core.profiles import POOLBENCH, PROFILES
from evaluation.core.stated_scale import state_highest_grade


class EvaluateCommand(FileCommand):
    help = "Score runs against qrels and print the scores as trec_eval does."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add(
            "--qrels-format",
            choices=tuple(READERS),
            default="qrels",
            help="strata and prels: sampled judgments, as lines of topic 0 docno stratum grade and "
            "of topic docno grade method probability",
        )
        add_run_files(parser, "runs: topic Q0 docno rank score tag")
        add(
            "--manifest",
            metavar="FILE",
            help="the manifest of the qrels (`qrels manifest`), which labels scores by automatic "
            "judgments",
        )
        add(
            "-m",
            dest="measures",
            metavar="MEASURE",
            action="append",
            help="a measure by its name in trec_eval or ir_measures, or one of the sets "
            f"{', '.join(SETS)}; repeatable (default: the set of the profile)",
        )
        self._add_rules(parser)
        add("-q", dest="by_topic", action="store_true", help="also print per-topic values")
        add("-n", dest="summary", action="store_false", help="with -q: omit summary values")
        add(
            "--jobs",
            metavar="N",
            type=int,
            help="processes (default: one per core for large inputs)",
        )
        either = parser.add_mutually_exclusive_group().add_argument
        either(
            "--bounds",
            action="store_true",
            help="print each value with its bounds: the lowest and the highest value that is "
            "possible once all retrieved documents are judged",
        )
        either(
            "--intervals",
            action="store_true",
            help="print only estimates from a sample, with 95%% confidence intervals (infAP, "
            "xinfAP, infNDCG, statAP and their counts)",
        )
        add("--format", choices=tuple(FORMATS), default="trec_eval")

    def _add_rules(self, parser: ArgumentParser) -> None:
        """The options that define how scores are computed."""
        add = parser.add_argument
        add(
            "--profile",
            choices=tuple(PROFILES),
            default=POOLBENCH.name,
            help="compatibility profile (default: %(default)s)",
        )
        add(
            "-c",
            dest="complete",
            action="store_true",
            help="average over all topics of the qrels; default except in the trec_eval profiles",
        )
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default: 1)")
        add_max_rel(parser)
        add("-J", dest="judged_only", action="store_true", help="drop unjudged documents")
        add("-M", dest="depth", metavar="N", type=int, help="cut each ranking at N documents")
        add(
            "-N",
            dest="collection_size",
            metavar="N",
            type=int,
            default=0,
            help="documents in the collection; used by utility only",
        )
        add(
            "--topics",
            choices=("judged", "common"),
            help="average over the topics of the qrels (as -c), or those in both run and qrels",
        )

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        scoring = self._build_options(options)
        try:
            if options["intervals"]:
                self._write_intervals(options, scoring, out)
                return
            names = options["measures"] or [scoring.profile.measures]
            measures = parse_measures(names, scoring.profile)
            if options["bounds"]:
                self._write_bounds(options, measures, scoring, out)
                return
        except UnknownMeasureError as error:
            raise CliError(str(error)) from error
        reader = FileReader(out)
        judged = read_judgments_option(reader, options)
        if judged is not None:
            stated = state_highest_grade(measures, scoring, judged.grades)
            measures = tuple(dict(zip(stated, measures, strict=True)).values())
        paths = list(dict.fromkeys(options["runs"]))

        def score(path: str) -> FileResult[ScoredRun]:
            return score_file(path, judged, measures, scoring)

        readings = map_in_order(score, paths, options["jobs"] or choose_process_count(paths))
        scores = [reader.take(reading) for reading in readings]
        reader.raise_if_rejected("no output written")
        if judged is None:
            return
        measures = state_highest_grade(measures, scoring, judged.grades)
        label = read_label(options["manifest"], judged)
        results = [
            label_scores(replace(run, measures=measures), label)
            for run in scores
            if run is not None
        ]
        self._write_notes(
            options,
            out,
            (
                (path, line)
                for path, run in zip(paths, results, strict=True)
                for line in (format_provenance_line(run), *run.conditions["remarks"])
            ),
        )
        for remark in (
            list_bpref_warnings(measures, judged, scoring.level) if options["verbosity"] else ()
        ):
            out.note(remark)
        self._write_scores(options, results, paths, out)

    def _write_scores(
        self,
        options: Mapping[str, Any],
        results: list[ScoredRun],
        paths: list[str],
        out: Output,
    ) -> None:
        tags = unique_run_tags([run.tag for run in results], paths)
        results = [replace(run, tag=tag) for run, tag in zip(results, tags, strict=True)]
        parts = {"by_topic": options["by_topic"], "summary": options["summary"]}
        out.write(FORMATS[options["format"]](results, **parts))

    def _write_intervals(
        self, options: Mapping[str, Any], scoring: ScoringOptions, out: Output
    ) -> None:
        # Rarely used, so not loaded by default.
        from evaluation.cli.intervals import (
            iter_interval_notes,
            measures_with_intervals,
            read_run_intervals,
        )
        from evaluation.core.sampling_formats import INTERVAL_FORMATS

        measures = measures_with_intervals(options["measures"], scoring)
        reader = FileReader(out)
        judged = read_judgments_option(reader, options)
        paths = list(dict.fromkeys(options["runs"]))
        readings = [
            reader.take(read_run_intervals(path, judged, measures, scoring)) for path in paths
        ]
        reader.raise_if_rejected("no output written")
        scores = [run for run in readings if run is not None]
        notes = zip(paths, map(iter_interval_notes, scores), strict=False)
        self._write_notes(options, out, ((path, line) for path, lines in notes for line in lines))
        tags = unique_run_tags([run.tag for run in scores], paths[: len(scores)])
        scores = [run._replace(tag=tag) for run, tag in zip(scores, tags, strict=True)]
        parts = {"by_topic": options["by_topic"], "summary": options["summary"]}
        out.write(INTERVAL_FORMATS[options["format"]](scores, **parts))

    def _write_bounds(
        self,
        options: Mapping[str, Any],
        measures: Sequence[Measure],
        scoring: ScoringOptions,
        out: Output,
    ) -> None:
        from evaluation.cli.bounds import iter_bounds_notes, read_run_bounds
        from evaluation.core.bounds_formats import BOUNDS_FORMATS

        reader = FileReader(out)
        judged = read_judgments_option(reader, options)
        paths = list(dict.fromkeys(options["runs"]))
        readings = [reader.take(read_run_bounds(path, judged, measures, scoring)) for path in paths]
        reader.raise_if_rejected("no output written")
        label = "" if judged is None else read_label(options["manifest"], judged)
        results = [
            run._replace(scores=label_scores(run.scores, label))
            for run in readings
            if run is not None
        ]
        by_path = list(zip(paths, results, strict=False))
        self._write_notes(
            options, out, ((path, line) for path, run in by_path for line in iter_bounds_notes(run))
        )
        self._write_notes(
            options, out, ((path, format_provenance_line(run.scores)) for path, run in by_path)
        )
        tags = unique_run_tags([run.scores.tag for run in results], paths[: len(results)])
        results = [
            run._replace(scores=replace(run.scores, tag=tag))
            for run, tag in zip(results, tags, strict=True)
        ]
        parts = {"by_topic": options["by_topic"], "summary": options["summary"]}
        out.write(BOUNDS_FORMATS[options["format"]](results, **parts))

    def _write_notes(
        self, options: Mapping[str, Any], out: Output, lines: Iterable[tuple[str, str]]
    ) -> None:
        runs = len(set(options["runs"]))
        for line in group_shared_texts(lines, runs) if options["verbosity"] else ():
            out.note(line)

    def _build_options(self, options: Mapping[str, Any]) -> ScoringOptions:
        if options["complete"] and options["topics"] == "common":
            raise CliError(
                "-c averages over all topics of the qrels; it cannot be used with --topics common."
            )
        if options["manifest"] and options["intervals"]:
            raise CliError("--manifest cannot be used with --intervals, which need a sample.")
        if not options["summary"] and not options["by_topic"]:
            raise CliError("-n without -q prints nothing; add -q.")
        if options["jobs"] is not None and options["jobs"] < 1:
            raise CliError(f"--jobs must be an integer of at least 1, not {options['jobs']}.")
        try:
            return ScoringOptions(
                profile=PROFILES[options["profile"]],
                level=options["level"],
                max_rel=options["max_rel"],
                judged_only=options["judged_only"],
                max_per_topic=options["depth"],
                topics="judged" if options["complete"] else options["topics"],
                collection_size=options["collection_size"],
            )
        except ValueError as error:
            raise CliError(f"{str(error).capitalize()}.") from error


def read_judgments_option(reader: FileReader, options: Mapping[str, Any]) -> JudgmentTable | None:
    """The judgments of the command line, None if they are rejected."""
    qrels = reader.read(options["qrels"], READERS[options["qrels_format"]])
    return None if qrels is None else as_judged(qrels)


def score_file(
    path: str, judged: JudgmentTable | None, measures: Sequence[Measure], options: ScoringOptions
) -> FileResult[ScoredRun]:
    """Read and score one run. The result omits the measures, which are the same for all runs.

    Without judgments, if they were rejected, only check the file.
    """
    read = read_file(path, read_run, lenient=True)
    if read.table is None or judged is None:
        return FileResult(None, read.messages, read.rejected)
    hints = [f"{path}: {hint}" for hint in iter_leading_zero_hints(read.table, judged)]
    if fault := describe_no_common_topic(read.table, judged.topics):
        return FileResult(None, [*read.messages, f"{path}: {fault}.", *hints], rejected=True)
    scores = evaluate(read.table, judged, measures, options)
    return FileResult(replace(scores, measures=()), [*read.messages, *hints])
