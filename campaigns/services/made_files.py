"""Data files that the system makes: topics, docnos, documents and a sample run.

They are made anew by a job when what they are made from has changed; other content is a new
version, with one notice to the teams for all files that changed at once.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.db.models import QuerySet

from campaigns import store
from campaigns.models import Campaign, DataFile, DataFileVersion, Document, Event, Job
from campaigns.queries.collection_files import (
    count_collection_documents,
    find_collection,
    iter_docnos,
)
from campaigns.services import events, jobs
from campaigns.services.rows import iter_batches
from poolbench.files.faults import format_count
from poolbench.texts.topic_files import TOPIC_WRITERS
from poolbench.texts.topics import TopicText

MAKE = "campaigns.data_files"
"""The kind of the job."""
SAMPLE_DEPTH, SAMPLE_DOCUMENTS = 10, 1_000
BATCH = 2_000
Audience = DataFile.Audience


@dataclass(frozen=True)
class MadeFile:
    """``write`` gives the content in parts, none if there is nothing to give; ``holds`` says
    what is in it. It is made only for an audience of at least ``needs``.
    """

    name: str
    title: str
    identify: Callable[[Campaign], str]
    write: Callable[[Campaign], Iterable[bytes]]
    holds: Callable[[Campaign], str]
    audience: str = Audience.TEAMS
    needs: str = Audience.ORGANIZERS


def list_topic_texts(campaign: Campaign) -> list[TopicText]:
    """The topics that runs may contain: withheld ones are in no file."""
    rows = campaign.topics.filter(withheld=False)
    return [TopicText(t.number, t.title, t.description, t.narrative) for t in rows]


def identify_topics(campaign: Campaign) -> str:
    text = TOPIC_WRITERS["jsonl"](list_topic_texts(campaign))
    return store.sha256(text.encode())


def identify_documents(campaign: Campaign) -> str:
    """Changes with every import, deletion and correction: they are all in the log."""
    codes = ("documents.imported", "documents.registered", "documents.deleted", "text.corrected")
    last = Event.objects.filter(campaign=campaign, code__in=codes).order_by("-pk").first()
    return f"{last.pk if last else 0} {campaign.documents.exists()}"


def identify_sample(campaign: Campaign) -> str:
    key = f"{identify_topics(campaign)} {identify_documents(campaign)}"
    return store.sha256(f"{key} {campaign.max_docs_per_topic}".encode())


def write_topics(campaign: Campaign, ending: str) -> Iterator[bytes]:
    if topics := list_topic_texts(campaign):
        yield TOPIC_WRITERS[ending](topics).encode()


def iter_docno_parts(campaign: Campaign) -> Iterator[bytes]:
    for docnos in iter_batches(iter_docnos(campaign), BATCH):
        yield "".join(f"{docno}\n" for docno in docnos).encode()


def write_document_parts(campaign: Campaign) -> Iterator[bytes]:
    """JSON Lines, gzip: the same documents give the same bytes. PDF and images are left out."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    documents = list_text_documents(campaign).order_by("docno")
    is_empty = True
    for document in documents.iterator(chunk_size=BATCH):
        is_empty = False
        line = json.dumps(read_document_fields(document), ensure_ascii=False)
        if part := packer.compress(f"{line}\n".encode("utf-8", "replace")):
            yield part
    if not is_empty:
        yield packer.flush()


def list_text_documents(campaign: Campaign) -> QuerySet[Document]:
    """Of a registered collection none: its rows would say what is pooled."""
    if find_collection(campaign) is not None:
        return campaign.documents.none()
    return campaign.documents.filter(format__in=(Document.Format.TEXT, Document.Format.HTML))


def read_document_fields(document: Document) -> dict[str, str]:
    body = "html" if document.format == Document.Format.HTML else "text"
    fields = {"id": document.docno, "title": document.title, body: document.body}
    optional = {"url": document.url, "date": document.date}
    return fields | {name: text for name, text in optional.items() if text}


def write_sample_run(campaign: Campaign) -> Iterator[bytes]:
    """A run that the check accepts: for each topic some documents, in an order by hash that says
    nothing of relevance.
    """
    docnos = list(islice(iter_docnos(campaign), SAMPLE_DOCUMENTS))
    depth = min(SAMPLE_DEPTH, campaign.max_docs_per_topic, len(docnos))
    for topic in list_topic_texts(campaign) if docnos else ():
        order = sorted(docnos, key=lambda docno: store.sha256(f"{topic.number} {docno}".encode()))
        for rank, docno in enumerate(order[:depth], start=1):
            yield f"{topic.number} Q0 {docno} {rank} {depth - rank + 1} sample\n".encode()


def format_topic_count(campaign: Campaign) -> str:
    return format_count(campaign.topics.filter(withheld=False).count(), "topic")


def format_docno_count(campaign: Campaign) -> str:
    return format_count(count_collection_documents(campaign), "docno")


def format_text_count(campaign: Campaign) -> str:
    texts, every = list_text_documents(campaign).count(), campaign.documents.count()
    more = f"; without {every - texts:,} PDF and image files" if every > texts else ""
    return f"{format_count(texts, 'document')}, JSON Lines, gzip{more}"


def topic_file(ending: str, title: str, holds: str) -> MadeFile:
    return MadeFile(
        name=f"topics.{ending}",
        title=title,
        identify=identify_topics,
        write=lambda campaign: write_topics(campaign, ending),
        holds=lambda campaign: f"{format_topic_count(campaign)}, {holds}",
    )


MADE_FILES = (
    topic_file("xml", "Topics", "TREC XML"),
    topic_file("jsonl", "Topics as JSON Lines", "one JSON object per line"),
    topic_file("tsv", "Queries", "number and title, tab-separated"),
    MadeFile(
        "docnos.txt", "Docnos", identify_documents, iter_docno_parts, format_docno_count
    ),
    MadeFile(
        "documents.jsonl.gz", "Documents", identify_documents, write_document_parts,
        format_text_count, audience=Audience.ORGANIZERS, needs=Audience.TEAMS,
    ),
    MadeFile(
        "sample-run.txt", "Sample run", identify_sample, write_sample_run,
        lambda campaign: f"{format_topic_count(campaign)}, any documents: shows the format",
    ),
)  # fmt: skip
"""In the order of the page."""
WAITING_FILES = tuple(each for each in MADE_FILES if each.needs != Audience.ORGANIZERS)
MADE_NAMES = frozenset(each.name for each in MADE_FILES)


def list_stale_files(campaign: Campaign) -> list[tuple[MadeFile, str]]:
    """Those that have to be made anew, each with the hash of what it is to be made from."""
    rows = {row.name: row for row in campaign.data_files.filter(source__in=MADE_NAMES)}
    order, sources = list(Audience), dict[object, str]()
    stale = []
    for made in MADE_FILES:
        row = rows.get(made.name)
        audience = row.audience if row else made.audience
        if order.index(Audience(audience)) < order.index(Audience(made.needs)):
            continue
        if made.identify not in sources:
            sources[made.identify] = made.identify(campaign)
        source = sources[made.identify]
        if row is None or row.made_from != source:
            stale.append((made, source))
    return stale


def request_made_files(campaign: Campaign) -> Job | None:
    """Queue one job if any file is out of date; None if none is, or the last try failed."""
    stale = [f"{made.name} {source}" for made, source in list_stale_files(campaign)]
    if not stale:
        return None
    args = {"files": store.sha256("\n".join(stale).encode())}
    if campaign.jobs.filter(kind=MAKE, state=Job.State.FAILED, args=args).exists():
        return None
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=MAKE, actor=None, **args)


def request_stale_files() -> int:
    """Where files have been made before; a chore of the tick."""
    made = Campaign.objects.filter(data_files__source__in=MADE_NAMES).distinct()
    return sum(request_made_files(campaign) is not None for campaign in made.iterator())


def make_data_files(job: Job) -> None:
    """The handler of ``campaigns.data_files``."""
    campaign = job.campaign
    stale = list_stale_files(campaign)
    contents = []
    for done, (made, source) in enumerate(stale):
        jobs.report_progress(job, done, len(stale))
        suffix = ".gz" if made.name.endswith("gz") else ""
        contents.append((made, source, store.put_parts(made.write(campaign), suffix)))
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        add_made_rows(campaign)
        changed = [
            made.name
            for made, source, content in contents
            if save_made_file(campaign, made, source, content)
        ]
        if changed:
            names = ", ".join(changed)
            events.log_event(campaign, None, "data.changed", names, audience=Audience.TEAMS)
        jobs.finish_job_once(job)
    campaign.jobs.filter(kind=MAKE, pk__lt=job.pk, state=Job.State.DONE).delete()


def get_made_row(campaign: Campaign, spec: MadeFile) -> DataFile:
    """The row of the file, made if there is none."""
    defaults = {"title": spec.title, "audience": spec.audience, "source": spec.name}
    return DataFile.objects.get_or_create(campaign=campaign, name=spec.name, defaults=defaults)[0]


def add_made_rows(campaign: Campaign) -> None:
    """In the order of the page, also of files that are only made for more readers, so that
    organizers can release them.
    """
    has_documents = campaign.documents.exists() and find_collection(campaign) is None
    for made in MADE_FILES:
        if has_documents or made not in WAITING_FILES:
            get_made_row(campaign, made)


def list_waiting_files(campaign: Campaign) -> QuerySet[DataFile]:
    """Those that are not made yet, because only organizers may have them."""
    names = [made.name for made in WAITING_FILES]
    return campaign.data_files.filter(name__in=names, versions__isnull=True)


def save_made_file(
    campaign: Campaign, spec: MadeFile, source: str, content: tuple[str, str, int]
) -> bool:
    """Store the content as a new version if it is new; whether the teams had another one."""
    path, sha256, size = content
    row = get_made_row(campaign, spec)
    newest = row.versions.first()
    DataFile.objects.filter(pk=row.pk).update(made_from=source)
    if (newest is None and not size) or (newest is not None and newest.sha256 == sha256):
        return False
    DataFileVersion.objects.create(
        file=row,
        number=newest.number + 1 if newest else 1,
        path=path,
        sha256=sha256,
        size=size,
        holds=spec.holds(campaign)[:200] if size else "nothing any more",
    )
    return newest is not None and row.audience != Audience.ORGANIZERS
