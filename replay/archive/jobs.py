"""Files of a whole campaign, made by jobs and kept in the content store for organizers."""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.db import connection, transaction
from django.urls import reverse

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.rules import require_permission
from campaigns.services import events, jobs
from evaluation.queries.overview_paper import iter_overview_files
from evaluation.queries.paper import find_current_set
from poolbench.replay.archive_folder import SUMS
from poolbench.reports.archive import ArchiveFiles
from replay.archive.runs import write_runs_archive
from replay.archive.writer import ArchiveOptions, write_archive

ARCHIVE, RUNS, OVERVIEW = "replay.archive", "replay.runs", "replay.overview"
KINDS = (ARCHIVE, RUNS, OVERVIEW)
NAMES = {ARCHIVE: "archive", RUNS: "runs", OVERVIEW: "overview"}
"""In the names of the files."""
ENDING = ".zip"


def request_campaign_file(
    *, actor: User, campaign: Campaign, kind: str, documents: bool = True, comments: bool = False
) -> Job:
    """Queue an archive (the last two arguments are its options), all runs, or the tables and
    figures of an overview paper. The same, asked for again while it is made, is the same job.
    """
    require_permission(actor, "campaigns.manage", campaign)
    if kind not in KINDS:
        raise ActionRefused("unknown-file", f"Unknown kind of file: {kind}.")
    if kind == RUNS and not campaign.runs.scored().exists():
        raise ActionRefused("no-runs", "No accepted runs.", "Wait for a run to be accepted.")
    if kind == OVERVIEW and not campaign.score_sets.exists():
        raise ActionRefused("no-scores", "No scores.", "Evaluate the runs first.")
    args = {"documents": documents, "comments": comments} if kind == ARCHIVE else {}
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=kind, actor=actor, **args)


def make_campaign_file(job: Job) -> None:
    """The handler of all ``KINDS``: stores the file under its hash."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    require_permission(job.created_by, "campaigns.manage", job.campaign)
    # Beside the store: it is moved there, and may be too large for the folder of the system.
    with TemporaryDirectory(dir=settings.VAR_DIR, prefix="making-") as folder:
        path = Path(folder) / "file.zip"
        WRITERS[job.kind](job, path)
        size = path.stat().st_size
        name = store.put_file(path, ENDING)
    digest = Path(name).name.removesuffix(ENDING)
    with transaction.atomic():
        if job.kind == ARCHIVE:
            data = {"sha256": digest, "size": size, **job.args}
            events.log_event(job.campaign, job.created_by, "campaign.archived", "", **data)
        url = reverse("archive", args=[job.campaign.slug])
        jobs.finish_job_once(job, file=name, sha256=digest, size=size, url=url)


def make_archive(job: Job, path: Path) -> None:
    options = ArchiveOptions(job.args["documents"], job.args["comments"])
    write_archive(job.campaign, path, options, report_beside(job))


def make_runs(job: Job, path: Path) -> None:
    write_runs_archive(job.campaign, path)


def make_overview(job: Job, path: Path) -> None:
    """Of the latest released scores, or of the latest ones if none are released."""
    sets = job.campaign.score_sets.select_related("campaign", "qrels")
    score_set = find_current_set(list(sets))
    if score_set is None:
        raise ActionRefused("no-scores", "No scores.", "Evaluate the runs first.")
    write_files(path, f"{job.campaign.slug}-overview", iter_overview_files(score_set))


def write_files(path: Path, folder: str, named: Iterable[tuple[str, str | bytes]]) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        files = ArchiveFiles(archive, folder)
        for name, content in named:
            files.add(name, content)
        files.add_sums(SUMS)


WRITERS: dict[str, Callable[[Job, Path], None]] = {
    ARCHIVE: make_archive,
    RUNS: make_runs,
    OVERVIEW: make_overview,
}


def report_beside(job: Job) -> Callable[[int, int], None]:
    """Reports progress by another connection: that of the archive only reads, as of one moment."""

    def report(done: int, total: int) -> None:
        if connection.in_atomic_block:
            jobs.report_progress(job, done, total)
            return
        thread = Thread(target=report_and_close, args=[job, done, total], daemon=True)
        thread.start()
        thread.join()

    return report


def report_and_close(job: Job, done: int, total: int) -> None:
    try:
        jobs.report_progress(job, done, total)
    finally:
        connection.close()
