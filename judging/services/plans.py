"""Judging plans: sharing out a pool by a design, foreseeing it, pausing it, closing it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from django.db import transaction
from django.db.models import Max

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.core.designs.allocation import Allocation, ImpossibleDesignError, PlanDesign, Workload
from judging.core.designs.forecast import LoadForecast, forecast_load
from judging.core.designs.registry import DESIGNS
from judging.models import Plan, Slot
from judging.queries.slots import free_slots, repeats_on_screen
from judging.services.assignments import Assessors, add_assignments, check_people, get_topics
from judging.services.judgment_log import lock_judging
from judging.services.plan_growth import check_design, check_not_grown, max_future_judgments
from judging.services.plan_slots import (
    UnplannedPair,
    build_workload,
    current_judgments_by_pair,
    fill_with_existing_judgments,
    list_unplanned_pairs,
    write_slots,
)
from pooling.models import Pool

BATCH = 500
ORDERS = (Plan.Order.RANDOM, Plan.Order.DOCNO, Plan.Order.POOL)


@dataclass(frozen=True)
class PlanOptions:
    """What a plan asks for, apart from pool and people."""

    design: str = "overlap"
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    order: str = Plan.Order.RANDOM
    third_from: int = 0
    repeat_share: float = 0.0
    rationale: str = Plan.Rationale.NO


@dataclass(frozen=True)
class PlanAllocation:
    """A plan laid out and not written: pairs, the people, the judgments wanted."""

    design: PlanDesign
    parameters: dict[str, float]
    pairs: list[UnplannedPair]
    crew: list[User]
    work: Workload
    layout: Allocation

    @property
    def most(self) -> int:
        return self.design.most(self.parameters)


def create_plan(
    *,
    actor: User,
    pool: Pool,
    overlap: int = 1,
    assessors: Assessors,
    topics: Collection[str] | None = None,
    scheme: PlanOptions | None = None,
) -> Plan:
    """Share out the pairs of ``pool`` that no earlier plan has, as ``scheme`` says.

    Without one, ``overlap`` judgments a pair. ``topics`` are the numbers of the topics to
    share out, all of the pool if None; ``assessors`` says by number who may judge a topic. A
    topic for which it names nobody gets its slots too and waits until ``assign`` does; a
    design that names people refuses it. Grades that stand already fill slots at once.
    """
    campaign = pool.campaign
    require_permission(actor, "campaigns.manage", campaign)
    scheme = scheme or PlanOptions(parameters={"n": overlap})
    known = get_topics(campaign, {*assessors, *(topics or ())})
    # Laid out beforehand: on SQLite nobody can write while we do.
    before = latest_plan_id(campaign)
    laid = allocate_plan(pool, scheme, assessors, topics)
    with transaction.atomic():
        # Locked, so that two plans made at once cannot both take a pair.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if latest_plan_id(campaign) != before:
            fix = "Look at the judging page, then make this one again."
            raise ActionRefused("planned-meanwhile", "Another plan was made meanwhile.", fix)
        plan = Plan.objects.create(
            campaign=campaign,
            pool=pool,
            design=scheme.design,
            parameters=laid.parameters,
            overlap=laid.most,
            order=scheme.order,
            third_from=scheme.third_from,
            repeat_share=scheme.repeat_share,
            rationale=scheme.rationale,
            created_by=actor,
        )
        write_slots(plan, laid.pairs, laid.layout, laid.crew)
        # Alone: who judges, or has a pool grow, now must not see pairs without their slots.
        lock_judging(campaign, alone=True)
        check_not_grown(plan, laid.pairs)
        add_assignments(plan, {known[number]: people for number, people in assessors.items()})
        filled = fill_with_existing_judgments(plan, current_judgments_by_pair(campaign))
        log_plan_created(actor, plan, laid, filled)
    return plan


@dataclass(frozen=True)
class PlanPreview:
    """What a plan would be.

    ``thirds`` is how many third judgments there can be at most, ``repeats`` how many blind
    repeats are to be expected, ``coming`` how many judgments a growing pool may add.
    """

    laid: PlanAllocation
    foreseen: LoadForecast
    planned_before: int
    thirds: int
    repeats: float
    coming: int

    @property
    def loads(self) -> list[tuple[User, float]]:
        return list(zip(self.laid.crew, self.foreseen.loads.tolist(), strict=True))

    @property
    def shared(self) -> tuple[float, float] | None:
        return self.foreseen.shared_range(list(range(len(self.laid.crew))))


def preview_plan(
    *,
    actor: User,
    pool: Pool,
    scheme: PlanOptions,
    assessors: Assessors,
    topics: Collection[str] | None = None,
) -> PlanPreview:
    """What ``make_plan`` would make of the same, refused for the same reasons. Writes nothing."""
    require_permission(actor, "campaigns.manage", pool.campaign)
    laid = allocate_plan(pool, scheme, assessors, topics)
    several = int((laid.layout.k == 1).sum()) if scheme.third_from else 0
    foreseen = forecast_load(laid.work, laid.layout)
    repeats = scheme.repeat_share * foreseen.judgments
    before = pool.items.count() - len(laid.pairs)
    return PlanPreview(
        laid,
        foreseen,
        before,
        several,
        repeats,
        max_future_judgments(pool, [*assessors], laid.most),
    )


def allocate_plan(
    pool: Pool, scheme: PlanOptions, assessors: Assessors, topics: Collection[str] | None
) -> PlanAllocation:
    """Check everything that can be wrong with a plan, and lay it out."""
    campaign = pool.campaign
    known = get_topics(campaign, {*assessors, *(topics or ())})
    check_plan_options(campaign, scheme)
    design = DESIGNS[scheme.design]
    try:
        parameters = design.read(scheme.parameters)
    except ImpossibleDesignError as no:
        raise ActionRefused("bad-parameter", no.message, no.fix) from no
    check_people(campaign, design.most(parameters), assessors, thirds=bool(scheme.third_from))
    if scheme.third_from and design.most(parameters) < 2:
        fix = "Choose a design that gives some documents two judgments, or no third judge."
        raise ActionRefused(
            "third-needs-two", "One judgment a document has nothing to disagree.", fix
        )
    planned = None if topics is None else {known[number].pk for number in topics}
    pairs = [
        pair for pair in list_unplanned_pairs(pool) if planned is None or pair.topic in planned
    ]
    check_design(pool, scheme.design)
    if not pairs and not pool.is_adaptive:
        fix = "Freeze a larger pool first."
        raise ActionRefused("nothing-to-plan", "Every pair of this pool is in a plan already.", fix)
    crew = sorted({user for people in assessors.values() for user in people}, key=username_key)
    people = {known[number].pk: list(users) for number, users in assessors.items()}
    work = build_workload(pairs, {t.pk: t for t in campaign.topics.all()}, people, crew)
    try:
        layout = design.lay_out(work, parameters, plan_seed(pool, scheme.design))
    except ImpossibleDesignError as no:
        raise ActionRefused("impossible-design", no.message, no.fix) from no
    return PlanAllocation(design, parameters, pairs, crew, work, layout)


def username_key(user: User) -> str:
    return str(user.username)


def plan_seed(pool: Pool, design: str) -> int:
    key = f"{pool.campaign.seed}:{pool.version}:{design}".encode()
    return int.from_bytes(blake2b(key, digest_size=8).digest())


def latest_plan_id(campaign: Campaign) -> int | None:
    found: int | None = campaign.plans.aggregate(newest=Max("pk"))["newest"]
    return found


def check_plan_options(campaign: Campaign, scheme: PlanOptions) -> None:
    if scheme.design not in DESIGNS:
        told = ", ".join(DESIGNS)
        raise ActionRefused("no-design", f"There is no design {scheme.design}.", f"Use {told}.")
    if scheme.order not in ORDERS:
        told = ", ".join(ORDERS)
        raise ActionRefused("no-order", f"There is no order {scheme.order}.", f"Use {told}.")
    if scheme.rationale not in Plan.Rationale.values:
        told = ", ".join(Plan.Rationale.values)
        raise ActionRefused("no-rationale", f"{scheme.rationale} is no rule.", f"Use {told}.")
    if not 0 <= scheme.repeat_share <= 1:
        fix = "Give a share from 0 to 1, such as 0.05."
        raise ActionRefused("bad-share", f"The share of repeats is {scheme.repeat_share:g}.", fix)
    grades = [g for g in campaign.grades.values_list("value", flat=True) if g >= 0]
    width = max(grades, default=0) - min(grades, default=0)
    if not 0 <= scheme.third_from <= width:
        raise ActionRefused(
            "bad-third",
            f"Grades cannot be {scheme.third_from} apart.",
            f"Give a number from 1 to {width}, or 0 for no third judge.",
        )


def log_plan_created(actor: User, plan: Plan, laid: PlanAllocation, filled: int) -> None:
    events.log_event(
        campaign=plan.campaign,
        actor=actor,
        code="plan.created",
        subject=f"{plan.pool}, {laid.design.card.title.lower()}"
        + (f" of {laid.most}" if laid.most > 1 else ""),
        plan=plan.pk,
        design=plan.design,
        parameters=plan.parameters,
        order=plan.order,
        third_from=plan.third_from,
        repeat_share=plan.repeat_share,
        pairs=len(laid.pairs),
        judgments=len(laid.layout),
        judged_before=filled,
        planned_before=plan.pool.items.count() - len(laid.pairs),
    )


def pause_plan(*, actor: User, plan: Plan, paused: bool = True) -> None:
    """Stop handing out documents of the plan, or go on. What is on a screen may be finished."""
    require_permission(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        if Plan.objects.filter(pk=plan.pk, paused=not paused).update(paused=paused):
            code = "plan.paused" if paused else "plan.resumed"
            events.log_event(campaign=plan.campaign, actor=actor, code=code, plan=plan.pk)
    plan.paused = paused


def close_plan(*, actor: User, plan: Plan) -> int:
    """Ask for no more judgments under ``plan``; return how many are no longer asked for.

    Open slots of which nothing was ever said go, so that another plan may have pairs of
    which nothing is left. What is out may be finished, and closing once more lets go of
    what has run out. Judgments, and slots that a judgment names, stay; and so do repeats that
    were ever out: what is still said of one must not revise the first judgment.
    """
    require_permission(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        # Alone: a pool that grows writes its slots before, or not for this plan.
        lock_judging(plan.campaign, alone=True)
        Plan.objects.filter(pk=plan.pk).update(paused=True)
        # Locked: what is handed out at this moment is out before, or not handed out.
        gone = (
            plan.slots.filter(free_slots(), judgments=None)
            .exclude(repeats_on_screen())
            .order_by("pk")
        )
        numbers = list(gone.select_for_update(of=("self",)).values_list("pk", flat=True))
        count = 0
        for start in range(0, len(numbers), BATCH):
            count += Slot.objects.filter(pk__in=numbers[start : start + BATCH]).delete()[0]
        left = plan.slots.filter(state=Slot.State.LEASED).count()
        events.log_event(
            campaign=plan.campaign,
            actor=actor,
            code="plan.closed",
            subject=f"{count:,} judgments no longer asked for",
            plan=plan.pk,
            out=left,
        )
    plan.paused = True
    return count
