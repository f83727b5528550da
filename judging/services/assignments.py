"""Assignments: which assessors judge which topics under a plan."""

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, Role, Topic, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.models import Assignment, Audience, Plan
from judging.services.passing_on import update_skips
from poolbench.files.faults import format_count, list_names
from poolbench.files.natural_sort import sort_naturally

MAX_LISTED = 10
"""Topics that a message lists; of the others it gives the number."""
Assessors = Mapping[str, Sequence[User]]


def assign_topics(*, actor: User, plan: Plan, assessors: Assessors) -> int:
    """Set the assessors of each topic in ``assessors``; return how many topics changed.

    Checked-out and judged documents stay with their assessors; without assessors the topic
    waits. Slots that the design reserved stay reserved: ``reassign_work`` moves them.
    """
    campaign = plan.campaign
    require_permission(actor, "campaigns.manage", campaign)
    require_members_plan(plan)
    require_plan_not_closed(plan)
    topics = get_topics(campaign, assessors)
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
            current = before.get(topics[number].pk, set())
            new_assessors = [user for user in people if user.pk not in current]
            add_assignments(plan, {topics[number]: new_assessors})
        update_skips(actor=actor, plan=plan, topics=[topics[number] for number in changed])
        events.log_event(
            campaign=campaign,
            actor=actor,
            code="plan.assigned",
            subject=f"topic {', '.join(changed)}",
            plan=plan.pk,
            topics={n: [u.username for u in people] for n, people in changed.items()},
        )
    return len(changed)


def require_members_plan(plan: Plan) -> None:
    """Refuse assigning assessors to a plan for the crowd."""
    if plan.audience == Audience.CROWD:
        fix = "Assign assessors to another plan."
        raise ActionRefused("crowd-plan", "This plan is for the crowd.", fix)


def require_plan_not_closed(plan: Plan) -> None:
    closed = Plan.objects.filter(pk=plan.pk, state=Plan.State.CLOSED).first()
    if closed is not None and closed.closed_at is not None:
        raise ActionRefused(
            "plan-closed",
            f"This plan was closed on {format_utc(closed.closed_at)}.",
            "Create another plan: it contains the pairs that have no judgment.",
        )


def get_topics(campaign: Campaign, numbers: Iterable[str]) -> dict[str, Topic]:
    known = {topic.number: topic for topic in campaign.topics.all()}
    unknown = sorted(set(numbers) - set(known))
    if unknown:
        raise ActionRefused("unknown-topic", f"Unknown topic: {', '.join(unknown)}.")
    return known


def check_people(
    campaign: Campaign, overlap: int, assessors: Assessors, *, thirds: bool = False
) -> None:
    """Refuse users who are not assessors, and topics with fewer assessors than the overlap.

    With ``thirds``, one more is needed for the third judgment.
    """
    require_assessors(campaign, (user for people in assessors.values() for user in people))
    needed = overlap + thirds
    short = [n for n, people in assessors.items() if 0 < len({u.pk for u in people}) < needed]
    if short:
        listed = list_names(sort_naturally(short), MAX_LISTED)
        design = f"{format_count(overlap, 'judgment')} per document"
        if thirds:
            design += " and a third judgment"
        raise ActionRefused(
            "too-few-assessors",
            f"{design} need {needed} assessors per topic; too few for topics {listed}.",
            "Assign more assessors to these topics, or none for now.",
        )


def require_assessors(campaign: Campaign, people: Iterable[User]) -> None:
    members = campaign.members.filter(role=Role.ASSESSOR)
    allowed = set(members.values_list("user", flat=True))
    others = {user.username for user in people if user.pk not in allowed}
    if others:
        listed = ", ".join(sorted(others))
        why = f"Not an assessor of this campaign: {listed}."
        raise ActionRefused("not-an-assessor", why, "Add them as assessors first.")


def add_assignments(plan: Plan, people: Mapping[Topic, Iterable[User]]) -> None:
    """Assign assessors; existing assignments are unchanged, those who had left are back."""
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
