"""Documents with the same text are judged once: the judgment is propagated to the others.

A propagated judgment is a row of the log of its own purpose, by the same assessor, that names the
original. What is appended follows from the current judgments alone, so that any change of them is
followed in the transaction that makes it, whatever it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Exists, OuterRef

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job
from campaigns.queries.duplicates import load_text_groups
from campaigns.services import events
from campaigns.services.duplicates import GROUP
from campaigns.services.rows import BATCH, Row, Value, iter_batches
from judging.models import Audience, Judgment, Plan, PropagatedPair, Purpose, Slot
from judging.queries.judgments import latest_judgments
from judging.services.judgment_log import lock_judging
from judging.services.log_rows import insert_log_rows
from judging.services.plan_slots import UnplannedPair
from poolbench.files.faults import format_count
from pooling.models import Pool

Kind = Judgment.Kind
Pair = tuple[int, str]
KEPT = ("grade", "source", "guideline_version", "erratum")
"""What a propagated grade has of the judgment that it repeats."""
COLUMNS = (
    "topic_id", "docno", "duplicate_of", "assessor_id", "revision", "kind", *KEPT, "client_uuid",
)  # fmt: skip


class PropagatedTo(NamedTuple):
    """A pair without slots, and the document that is judged for it."""

    pair: UnplannedPair
    original: str


def check_propagation(pool: Pool) -> None:
    """Refuse where the duplicates are not known, or not all at once."""
    if pool.is_adaptive:
        fix = "Freeze a pool by depth, or judge each document."
        message = "Documents of an adaptive pool come one by one: each is judged."
        raise ActionRefused("pool-grows", message, fix)
    newest = pool.campaign.jobs.filter(kind=GROUP).order_by("-pk").first()
    if newest is not None and newest.state != Job.State.DONE:
        fix = "Wait until its job is done, then create the plan again."
        message = "The texts of the documents are not compared yet."
        raise ActionRefused("not-compared", message, fix)


def split_duplicates(
    campaign: Campaign, pairs: Sequence[UnplannedPair]
) -> tuple[list[UnplannedPair], list[PropagatedTo]]:
    """``pairs`` that are to be judged, and those that have the text of one of these, or of a
    document of the topic that is in a plan for assessors already.

    Of several the first is judged that has a judgment, without one the first of the pool.
    """
    members = load_text_groups(campaign)
    texts = {docno: member.text for docno, member in members.items()}
    originals: dict[tuple[int, str], str] = {}
    wanted = {(pair.topic, texts[pair.docno]) for pair in pairs if pair.docno in texts}
    if not wanted:
        return list(pairs), []
    for topic, docno in list_planned(campaign) + list_judged(campaign, pairs):
        if docno in texts:
            originals.setdefault((topic, texts[docno]), docno)
    to_judge, propagated = [], []
    for pair in pairs:
        text = texts.get(pair.docno)
        original = originals.setdefault((pair.topic, text), pair.docno) if text else pair.docno
        if original == pair.docno:
            to_judge.append(pair)
        else:
            propagated.append(PropagatedTo(pair, original))
    return to_judge, propagated


def list_planned(campaign: Campaign) -> list[Pair]:
    slots = Slot.objects.filter(
        plan__campaign=campaign, plan__audience=Audience.MEMBERS, purpose=Purpose.JUDGE, k=0
    )
    return list(slots.order_by("pk").values_list("topic", "item__docno"))


def list_judged(campaign: Campaign, pairs: Collection[UnplannedPair]) -> list[Pair]:
    """Those of ``pairs`` that have a judgment without a slot, as an import leaves them."""
    known = {(pair.topic, pair.docno) for pair in pairs}
    rows = campaign.judgments.filter(purpose=Purpose.JUDGE, kind=Kind.GRADE, slot=None)
    judged = rows.order_by("pk").values_list("topic", "docno")
    return [pair for pair in dict.fromkeys(judged) if pair in known]


def add_propagated_pairs(plan: Plan, propagated: Sequence[PropagatedTo]) -> None:
    PropagatedPair.objects.bulk_create(
        (
            PropagatedPair(plan=plan, topic_id=pair.topic, docno=pair.docno, original=original)
            for pair, original in propagated
        ),
        batch_size=BATCH,
    )


def propagate_judgment(judgment: Judgment) -> None:
    """After ``judgment``, whatever it is, within its transaction."""
    if judgment.purpose == Purpose.JUDGE:
        here = {"topic": judgment.topic_id, "original": judgment.docno}
        pairs = list(PropagatedPair.objects.filter(**here))
        append_propagated(judgment.campaign_id, pairs, judgment.assessor_id)


def propagate_judgments(campaign: Campaign, originals: Collection[Pair]) -> int:
    """After many judgments of ``originals``, within their transaction; the number appended."""
    topics = {topic for topic, _ in originals}
    rows = list(PropagatedPair.objects.filter(topic__in=topics, topic__campaign=campaign))
    chosen = [row for row in rows if (row.topic_id, row.original) in originals]
    return append_propagated(campaign.pk, chosen)


def append_propagated(
    campaign: int,
    pairs: Sequence[PropagatedPair],
    assessor: int | None = None,
    *,
    ended: bool = False,
) -> int:
    """Append what ``pairs`` lack of the current judgments of their originals, by one or by all
    assessors; with ``ended`` they have no original any more. Returns the number appended.
    """
    count = 0
    for part in iter_batches(pairs):
        rows = list(iter_missing_rows(campaign, part, assessor, ended=ended))
        same: dict[str, Value] = {
            "campaign_id": campaign, "purpose": str(Purpose.PROPAGATED), "reason": "",
            "comment": "", "flags": "[]", "passages": "[]", "document_sha256": "", "third": False,
        }  # fmt: skip
        insert_log_rows(COLUMNS, rows, same)
        count += len(rows)
    return count


def iter_missing_rows(
    campaign: int, pairs: Sequence[PropagatedPair], assessor: int | None, *, ended: bool
) -> Iterator[Row]:
    """Rows of ``COLUMNS``. Each has a ``client_uuid`` made of that of the judgment and its own
    revision, by which it is known to be up to date.
    """
    by_original: dict[Pair, list[Judgment]] = defaultdict(list)
    log = Judgment.objects.filter(campaign=campaign, topic__in={pair.topic_id for pair in pairs})
    if assessor is not None:
        log = log.filter(assessor=assessor)
    judged = log.filter(purpose=Purpose.JUDGE, docno__in={pair.original for pair in pairs})
    for row in latest_judgments(judged).order_by("pk"):
        by_original[row.topic_id, row.docno].append(row)
    known = log.filter(purpose=Purpose.PROPAGATED, docno__in={pair.docno for pair in pairs})
    propagated = {
        (row.topic_id, row.docno, row.assessor_id): row for row in latest_judgments(known)
    }
    for pair in pairs:
        for row in by_original[pair.topic_id, pair.original]:
            last = propagated.get((pair.topic_id, pair.docno, row.assessor_id))
            revision = last.revision if last else 0
            is_graded = row.kind == Kind.GRADE and not ended
            was_graded = last is not None and last.kind == Kind.GRADE
            is_current = last is not None and last.client_uuid == name_row(row, pair, revision)
            if (is_current and is_graded == was_graded) or not (is_graded or was_graded):
                continue
            fields = [getattr(row, name) for name in KEPT]
            yield (
                pair.topic_id, pair.docno, pair.original, row.assessor_id, revision + 1,
                str(Kind.GRADE if is_graded else Kind.WITHDRAWN),
                *(fields if is_graded else (None, *fields[1:])),
                name_row(row, pair, revision + 1).hex,
            )  # fmt: skip


def name_row(judgment: Judgment, pair: PropagatedPair, revision: int) -> UUID:
    """The ``client_uuid`` of what is propagated of ``judgment`` to ``pair``."""
    return uuid5(judgment.client_uuid, f"propagated {revision} {pair.docno}")


def release_unplanned(campaign: Campaign) -> None:
    """After a plan was closed: pairs whose original has no slot left can be planned again."""
    slots = Slot.objects.filter(
        plan__campaign=campaign, purpose=Purpose.JUDGE, topic=OuterRef("topic"),
        item__docno=OuterRef("original"),
    )  # fmt: skip
    rows = PropagatedPair.objects.filter(~Exists(slots), topic__campaign=campaign)
    release_pairs(campaign, list(rows))


def release_changed(campaign: Campaign) -> None:
    """After the texts were compared again: a pair whose text is no longer that of its original
    loses what was propagated, and can be planned. A campaign may have no texts, as one loaded
    from an archive: then nothing has changed.
    """
    rows = list(PropagatedPair.objects.filter(topic__campaign=campaign))
    if not rows:
        return
    members = load_text_groups(campaign)
    texts = {docno: member.text for docno, member in members.items()}
    present = set(campaign.documents.values_list("docno", flat=True))
    changed = [
        row
        for row in rows
        if {row.docno, row.original} <= present
        and (row.docno not in texts or texts[row.docno] != texts.get(row.original))
    ]
    lock_judging(campaign, exclusive=True)
    release_pairs(campaign, changed)


def release_pairs(campaign: Campaign, pairs: Sequence[PropagatedPair]) -> None:
    if not pairs:
        return
    with transaction.atomic():
        append_propagated(campaign.pk, pairs, ended=True)
        PropagatedPair.objects.filter(pk__in=[row.pk for row in pairs]).delete()
        events.log_event(
            campaign=campaign, actor=None, code="plan.duplicates_released",
            subject=format_count(len(pairs), "document"),
        )  # fmt: skip
