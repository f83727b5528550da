"""Register a collection by its files, and make rows of the documents that people read."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from django.db import transaction
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Collection, Document, Job, User
from campaigns.queries.collection_files import (
    find_collection,
    list_docnos_without_row,
    list_registrable_files,
    read_registered_texts,
)
from campaigns.queries.lists import has_dependent_data
from campaigns.rules import require_permission
from campaigns.services import events, jobs
from campaigns.services.collection import build_document_row, lock_campaign_imports
from campaigns.services.duplicates import request_duplicates
from campaigns.services.rows import iter_batches
from campaigns.services.translations import store_translations
from poolbench.collection.scan import Progress, scan_collection
from poolbench.files.faults import FaultReport, InvalidFile, format_count
from poolbench.texts.documents import DocumentText, TranslationText

KIND = "campaigns.register_collection"
MEGABYTE = 1_000_000
PROGRESS_SECONDS = 1.0


def register_collection(
    *,
    actor: User,
    campaign: Campaign,
    paths: Sequence[Path],
    report: FaultReport | None = None,
    progress: Progress = lambda *_: None,
    job: Job | None = None,
) -> Collection:
    """Read ``paths`` once and register their documents as the campaign's collection.

    The same files again, wherever they are now, renew the index. Warnings go to ``report``.
    Raises ``InvalidFile`` with the faults of all files, and ``ActionRefused``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_can_register(campaign)
    report = FaultReport() if report is None else report
    part = store.make_part_path()
    try:
        paths = [path.resolve(strict=True) for path in paths]
        changed = [path.stat().st_mtime_ns for path in paths]
        read = scan_collection(paths, part, report=report, progress=progress)
        index = store.put_file(part, ".columns")
    except OSError as error:
        message = f"{error.filename}: the file cannot be read ({error.strerror})."
        raise ActionRefused("no-file", message, "Check its path and permissions.") from error
    finally:
        part.unlink(missing_ok=True)
    files = [
        {"path": str(path), "mtime_ns": at, **asdict(file)}
        for path, at, file in zip(paths, changed, read, strict=True)
    ]
    with transaction.atomic():
        return save_collection(actor, campaign, index, files, job)


def check_can_register(campaign: Campaign) -> None:
    """Raise ``ActionRefused`` if the campaign has imported documents."""
    if find_collection(campaign) is None and campaign.documents.exists():
        message = "The campaign has imported documents."
        fix = "Delete all documents, then register the files that contain them all."
        raise ActionRefused("has-documents", message, fix)


def save_collection(
    actor: User, campaign: Campaign, index: str, files: list[dict[str, object]], job: Job | None
) -> Collection:
    lock_campaign_imports(campaign)
    check_can_register(campaign)
    former = find_collection(campaign)
    if former is not None:
        hashes = [[file["sha256"] for file in rows] for rows in (former.files, files)]
        in_use = has_dependent_data(campaign) or campaign.documents.exists()
        if hashes[0] != hashes[1] and in_use:
            message = "Other files are registered, and runs, pools or judgments refer to them."
            fix = "Register the same files in the same order, or create a new campaign."
            raise ActionRefused("documents-in-use", message, fix)
    count = sum(int(str(file["documents"])) for file in files)
    collection, _ = Collection.objects.update_or_create(
        campaign=campaign,
        defaults={
            "index": index,
            "files": files,
            "documents": count,
            "registered_by": actor,
            "registered_at": timezone.now(),
        },
    )
    listed = [{name: file[name] for name in ("name", "sha256", "documents")} for file in files]
    subject = format_count(len(files), "file")
    data = {"documents": count, "files": listed}
    events.log_event(campaign, actor, "documents.registered", subject, **data)
    if job is not None:
        jobs.finish_job(job, documents=count)
    return collection


def request_registration(*, actor: User, campaign: Campaign, names: Sequence[str]) -> Job:
    """Queue the registration of files that the operator offers the campaign."""
    require_permission(actor, "campaigns.manage", campaign)
    check_can_register(campaign)
    choose_offered_files(campaign, names)
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=KIND, actor=actor, files=list(names))


def choose_offered_files(campaign: Campaign, names: Sequence[str]) -> list[Path]:
    offered = {path.name: path for path in list_registrable_files(campaign)}
    if not names or set(names) - offered.keys():
        message = "Choose files from the list."
        raise ActionRefused("no-file", message, "Reload the page; the folder may have changed.")
    return [path for name, path in offered.items() if name in names]


def perform_registration(job: Job) -> None:
    """Handler of ``KIND``. Faults are the result of the job."""
    campaign, actor = job.campaign, job.created_by
    assert actor is not None  # noqa: S101 (request_registration)
    report = FaultReport()
    reported = time.monotonic()

    def show_progress(_name: str, done: int, total: int) -> None:
        nonlocal reported
        if time.monotonic() - reported > PROGRESS_SECONDS:
            reported = time.monotonic()
            jobs.report_progress(job, done // MEGABYTE, total // MEGABYTE)

    try:
        paths = choose_offered_files(campaign, job.args["files"])
        register_collection(
            actor=actor, campaign=campaign, paths=paths, report=report,
            progress=show_progress, job=job,
        )  # fmt: skip
    except InvalidFile:
        with transaction.atomic():
            jobs.finish_job(job, report=report.as_dict())


@contextmanager
def prepare_documents(campaign: Campaign, docnos: Iterable[str]) -> Iterator[Callable[[], int]]:
    """A function that writes the rows of ``docnos`` that have none, for use in a transaction.

    Their texts are read from the registered collection before it, into a temporary file, so that
    nothing is locked during that. Without a registered collection there is nothing to write.
    Raises ``ActionRefused`` if a file has changed.
    """
    collection = find_collection(campaign)
    if collection is None:
        yield lambda: 0
        return
    missing = list_docnos_without_row(campaign, sorted(set(docnos)))
    with TemporaryFile("w+", encoding="utf-8") as spool:
        for text in read_registered_texts(collection, missing):
            spool.write(json.dumps(asdict(text), default=lambda _bytes: "") + "\n")
        yield lambda: write_spooled_documents(campaign, spool)


def write_spooled_documents(campaign: Campaign, spool: IO[str]) -> int:
    """Write the rows; those that another transaction has written since are the same."""
    spool.seek(0)
    count = 0
    for lines in iter_batches(spool):
        texts = [parse_spooled_text(line) for line in lines]
        rows = [build_document_row(campaign, text) for text in texts]
        count += len(Document.objects.bulk_create(rows, ignore_conflicts=True))
        # A translation that cannot be aligned is shown without rows.
        store_translations(campaign, {text.docno: text for text in texts}, FaultReport())
    if count:
        request_duplicates(campaign)
    return count


def parse_spooled_text(line: str) -> DocumentText:
    fields = {**json.loads(line), "data": b""}
    if read := fields["translation"]:
        text = DocumentText(**{**read["text"], "data": b""})
        fields["translation"] = TranslationText(**{**read, "text": text})
    return DocumentText(**fields)
