"""The three acts of judging for work units, which are kept above it, in ``crowd``: lease these
documents, append this answer, set aside and open again.

A unit is known here by its key alone. Whether it may do what it asks for is for crowd to say, in
the same transaction.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

from django.db.models import Max, Q
from django.utils import timezone

from campaigns.models import Topic, User
from judging.models import Audience, Exclusion, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import latest_judgments, log_until
from judging.queries.slots import free_slots
from judging.services.checks import check_grade, check_judgment
from judging.services.judgment_log import (
    JudgmentSubmission,
    LostRaceError,
    PairHistory,
    append_judgment,
)
from judging.services.leases import lease_slot, return_slots
from judging.services.log_rows import append_copies
from judging.services.slot_choice import (
    compute_shown_at,
    resolve_erratum,
    resolve_guideline_version,
)
from judging.services.stopping import apply_stopping_rule

Kind, State = Judgment.Kind, Slot.State
BATCH = 500
LEASED = (
    "state", "assessor", "token", "leased_at", "expires_at", "guideline_version", "unit",
    "unit_position",
)  # fmt: skip


def lease_documents(
    slots_at: Sequence[tuple[Slot, int]], *, unit: int, assessor: User, guidelines: int,
    until: datetime,
) -> None:  # fmt: skip
    """Lease the locked and the new slots together to ``assessor``, each at its position."""
    now = timezone.now()
    for slot, at in slots_at:
        slot.state, slot.assessor, slot.token = State.LEASED, assessor, uuid4()
        slot.leased_at, slot.expires_at = now, until
        slot.guideline_version, slot.unit_id, slot.unit_position = guidelines, unit, at
        if slot.purpose == Purpose.REPEAT:
            slot.reserved_for = assessor
    Slot.objects.bulk_update([slot for slot, _ in slots_at if slot.pk], LEASED)
    # Sorted: two workers who repeat the same pairs wait for each other in one order.
    new = [slot for slot, _ in slots_at if not slot.pk]
    Slot.objects.bulk_create(sorted(new, key=lambda slot: slot.item_id or 0))


def return_documents(*, plan: Plan, unit: int, assessor: int, judged: bool = False) -> int:
    """Return the documents of ``unit`` that have no answer; return the number.

    Gold and repeats without an answer are deleted; of a closed plan also documents of the pool
    that were never judged, so that their pairs can be planned again. With ``judged`` all documents
    of the pool return.
    """
    own = Slot.objects.filter(unit=unit, assessor=assessor)
    extra = own.filter(state=State.LEASED, judgments=None)
    returned = 0
    if plan.state == Plan.State.CLOSED:
        returned = extra.filter(purpose=Purpose.JUDGE).count()
    else:
        extra = extra.exclude(purpose=Purpose.JUDGE)
    Slot.objects.filter(pk__in=list(extra.values_list("pk", flat=True))).delete()
    back = Q() if judged else Q(state=State.LEASED)
    return returned + return_slots(own.filter(back, purpose=Purpose.JUDGE))


def append_answer(
    submission: JudgmentSubmission, slot: Slot | None, history: PairHistory | None = None
) -> Judgment:
    """Append the answer of a unit to the log; it fills ``slot``, or a skip opens it for others.
    What ``history`` says is not read again.
    """
    check_judgment(submission)
    if history is None or not history.is_on_scale:
        check_grade(submission)
    submission = replace(
        submission,
        served_at=compute_shown_at(submission, slot),
        guideline_version=resolve_guideline_version(submission, slot),
        erratum=resolve_erratum(submission, slot),
    )
    earlier_skips = count_other_skips(submission) if submission.kind == Kind.SKIP else 0
    if slot is not None:
        move_slot(slot, submission, earlier_skips)
    judgment = append_judgment(submission, slot, history)
    if history is None or history.has_rule:
        apply_stopping_rule(submission.campaign, [submission.topic.pk])
    return judgment


def count_other_skips(submission: JudgmentSubmission) -> int:
    """The other workers whose current answer to the pair is a skip.

    The topic is locked: of two skips of a pair at the same moment the second counts the first.
    """
    Topic.objects.select_for_update(no_key=True).get(pk=submission.topic.pk)
    log = log_until(submission.campaign, purpose=submission.purpose)
    pair = log.filter(topic=submission.topic, docno=submission.docno, unit__isnull=False)
    others = latest_judgments(pair.exclude(assessor=submission.actor))
    return others.filter(kind=Kind.SKIP).count()


def move_slot(slot: Slot, submission: JudgmentSubmission, earlier_skips: int) -> None:
    """Fill the slot; or, after a skip, free it for other workers, at most as many times per pair
    as the plan has judgments of it.
    """
    goes_on = (
        submission.kind == Kind.SKIP
        and slot.purpose == Purpose.JUDGE
        and slot.plan.state != Plan.State.CLOSED
        and earlier_skips < slot.plan.overlap
    )
    if not goes_on:
        done = State.JUDGED if submission.kind == Kind.GRADE else State.SKIPPED
        lease_slot(slot, submission.actor, done, unit_id=submission.unit)
        return
    # The fields of a lease that ends, so that the query tells nothing.
    free = {
        "state": State.OPEN,
        "assessor": None,
        "token": uuid4(),
        "leased_at": None,
        "expires_at": None,
        "unit": submission.unit,
    }
    if not Slot.objects.filter(pk=slot.pk, token=slot.token).update(**free):
        raise LostRaceError


def set_units_aside(exclusion: Exclusion, units: Collection[int]) -> int:
    """Save ``exclusion``, which covers ``units``, and open the pool's slots that they fill for
    other workers; return the number.
    """
    save_exclusion(exclusion)
    rows = Judgment.objects.filter(unit__in=units, purpose=Purpose.JUDGE, slot__isnull=False)
    filled = Slot.objects.filter(
        pk__in=rows.order_by().values("slot"),
        purpose=Purpose.JUDGE,
        assessor=exclusion.worker.user_id,
        state__in=(State.JUDGED, State.SKIPPED),
    )
    reopened = return_slots(filled)
    apply_stopping_rule(exclusion.campaign, list_judged_topics(units))
    return reopened


def count_units_again(undone: Exclusion, units: Collection[int]) -> int:
    """Log each current grade of ``units`` once more, and save ``undone``, after which they count;
    return the number.
    """
    # Before the exclusion ends: at no moment do two judgments fill a slot.
    logged = log_judgments_again(undone.worker.user_id, units)
    save_exclusion(undone)
    apply_stopping_rule(undone.campaign, list_judged_topics(units))
    return logged


def save_exclusion(exclusion: Exclusion) -> None:
    """Date it later than every frozen version, also if the clock of its server was ahead."""
    now = timezone.now()
    last = exclusion.campaign.qrels.aggregate(last=Max("as_of"))["last"]
    exclusion.set_at = now if last is None else max(now, last + timedelta(microseconds=1))
    exclusion.save()


def list_judged_topics(units: Collection[int]) -> list[int]:
    rows = Judgment.objects.filter(unit__in=units, purpose=Purpose.JUDGE).order_by()
    return sorted(set(rows.values_list("topic", flat=True)))


def log_judgments_again(assessor: int, units: Collection[int]) -> int:
    """Append a revision of each current grade of ``units``, trials aside; return the number."""
    log = Judgment.objects.filter(unit__in=units, unit__trial=False, purpose=Purpose.JUDGE)
    current = latest_judgments(log).filter(kind=Kind.GRADE).order_by("pk")
    rows = list(current.select_related("slot"))
    free = lock_slots_of_judgments(rows)
    filled: list[Slot] = []
    copies: list[tuple[Judgment, Slot | None]] = []
    for row in rows:
        # The slot that the judgment filled before, otherwise the first one.
        slots = free[row.topic_id, row.docno]
        slot = min(slots, key=lambda each: (each.pk != row.slot_id, each.k), default=None)
        if slot is not None:
            slot.state, slot.assessor_id, slot.token = State.JUDGED, assessor, uuid4()
            slot.expires_at, slot.unit_id = None, row.unit_id
            filled.append(slot)
        copies.append((row, slot))
    Slot.objects.bulk_update(
        filled, ["state", "assessor", "token", "expires_at", "unit"], batch_size=BATCH
    )
    append_copies(copies)
    return len(copies)


def lock_slots_of_judgments(rows: Sequence[Judgment]) -> dict[tuple[int, str], list[Slot]]:
    """The free slots of the pairs of ``rows`` in plans for the crowd, locked."""
    by_pair: dict[tuple[int, str], list[Slot]] = defaultdict(list)
    pairs = {(row.topic_id, row.docno) for row in rows}
    for start in range(0, len(rows), BATCH):
        part = rows[start : start + BATCH]
        slots = Slot.objects.filter(
            free_slots(),
            purpose=Purpose.JUDGE,
            plan__audience=Audience.CROWD,
            topic__in={row.topic_id for row in part},
            item__docno__in={row.docno for row in part},
        ).select_for_update(skip_locked=True, no_key=True, of=("self",))
        known = {slot.pk for listed in by_pair.values() for slot in listed}
        for slot in slots.select_related("item").order_by("k", "pk"):
            if (slot.topic_id, slot.docno) in pairs and slot.pk not in known:
                by_pair[slot.topic_id, slot.docno].append(slot)
    return by_pair
