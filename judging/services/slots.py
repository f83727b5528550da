"""Organizers' changes to slots: return and reassign documents, pause assessors and topics."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import QuerySet

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.models import Assignment, Audience, Plan, Purpose, Slot
from judging.queries.slots import free_slots, new_pair_filter
from judging.services.assignments import (
    MAX_LISTED,
    add_assignments,
    require_assessors,
    require_members_plan,
    require_plan_not_closed,
)
from judging.services.leases import return_slots, return_slots_by_token
from judging.services.passing_on import reopen_skipped, slot_conflict, update_skips
from poolbench.files.faults import list_names
from poolbench.judging.designs.registry import DESIGNS

State = Slot.State
BATCH = 500


def reopen_slot(*, actor: User, slot: Slot) -> None:
    """Reopen a skipped slot for another assessor, or a stuck lease for any."""
    campaign = slot.plan.campaign
    require_permission(actor, "campaigns.manage", campaign)
    is_crowd = slot.plan.audience == Audience.CROWD
    if slot.state == State.SKIPPED and slot.purpose == Purpose.JUDGE:
        require_plan_not_closed(slot.plan)
    with transaction.atomic():
        events.log_event(
            campaign=slot.plan.campaign,
            actor=actor,
            code="slot.reopened",
            subject=f"topic {slot.topic.number}, {slot.docno}",
            slot=slot.pk,
            was=slot.state,
            held_by=slot.assessor.username if slot.assessor else "",
        )
        if slot.state == State.SKIPPED and slot.purpose == Purpose.JUDGE and not is_crowd:
            reopen_skipped(slot)
            return
        takeable = (State.SKIPPED, State.LEASED)
        # The token in the condition: a concurrent act of an assessor is not undone.
        same = Slot.objects.filter(pk=slot.pk, token=slot.token, state__in=takeable)
        if not return_slots(same):
            raise slot_conflict()


def return_all_slots(*, actor: User, campaign: Campaign, assessor: User) -> int:
    """Return all documents that are checked out to ``assessor``; return the number.

    Judgments that they still submit are kept, and fill the slot as long as it is free.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        own = Slot.objects.filter(plan__campaign=campaign, assessor=assessor, state=State.LEASED)
        returned = return_slots_by_token(own)
        if returned:
            events.log_event(
                campaign=campaign,
                actor=actor,
                code="slots.returned",
                subject=f"{returned} from {assessor.username}",
            )
    return returned


def pause_work(
    *,
    actor: User,
    plan: Plan,
    assessor: User | None = None,
    topic: Topic | None = None,
    paused: bool = True,
) -> int:
    """Pause or resume a topic, an assessor, or an assessor on a topic.

    Returns the number of assignments changed. Checked-out documents may still be judged.
    """
    require_permission(actor, "campaigns.manage", plan.campaign)
    require_plan_not_closed(plan)
    if assessor is None and topic is None:
        message = "No assessor or topic selected."
        raise ActionRefused(
            "pause-whom", message, "Select an assessor or a topic to pause, or pause the plan."
        )
    rows = Assignment.objects.filter(plan=plan, paused=not paused)
    rows = rows if assessor is None else rows.filter(assessor=assessor)
    rows = rows if topic is None else rows.filter(topic=topic)
    with transaction.atomic():
        changed = rows.update(paused=paused)
        if changed:
            who = [assessor.username] if assessor else []
            scope = [f"topic {topic.number}"] if topic else []
            events.log_event(
                campaign=plan.campaign,
                actor=actor,
                code="assignment.paused" if paused else "assignment.resumed",
                subject=", ".join(who + scope),
                plan=plan.pk,
                assignments=changed,
            )
    return changed


def reassign_work(
    *,
    actor: User,
    plan: Plan,
    assessor: User,
    to: Sequence[User],
    topics: Collection[Topic] | None = None,
) -> Counter[str]:
    """Reassign the unjudged documents of ``assessor`` under ``plan`` to the users ``to``.

    ``topics`` limits it, all topics if None. Checked-out documents are returned first; judged
    and skipped ones remain. Slots reserved for the assessor are dealt out in turn to users of
    ``to`` who do not know the pair; if there is none, they remain. Returns the counts
    ``moved``, ``stayed``, ``returned`` and ``topics``.
    """
    require_permission(actor, "campaigns.manage", plan.campaign)
    require_members_plan(plan)
    require_plan_not_closed(plan)
    successors = [user for user in dict.fromkeys(to) if user.pk != assessor.pk]
    if not successors:
        fix = "Choose a different assessor."
        raise ActionRefused("nobody-takes-over", "No assessor to reassign to.", fix)
    require_assessors(plan.campaign, successors)
    with transaction.atomic():
        # No concurrent reassignment of the plan; judging is not blocked.
        Plan.objects.select_for_update(no_key=True).get(pk=plan.pk)
        mine = plan.assignments.filter(assessor=assessor)
        mine = mine if topics is None else mine.filter(topic__in=topics)
        numbers = dict(mine.values_list("topic", "topic__number"))
        slots = plan.slots.filter(topic__in=numbers)
        leased = slots.filter(assessor=assessor, state=State.LEASED)
        counts = Counter({"returned": return_slots_by_token(leased)})
        counts.update(reassign_reserved(slots, assessor, successors))
        counts["topics"] = transfer_assignments(
            plan, mine, successors, remains=counts["stayed"] > 0
        )
        update_skips(actor=actor, plan=plan, topics=list(numbers))
        events.log_event(
            campaign=plan.campaign,
            actor=actor,
            code="assignment.reassigned",
            subject=f"{assessor.username} to {', '.join(user.username for user in successors)}",
            plan=plan.pk,
            topic_numbers=sorted(numbers.values()),
            **counts,
        )
    return counts


def reassign_reserved(
    slots: QuerySet[Slot], assessor: User, successors: Sequence[User]
) -> Counter[str]:
    """Deal the free slots reserved for ``assessor`` out to ``successors`` in turn."""
    own = slots.filter(free_slots(), purpose=Purpose.JUDGE, reserved_for=assessor)
    own = own.filter(assessor=None).order_by("topic", "position", "pk")
    busy = collect_assessors_by_item(own, successors)
    chosen: dict[int, list[int]] = defaultdict(list)
    turn, counts = 0, Counter[str]()
    for pk, item in list(own.values_list("pk", "item")):
        ready = [successors[(turn + i) % len(successors)] for i in range(len(successors))]
        successor = next((user for user in ready if user.pk not in busy[item]), None)
        counts["stayed" if successor is None else "moved"] += 1
        if successor is not None:
            turn += 1
            busy[item].add(successor.pk)
            chosen[successor.pk].append(pk)
    for user, numbers in chosen.items():
        for start in range(0, len(numbers), BATCH):
            part = Slot.objects.filter(pk__in=numbers[start : start + BATCH], assessor=None)
            part.update(reserved_for=user)
    return counts


def collect_assessors_by_item(
    slots: QuerySet[Slot], successors: Sequence[User]
) -> dict[int, set[int | None]]:
    """By pool item of ``slots``, the users for whom it is reserved, or who have judged it.

    A judgment without a slot counts too: its assessor cannot claim the pair.
    """
    busy: dict[int, set[int | None]] = defaultdict(set)
    siblings = Slot.objects.filter(item__in=slots.values("item"), purpose=Purpose.JUDGE)
    rows = siblings.order_by().values_list("item", "reserved_for", "assessor")
    for item, whose, holder in rows:
        busy[item] |= {whose, holder}
    for successor in successors:
        touched = slots.exclude(new_pair_filter(successor))
        for item in touched.order_by().values_list("item", flat=True):
            busy[item].add(successor.pk)
    return busy


def transfer_assignments(
    plan: Plan, mine: QuerySet[Assignment], successors: Sequence[User], *, remains: bool
) -> int:
    """Assign the topics to ``successors`` too; the assessor leaves them unless slots remain."""
    topics = list(Topic.objects.filter(pk__in=mine.values("topic")))
    add_assignments(plan, dict.fromkeys(topics, successors))
    if not remains:
        mine.update(left=True, paused=False)
    if not DESIGNS[plan.design].reserves:
        check_enough_assessors(plan, [topic.pk for topic in topics])
    return len(topics)


def check_enough_assessors(plan: Plan, topics: Collection[int]) -> None:
    """Refuse to leave a topic with fewer assessors than judgments per document, thirds included."""
    needed = plan.overlap + bool(plan.third_from)
    left = Counter(
        plan.assignments.filter(topic__in=topics).values_list("topic__number", flat=True)
    )
    short = sorted(number for number, count in left.items() if count < needed)
    if short:
        raise ActionRefused(
            "too-few-assessors",
            f"The plan needs {needed} assessors per topic; too few would remain for"
            f" {list_names(short, MAX_LISTED)}.",
            "Choose assessors who are not on these topics yet.",
        )
