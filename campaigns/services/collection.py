"""Import and delete topics and documents; a file is imported completely or not at all."""

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path

from django.conf import settings
from django.db import transaction

from campaigns import store
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document, Topic, User
from campaigns.queries.collection_files import find_collection
from campaigns.queries.confirmations.settings import describe_deletion
from campaigns.queries.lists import has_dependent_data
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from campaigns.services.duplicates import request_duplicates
from campaigns.services.pdf_layouts import store_layouts
from campaigns.services.rows import BATCH, insert_rows, iter_batches
from campaigns.services.translations import check_originals, store_translations
from poolbench.files.faults import FaultReport
from poolbench.files.natural_sort import natural_sort_key
from poolbench.texts.document_files import folder_files, is_zip, read_files, zip_files
from poolbench.texts.documents import DocumentText, read_documents
from poolbench.texts.topics import read_topics

DOCUMENT_COLUMNS = (
    "docno", "title", "body", "url", "date", "format", "file", "media_type", "size", "sha256",
    "source_sha256", "language",
)  # fmt: skip
TOPIC_TEXTS = ("title", "description", "narrative")


def import_topics(
    *,
    actor: User,
    campaign: Campaign,
    data: bytes,
    file: str = "",
    file_format: str = "",
    report: FaultReport | None = None,
) -> int:
    """Add the topics of a file (plain or gzip) and return how many were new.

    Topics that the campaign already has, word for word, are skipped; if one differs, the file
    is rejected. Warnings go to ``report``. Raises ``InvalidFile``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    reading = read_topics(
        data,
        file=file,
        file_format=file_format or None,
        report=report,
        max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES,
    )
    rows = [
        Topic(campaign=campaign, **{name: getattr(read, name) for name in ("number", *TOPIC_TEXTS)})
        for read in reading
    ]
    with transaction.atomic():
        lock_campaign_imports(campaign)
        existing = {topic.number: topic for topic in campaign.topics.all()}
        check_same_topics(file, rows, existing)
        new_topics = [topic for topic in rows if topic.number not in existing]
        Topic.objects.bulk_create(new_topics, batch_size=BATCH)
        arrange_topics(campaign)
        events.log_event(campaign, actor, "topics.imported", file, new=len(new_topics))
    return len(new_topics)


def arrange_topics(campaign: Campaign) -> None:
    """Give topics the positions of the natural order of their numbers: 1, 2, 10.

    Every list and menu of topics follows the positions, whatever the order of the files was.
    """
    topics = sorted(campaign.topics.all(), key=lambda topic: natural_sort_key(topic.number))
    moved = [(at, topic) for at, topic in enumerate(topics, start=1) if topic.position != at]
    for at, topic in moved:
        topic.position = at
    Topic.objects.bulk_update([topic for _, topic in moved], ["position"], batch_size=BATCH)


def import_documents(
    *,
    actor: User,
    campaign: Campaign,
    data: bytes,
    file: str = "",
    file_format: str = "",
    report: FaultReport | None = None,
) -> int:
    """Add the documents of a file (plain, gzip, or a zip of files); return how many were new.

    The rules are those of ``import_topics``, for what assessors see. Raises ``InvalidFile``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_not_registered(campaign)
    report = FaultReport(file) if report is None else report
    if is_zip(data):
        files = zip_files(io.BytesIO(data), report, max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES)
        return add_documents(actor, campaign, read_files(files, report), file, report)
    documents = read_documents(
        data,
        file=file,
        file_format=file_format or None,
        report=report,
        max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES,
    )
    return add_documents(actor, campaign, documents, file, report)


def import_document_files(
    *, actor: User, campaign: Campaign, folder: Path, report: FaultReport | None = None
) -> int:
    """Add every file below ``folder`` as a document, as ``import_documents`` does."""
    require_permission(actor, "campaigns.manage", campaign)
    check_not_registered(campaign)
    report = FaultReport(folder.name) if report is None else report
    documents = read_files(folder_files(folder, report), report)
    return add_documents(actor, campaign, documents, folder.name, report)


def check_not_registered(campaign: Campaign) -> None:
    """Raise ``ActionRefused`` if the campaign's documents are those of registered files."""
    if find_collection(campaign) is not None:
        message = "The documents of this campaign are registered by their files."
        fix = "Register all files of the collection together, or delete all documents first."
        raise ActionRefused("documents-registered", message, fix)


def add_documents(
    actor: User,
    campaign: Campaign,
    documents: Iterable[DocumentText],
    file: str,
    report: FaultReport,
) -> int:
    # Texts stay in memory until all files are known to be valid. Binary files are stored at
    # once; one left over without its document does no harm.
    rows, pages, translated = [], {}, {}
    for document in documents:
        if document.translation:
            translated[document.docno] = document
        if not document.is_empty or not document.translation:
            rows.append(build_document_row(campaign, document))
        if document.pages:
            pages[document.docno] = document.pages
    report.raise_errors()
    if any(row.file for row in rows):
        store.sync_blobs()
    with transaction.atomic():
        lock_campaign_imports(campaign)
        check_not_registered(campaign)
        existing = load_known_documents(campaign, [*(row.docno for row in rows), *translated])
        check_same_documents(file, rows, existing)
        check_originals(translated, existing, report)
        new_documents = [row for row in rows if row.docno not in existing]
        for part in iter_batches(new_documents):
            values = map(attrgetter(*DOCUMENT_COLUMNS), part)
            insert_rows(Document, DOCUMENT_COLUMNS, values, {"campaign_id": campaign.pk})
        store_layouts(campaign, pages)
        translations = store_translations(campaign, translated, report)
        report.raise_errors()
        formats = Counter(row.format for row in new_documents)
        data: dict[str, object] = {} if set(formats) <= {"text"} else {"formats": formats}
        data |= {"translations": translations} if translations else {}
        new = len(new_documents)
        events.log_event(campaign, actor, "documents.imported", file, new=new, **data)
        if new:
            request_duplicates(campaign)
    return len(new_documents)


def build_document_row(campaign: Campaign, read: DocumentText) -> Document:
    return Document(
        campaign=campaign,
        docno=read.docno,
        title=read.title,
        body=read.body,
        url=read.url,
        date=read.date[:60],
        format=read.format,
        file=store.put_blob(read.data, synced=False) if read.data else "",
        media_type=read.media_type,
        size=len(read.data),
        sha256=read.sha256,
        source_sha256=read.source_sha256,
        language=read.language,
    )


def delete_all(
    *, actor: User, campaign: Campaign, noun: str, decision: Decision | None = None
) -> int:
    """Delete all topics or documents, if nothing refers to them yet; return how many."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        lock_campaign_imports(campaign)
        check_deletable(campaign, noun)
        confirmed = check_decision(partial(describe_deletion, campaign, noun), decision)
        rows = getattr(campaign, noun).all()
        count = int(rows.delete()[1].get(rows.model._meta.label, 0))  # noqa: SLF001 (public)
        if noun == "documents" and (collection := find_collection(campaign)):
            count = collection.documents
            collection.delete()
        code = f"{noun}.deleted"
        events.log_event(campaign, actor, code, count=count, **confirmed)
    return count


def check_deletable(campaign: Campaign, noun: str) -> None:
    """Raise ``ActionRefused`` if something refers to the topics or documents."""
    if has_dependent_data(campaign):
        message = f"The {noun} cannot be deleted: runs, pools or judgments refer to them."
        fix = f"Correct texts on their pages, or create a new campaign to use different {noun}."
        raise ActionRefused(f"{noun}-in-use", message, fix)
    if noun == "topics" and campaign.tasks.filter(topics__isnull=False).exists():
        fix = "Delete the tasks, or leave their topics empty."
        raise ActionRefused("topics-in-use", "The topics cannot be deleted: tasks list them.", fix)


def lock_campaign_imports(campaign: Campaign) -> None:
    """One import at a time: a concurrent one waits and then sees what the first has added."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def load_known_documents(campaign: Campaign, docnos: Sequence[str]) -> dict[str, set[str]]:
    """``docno`` → the hashes of those of ``docnos`` that the campaign already has.

    They are of what assessors see and of the original HTML: another version of the sanitizer
    may produce other HTML from the same page.
    """
    existing: dict[str, set[str]] = {}
    for part in iter_batches(docnos) if campaign.documents.exists() else ():
        documents = campaign.documents.filter(docno__in=part)
        for docno, *hashes in documents.values_list("docno", "sha256", "source_sha256"):
            existing[docno] = set(hashes) - {""}
    return existing


def check_same_topics(file: str, rows: Sequence[Topic], existing: dict[str, Topic]) -> None:
    report = FaultReport(file)
    for row in rows:
        old = existing.get(row.number, row)
        if any(getattr(old, name) != getattr(row, name) for name in TOPIC_TEXTS):
            message = f"Topic {row.number} already exists with different text."
            fix = "Use a new topic number, or “Correct” on the topic's page."
            report.add("ET20", message, fix, excerpt=row.title)
    report.raise_errors()


def check_same_documents(
    file: str, rows: Sequence[Document], existing: dict[str, set[str]]
) -> None:
    report = FaultReport(file)
    for row in rows:
        if not {row.sha256, row.source_sha256} & existing.get(row.docno, {row.sha256}):
            message = f"Document {row.docno} already exists with different text."
            fix = "Use a new docno, or “Correct title” on the document's page."
            report.add("ED20", message, fix, excerpt=row.title or row.body)
    report.raise_errors()
