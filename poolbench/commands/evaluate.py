"""Score runs against qrels, from files, without a database."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.files import FileReader, FileResult
from poolbench.commands.notes import Result, format_provenance_line, write_notes
from poolbench.commands.options import (
    add_jobs,
    add_level,
    add_measures,
    explain_value_errors,
    require_least,
)
from poolbench.commands.processes import choose_process_count
from poolbench.commands.progress import ProgressBar
from poolbench.commands.run_lists import add_run_files
from poolbench.commands.score_files import RunScorer
from poolbench.evaluation.bpref_advice import list_bpref_warnings
from poolbench.evaluation.comparison.scores import unique_run_tags
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.inputs import read_qrels
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measures
from poolbench.evaluation.measures.registry import SETS
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import POOLBENCH, PROFILES
from poolbench.evaluation.stated_scale import state_highest_grade
from poolbench.evaluation.trec_eval_text import LABEL, SCORE_FORMATS, TREC_EVAL, scores_to_trec_eval
from poolbench.runs.qrels import read_qrels as read_qrels_file
from poolbench.runs.sampled_qrels import READERS
from poolbench.runs.tables import QrelsTable


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
            "--residual",
            metavar="FILE",
            help="qrels of earlier rounds: what they have judged leaves runs and qrels, and the "
            "rankings close up",
        )
        add_measures(
            parser,
            "a measure by its name in trec_eval or ir_measures, or one of the sets "
            f"{', '.join(SETS)}; repeatable (default: the set of the profile)",
        )
        self._add_rules(parser)
        add("-q", dest="by_topic", action="store_true", help="also print per-topic values")
        add("-n", dest="summary", action="store_false", help="with -q: omit summary values")
        add_jobs(parser)
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
        add("--format", choices=SCORE_FORMATS, default=TREC_EVAL)

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
        add_level(parser)
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
        with explain_value_errors(UnknownMeasureError):
            if options["intervals"]:
                # Rarely used, so not loaded by default.
                from poolbench.commands.score_ranges import measures_with_intervals

                measures = measures_with_intervals(options["measures"], scoring)
            else:
                names = options["measures"] or [scoring.profile.measures]
                measures = parse_measures(names, scoring.profile)
        if options["intervals"]:
            self._write_intervals(options, measures, scoring, out)
        elif options["bounds"]:
            self._write_bounds(options, measures, scoring, out)
        else:
            self._write_scores(options, measures, scoring, out)

    def _write_scores(
        self,
        options: Mapping[str, Any],
        measures: Sequence[Measure],
        scoring: ScoringOptions,
        out: Output,
    ) -> None:
        reader = FileReader(out)
        judged = read_judgments_option(reader, options)
        before = read_earlier_qrels(reader, options)
        if judged is not None:
            stated = state_highest_grade(measures, scoring, judged.grades)
            measures = tuple(dict(zip(stated, measures, strict=True)).values())
        paths = list(dict.fromkeys(options["runs"]))
        scorer = RunScorer(judged, before, measures, scoring)
        readings = scorer.score_files(paths, options["jobs"] or choose_process_count(paths))
        bar = ProgressBar(verbose=bool(options["verbosity"]))
        scores = [reader.take(reading) for reading in bar.track(readings, "runs", len(paths))]
        judged = reader.accept(judged)
        measures = state_highest_grade(measures, scoring, judged.grades)
        label = read_label(options["manifest"], judged)
        results = [
            label_scores(replace(run, measures=measures), label)
            for run in scores
            if run is not None
        ]
        notes = [[format_provenance_line(run), *run.conditions["remarks"]] for run in results]
        write_notes(options, out, notes)
        warnings = list_bpref_warnings(measures, judged, scoring.level)
        for remark in warnings if options["verbosity"] else ():
            out.note(remark)
        tags = unique_run_tags([run.tag for run in results], paths)
        results = [replace(run, tag=tag) for run, tag in zip(results, tags, strict=True)]
        write = scores_to_trec_eval
        if options["format"] != TREC_EVAL:
            # Rarely used, so not loaded by default.
            from poolbench.evaluation.formats import FORMATS

            write = FORMATS[options["format"]]
        out.write(write(results, **choose_parts(options)))

    def _write_intervals(
        self,
        options: Mapping[str, Any],
        measures: Sequence[Measure],
        scoring: ScoringOptions,
        out: Output,
    ) -> None:
        from poolbench.commands.score_ranges import iter_interval_notes, read_run_intervals
        from poolbench.evaluation.bounds_formats import INTERVAL_FORMATS

        read = partial(read_run_intervals, measures=measures, options=scoring)
        paths, _, runs = read_runs(options, out, read)
        write_notes(options, out, map(iter_interval_notes, runs))
        tags = unique_run_tags([run.tag for run in runs], paths)
        results = [run._replace(tag=tag) for run, tag in zip(runs, tags, strict=True)]
        out.write(INTERVAL_FORMATS[options["format"]](results, **choose_parts(options)))

    def _write_bounds(
        self,
        options: Mapping[str, Any],
        measures: Sequence[Measure],
        scoring: ScoringOptions,
        out: Output,
    ) -> None:
        from poolbench.commands.score_ranges import iter_bounds_notes, read_run_bounds
        from poolbench.evaluation.bounds_formats import BOUNDS_FORMATS

        read = partial(read_run_bounds, measures=measures, options=scoring)
        paths, label, runs = read_runs(options, out, read)
        tags = unique_run_tags([run.scores.tag for run in runs], paths)
        results = [
            run._replace(scores=replace(label_scores(run.scores, label), tag=tag))
            for run, tag in zip(runs, tags, strict=True)
        ]
        write_notes(options, out, map(iter_bounds_notes, results))
        write_notes(options, out, ([format_provenance_line(run.scores)] for run in results))
        out.write(BOUNDS_FORMATS[options["format"]](results, **choose_parts(options)))

    def _build_options(self, options: Mapping[str, Any]) -> ScoringOptions:
        if options["complete"] and options["topics"] == "common":
            raise CliError(
                "-c averages over all topics of the qrels; it cannot be used with --topics common."
            )
        if options["manifest"] and options["intervals"]:
            raise CliError("--manifest cannot be used with --intervals, which need a sample.")
        if options["residual"] and (options["intervals"] or options["bounds"]):
            raise CliError("--residual cannot be used with --intervals and --bounds.")
        if options["residual"] and options["qrels_format"] != "qrels":
            raise CliError("--residual needs qrels: the strata of a sample would lose documents.")
        if not options["summary"] and not options["by_topic"]:
            raise CliError("-n without -q prints nothing; add -q.")
        require_least(options, jobs=1)
        with explain_value_errors():
            return ScoringOptions(
                profile=PROFILES[options["profile"]],
                level=options["level"],
                max_rel=options["max_rel"],
                judged_only=options["judged_only"],
                max_per_topic=options["depth"],
                topics="judged" if options["complete"] else options["topics"],
                collection_size=options["collection_size"],
            )


def read_runs(
    options: Mapping[str, Any],
    out: Output,
    read: Callable[[str, JudgmentTable | None], FileResult[Result]],
) -> tuple[list[str], str, list[Result]]:
    """The paths of the runs, the label of scores, and what ``read`` makes of each run."""
    reader = FileReader(out)
    judged = read_judgments_option(reader, options)
    paths = list(dict.fromkeys(options["runs"]))
    readings = [reader.take(read(path, judged)) for path in paths]
    label = read_label(options["manifest"], reader.accept(judged))
    return paths, label, [run for run in readings if run is not None]


def choose_parts(options: Mapping[str, Any]) -> dict[str, bool]:
    """What to write: values by topic, over all topics, or both."""
    return {"by_topic": options["by_topic"], "summary": options["summary"]}


def read_judgments_option(reader: FileReader, options: Mapping[str, Any]) -> JudgmentTable | None:
    """The judgments of the command line, None if they are rejected."""
    qrels = reader.read(options["qrels"], READERS[options["qrels_format"]])
    return None if qrels is None else read_qrels(qrels)


def read_earlier_qrels(reader: FileReader, options: Mapping[str, Any]) -> QrelsTable | None:
    """The qrels of earlier rounds, if the command line names some."""
    path = options["residual"]
    return None if path is None else reader.read(path, read_qrels_file)


def read_label(path: str | None, judged: JudgmentTable) -> str:
    """The label of scores by ``judged``, whose manifest is at ``path``; empty if there is none.

    Raises ``CliError`` for a file that is not the manifest of these qrels.
    """
    if path is None:
        return ""
    import json

    from poolbench.judging.policies import label_qrels

    try:
        manifest: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        digest, label = manifest["sha256"], label_qrels(manifest)
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CliError(
            f"{path} is not the manifest of qrels. Write it by `manage.py qrels manifest`."
        ) from error
    if digest != judged.digest:
        raise CliError(f"{path} is the manifest of other qrels: the SHA-256 differs.")
    return label


def label_scores(run: ScoredRun, label: str) -> ScoredRun:
    """The run with the label first among its conditions."""
    return replace(run, conditions={LABEL: label, **run.conditions}) if label else run
