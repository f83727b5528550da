"""Verify an archived campaign: checksums; pools, qrels and scores computed again."""

from collections.abc import Callable, Iterator
from pathlib import Path

from poolbench.files.faults import InvalidFile
from poolbench.replay.archive_folder import (
    TABLES,
    check_sums,
    is_archive,
    open_campaign_folder,
    read_sums,
    reject_archive,
)
from poolbench.replay.archived_estimates import ArchivedEstimates
from poolbench.replay.archived_pools import ArchivedPools
from poolbench.replay.archived_runs import ArchivedRuns
from poolbench.replay.archived_scores import ArchivedScores
from poolbench.replay.differences import Difference, Verification
from poolbench.replay.manifest import MANIFEST

Progress = Callable[[str], object]
MALFORMED = (KeyError, IndexError, TypeError, AttributeError, ValueError)
"""What rows without a value, or with one of another kind, lead to."""


def verify_archive(path: Path, progress: Progress = lambda _: None) -> Verification:
    """Verify the archive ``path``, a zip or its folder, without a database.

    Checksums first: if they are wrong, nothing is computed. Raises ``InvalidFile`` for what is no
    archive.
    """
    with open_campaign_folder(path) as folder:
        return verify_archive_folder(folder, progress)


def verify_archive_folder(folder: Path, progress: Progress = lambda _: None) -> Verification:
    """The same of an unpacked archive."""
    if not is_archive(folder):
        reject_archive(folder, "EA01", f"Not an archive: no {MANIFEST} with tables.")
    result = Verification()
    progress("checksums")
    result.add("files", len(read_sums(folder)), iter_changed_files(folder))
    if result.differences:
        result.notes.append("Nothing was computed again from changed files.")
        return result
    try:
        compute_again(folder, result, progress)
    except InvalidFile:
        raise
    except MALFORMED as error:
        message = f"A table has not what it needs ({type(error).__name__}: {error})."
        reject_archive(folder / TABLES, "EA05", message)
    return result


def compute_again(folder: Path, result: Verification, progress: Progress) -> None:
    """Add to ``result`` what is computed from the tables and runs."""
    runs = ArchivedRuns(folder)
    pools, scores = ArchivedPools(folder, runs), ArchivedScores(folder, runs)
    progress("runs")
    result.add("runs", len(runs.rows), runs.iter_differences())
    if result.differences:
        return
    progress("pools")
    result.add("pools", len(pools.rows), pools.iter_differences())
    result.notes += pools.notes
    progress("qrels")
    result.add("qrels versions", len(scores.qrels), scores.iter_qrels_differences())
    progress("scores")
    result.add("score sets", len(scores.sets), scores.iter_score_differences())
    estimates = ArchivedEstimates(folder, runs, pools, scores)
    if estimates.frames:
        progress("estimates")
        result.add("estimates", len(estimates.frames), estimates.iter_differences())
        result.notes += estimates.notes


def iter_changed_files(folder: Path) -> Iterator[Difference]:
    for name, reason in check_sums(folder).items():
        yield Difference(name, fault=f"{reason}.")
