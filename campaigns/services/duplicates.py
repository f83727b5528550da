"""Group the documents of a campaign by their texts, whenever documents come in or change."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max

from campaigns.models import Campaign, Document, Duplicate, Event, Job
from campaigns.services import jobs
from campaigns.services.job_parts import Report, Share, ShareResult, register_work, share_work
from campaigns.services.rows import insert_rows
from poolbench.runs.columnar import Columns
from poolbench.texts.duplicates import (
    HASHES,
    TextSignatures,
    extract_plain_text,
    group_duplicates,
    sign_texts,
)

GROUP = "campaigns.group_duplicates"
"""The kind of the job."""
SHARE, BATCH = 5_000, 500
"""Documents of a part of the job, and of those as many in memory."""
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
    args = {"documents": campaign.documents.count(), "last": known["last"], "corrected": corrected}
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
    results = share_work(job, lambda: split_documents(campaign))
    if results is None:
        return
    keys, texts = join_signatures(results)
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


def split_documents(campaign: Campaign) -> list[Share]:
    keys = list(campaign.documents.order_by("pk").values_list("pk", flat=True))
    parts = [keys[start : start + SHARE] for start in range(0, len(keys), SHARE)]
    shares = [Share({"first": part[0], "last": part[-1]}, len(part)) for part in parts]
    return shares or [Share({"first": 0, "last": 0})]


def sign_share(
    job: Job, args: Mapping[str, Any], report: Report
) -> tuple[Mapping[str, Any], Columns]:
    keys: list[int] = []

    def iter_share_texts() -> Iterator[str]:
        rows = job.campaign.documents.filter(pk__range=(args["first"], args["last"]))
        for row in rows.order_by("pk").iterator(chunk_size=BATCH):
            keys.append(row.pk)
            files.append(row.sha256 if row.file and not row.body else "")
            report(len(keys))
            yield read_document_text(row)

    files: list[str] = []
    texts = sign_texts(iter_share_texts())
    # A file without a text is the same as another with the same bytes.
    digests = [own or text for own, text in zip(files, texts.sha256, strict=True)]
    return {"sha256": digests}, {
        "keys": np.array(keys, np.int64),
        "signatures": texts.signatures.reshape(-1),
        "signed": texts.signed.astype(np.uint8),
    }


def read_document_text(row: Document) -> str:
    """What is compared; nothing of a file without a text, whose title says little."""
    if not row.body:
        return "" if row.file else row.title
    return extract_plain_text(row.title, row.body, is_html=row.format == Document.Format.HTML)


def join_signatures(results: Sequence[ShareResult]) -> tuple[list[int], TextSignatures]:
    columns = [result.columns for result in results]
    keys = [int(key) for part in columns for key in part["keys"]]
    digests = tuple(digest for result in results for digest in result.head["sha256"])
    signatures = np.concatenate([part["signatures"] for part in columns]).reshape(-1, HASHES)
    signed = np.concatenate([part["signed"] for part in columns]).astype(np.bool_)
    return keys, TextSignatures(digests, signatures, signed)


register_work(GROUP, sign_share)
