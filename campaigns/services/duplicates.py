"""Group the documents of a campaign by their texts, whenever documents come in or change.

Nearly all of the time goes into signatures, which depend on nothing but each text: they are kept,
and a job makes those that are missing. Groups depend on all documents, and take a moment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max

from campaigns.models import Campaign, Document, Duplicate, Event, Job, PdfLayout, TextSignature
from campaigns.services import jobs
from campaigns.services.job_parts import Report, Share, register_work, share_work
from campaigns.services.rows import insert_rows, iter_batches
from poolbench.runs.columnar import Columns
from poolbench.texts.duplicates import (
    FORM,
    HASHES,
    TextSignatures,
    extract_plain_text,
    group_duplicates,
    sign_texts,
)

GROUP = "campaigns.group_duplicates"
"""The kind of the job."""
SHARE = 5_000
"""Documents of a part of the job."""
UNSIGNED = bytes(4 * HASHES)
_acts: list[Callable[[Campaign], None]] = []


def add_grouping_act(act: Callable[[Campaign], None]) -> None:
    """Register what an app does once groups have changed, in the same transaction."""
    _acts.append(act)


def request_duplicates(campaign: Campaign) -> Job | None:
    """Queue the grouping of the campaign's documents as they are now; call it in the transaction
    that has changed them.
    """
    known = campaign.documents.aggregate(last=Max("pk"))
    if known["last"] is None:
        return None
    changes = Event.objects.filter(campaign=campaign, code="text.corrected")
    corrected = changes.aggregate(last=Max("pk"))["last"]
    args = {
        "documents": campaign.documents.count(), "last": known["last"], "corrected": corrected,
        "read": PdfLayout.objects.filter(document__campaign=campaign).count(),
    }  # fmt: skip
    if campaign.jobs.filter(kind=GROUP, state=Job.State.DONE, args=args).exists():
        return None
    return jobs.enqueue_once(campaign=campaign, kind=GROUP, actor=None, **args)


def group_campaign_duplicates(job: Job) -> None:
    """The handler of ``campaigns.group_duplicates``. Of several that wait, the last does the work:
    many files are imported one after the other.
    """
    campaign = job.campaign
    if campaign.jobs.filter(kind=GROUP, pk__gt=job.pk).exists():
        jobs.finish_job_once(job, superseded=True)
        return
    if share_work(job, lambda: split_unsigned(campaign)) is None:
        return
    keys, texts = load_signatures(campaign)
    groups = group_duplicates(texts)
    rows = [
        (keys[place], keys[group.members[0]], texts.sha256[place])
        for group in groups
        for place in group.members
    ]
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        Duplicate.objects.filter(campaign=campaign).delete()
        # A document may have been deleted since.
        present = set(campaign.documents.values_list("pk", flat=True))
        lines = [row for row in rows if row[0] in present]
        names = ("document_id", "group", "text")
        insert_rows(Duplicate, names, lines, {"campaign_id": campaign.pk})
        for act in _acts:
            act(campaign)
        jobs.finish_job_once(job, groups=len(groups), documents=len(lines))
    campaign.jobs.filter(kind=GROUP, pk__lt=job.pk, state=Job.State.DONE).delete()


def split_unsigned(campaign: Campaign) -> list[Share]:
    """The documents without the signature of what they are now."""
    signed = TextSignature.objects.filter(document__campaign=campaign)
    stamps = dict(signed.values_list("pk", "stamp").iterator())
    keys = sorted(pk for pk, stamp in iter_stamps(campaign) if stamps.get(pk) != stamp)
    shares = [Share({"documents": part}, len(part)) for part in iter_batches(keys, SHARE)]
    return shares or [Share({"documents": []})]


def iter_stamps(campaign: Campaign) -> Iterator[tuple[int, str]]:
    """By key of each document, the ``stamp`` that its signature has to have. That of a file says
    nothing of its text, which may have been read later or corrected.
    """
    texts = campaign.documents.filter(file="").order_by().values_list("pk", "sha256")
    for pk, digest in texts.iterator():
        yield pk, stamp_text(digest)
    for row in campaign.documents.exclude(file="").order_by().iterator():
        yield row.pk, stamp_document(row)


def stamp_document(row: Document) -> str:
    return stamp_text(row.sha256, *((row.title, row.body) if row.file else ()))


def stamp_text(*parts: str) -> str:
    return blake2b("\n".join((FORM, *parts)).encode(), digest_size=16).hexdigest()


def sign_share(
    job: Job, args: Mapping[str, Any], report: Report
) -> tuple[Mapping[str, Any], Columns]:
    """Store what is missing; nothing is left for the result."""
    done = 0
    for keys in iter_batches(args["documents"]):
        rows = list(job.campaign.documents.filter(pk__in=keys))
        texts = sign_texts(map(read_document_text, rows))
        store_signatures(
            [
                # A file without a text is the same as another with the same bytes.
                (row.pk, stamp_document(row), text or (row.sha256 if row.file else ""), hashes)
                for row, text, hashes in zip(rows, texts.sha256, pack_hashes(texts), strict=True)
            ]
        )
        done += len(keys)
        report(done)
    return {}, {}


def store_signatures(rows: Sequence[tuple[int, str, str, bytes]]) -> None:
    """Instead of those that the documents have; of two workers at once the second waits."""
    keys = [row[0] for row in rows]
    with transaction.atomic():
        locked = Document.objects.select_for_update(no_key=True).filter(pk__in=keys)
        # A document may have been deleted since.
        present = set(locked.order_by("pk").values_list("pk", flat=True))
        TextSignature.objects.filter(pk__in=present).delete()
        lines = [row for row in rows if row[0] in present]
        insert_rows(TextSignature, ("document_id", "stamp", "text", "hashes"), lines)


def read_document_text(row: Document) -> str:
    """What is compared; nothing of a file without a text, whose title says little."""
    if not row.body:
        return "" if row.file else row.title
    return extract_plain_text(row.title, row.body, is_html=row.format == Document.Format.HTML)


def pack_hashes(texts: TextSignatures) -> Iterator[bytes]:
    """Of each text its signature, empty if it is too short for one."""
    for signed, signature in zip(texts.signed, texts.signatures, strict=True):
        yield signature.tobytes() if signed else b""


def load_signatures(campaign: Campaign) -> tuple[list[int], TextSignatures]:
    """The documents in the order in which they came, and their signatures."""
    stored = TextSignature.objects.filter(document__campaign=campaign).order_by("pk")
    keys, digests, blocks, signed = list[int](), list[str](), [], list[bool]()
    for part in iter_batches(stored.values_list("pk", "text", "hashes").iterator()):
        keys += [pk for pk, *_ in part]
        digests += [text for _, text, _ in part]
        signed += [bool(hashes) for *_, hashes in part]
        packed = b"".join(bytes(hashes) or UNSIGNED for *_, hashes in part)
        blocks.append(np.frombuffer(packed, np.int32).reshape(-1, HASHES))
    rows = np.concatenate(blocks) if blocks else np.zeros((0, HASHES), np.int32)
    return keys, TextSignatures(tuple(digests), rows, np.array(signed, np.bool_))


register_work(GROUP, sign_share)
