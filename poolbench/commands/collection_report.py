"""The reusability report of a test collection, from files."""

from argparse import ArgumentParser
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.notes import (
    iter_leading_zero_hints,
    reject_runs_without_topics,
    write_notes,
)
from poolbench.commands.options import (
    add_jobs,
    add_level,
    add_measures,
    build_scoring_options,
    explain_value_errors,
    read_run_tags,
    require_least,
    state_scale,
)
from poolbench.commands.processes import count_cores, map_in_order
from poolbench.commands.progress import ProgressBar
from poolbench.commands.run_lists import add_run_files, add_run_tags
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.name_files import read_teams
from poolbench.files.faults import format_count
from poolbench.reliability.collection import inputs
from poolbench.reliability.collection.formats import FORMATS
from poolbench.reliability.collection.reduced_judgments import DRAWS
from poolbench.reliability.collection.report import MEASURES, build_reusability_report, can_rank_by
from poolbench.reliability.disagreement.report import parse_ranking_measures
from poolbench.reliability.verdicts.reusability import compute_collection, judge_collection
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.runs.tables import RunTable

MIN_DOCUMENTS = 50_000
"""Judged documents in all runs from which several processes pay off."""


class CollectionReportCommand(FileCommand):
    help = "Report the reusability and reliability of a test collection."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add_run_files(parser, "runs: topic Q0 docno rank score tag")
        add(
            "--teams", metavar="FILE", help="run and team per line (default: each run its own team)"
        )
        add_run_tags(parser, "--pooled", "contributing runs (default: all)")
        add(
            "--depth",
            metavar="K",
            type=int,
            help="pool depth (default: inferred from the judgments)",
        )
        add_measures(parser, "a measure, named as in `evaluate`; repeatable")
        add_level(parser)
        add("--target", metavar="K", type=int, help="extrapolate to this depth (default: 2 K)")
        add(
            "--draws",
            type=int,
            default=DRAWS,
            help="draws of reduced judgments (default: %(default)s)",
        )
        add("--seed", type=int, default=0, help="random seed (default: 0)")
        add_jobs(parser)
        add("--format", choices=tuple(FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        with explain_value_errors(ValueError):
            measures = parse_ranking_measures(options["measures"] or MEASURES, can_rank_by)
        require_least(options, depth=1, target=1, draws=1, jobs=1, seed=0)
        if options["depth"] and options["target"] and options["target"] < options["depth"]:
            raise CliError("--target must be at least --depth.")
        with explain_value_errors():
            build_scoring_options(options)
        reader = FileReader(out)
        teams = reader.read(options["teams"], read_teams) if options["teams"] else None
        qrels = reader.read(options["qrels"], read_qrels)
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        tags = {run.tag for run in runs.values()}
        pooled = read_run_tags(reader, options["pooled"], tags) if options["pooled"] else None
        whole = len(runs) == len(set(options["runs"]))
        if qrels is not None:
            reject_runs_without_topics(reader, runs, qrels.topics)
        self._stop_if_faulty(reader, out, [*list_name_faults(runs, teams, pooled, whole=whole)])
        qrels = reader.accept(qrels)
        measures = state_scale(out, options, measures, qrels.grades)
        source = inputs.CollectionSource(
            options["level"], teams, pooled, options["depth"], max_rel=options["max_rel"]
        )
        with explain_value_errors():
            collection = inputs.build_collection(list(runs.values()), qrels, source)
            hints = (iter_leading_zero_hints(run, collection.judged) for run in runs.values())
            write_notes(options, out, hints)
            report = build_reusability_report(
                collection,
                measures,
                seed=options["seed"],
                draws=options["draws"],
                target=options["target"],
                spread=distribute_draws(
                    options["jobs"] or choose_draw_processes(collection),
                    ProgressBar(verbose=bool(options["verbosity"])),
                ),
            )
            verdict = judge_collection(compute_collection(collection, measures[0]))
        out.write(FORMATS[options["format"]](report, verdict))

    def _stop_if_faulty(self, reader: FileReader, out: Output, faults: Sequence[str]) -> None:
        """Report name faults, and stop if there are any, or a rejected file."""
        for fault in faults:
            out.note(fault)
        reader.raise_if_rejected()
        if faults:
            count = format_count(len(faults), "error")
            raise CliError(f"{count} in run tags and teams; no output written.")


def list_name_faults(
    runs: Mapping[str, RunTable],
    teams: Mapping[str, str] | None,
    pooled: Collection[str] | None,
    *,
    whole: bool,
) -> Iterable[str]:
    """Faults in run tags and teams, one per line; ``whole``: every run could be read."""
    files: dict[str, list[str]] = {}
    for path, run in runs.items():
        files.setdefault(run.tag, []).append(path)
    for tag, paths in files.items():
        if len(paths) > 1:
            yield f"{', '.join(paths)}: duplicate run tag {tag}. Give each run a unique tag."
        if teams is not None and tag not in teams:
            yield f"{paths[0]}: run {tag} has no team. Add a line to the team file."
    for tag in sorted(set(pooled or ()) - set(files)) if whole else ():
        yield f"Contributing run {tag} is not among the runs. Add its file or remove its tag."


def choose_draw_processes(collection: inputs.PooledCollection) -> int:
    """One process per core, or one process for small inputs."""
    documents = sum(len(batch.segment) for batch in collection.batches)
    return count_cores() if documents >= MIN_DOCUMENTS else 1


def distribute_draws(processes: int, bar: ProgressBar) -> Callable[..., Iterable[Floats]]:
    """``map`` over the draws of the reduced judgments in ``processes`` processes."""

    def spread(work: Callable[[int], Floats], draws: Sequence[int]) -> Iterable[Floats]:
        return bar.track(map_in_order(work, draws, processes), "reduced judgments", len(draws))

    return spread
