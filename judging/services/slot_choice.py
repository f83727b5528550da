"""What a judgment belongs to: the slot that it fills, since when its document was shown, and with
which guidelines.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Translation
from judging.models import Assignment, Plan, Purpose, Slot
from judging.queries.slots import PURPOSES, free_slots, members_slots
from judging.services.judgment_log import JudgmentSubmission, previous_judgments

State = Slot.State


def find_slot_to_fill(submission: JudgmentSubmission, kind: str) -> Slot | None:
    """The slot that this judgment fills; None for an extra judgment.

    The actor's own slot; if the lease has passed on, any free slot of the pair; None if other
    assessors have filled all slots of the plan.
    """
    main, *others = PURPOSES[Plan.Kind(kind)]
    slots = list(slots_of_pair_for(submission, (main, *others)))
    again = [s for s in slots if s.purpose != main and s.reserved_for_id == submission.actor.pk]
    slots = [slot for slot in slots if slot.purpose == main]
    own = next((slot for slot in slots if slot.assessor_id == submission.actor.pk), None)
    if again and not is_held_by_actor(submission, own) and is_repeat(submission, again[0]):
        return again[0]
    if own is not None:
        return own
    before = previous_judgments(submission).filter(purpose__in=(main, *others))
    if not before.exists() and not may_have_been_shown(submission, kind):
        raise ActionRefused(
            "not-yours",
            _("Document %(docno)s of topic %(topic)s is not assigned to you.")
            % {"docno": submission.docno, "topic": submission.topic.number},
            _("Go back to your topics and open the next document."),
        )
    mine = (None, submission.actor.pk)
    return next((s for s in slots if s.free and s.reserved_for_id in mine), None)  # type: ignore[attr-defined]


def is_held_by_actor(submission: JudgmentSubmission, slot: Slot | None) -> bool:
    """Whether it is for ``slot``, undone and leased to the actor while its repeat is leased too."""
    if slot is None or slot.state != State.LEASED:
        return False
    return submission.token is None or submission.token == slot.token


def is_repeat(submission: JudgmentSubmission, slot: Slot) -> bool:
    """Whether the document was shown as a repeat; such a judgment must not revise the first one.

    A change of the first judgment has the token of its lease, or none; without a token, a
    judgment of a checked-out repeat is one of the repeat.
    """
    out = slot.state == State.LEASED
    if submission.token is None:
        return out and slot.assessor_id == submission.actor.pk
    if submission.token == slot.token:
        return True
    under = previous_judgments(submission).filter(lease=submission.token).order_by("-pk")
    purpose = under.values_list("purpose", flat=True).first()
    if purpose is not None:
        return purpose == Purpose.REPEAT
    # A token without a judgment: that of a repeat, if the repeat was ever checked out.
    return out or (slot.state == State.OPEN and slot.leased_at is not None)


def may_have_been_shown(submission: JudgmentSubmission, kind: str) -> bool:
    """Whether the document may have been shown to the actor, also under a closed or reassigned
    plan. A round may contain pairs of older pools than its own, so its slots are checked too.
    """
    assignments = Assignment.ever.filter(
        plan__campaign=submission.campaign,
        plan__kind=kind,
        topic=submission.topic,
        assessor=submission.actor,
    )
    pair = {
        "plan__pool__items__docno": submission.docno,
        "plan__pool__items__topic": submission.topic,
    }
    theirs = Slot.objects.filter(
        plan__in=assignments.order_by().values("plan"),
        topic=submission.topic,
        item__docno=submission.docno,
    )
    return assignments.filter(**pair).exists() or theirs.exists()


def slots_of_pair_for(submission: JudgmentSubmission, purposes: Collection[str]) -> QuerySet[Slot]:
    """All slots of the pair for ``purposes``, in all pools of the campaign."""
    pair = {"item__topic": submission.topic, "item__docno": submission.docno}
    slots = Slot.objects.filter(
        members_slots(), item__pool__campaign=submission.campaign, purpose__in=purposes, **pair
    ).select_related("plan__campaign")
    return slots.annotate(free=free_slots()).order_by("k", "pk")


def compute_shown_at(submission: JudgmentSubmission, slot: Slot | None) -> datetime | None:
    """When the document was shown: the browser's time, within the limits of the lease.

    A document that was fetched ahead was leased before it was shown. Without its lease, an
    impossible time is dropped.
    """
    now, reported = timezone.now(), submission.served_at
    leased = slot.leased_at if slot and is_under_lease(submission, slot) else None
    if leased is not None:
        return min(max(reported or leased, leased), now)
    is_possible = reported is not None and submission.campaign.created_at <= reported <= now
    return reported if is_possible else None


def resolve_guideline_version(submission: JudgmentSubmission, slot: Slot | None) -> int:
    """The guideline version on the assessor's page: as the client states it, otherwise the one
    that was current when the document was checked out, otherwise the current one.

    A page that has been open for long may show an older version than the lease's. Raises
    ``ActionRefused`` for a version that does not exist yet.
    """
    current, stated = submission.campaign.guideline_version, submission.guideline_version
    if stated is None:
        leased = slot.guideline_version if slot and is_under_lease(submission, slot) else None
        return current if leased is None else leased
    if not 0 <= stated <= current:
        raise ActionRefused(
            "no-guidelines",
            _("Guideline version %(version)s does not exist.") % {"version": stated},
            _("Reload the page and judge again."),
        )
    return stated


def resolve_erratum(submission: JudgmentSubmission, slot: Slot | None) -> int:
    """The number of the last correction on the assessor's page, as of the guidelines."""
    current, stated = submission.campaign.last_erratum, submission.erratum
    if stated is not None and stated <= current:
        return stated
    if slot is None or slot.leased_at is None or not is_under_lease(submission, slot):
        return current
    errata = submission.campaign.errata.filter(at__lte=slot.leased_at)
    return errata.values_list("number", flat=True).first() or 0 if current else 0


def resolve_language(submission: JudgmentSubmission) -> str:
    """Which of original and translation was shown; "" of a document without a translation."""
    if not submission.language_shown:
        return ""
    known = Translation.objects.filter(
        document__campaign=submission.campaign, document__docno=submission.docno
    )
    return submission.language_shown if known.exists() else ""


def is_under_lease(submission: JudgmentSubmission, slot: Slot) -> bool:
    return (slot.assessor_id, slot.token) == (submission.actor.pk, submission.token)
