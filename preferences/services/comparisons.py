"""The judge's acts: claim the next comparison, choose, skip, undo.

A slot changes by compare-and-swap on its token (``judging.services.leases``), as those of
judging do; the log of preferences is one of its own and never becomes grades.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Required, TypedDict, Unpack
from uuid import UUID, uuid4

from django.core.signing import BadSignature, Signer
from django.db.models import Max
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from judging.models import Plan
from judging.queries.slots import free_slots
from judging.rules import EXPLAINED, SKIP_REASONS
from judging.services.judgment_log import run_with_retries, uuid_conflict
from judging.services.judgments import require_judging_open
from judging.services.leases import lease_is_active, lease_slot, try_lease
from preferences.models import SIDES, Comparison, ComparisonPlan, ComparisonSlot, Preference
from preferences.queries.comparisons import (
    claimable_comparison_slots,
    credit_comparison,
    leased_comparison_slots,
    list_own_preferences,
)

Kind, Choice, State = Preference.Kind, Preference.Choice, ComparisonSlot.State
TIE = "tie"
ATTEMPTS, CANDIDATES = 50, 20
SALT = "preferences.display"
AS_SUBMITTED = (
    "comparison", "kind", "choice", "reason", "comment", "client_uuid", "served_at",
    "active_seconds",
)  # fmt: skip
"""What the log keeps under the name that it has in a submission."""


@dataclass(frozen=True)
class DisplayedComparison:
    """A comparison as it was on a screen: ``swapped`` if A stood on the right."""

    comparison: Comparison
    swapped: bool


@dataclass(frozen=True)
class PreferenceSubmission:
    """An answer before it is saved. ``display`` says what stood on which side; ``token`` is the
    lease under which it was shown.
    """

    actor: User
    display: DisplayedComparison
    kind: str
    client_uuid: UUID
    token: UUID | None = None
    choice: str = ""
    picks: Sequence[str] = ()
    reason: str = ""
    comment: str = ""
    served_at: datetime | None = None
    active_seconds: float | None = None

    @property
    def comparison(self) -> Comparison:
        return self.display.comparison

    @property
    def plan(self) -> ComparisonPlan:
        return self.display.comparison.plan


class AnswerFields(TypedDict, total=False):
    """The fields of a ``PreferenceSubmission`` that every answer has."""

    actor: Required[User]
    client_uuid: Required[UUID]
    token: UUID | None
    comment: str
    served_at: datetime | None
    active_seconds: float | None


def sign_display(actor: User, comparison: Comparison, *, swapped: bool) -> str:
    """What a page or program sends back with an answer: which comparison ``actor`` was shown, and
    whether A stood on the right. So an answer keeps its meaning after its lease has passed on.
    """
    return Signer(salt=SALT).sign_object([actor.pk, comparison.pk, int(swapped)])


def read_display(actor: User, campaign: Campaign, text: str) -> DisplayedComparison:
    """The comparison that was shown to ``actor``; refused for anything else."""
    try:
        user, number, swapped = Signer(salt=SALT).unsign_object(text)
    except BadSignature:
        user = number = swapped = None
    comparisons = Comparison.objects.filter(plan__campaign=campaign)
    comparison = comparisons.select_related("plan__campaign", "topic").filter(pk=number).first()
    if comparison is None or user != actor.pk:
        raise ActionRefused(
            "not-shown",
            _("This comparison was not shown to you."),
            _("Go back to your comparisons and open the next one."),
        )
    return DisplayedComparison(comparison, bool(swapped))


def claim_comparison(
    *, actor: User, campaign: Campaign, plan: ComparisonPlan | None = None
) -> ComparisonSlot | None:
    """Lease the next comparison of ``plan`` (of all plans if None); None if nothing remains.

    What the actor has checked out comes first, the latest first. Never a comparison that the
    actor has answered.
    """
    require_permission(actor, "campaigns.judge", campaign)
    require_judging_open(campaign, Plan.Kind.JUDGE)
    for slot in leased_comparison_slots(actor, campaign, plan):
        if lease_is_active(slot) or try_lease(slot, actor):
            return slot
    for _attempt in range(ATTEMPTS):
        candidates = list(claimable_comparison_slots(actor, campaign, plan)[:CANDIDATES])
        if not candidates:
            return None
        for slot in candidates:
            if try_lease(slot, actor):
                return slot
    raise ActionRefused(
        "busy", _("Too many assessors are requesting comparisons."), _("Try again in a moment.")
    )


def submit_preference(
    *, display: DisplayedComparison, side: str, **answer: Unpack[AnswerFields]
) -> Preference:
    """Save which side of two documents or rankings is better: ``left``, ``right`` or ``tie``.

    A comparison answered before gets a new revision. The same ``client_uuid`` again returns the
    existing preference.
    """
    plan = display.comparison.plan
    if plan.kind == ComparisonPlan.Kind.INTERLEAVED:
        raise ActionRefused("picks-needed", "Pick documents of this list.", "Send `picks`.")
    if side == TIE and not plan.ties:
        raise ActionRefused("no-ties", _("This plan has no ties."), _("Choose left or right."))
    choice = Choice.TIE if side == TIE else SIDES[display.swapped].get(side)
    if choice is None:
        raise ActionRefused("side", f"Unknown side: {side}.", "Choose left, right or tie.")
    return check_and_save_preference(
        PreferenceSubmission(display=display, kind=Kind.CHOICE, choice=choice, **answer)
    )


def submit_picks(
    *, display: DisplayedComparison, picks: Sequence[int], **answer: Unpack[AnswerFields]
) -> Preference:
    """Save the documents picked from an interleaved list, by their ranks from 1; none is a tie.

    The choice is the run with more credit by the plan's method.
    """
    if display.comparison.plan.kind != ComparisonPlan.Kind.INTERLEAVED:
        raise ActionRefused("side-needed", "Choose a side.", "Send `side`.")
    documents = display.comparison.content["documents"]
    wrong = [rank for rank in picks if not 1 <= rank <= len(documents)]
    if wrong:
        raise ActionRefused(
            "rank", f"Unknown rank: {wrong[0]}.", f"The list has ranks 1 to {len(documents)}."
        )
    picked = [documents[rank - 1] for rank in sorted(set(picks))]
    a, b = credit_comparison(display.comparison, picked)
    choice = Choice.TIE if a == b else Choice.A if a > b else Choice.B
    return check_and_save_preference(
        PreferenceSubmission(
            display=display, kind=Kind.CHOICE, choice=choice, picks=picked, **answer
        )
    )


def skip_comparison(
    *, display: DisplayedComparison, reason: str, **answer: Unpack[AnswerFields]
) -> Preference:
    """Skip a comparison with a reason. The assessor may still answer it later."""
    if reason not in SKIP_REASONS:
        raise ActionRefused("reason", f"Unknown reason: {reason}.", "Choose a listed reason.")
    if reason in EXPLAINED and not answer.get("comment", "").strip():
        raise ActionRefused(
            "no-reason", _("Say why you skip this comparison."), _("Add a comment.")
        )
    return check_and_save_preference(
        PreferenceSubmission(display=display, kind=Kind.SKIP, reason=reason, **answer)
    )


def undo_preference(
    *,
    actor: User,
    campaign: Campaign,
    client_uuid: UUID | None = None,
    preference_uuid: UUID | None = None,
    plan: ComparisonPlan | None = None,
) -> Preference:
    """Undo an answer and lease its comparison to the actor again; return the withdrawal.

    ``preference_uuid`` is the ``client_uuid`` of what to undo; if None, the actor's last answer,
    in ``plan`` if given. Repeating it undoes the one before; with the same ``client_uuid`` it
    does not.
    """
    require_permission(actor, "campaigns.judge", campaign)
    arguments = (actor, campaign, client_uuid or uuid4(), preference_uuid, plan)
    return run_with_retries(partial(write_preference_undo, *arguments))


def check_and_save_preference(submission: PreferenceSubmission) -> Preference:
    require_permission(submission.actor, "campaigns.judge", submission.plan.campaign)
    if "\0" in submission.comment:
        raise ActionRefused("comment", _("The comment contains a null character."), _("Remove it."))
    return run_with_retries(partial(write_preference, submission))


def write_preference(submission: PreferenceSubmission) -> Preference:
    known = find_duplicate_preference(submission)
    if known is not None:
        return known
    require_judging_open(submission.plan.campaign, Plan.Kind.JUDGE)
    slot = find_comparison_slot(submission.actor, submission.comparison)
    if slot is not None:
        state = State.JUDGED if submission.kind == Kind.CHOICE else State.SKIPPED
        served = slot.leased_at if slot.assessor_id == submission.actor.pk else None
        submission = replace(submission, served_at=submission.served_at or served)
        lease_slot(slot, submission.actor, state)
    return append_preference(submission, slot)


def find_duplicate_preference(submission: PreferenceSubmission) -> Preference | None:
    """The preference with this ``client_uuid``, after a double click or lost response."""
    known = Preference.objects.filter(client_uuid=submission.client_uuid).first()
    if known is None:
        return None
    made = (known.comparison_id, known.assessor_id)
    if made != (submission.comparison.pk, submission.actor.pk) or known.kind == Kind.WITHDRAWN:
        raise uuid_conflict()
    return known


def find_comparison_slot(actor: User, comparison: Comparison) -> ComparisonSlot | None:
    """The slot that an answer fills: the actor's own, or a free one if the lease has passed on;
    None if others have filled all of them: the answer is kept without a slot.
    """
    slots = ComparisonSlot.objects.filter(comparison=comparison).order_by("k")
    own = slots.filter(assessor=actor).first()
    if own is not None or comparison.plan.state == ComparisonPlan.State.CLOSED:
        return own
    return slots.filter(free_slots()).first()


def append_preference(submission: PreferenceSubmission, slot: ComparisonSlot | None) -> Preference:
    """Append the next revision of the answer of this assessor to the comparison."""
    own = Preference.objects.filter(comparison=submission.comparison, assessor=submission.actor)
    last = own.aggregate(last=Max("revision"))["last"]
    return Preference.objects.create(
        campaign=submission.plan.campaign,
        slot=slot,
        assessor=submission.actor,
        revision=(last or 0) + 1,
        picks=list(submission.picks),
        swapped=submission.display.swapped,
        lease=submission.token,
        **{name: getattr(submission, name) for name in AS_SUBMITTED},
    )


def write_preference_undo(
    actor: User,
    campaign: Campaign,
    client_uuid: UUID,
    preference_uuid: UUID | None,
    plan: ComparisonPlan | None,
) -> Preference:
    known = Preference.objects.filter(client_uuid=client_uuid).first()
    if known is not None:
        made = (known.assessor_id, known.campaign_id, known.kind)
        if made != (actor.pk, campaign.pk, Kind.WITHDRAWN):
            raise uuid_conflict()
        return known
    require_judging_open(campaign, Plan.Kind.JUDGE)
    current = list_own_preferences(actor, campaign, plan)
    if preference_uuid is not None:
        current = current.filter(client_uuid=preference_uuid)
    last = current.first()
    if last is None:
        raise ActionRefused("nothing-to-undo", _("Nothing to undo."))
    slot = find_comparison_slot(actor, last.comparison)
    if slot is not None:
        lease_slot(slot, actor, State.LEASED)
    display = DisplayedComparison(last.comparison, last.swapped)
    submission = PreferenceSubmission(actor, display, Kind.WITHDRAWN, client_uuid, token=last.lease)
    return append_preference(submission, slot)
