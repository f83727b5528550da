"""The assessor's acts: claim the next documents, judge, skip, undo.

A slot changes by compare-and-swap on its token, which every change renews; no background
worker is needed for expired leases. See ``docs/decisions`` on slots and assignments.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from uuid import UUID, uuid4, uuid5

from django.utils.translation import gettext

from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, Topic, User
from campaigns.rules import require_open, require_permission
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.judgments import own_current_judgments
from judging.queries.slots import PURPOSES, checked_out_slots
from judging.queries.training import unanswered_pairs
from judging.services.adaptive_pools import extend_adaptive_pools
from judging.services.checks import (
    check_grade,
    check_judgment,
    check_not_own_judgment,
    check_rationale,
)
from judging.services.followups import add_follow_up_slots, lock_pair
from judging.services.judgment_log import (
    AS_SUBMITTED,
    JudgmentSubmission,
    append_judgment,
    find_duplicate_submission,
    lock_judging,
    previous_judgments,
    run_with_retries,
    uuid_conflict,
)
from judging.services.leases import (
    MAX_LEASES,
    candidate_slots,
    count_leases,
    drop_near_repeats,
    is_repeat_due,
    lease_end,
    lease_is_active,
    lease_slot,
    move_to_front,
    priority_slots,
    return_slots,
    stamp_guideline_version,
    try_lease,
)
from judging.services.passing_on import pass_on_skip, return_slot_to_skipper
from judging.services.propagation import propagate_judgment
from judging.services.slot_choice import (
    compute_shown_at,
    find_slot_to_fill,
    resolve_erratum,
    resolve_guideline_version,
    resolve_language,
    slots_of_pair_for,
)
from judging.services.stopping import apply_stopping_rule

Kind, State = Judgment.Kind, Slot.State
JUDGING, ADJUDICATION = Plan.Kind.JUDGE, Plan.Kind.ADJUDICATE
PERMISSION = {JUDGING: "campaigns.judge", ADJUDICATION: "campaigns.adjudicate"}
CLAIMS = 200
COPIED = ("flags", "passages", "guideline_version", "erratum")
"""What else than ``AS_SUBMITTED`` a grade has that is brought back."""


def claim_next(
    *, actor: User, campaign: Campaign, topic: Topic | None, kind: str = JUDGING
) -> Slot | None:
    """Lease the next document to ``actor``; None if nothing remains (see ``claim_ahead``)."""
    return next(
        iter(claim_ahead(actor=actor, campaign=campaign, topic=topic, count=1, kind=kind)), None
    )


def claim_ahead(
    *, actor: User, campaign: Campaign, topic: Topic | None, count: int, kind: str = JUDGING
) -> list[Slot]:
    """Lease the next documents of ``topic`` (of all topics if None), at most ``count``.

    The actor's checked-out documents come first. Then, in the order of the plan: open slots
    and expired leases, in plans that assign the topic to the actor, never of a pair that the
    actor has checked out or judged; and blind repeats when due. Refused until the training
    is complete.
    """
    require_permission(actor, PERMISSION[Plan.Kind(kind)], campaign)
    require_judging_open(campaign, kind)
    require_trained(actor, campaign, kind)
    count = min(count, MAX_LEASES)
    near = priority_slots(actor, campaign, topic, kind)
    own = [slot for slot in near if slot.assessor_id == actor.pk][:count]
    leased = [slot for slot in own if lease_is_active(slot) or try_lease(slot, actor)]
    stamp_guideline_version(leased, campaign)
    for _ in range(CLAIMS):
        missing = count - len(leased)
        if not missing:
            return leased
        candidates = candidate_slots(actor, campaign, topic, kind, missing, near)
        # A repeat that is not due comes only after an adaptive pool had a chance to grow.
        only_early = kind == JUDGING and all(
            s.purpose == Purpose.REPEAT and not is_repeat_due(s, actor) for s in candidates
        )
        if only_early and extend_adaptive_pools(actor, campaign, topic, missing):
            continue
        if not candidates:
            if kind == JUDGING and not leased:
                drop_near_repeats(actor, campaign, topic)
            return leased
        leased += [slot for slot in candidates if try_lease(slot, actor)]
    if leased:
        return leased
    raise ActionRefused(
        "busy",
        gettext("Too many assessors are requesting documents of this topic."),
        gettext("Try again in a moment."),
    )


def renew_leases(*, actor: User, campaign: Campaign, tokens: Collection[UUID]) -> set[UUID]:
    """Renew the actor's leases; return the tokens of those that are still theirs."""
    require_open(campaign)
    own = count_leases(actor, campaign, tokens)
    own.update(expires_at=lease_end())
    return set(own.values_list("token", flat=True))


def release_leases(*, actor: User, campaign: Campaign, tokens: Collection[UUID]) -> int:
    """Return documents that were checked out ahead and not judged; return the number."""
    require_open(campaign)
    return sum(return_slots(count_leases(actor, campaign, [token])) for token in set(tokens))


def submit_judgment(submission: JudgmentSubmission, kind: str = JUDGING) -> Judgment:
    """Save a grade, or a skip with its reason; for a pair judged before it is a new revision.

    The same ``client_uuid`` again returns the existing judgment. It is kept even if the lease of
    ``token`` has passed to another assessor (see ``find_slot_to_fill``). ``kind`` is that of the
    plan: judging or adjudication.
    """
    require_permission(submission.actor, PERMISSION[Plan.Kind(kind)], submission.campaign)
    check_judgment(submission)
    return run_with_retries(partial(write_submission, submission, kind))


def undo_judgment(
    *,
    actor: User,
    campaign: Campaign,
    client_uuid: UUID | None = None,
    judgment_uuid: UUID | None = None,
    source: str = Judgment.Source.SCREEN,
    kind: str = JUDGING,
) -> Judgment:
    """Undo a judgment or skip and lease its document to the actor again.

    ``judgment_uuid`` is the ``client_uuid`` of what to undo, the actor's last if None. Returns
    the withdrawal. Repeating it undoes the one before; with the same ``client_uuid`` it does
    not. The pair is unjudged until it is judged again; if a grade was changed, the former one
    is appended again, and nothing is leased.
    """
    require_permission(actor, PERMISSION[Plan.Kind(kind)], campaign)
    arguments = (actor, campaign, client_uuid or uuid4(), judgment_uuid, source, kind)
    return run_with_retries(partial(write_undo, *arguments))


def write_submission(submission: JudgmentSubmission, kind: str) -> Judgment:
    lock_judging(submission.campaign)
    known = find_duplicate_submission(submission)
    if known is not None:
        return known
    require_judging_open(submission.campaign, kind)
    check_grade(submission)
    if kind == ADJUDICATION:
        check_not_own_judgment(submission)
    slot = find_slot_to_fill(submission, kind)
    submission = replace(
        submission,
        served_at=compute_shown_at(submission, slot),
        guideline_version=resolve_guideline_version(submission, slot),
        erratum=resolve_erratum(submission, slot),
        language_shown=resolve_language(submission),
    )
    if slot is None:
        judgment = append_judgment(replace(submission, purpose=PURPOSES[Plan.Kind(kind)][0]), None)
    else:
        check_rationale(submission, slot.plan)
        lock_pair(slot, submission.kind)
        state = State.SKIPPED if submission.kind == Kind.SKIP else State.JUDGED
        lease_slot(slot, submission.actor, state)
        judgment = append_judgment(replace(submission, purpose=slot.purpose), slot)
        add_follow_up_slots(judgment, slot)
        pass_on_skip(judgment, slot)
    propagate_judgment(judgment)
    if judgment.purpose == Purpose.JUDGE:
        apply_stopping_rule(submission.campaign, [submission.topic.pk])
    return judgment


def write_undo(
    actor: User,
    campaign: Campaign,
    client_uuid: UUID,
    judgment_uuid: UUID | None,
    source: str,
    kind: str,
) -> Judgment:
    lock_judging(campaign)
    known = Judgment.objects.filter(client_uuid=client_uuid).first()
    if known is not None:
        made = (known.assessor_id, known.campaign_id, known.kind)
        if made != (actor.pk, campaign.pk, Kind.WITHDRAWN):
            raise uuid_conflict()
        return known
    require_judging_open(campaign, kind)
    current = own_current_judgments(campaign, actor, PURPOSES[Plan.Kind(kind)])
    last = (current if judgment_uuid is None else current.filter(client_uuid=judgment_uuid)).first()
    if last is None:
        raise ActionRefused("nothing-to-undo", gettext("Nothing to undo."))
    submission = JudgmentSubmission(
        actor, campaign, last.topic, last.docno, Kind.WITHDRAWN, client_uuid,
        purpose=last.purpose, source=source, guideline_version=last.guideline_version,
        erratum=last.erratum,
    )  # fmt: skip
    slot = slots_of_pair_for(submission, (last.purpose,)).filter(assessor=actor).first()
    if slot is None and last.kind == Kind.SKIP:
        slot = return_slot_to_skipper(last, actor)
    former = find_changed_grade(last)
    if slot is not None and former is None:
        lease_slot(slot, actor, State.LEASED)
        move_to_front(
            slot, checked_out_slots(actor, campaign, None, kind).exclude(pk=slot.pk).first()
        )
    withdrawal = append_judgment(submission, slot)
    if former is not None:
        restore_grade(former, withdrawal, slot)
    propagate_judgment(withdrawal)
    return withdrawal


def find_changed_grade(judgment: Judgment) -> Judgment | None:
    """The grade that ``judgment`` changed; None if it is the first, or follows an undo or skip."""
    before = previous_judgments(judgment).filter(purpose=judgment.purpose, pk__lt=judgment.pk)
    former = before.order_by("-pk").first()
    return former if former is not None and former.kind == Kind.GRADE else None


def restore_grade(former: Judgment, withdrawal: Judgment, slot: Slot | None) -> None:
    """Append ``former`` again after the ``withdrawal`` of its change, with no time of work."""
    fields = {name: getattr(former, name) for name in (*AS_SUBMITTED, *COPIED)}
    fields |= {"client_uuid": name_restored(withdrawal.client_uuid), "active_seconds": None}
    restored = JudgmentSubmission(
        former.assessor, token=former.lease, original_docno=former.duplicate_of, **fields
    )
    if slot is not None:
        lock_pair(slot, former.kind)
        lease_slot(slot, former.assessor, State.JUDGED)
    add_follow_up_slots(append_judgment(restored, slot), slot)


def name_restored(undo: UUID) -> UUID:
    """The ``client_uuid`` of the grade that an undo has brought back."""
    return uuid5(undo, "restored")


def require_judging_open(campaign: Campaign, kind: str) -> None:
    """Refuse judging after the deadline; adjudication has none."""
    until = campaign.judging_deadline
    if kind == JUDGING and until is not None and not campaign.takes_judgments():
        raise ActionRefused(
            "judging-closed",
            gettext("Judging closed on %(at)s.") % {"at": format_utc(until)},
            gettext("Ask an organizer to extend the deadline."),
        )


def require_trained(actor: User, campaign: Campaign, kind: str) -> None:
    if kind == JUDGING and unanswered_pairs(actor, campaign).exists():
        raise ActionRefused(
            "training-first",
            gettext("Complete the training documents first."),
            gettext("Judge them; the correct grade is explained after each."),
        )
