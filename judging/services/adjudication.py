"""Adjudication: rounds for adjudicators, and decisions of consensus meetings."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from campaigns.services.mail import queue_mail
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.adjudication import (
    adjudication_slots,
    adjudication_states,
    list_adjudicators,
    list_disagreements,
)
from judging.queries.confirmations import describe_round_closing
from judging.queries.judgments import current_judgments, latest_adjudications
from judging.queries.slots import free_slots
from judging.services.checks import check_grade
from judging.services.judgment_log import (
    JudgmentSubmission,
    LostRaceError,
    append_judgment,
    find_duplicate_submission,
    lock_judging,
    run_with_retries,
)
from judging.services.leases import lease_slot, return_slots
from pooling.models import PoolItem

State = Slot.State
BATCH = 5_000
RoundPair = tuple[int, str, float | None]
"""``(topic's primary key, docno, sort key)``."""


def open_round(
    *,
    actor: User,
    campaign: Campaign,
    pairs: Sequence[RoundPair],
    adjudicators: Sequence[User],
    blind: bool = True,
    order: str = "size",
) -> Plan:
    """Open a round in which ``adjudicators`` adjudicate ``pairs`` in this order.

    ``order`` describes the sort key, for display. Pairs that are resolved, in a round or in no
    pool are omitted; the log has their numbers. Raises ``ActionRefused`` if none remains, or
    for a user who is not an adjudicator.
    """
    require_permission(actor, "campaigns.manage", campaign)
    require_adjudicators(campaign, adjudicators)
    with transaction.atomic():
        # Locked, so that two rounds opened concurrently cannot share a pair.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        taken = list_assigned_pairs(campaign)
        new_pairs = [row for row in dict.fromkeys(pairs) if row[:2] not in taken]
        items = pool_items_by_pair(campaign, {row[:2] for row in new_pairs})
        selected = [row for row in new_pairs if row[:2] in items]
        if not selected:
            raise explain_empty_round(pairs, new_pairs)
        plan = create_round(actor, campaign, selected, items, blind=blind, order=order)
        Assignment.objects.bulk_create(
            Assignment(plan=plan, topic_id=topic, assessor=user)
            for topic in dict.fromkeys(row[0] for row in selected)
            for user in dict.fromkeys(adjudicators)
        )
        events.log_event(
            campaign=campaign,
            actor=actor,
            code="round.opened",
            subject=f"{len(selected)} pairs, {'blind' if blind else 'open'}, by {order}",
            plan=plan.pk,
            pairs=len(selected),
            taken_before=len(pairs) - len(new_pairs),
            without_pool=len(new_pairs) - len(selected),
            adjudicators=[user.username for user in adjudicators],
        )
        queue_mail(
            "adjudication_requested",
            adjudicators,
            key=f"round {plan.pk}",
            campaign=campaign,
            context={"pairs": len(selected)},
            path=reverse("adjudicate", args=[campaign.slug]),
        )
    return plan


def remove_agreed_pairs(*, actor: User, plan: Plan) -> int:
    """Remove pairs from a round whose assessors agree by now; return the number."""
    disagreeing = {each.pair for each in list_disagreements(plan.campaign)}
    slots = plan.slots.filter(free_slots()).values_list("pk", "topic__number", "item__docno")
    agreed = [pk for pk, topic, docno in slots if (topic, docno) not in disagreeing]
    return withdraw_slots(actor, plan, agreed, "round.pairs_removed")


def end_round(*, actor: User, plan: Plan, decision: Decision | None = None) -> int:
    """Close a round; decisions remain. Return the number of pairs that were waiting.

    Checked-out pairs may still be decided; no one else gets them later.
    """
    require_permission(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        # Alone: no decision arrives between what is confirmed and what is done.
        lock_judging(plan.campaign, exclusive=True)
        free = plan.slots.filter(free_slots()).order_by("pk")
        # Locked: a concurrent claim comes before, or fails.
        waiting = list(free.select_for_update(of=("self",)).values_list("pk", flat=True))
        confirmed = check_decision(partial(describe_round_closing, plan), decision)
        Plan.objects.filter(pk=plan.pk).exclude(state=Plan.State.CLOSED).update(
            state=Plan.State.CLOSED, closed_at=timezone.now()
        )
        plan.refresh_from_db(fields=["state", "closed_at"])
        return withdraw_slots(actor, plan, waiting, "round.closed", confirmed)


def record_meeting_decision(
    *,
    actor: User,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    grade: int,
    client_uuid: UUID,
    note: str = "",
) -> Judgment:
    """Record the decision of a consensus meeting, as an adjudication by the actor.

    Unlike in a round, the actor may have judged the pair. A pair waiting in a round leaves it;
    one that is checked out is refused. The latest decision counts.
    """
    require_permission(actor, "campaigns.settle", campaign)
    submission = JudgmentSubmission(
        actor, campaign, topic, docno, Judgment.Kind.GRADE, client_uuid,
        purpose=Purpose.ADJUDICATE, grade=grade, comment=note,
    )  # fmt: skip
    return run_with_retries(partial(write_decision, submission))


def withdraw_decision(
    *, actor: User, campaign: Campaign, topic: Topic, docno: str, client_uuid: UUID
) -> Judgment:
    """Undo the actor's own decision on a pair; an earlier one by another counts again."""
    require_permission(actor, "campaigns.settle", campaign)
    submission = JudgmentSubmission(
        actor, campaign, topic, docno, Judgment.Kind.WITHDRAWN, client_uuid,
        purpose=Purpose.ADJUDICATE,
    )  # fmt: skip
    return run_with_retries(partial(write_withdrawal, submission))


def write_decision(submission: JudgmentSubmission) -> Judgment:
    lock_judging(submission.campaign)
    known = find_duplicate_submission(submission)
    if known is not None:
        return known
    check_grade(submission)
    judged = current_judgments(submission.campaign).filter(
        topic=submission.topic, docno=submission.docno
    )
    if not judged.exists():
        message = _("Document %(docno)s has not been judged yet.") % {"docno": submission.docno}
        raise ActionRefused("not-judged", message, _("Wait until an assessor has judged it."))
    slot = find_open_round_slot(submission)
    if slot is not None:
        lease_slot(slot, submission.actor, State.JUDGED)
    return append_judgment(submission, slot)


def write_withdrawal(submission: JudgmentSubmission) -> Judgment:
    lock_judging(submission.campaign)
    known = find_duplicate_submission(submission)
    if known is not None:
        return known
    own = current_judgments(submission.campaign, purpose=Purpose.ADJUDICATE)
    if not own.filter(
        topic=submission.topic, docno=submission.docno, assessor=submission.actor
    ).exists():
        raise ActionRefused("nothing-to-undo", _("You have no decision to undo."))
    slot = slots_of_pair(submission).filter(assessor=submission.actor, state=State.JUDGED).first()
    withdrawal = append_judgment(submission, slot)
    # So that the pair can be checked out again.
    if slot and not return_slots(Slot.objects.filter(pk=slot.pk, token=slot.token)):
        raise LostRaceError
    return withdrawal


def find_open_round_slot(submission: JudgmentSubmission) -> Slot | None:
    """The slot of a round that the decision fills, if the pair is in one."""
    slots = list(slots_of_pair(submission).select_related("assessor"))
    own = next((slot for slot in slots if slot.assessor_id == submission.actor.pk), None)
    if own is not None:
        return own
    for slot in slots:
        if slot.state == State.LEASED and slot.expires_at and slot.expires_at > timezone.now():
            who = slot.assessor.shown_name if slot.assessor else ""
            raise ActionRefused(
                "in-hand",
                _("Document %(docno)s is checked out to %(name)s.")
                % {"name": who, "docno": submission.docno},
                _("Wait for the decision, or return the document on the judging page."),
            )
    return next((slot for slot in slots if slot.state != State.JUDGED), None)


def slots_of_pair(submission: JudgmentSubmission) -> QuerySet[Slot]:
    slots = adjudication_slots(submission.campaign)
    return slots.filter(topic=submission.topic, item__docno=submission.docno).order_by("-k")


def require_adjudicators(campaign: Campaign, people: Sequence[User]) -> None:
    if not people:
        fix = _("Choose at least one adjudicator, or add one to the campaign.")
        raise ActionRefused("nobody", _("The round has no adjudicators."), fix)
    allowed = set(list_adjudicators(campaign).values_list("pk", flat=True))
    others = sorted(user.username for user in people if user.pk not in allowed)
    if others:
        raise ActionRefused(
            "not-an-adjudicator",
            _("Not an adjudicator of this campaign: %(names)s.") % {"names": ", ".join(others)},
            _("Add them as adjudicators first."),
        )


def list_assigned_pairs(campaign: Campaign) -> set[tuple[int, str]]:
    """The pairs that are resolved or in a round, by topic's primary key and docno."""
    number = dict(campaign.topics.values_list("number", "pk"))
    decisions = latest_adjudications(current_judgments(campaign, purpose=Purpose.ADJUDICATE))
    waiting = [pair for pair, state in adjudication_states(campaign).items() if state == "round"]
    return {(number[topic], docno) for topic, docno in [*decisions, *waiting]}


def pool_items_by_pair(
    campaign: Campaign, pairs: Collection[tuple[int, str]]
) -> dict[tuple[int, str], int]:
    """The pool item of each pair in the newest pool that contains it."""
    topics = {topic for topic, _ in pairs}
    rows = PoolItem.objects.filter(pool__campaign=campaign, topic__in=topics)
    items: dict[tuple[int, str], int] = {}
    for pk, topic, docno in rows.order_by("pool__version").values_list("pk", "topic", "docno"):
        if (topic, docno) in pairs:
            items[topic, docno] = pk
    return items


def explain_empty_round(
    pairs: Sequence[RoundPair], new_pairs: Sequence[RoundPair]
) -> ActionRefused:
    if not pairs:
        message, fix = _("No pairs with this grade difference."), _("Choose a smaller difference.")
        return ActionRefused("nothing-to-settle", message, fix)
    if not new_pairs:
        message = _("All of these pairs are already resolved or in a round.")
        return ActionRefused("nothing-to-settle", message)
    return ActionRefused(
        "no-pool",
        _("These pairs are in no pool, which a round requires."),
        _("Adjudicate them in a consensus meeting, or freeze a pool that contains them."),
    )


def create_round(
    actor: User,
    campaign: Campaign,
    selected: Sequence[RoundPair],
    items: dict[tuple[int, str], int],
    *,
    blind: bool,
    order: str,
) -> Plan:
    plan = Plan.objects.create(
        campaign=campaign,
        pool=campaign.pools.order_by("-version")[0],
        kind=Plan.Kind.ADJUDICATE,
        design="adjudication",
        parameters={"order": order},
        order=Plan.Order.VALUE,
        blind=blind,
        created_by=actor,
    )
    before = dict(adjudication_slots(campaign).values_list("item").annotate(Max("k")))
    # After the waiting pairs of earlier rounds.
    last = adjudication_slots(campaign).aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    Slot.objects.bulk_create(
        (
            Slot(
                plan=plan,
                item_id=items[topic, docno],
                topic_id=topic,
                purpose=Purpose.ADJUDICATE,
                k=before.get(items[topic, docno], -1) + 1,
                position=at,
                value=value,
            )
            for at, (topic, docno, value) in enumerate(selected, start=first)
        ),
        batch_size=BATCH,
    )
    return plan


def withdraw_slots(
    actor: User,
    plan: Plan,
    slots: Sequence[int],
    code: str,
    confirmed: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """Remove waiting slots from a round.

    A slot that was checked out or judged is kept as skipped by that adjudicator, so that a
    judgment still unsent can fill it.
    """
    campaign = plan.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        log = Judgment.objects.filter(slot=OuterRef("pk"))
        touched = Q(state=State.LEASED) | Exists(log)
        waiting = Slot.objects.filter(free_slots(), plan=plan, pk__in=slots)
        # Locked: a concurrent claim comes before, or fails.
        list(waiting.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
        count = 0
        for slot in waiting.filter(touched).select_related("assessor"):
            who = slot.assessor or Judgment.objects.filter(slot=slot).latest("pk").assessor
            lease_slot(slot, who, State.SKIPPED)
            count += 1
        count += waiting.exclude(touched).delete()[0]
        if count or code == "round.closed":
            events.log_event(
                campaign=campaign, actor=actor, code=code, plan=plan.pk, pairs=count, **confirmed
            )
    return count


def list_pairs_to_adjudicate(
    campaign: Campaign, *, min_difference: int, crossing: bool
) -> list[RoundPair]:
    """The disagreements in no round, as input for ``open_round``, largest difference first."""
    number = dict(campaign.topics.values_list("number", "pk"))
    disagreements = list_disagreements(campaign, min_difference=min_difference, crossing=crossing)
    return [
        (number[row.topic], row.docno, float(row.size))
        for row in disagreements
        if row.state in ("new", "skipped")
    ]
