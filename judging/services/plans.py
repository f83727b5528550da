"""Judging plans: create, preview, pause, resume, close."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.lists import list_judging_grades
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from campaigns.services.rows import Row
from judging.models import Audience, Judgment, Plan, Purpose, Slot
from judging.queries.confirmations import describe_plan_closing
from judging.queries.slots import cancelable_slots, free_slots
from judging.services.assignments import (
    Assessors,
    add_assignments,
    check_people,
    get_topics,
    require_plan_not_closed,
)
from judging.services.crowd_plans import PlanOptions, check_crowd_options, check_max_overlap
from judging.services.judgment_log import lock_judging
from judging.services.passing_on import mark_slot_skipped
from judging.services.plan_slots import (
    UnplannedPair,
    build_slot_rows,
    build_workload,
    check_design,
    check_not_grown,
    choose_order,
    current_judgments_by_pair,
    fill_with_existing_judgments,
    insert_slot_rows,
    list_unplanned_pairs,
    max_future_judgments,
)
from judging.services.propagation import (
    PropagatedTo,
    add_propagated_pairs,
    check_propagation,
    propagate_judgments,
    release_unplanned,
    split_duplicates,
)
from poolbench.files.faults import format_count
from poolbench.judging.designs.allocation import (
    Allocation,
    ImpossibleDesignError,
    LoadForecast,
    PlanDesign,
    Workload,
    forecast_load,
)
from poolbench.judging.designs.registry import DESIGNS
from pooling.models import Pool

BATCH = 500
State = Plan.State
ORDERS = (Plan.Order.RANDOM, Plan.Order.DOCNO, Plan.Order.LENGTH, Plan.Order.POOL)


@dataclass(frozen=True)
class PlanAllocation:
    """A plan before it is saved: its pairs, assessors and slots."""

    design: PlanDesign
    parameters: dict[str, float]
    pairs: list[UnplannedPair]
    assessors: list[User]
    work: Workload
    slots: Allocation
    max_judgments: int
    """Per document."""
    propagated: Sequence[PropagatedTo] = ()
    """Not among ``pairs``."""

    def build_rows(self, pool: Pool, order: str) -> list[Row]:
        """The rows of the slots, without their plan."""
        return build_slot_rows(pool, self.pairs, self.slots, order, self.assessors)


def create_plan(
    *,
    actor: User,
    pool: Pool,
    overlap: int = 1,
    assessors: Assessors | None = None,
    topics: Collection[str] | None = None,
    scheme: PlanOptions | None = None,
    audience: str = Audience.MEMBERS,
    max_overlap: int | None = None,
) -> Plan:
    """Plan the judging of the pairs of ``pool`` that are in no plan, according to ``scheme``.

    Without one, ``overlap`` judgments per pair. ``topics`` are topic numbers, all of the pool
    if None; ``assessors`` has the assessors by topic number. A topic without assessors gets
    slots too and waits until some are assigned; designs that name assessors refuse it.
    Existing judgments fill slots at once.

    A plan for the crowd has no assessors; its documents go to work units. Up to ``max_overlap``
    judgments of a pair may then be requested by ``ask_one_more``.
    """
    campaign, assessors = pool.campaign, assessors or {}
    require_permission(actor, "campaigns.manage", campaign)
    scheme = scheme or PlanOptions(parameters={"n": overlap})
    scheme = replace(scheme, order=choose_order(pool, scheme.order))
    if audience == Audience.CROWD:
        check_crowd_options(pool, scheme, assessors)
    known = get_topics(campaign, {*assessors, *(topics or ())})
    # Allocated beforehand: on SQLite a transaction blocks all other writers.
    before = latest_plan_id(campaign)
    allocation = allocate_plan(pool, scheme, assessors, topics)
    check_max_overlap(audience, allocation.max_judgments, max_overlap)
    rows = allocation.build_rows(pool, scheme.order)
    with transaction.atomic():
        # Locked, so that two plans created concurrently cannot share a pair.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        check_latest_plan(campaign, before)
        plan = save_plan(actor, pool, scheme, allocation, audience, max_overlap)
        insert_slot_rows(plan, rows)
        add_propagated_pairs(plan, allocation.propagated)
        # Alone: concurrent judging or pool growth must not see pairs without their slots.
        lock_judging(campaign, exclusive=True)
        check_not_grown(plan, allocation.pairs)
        add_assignments(plan, {known[number]: people for number, people in assessors.items()})
        filled = fill_with_existing_judgments(plan, current_judgments_by_pair(plan))
        originals = {(row.pair.topic, row.original) for row in allocation.propagated}
        propagate_judgments(campaign, originals)
        log_plan_created(actor, plan, allocation, filled)
    return plan


def save_plan(
    actor: User,
    pool: Pool,
    scheme: PlanOptions,
    allocation: PlanAllocation,
    audience: str,
    max_overlap: int | None,
) -> Plan:
    """The plan without its slots."""
    return Plan.objects.create(
        campaign=pool.campaign,
        pool=pool,
        design=scheme.design,
        parameters=allocation.parameters,
        overlap=allocation.max_judgments,
        max_overlap=max_overlap,
        audience=audience,
        order=scheme.order,
        third_from=scheme.third_from,
        repeat_share=scheme.repeat_share,
        rationale=scheme.rationale,
        first_language=scheme.first_language,
        propagate=scheme.propagate,
        created_by=actor,
    )


@dataclass(frozen=True)
class PlanPreview:
    """Preview of a plan.

    ``thirds`` is the maximum number of third judgments, ``repeats`` the expected number of
    blind repeats, ``coming`` the number of judgments that an adaptive pool may add.
    """

    allocation: PlanAllocation
    forecast: LoadForecast
    planned_before: int
    thirds: int
    repeats: float
    coming: int

    @property
    def loads(self) -> list[tuple[User, float]]:
        return list(zip(self.allocation.assessors, self.forecast.loads.tolist(), strict=True))

    @property
    def shared(self) -> tuple[float, float] | None:
        return self.forecast.shared_range(list(range(len(self.allocation.assessors))))


def preview_plan(
    *,
    actor: User,
    pool: Pool,
    scheme: PlanOptions,
    assessors: Assessors,
    topics: Collection[str] | None = None,
) -> PlanPreview:
    """What ``create_plan`` would create, with the same checks. Writes nothing."""
    require_permission(actor, "campaigns.manage", pool.campaign)
    allocation = allocate_plan(pool, scheme, assessors, topics)
    forecast = forecast_load(allocation.work, allocation.slots)
    return PlanPreview(
        allocation,
        forecast,
        planned_before=pool.items.count() - len(allocation.pairs) - len(allocation.propagated),
        thirds=int((allocation.slots.k == 1).sum()) if scheme.third_from else 0,
        repeats=scheme.repeat_share * forecast.judgments,
        coming=max_future_judgments(pool, [*assessors], allocation.max_judgments),
    )


def allocate_plan(
    pool: Pool, scheme: PlanOptions, assessors: Assessors, topics: Collection[str] | None
) -> PlanAllocation:
    """Check the options of a plan, and allocate its slots."""
    campaign = pool.campaign
    known = get_topics(campaign, {*assessors, *(topics or ())})
    check_plan_options(campaign, scheme)
    design = DESIGNS[scheme.design]
    try:
        parameters = design.read(scheme.parameters)
    except ImpossibleDesignError as error:
        raise ActionRefused("bad-parameter", error.message, error.fix) from error
    overlap = design.max_judgments(parameters)
    check_people(campaign, overlap, assessors, thirds=bool(scheme.third_from))
    if scheme.third_from and overlap < 2:
        fix = "Choose a design with two judgments per document, or no third judgments."
        message = "A third judgment requires at least two judgments per document."
        raise ActionRefused("third-needs-two", message, fix)
    planned = None if topics is None else {known[number].pk for number in topics}
    pairs = list_unplanned_pairs(pool, planned)
    check_design(pool, scheme.design)
    propagated: list[PropagatedTo] = []
    if scheme.propagate:
        check_propagation(pool)
        pairs, propagated = split_duplicates(campaign, pairs)
    if not pairs and not propagated and not pool.is_adaptive:
        fix = "Freeze a larger pool first."
        raise ActionRefused("nothing-to-plan", "All pairs of this pool are already in a plan.", fix)
    users = sorted(
        {user for people in assessors.values() for user in people}, key=lambda user: user.username
    )
    people = {known[number].pk: list(users) for number, users in assessors.items()}
    work = build_workload(pairs, {t.pk: t for t in campaign.topics.all()}, people, users)
    try:
        slots = design.allocate(work, parameters, plan_seed(pool, scheme.design))
    except ImpossibleDesignError as error:
        raise ActionRefused("impossible-design", error.message, error.fix) from error
    return PlanAllocation(design, parameters, pairs, users, work, slots, overlap, propagated)


def plan_seed(pool: Pool, design: str) -> int:
    key = f"{pool.campaign.seed}:{pool.version}:{design}".encode()
    return int.from_bytes(blake2b(key, digest_size=8).digest())


def latest_plan_id(campaign: Campaign) -> int | None:
    newest: int | None = campaign.plans.aggregate(newest=Max("pk"))["newest"]
    return newest


def check_latest_plan(campaign: Campaign, before: int | None) -> None:
    """Refuse if there is a later plan than ``before``."""
    if latest_plan_id(campaign) != before:
        fix = "Check the judging page, then create this plan again."
        message = "Another plan was created in the meantime."
        raise ActionRefused("planned-meanwhile", message, fix)


def check_plan_options(campaign: Campaign, scheme: PlanOptions) -> None:
    # Without an order, that which fits the pool.
    choices = {
        "design": DESIGNS,
        "order": ("", *ORDERS),
        "rationale": Plan.Rationale.values,
        "first_language": Plan.Language.values,
    }
    for option, known in choices.items():
        chosen = getattr(scheme, option)
        if chosen not in known:
            fix = f"Use one of: {', '.join(filter(None, known))}."
            raise ActionRefused(f"no-{option}", f"Unknown {option}: {chosen}.", fix)
    if not 0 <= scheme.repeat_share <= 1:
        fix = "Enter a share between 0 and 1, e.g. 0.05."
        message = f"Invalid share of repeats: {scheme.repeat_share:g}."
        raise ActionRefused("bad-share", message, fix)
    grades = list_judging_grades(campaign)
    width = max(grades, default=0) - min(grades, default=0)
    if not 0 <= scheme.third_from <= width:
        raise ActionRefused(
            "bad-third",
            f"Grade difference for third judgments out of range: {scheme.third_from}.",
            f"Enter an integer between 1 and {width}, or 0 for no third judgments.",
        )


def log_plan_created(actor: User, plan: Plan, allocation: PlanAllocation, filled: int) -> None:
    events.log_event(
        campaign=plan.campaign,
        actor=actor,
        code="plan.created",
        subject=f"{plan.pool}, {allocation.design.card.title.lower()}"
        + (f" of {allocation.max_judgments}" if allocation.max_judgments > 1 else ""),
        plan=plan.pk,
        design=plan.design,
        parameters=plan.parameters,
        order=plan.order,
        audience=plan.audience,
        third_from=plan.third_from,
        repeat_share=plan.repeat_share,
        pairs=len(allocation.pairs),
        judgments=len(allocation.slots),
        judged_before=filled,
        planned_before=(
            plan.pool.items.count() - len(allocation.pairs) - len(allocation.propagated)
        ),
        propagated=len(allocation.propagated),
    )


def pause_plan(*, actor: User, plan: Plan, paused: bool = True) -> None:
    """Pause or resume the plan; refused if it is closed. Checked-out documents may still be
    judged.
    """
    require_permission(actor, "campaigns.manage", plan.campaign)
    require_judging_plan(plan)
    before, after = (State.OPEN, State.PAUSED) if paused else (State.PAUSED, State.OPEN)
    with transaction.atomic():
        if Plan.objects.filter(pk=plan.pk, state=before).update(state=after):
            code = "plan.paused" if paused else "plan.resumed"
            events.log_event(campaign=plan.campaign, actor=actor, code=code, plan=plan.pk)
        else:
            require_plan_not_closed(plan)
    plan.state = after


def require_judging_plan(plan: Plan) -> None:
    """Refuse an adjudication round, which is closed with a confirmation of its own."""
    if plan.kind != Plan.Kind.JUDGE:
        message, fix = "This is an adjudication round.", "Close it on the page Adjudication."
        raise ActionRefused("is-a-round", message, fix)


def close_plan(*, actor: User, plan: Plan, decision: Decision | None = None) -> int:
    """Close ``plan``; return the number of judgments canceled.

    Open slots without judgments are deleted, so that another plan may contain their pairs;
    skips that were passed on become skips again.
    Checked-out documents may still be judged; closing again cancels those with expired leases.
    Judgments and their slots remain, and so do repeats that were ever checked out: a late
    judgment of a repeat must not revise the first one. The date is that of the first closing.
    """
    require_permission(actor, "campaigns.manage", plan.campaign)
    require_judging_plan(plan)
    with transaction.atomic():
        # Alone: an adaptive pool adds its slots before, or not for this plan.
        lock_judging(plan.campaign, exclusive=True)
        # What the page says depends on whether the plan has been closed in the meantime.
        plan.refresh_from_db(fields=["state", "closed_at"])
        code = "plan.leases_canceled" if plan.is_closed else "plan.closed"
        confirmed = check_decision(partial(describe_plan_closing, plan), decision)
        Plan.objects.filter(pk=plan.pk).exclude(state=State.CLOSED).update(
            state=State.CLOSED, closed_at=timezone.now()
        )
        # Locked: a concurrent claim comes before, or fails.
        removable = plan.slots.filter(cancelable_slots()).order_by("pk")
        numbers = list(removable.select_for_update(of=("self",)).values_list("pk", flat=True))
        count = 0
        for start in range(0, len(numbers), BATCH):
            count += Slot.objects.filter(pk__in=numbers[start : start + BATCH]).delete()[0]
        return_passed_on(plan)
        release_unplanned(plan.campaign)
        leased = plan.slots.filter(state=Slot.State.LEASED).count()
        events.log_event(
            campaign=plan.campaign,
            actor=actor,
            code=code,
            subject=f"{format_count(count, 'judgment')} canceled",
            plan=plan.pk,
            checked_out=leased,
            **confirmed,
        )
    plan.refresh_from_db(fields=["state", "closed_at"])
    return count


def return_passed_on(plan: Plan) -> None:
    """Mark skips that were passed on and that no other assessor has judged as skipped again."""
    skips = Judgment.objects.filter(slot=OuterRef("pk"), kind=Judgment.Kind.SKIP)
    passed_on = plan.slots.filter(free_slots(), Exists(skips), purpose=Purpose.JUDGE)
    for slot in passed_on.order_by("pk"):
        mark_slot_skipped(slot)
