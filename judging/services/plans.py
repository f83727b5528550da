"""Judging plans: sharing out a pool by a design, foreseeing it, pausing it, closing it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from campaigns.errors import Refused
from campaigns.models import Campaign, Role, Topic, User
from campaigns.rules import require
from campaigns.services import events
from judging.core.designs.foreseen import Foreseen, foresee
from judging.core.designs.registry import DESIGNS
from judging.core.designs.shape import Design, ImpossibleError, Layout, Work
from judging.models import Assignment, Plan, Slot
from judging.queries.slots import free_slots, shown_again
from judging.services.log import lock
from judging.services.plan_growth import check_design, check_not_grown, coming_to
from judging.services.plan_slots import (
    Pair,
    fill_known,
    standing,
    unplanned,
    work_of,
    write_slots,
)
from pooling.models import Pool

BATCH = 500
NAMED = 10
"""A refusal names so many topics; of the rest the number."""
Assessors = Mapping[str, Sequence[User]]
ORDERS = (Plan.Order.RANDOM, Plan.Order.DOCNO, Plan.Order.POOL)


@dataclass(frozen=True)
class Scheme:
    """What a plan asks for, apart from pool and people."""

    design: str = "overlap"
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    order: str = Plan.Order.RANDOM
    third_from: int = 0
    repeat_share: float = 0.0
    rationale: str = Plan.Rationale.NO


@dataclass(frozen=True)
class Laid:
    """A plan laid out and not written: pairs, the people, the judgments wanted."""

    design: Design
    parameters: dict[str, float]
    pairs: list[Pair]
    crew: list[User]
    work: Work
    layout: Layout

    @property
    def most(self) -> int:
        return self.design.most(self.parameters)


def make_plan(
    *,
    actor: User,
    pool: Pool,
    overlap: int = 1,
    assessors: Assessors,
    topics: Collection[str] | None = None,
    scheme: Scheme | None = None,
) -> Plan:
    """Share out the pairs of ``pool`` that no earlier plan has, as ``scheme`` says.

    Without one, ``overlap`` judgments a pair. ``topics`` are the numbers of the topics to
    share out, all of the pool if None; ``assessors`` says by number who may judge a topic. A
    topic for which it names nobody gets its slots too and waits until ``assign`` does; a
    design that names people refuses it. Grades that stand already fill slots at once.
    """
    campaign = pool.campaign
    require(actor, "campaigns.manage", campaign)
    scheme = scheme or Scheme(parameters={"n": overlap})
    known = topics_named(campaign, {*assessors, *(topics or ())})
    # Laid out beforehand: on SQLite nobody can write while we do.
    before = newest(campaign)
    laid = lay_out(pool, scheme, assessors, topics)
    with transaction.atomic():
        # Locked, so that two plans made at once cannot both take a pair.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if newest(campaign) != before:
            cure = "Look at the judging page, then make this one again."
            raise Refused("planned-meanwhile", "Another plan was made meanwhile.", cure)
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
        lock(campaign, alone=True)
        check_not_grown(plan, laid.pairs)
        add_assignments(plan, {known[number]: people for number, people in assessors.items()})
        record_made(actor, plan, laid, fill_known(plan, standing(campaign)))
    return plan


@dataclass(frozen=True)
class Preview:
    """What a plan would be.

    ``thirds`` is how many third judgments there can be at most, ``repeats`` how many blind
    repeats are to be expected, ``coming`` how many judgments a growing pool may add.
    """

    laid: Laid
    foreseen: Foreseen
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


def preview(
    *,
    actor: User,
    pool: Pool,
    scheme: Scheme,
    assessors: Assessors,
    topics: Collection[str] | None = None,
) -> Preview:
    """What ``make_plan`` would make of the same, refused for the same reasons. Writes nothing."""
    require(actor, "campaigns.manage", pool.campaign)
    laid = lay_out(pool, scheme, assessors, topics)
    several = int((laid.layout.k == 1).sum()) if scheme.third_from else 0
    foreseen = foresee(laid.work, laid.layout)
    repeats = scheme.repeat_share * foreseen.judgments
    before = pool.items.count() - len(laid.pairs)
    return Preview(
        laid, foreseen, before, several, repeats, coming_to(pool, [*assessors], laid.most)
    )


def lay_out(
    pool: Pool, scheme: Scheme, assessors: Assessors, topics: Collection[str] | None
) -> Laid:
    """Check everything that can be wrong with a plan, and lay it out."""
    campaign = pool.campaign
    known = topics_named(campaign, {*assessors, *(topics or ())})
    check_scheme(campaign, scheme)
    design = DESIGNS[scheme.design]
    try:
        parameters = design.read(scheme.parameters)
    except ImpossibleError as no:
        raise Refused("bad-parameter", no.message, no.cure) from no
    check_people(campaign, design.most(parameters), assessors, thirds=bool(scheme.third_from))
    if scheme.third_from and design.most(parameters) < 2:
        cure = "Choose a design that gives some documents two judgments, or no third judge."
        raise Refused("third-needs-two", "One judgment a document has nothing to disagree.", cure)
    planned = None if topics is None else {known[number].pk for number in topics}
    pairs = [pair for pair in unplanned(pool) if planned is None or pair.topic in planned]
    check_design(pool, scheme.design)
    if not pairs and not pool.grows:
        cure = "Freeze a larger pool first."
        raise Refused("nothing-to-plan", "Every pair of this pool is in a plan already.", cure)
    crew = sorted({user for people in assessors.values() for user in people}, key=by_name)
    people = {known[number].pk: list(users) for number, users in assessors.items()}
    work = work_of(pairs, {t.pk: t for t in campaign.topics.all()}, people, crew)
    try:
        layout = design.lay_out(work, parameters, seed_of(pool, scheme.design))
    except ImpossibleError as no:
        raise Refused("impossible-design", no.message, no.cure) from no
    return Laid(design, parameters, pairs, crew, work, layout)


def by_name(user: User) -> str:
    return str(user.username)


def seed_of(pool: Pool, design: str) -> int:
    key = f"{pool.campaign.seed}:{pool.version}:{design}".encode()
    return int.from_bytes(blake2b(key, digest_size=8).digest())


def newest(campaign: Campaign) -> int | None:
    found: int | None = campaign.plans.aggregate(newest=Max("pk"))["newest"]
    return found


def check_scheme(campaign: Campaign, scheme: Scheme) -> None:
    if scheme.design not in DESIGNS:
        told = ", ".join(DESIGNS)
        raise Refused("no-design", f"There is no design {scheme.design}.", f"Use {told}.")
    if scheme.order not in ORDERS:
        told = ", ".join(ORDERS)
        raise Refused("no-order", f"There is no order {scheme.order}.", f"Use {told}.")
    if scheme.rationale not in Plan.Rationale.values:
        told = ", ".join(Plan.Rationale.values)
        raise Refused("no-rationale", f"{scheme.rationale} is no rule.", f"Use {told}.")
    if not 0 <= scheme.repeat_share <= 1:
        cure = "Give a share from 0 to 1, such as 0.05."
        raise Refused("bad-share", f"The share of repeats is {scheme.repeat_share:g}.", cure)
    grades = [g for g in campaign.grades.values_list("value", flat=True) if g >= 0]
    width = max(grades, default=0) - min(grades, default=0)
    if not 0 <= scheme.third_from <= width:
        raise Refused(
            "bad-third",
            f"Grades cannot be {scheme.third_from} apart.",
            f"Give a number from 1 to {width}, or 0 for no third judge.",
        )


def record_made(actor: User, plan: Plan, laid: Laid, filled: int) -> None:
    events.record(
        campaign=plan.campaign,
        actor=actor,
        verb="made a judging plan",
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


def assign(*, actor: User, plan: Plan, topic: Topic, assessors: Sequence[User]) -> None:
    """From now on exactly ``assessors`` may claim documents of ``topic`` under ``plan``."""
    assign_all(actor=actor, plan=plan, assessors={topic.number: assessors})


def assign_all(*, actor: User, plan: Plan, assessors: Assessors) -> int:
    """Set who judges each topic named in ``assessors``; return how many topics changed.

    What somebody holds or has judged stays theirs; an empty list rests the topic. Judgments
    that the design reserved for somebody stay reserved: ``reassign`` moves them.
    """
    campaign = plan.campaign
    require(actor, "campaigns.manage", campaign)
    topics = topics_named(campaign, assessors)
    check_people(campaign, plan.overlap, assessors, thirds=bool(plan.third_from))
    with transaction.atomic():
        before: dict[int, set[int]] = {}
        for topic_id, user_id in plan.assignments.order_by().values_list("topic", "assessor"):
            before.setdefault(topic_id, set()).add(user_id)
        changed = {
            number: people
            for number, people in assessors.items()
            if before.get(topics[number].pk, set()) != {user.pk for user in people}
        }
        if not changed:
            return 0
        for number, people in changed.items():
            rows = plan.assignments.filter(topic=topics[number])
            rows.exclude(assessor__in=people).update(left=True, paused=False)
            held = before.get(topics[number].pk, set())
            fresh = [user for user in people if user.pk not in held]
            add_assignments(plan, {topics[number]: fresh})
        events.record(
            campaign=campaign,
            actor=actor,
            verb="assigned assessors",
            subject=f"topic {', '.join(changed)}",
            plan=plan.pk,
            topics={n: [u.username for u in people] for n, people in changed.items()},
        )
    return len(changed)


def pause(*, actor: User, plan: Plan, paused: bool = True) -> None:
    """Stop handing out documents of the plan, or go on. What is on a screen may be finished."""
    require(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        if Plan.objects.filter(pk=plan.pk, paused=not paused).update(paused=paused):
            verb = "paused a judging plan" if paused else "resumed a judging plan"
            events.record(campaign=plan.campaign, actor=actor, verb=verb, plan=plan.pk)
    plan.paused = paused


def close(*, actor: User, plan: Plan) -> int:
    """Ask for no more judgments under ``plan``; return how many are no longer asked for.

    Open slots of which nothing was ever said go, so that another plan may have pairs of
    which nothing is left. What is out may be finished, and closing once more lets go of
    what has run out. Judgments, and slots that a judgment names, stay; and so do repeats that
    were ever out: what is still said of one must not revise the first judgment.
    """
    require(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        # Alone: a pool that grows writes its slots before, or not for this plan.
        lock(plan.campaign, alone=True)
        Plan.objects.filter(pk=plan.pk).update(paused=True)
        # Locked: what is handed out at this moment is out before, or not handed out.
        gone = plan.slots.filter(free_slots(), judgments=None).exclude(shown_again()).order_by("pk")
        numbers = list(gone.select_for_update(of=("self",)).values_list("pk", flat=True))
        count = 0
        for start in range(0, len(numbers), BATCH):
            count += Slot.objects.filter(pk__in=numbers[start : start + BATCH]).delete()[0]
        left = plan.slots.filter(state=Slot.State.LEASED).count()
        events.record(
            campaign=plan.campaign,
            actor=actor,
            verb="closed a judging plan",
            subject=f"{count:,} judgments no longer asked for",
            plan=plan.pk,
            out=left,
        )
    plan.paused = True
    return count


def topics_named(campaign: Campaign, numbers: Iterable[str]) -> dict[str, Topic]:
    known = {topic.number: topic for topic in campaign.topics.all()}
    unknown = sorted(set(numbers) - set(known))
    if unknown:
        raise Refused("unknown-topic", f"The campaign has no topic {', '.join(unknown)}.")
    return known


def check_people(
    campaign: Campaign, overlap: int, assessors: Assessors, *, thirds: bool = False
) -> None:
    """Refuse people without the role, and topics with fewer people than the overlap asks for.

    With ``thirds`` one more is needed, who has judged neither.
    """
    require_assessors(campaign, (user for people in assessors.values() for user in people))
    needed = overlap + thirds
    short = [n for n, people in assessors.items() if 0 < len({u.pk for u in people}) < needed]
    if short:
        more = len(short) - NAMED
        told = ", ".join(sorted(short)[:NAMED])
        if more > 0:
            told = _("%(topics)s and %(n)s more") % {"topics": told, "n": more}
        why = _("Overlap %(n)s needs %(needed)s assessors a topic; fewer are named for %(topics)s.")
        if thirds:
            why = _(
                "Overlap %(n)s with a third judge needs %(needed)s assessors a topic;"
                " fewer are named for %(topics)s."
            )
        raise Refused(
            "too-few-assessors",
            why % {"n": overlap, "needed": needed, "topics": told},
            _("Fill the table again, or assign more people to these topics, or none yet."),
        )


def require_assessors(campaign: Campaign, people: Iterable[User]) -> None:
    members = campaign.members.filter(role=Role.ASSESSOR)
    allowed = set(members.values_list("user", flat=True))
    others = {user.username for user in people if user.pk not in allowed}
    if others:
        told = ", ".join(sorted(others))
        why = _("Not an assessor of this campaign: %(names)s.") % {"names": told}
        raise Refused("not-an-assessor", why, _("Invite them as assessors first."))


def add_assignments(plan: Plan, people: Mapping[Topic, Iterable[User]]) -> None:
    """Seat people; who is seated already stays as they are, who had left is back."""
    Assignment.ever.bulk_create(
        (
            Assignment(plan=plan, topic=topic, assessor=user)
            for topic, users in people.items()
            for user in dict.fromkeys(users)
        ),
        update_conflicts=True,
        update_fields=["left"],
        unique_fields=["plan", "topic", "assessor"],
    )
