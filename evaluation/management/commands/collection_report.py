"""How far judgments, and the pool that they were made of, can be trusted; from files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.core.tables import RunTable
from campaigns.management.files import FileReader
from campaigns.management.processes import count_cores, map_in_order
from evaluation.core.collection import inputs
from evaluation.core.collection.formats import FORMATS
from evaluation.core.collection.name_files import read_tags, read_teams
from evaluation.core.collection.reduced_judgments import DRAWS
from evaluation.core.collection.report import (
    MEASURES,
    ReusabilityReport,
    build_reusability_report,
    can_rank_by,
)
from evaluation.core.judgments import Floats, Judged
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.options import ScoringOptions
from evaluation.management.cli_output import group_shared_texts, iter_leading_zero_hints
from evaluation.reusability_html import reusability_to_html

WORTH = 50_000
"""Judged documents in all runs below which a second process does not pay."""
CONSEQUENCE = "nothing was computed"

WRITERS: dict[str, Callable[[ReusabilityReport], str]] = {**FORMATS, "html": reusability_to_html}


class Command(BaseCommand):
    help = "What judgments, pool and runs tell of how far scores by them can be trusted."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", help="judgments: topic 0 docno grade (plain or gzip)")
        add("runs", metavar="RUN", nargs="+", help="runs: topic Q0 docno rank score tag")
        add("--teams", metavar="FILE", help="lines of: run team (default: each run its own)")
        add(
            "--pooled",
            nargs="+",
            metavar="TAG",
            help="runs that the pool was made of: tags, or one file of tags (default: all)",
        )
        add(
            "--depth",
            metavar="K",
            type=int,
            help="documents of each pooled run that were judged (default: seen in the judgments)",
        )
        add("-m", dest="measures", metavar="MEASURE", action="append", help="may be repeated")
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("--target", metavar="K", type=int, help="extrapolate to this depth (default: 2 K)")
        add("--draws", type=int, default=DRAWS, help="reduced judgments (default %(default)s)")
        add("--seed", type=int, default=0, help="where random numbers start (default 0)")
        add("--jobs", metavar="N", type=int, help="processes (default: one a core, if it pays)")
        add("--format", choices=tuple(WRITERS), default="table")

    def handle(self, **given: Any) -> None:
        measures = get_ranking_measures(given["measures"] or MEASURES)
        check_numbers(given)
        reader = FileReader(self)
        teams = reader.read(given["teams"], read_teams) if given["teams"] else None
        pooled = self._pooled(reader, given["pooled"])
        qrels = reader.read(given["qrels"], read_qrels)
        runs = reader.read_all(given["runs"], read_run, lenient=True)
        whole = len(runs) == len(set(given["runs"]))
        self._refuse(reader, [*list_name_faults(runs, teams, pooled, whole=whole)])
        if qrels is None:
            return
        source = inputs.CollectionSource(given["level"], teams, pooled, given["depth"])
        try:
            found = inputs.build_collection(list(runs.values()), qrels, source)
            self._hints(given, runs, found.judged)
            report = build_reusability_report(
                found,
                measures,
                seed=given["seed"],
                draws=given["draws"],
                target=given["target"],
                spread=distribute_draws(given["jobs"] or choose_draw_processes(found)),
            )
        except ValueError as wrong:
            raise CommandError(f"{str(wrong)[:1].upper()}{str(wrong)[1:]}.") from wrong
        self.stdout.write(WRITERS[given["format"]](report), ending="")

    def _pooled(self, reader: FileReader, named: Sequence[str] | None) -> Collection[str] | None:
        """The tags that ``--pooled`` names; one word that is a file's name is that file."""
        if not named:
            return None
        if len(named) > 1 or not Path(named[0]).is_file():
            return frozenset(named)
        return reader.read(named[0], read_tags) or frozenset()

    def _refuse(self, reader: FileReader, faults: Sequence[str]) -> None:
        """Tell of names that do not fit, and stop if of them or of a file there is any."""
        for fault in faults:
            self.stderr.write(fault)
        reader.stop_if_refused(CONSEQUENCE)
        if faults:
            count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
            raise CommandError(f"{count} in the names of runs; {CONSEQUENCE}.")

    def _hints(self, given: dict[str, Any], runs: Mapping[str, RunTable], judged: Judged) -> None:
        hints = (
            (path, hint)
            for path, run in runs.items()
            for hint in iter_leading_zero_hints(run, judged)
        )
        for line in group_shared_texts(hints, len(runs)) if given["verbosity"] else ():
            self.stderr.write(line)


def get_ranking_measures(names: Sequence[str]) -> tuple[Measure, ...]:
    """The measures of those names, if runs are ranked by them."""
    try:
        found = tuple(parse_measures(names))
    except UnknownMeasureError as unknown:
        raise CommandError(str(unknown)) from unknown
    if unfit := [measure.name for measure in found if not can_rank_by(measure)]:
        raise CommandError(
            f"Runs are not ranked by {', '.join(unfit)}: name measures whose higher values are "
            "better."
        )
    return found


def check_numbers(given: Mapping[str, Any]) -> None:
    """Raise ``CommandError`` for numbers that cannot be."""
    for name, least in (("depth", 1), ("target", 1), ("draws", 1), ("jobs", 1), ("seed", 0)):
        if given[name] is not None and given[name] < least:
            raise CommandError(f"--{name} is a whole number from {least} up.")
    if given["depth"] and given["target"] and given["target"] < given["depth"]:
        raise CommandError("--target is no less than --depth.")
    try:
        ScoringOptions(level=given["level"])
    except ValueError as wrong:
        raise CommandError(f"{str(wrong).capitalize()}.") from wrong


def list_name_faults(
    runs: Mapping[str, RunTable],
    teams: Mapping[str, str] | None,
    pooled: Collection[str] | None,
    *,
    whole: bool,
) -> Iterable[str]:
    """What is wrong with the names of runs, a line each; ``whole``: every run could be read."""
    files: dict[str, list[str]] = {}
    for path, run in runs.items():
        files.setdefault(run.tag, []).append(path)
    for tag, paths in files.items():
        if len(paths) > 1:
            yield f"{', '.join(paths)}: all have the tag {tag}. Give each run a tag of its own."
        if teams is not None and tag not in teams:
            yield f"{paths[0]}: the run {tag} has no team. Add a line to the file of teams."
    for tag in sorted(set(pooled or ()) - set(files)) if whole else ():
        yield f"The pooled run {tag} is not among the runs. Give its file, or leave its tag out."


def choose_draw_processes(found: inputs.PooledCollection) -> int:
    """As many processes as there are cores, but for little work one."""
    return count_cores() if sum(len(batch.segment) for batch in found.batches) >= WORTH else 1


def distribute_draws(processes: int) -> Callable[..., Iterable[Floats]]:
    """The draws of the reduced judgments in so many processes."""

    def spread(work: Callable[[int], Floats], draws: Sequence[int]) -> Iterable[Floats]:
        return map_in_order(work, draws, processes)

    return spread
