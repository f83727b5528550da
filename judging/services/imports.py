"""Judgments made elsewhere, brought in under the name of the assessor who made them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from uuid import uuid4

from campaigns.core.faults import BadFile, FaultReport
from campaigns.errors import Refused
from campaigns.models import Campaign, Role, Topic, User
from campaigns.rules import require
from campaigns.services import events
from judging.models import Judgment, Slot
from judging.queries.judgments import latest
from judging.queries.slots import free_slots
from judging.services.log import lock, retried

BATCH = 500
Row = tuple[str, str, int]
Pair = tuple[int, str]


def import_judgments(
    *, actor: User, campaign: Campaign, assessor: User, rows: Iterable[Row]
) -> int:
    """Write ``(topic, docno, grade)`` rows into the log as ``assessor``'s; return how many.

    Each fills the assessor's slot of its pair, or a free one. A pair without a free slot,
    or outside every pool, is kept as a judgment without slot; the log says how many. A
    grade that the assessor has given already is not written again, another one is a new
    revision. Raises ``BadFile`` with every fault: EJ01 unknown topic, EJ02 grade off the
    scale, EJ03 a pair twice.
    """
    require(actor, "campaigns.manage", campaign)
    require_assessor(campaign, assessor)
    topics = {topic.number: topic for topic in campaign.topics.all()}
    listed = checked(campaign, topics, list(rows))
    return retried(partial(write, actor, campaign, assessor, listed))


def write(
    actor: User, campaign: Campaign, assessor: User, listed: list[tuple[int, str, int]]
) -> int:
    """Append what is new of ``listed``; the assessor may be judging at the same time."""
    lock(campaign)
    known = known_to(campaign, assessor)
    fresh = [row for row in listed if known.get(row[:2], (0, None))[1] != row[2]]
    slots = fill(campaign, assessor, {(topic, docno) for topic, docno, _ in fresh})
    Judgment.objects.bulk_create(
        (
            Judgment(
                campaign=campaign,
                topic_id=topic,
                docno=docno,
                assessor=assessor,
                revision=known.get((topic, docno), (0, None))[0] + 1,
                kind=Judgment.Kind.GRADE,
                grade=grade,
                slot_id=slots.get((topic, docno)),
                source=Judgment.Source.IMPORT,
            )
            for topic, docno, grade in fresh
        ),
        batch_size=BATCH,
    )
    events.record(
        campaign=campaign,
        actor=actor,
        verb="imported judgments",
        subject=f"{len(fresh)} by {assessor.username}",
        known_before=len(listed) - len(fresh),
        without_slot=sum((topic, docno) not in slots for topic, docno, _ in fresh),
    )
    return len(fresh)


def require_assessor(campaign: Campaign, assessor: User) -> None:
    if not campaign.members.filter(user=assessor, role=Role.ASSESSOR).exists():
        raise Refused(
            "not-an-assessor",
            f"{assessor.shown_name} is not an assessor of this campaign.",
            "Give them the role first.",
        )


def checked(
    campaign: Campaign, topics: dict[str, Topic], rows: list[Row]
) -> list[tuple[int, str, int]]:
    """The rows with topic ids, or ``BadFile`` with all that is wrong; rows count from 1."""
    report = FaultReport()
    scale = set(campaign.grades.values_list("value", flat=True))
    first: dict[tuple[str, str], int] = {}
    for line, (number, docno, grade) in enumerate(rows, start=1):
        shown = f"{number} {docno} {grade}"
        if number not in topics:
            cure = "Import the campaign's topics first, or leave these rows out."
            report.add("EJ01", "The campaign has no such topic.", cure, line=line, excerpt=shown)
        if grade not in scale:
            cure = f"Use a grade of the scale: {', '.join(map(str, sorted(scale)))}."
            report.add("EJ02", "The grade is not on the scale.", cure, line=line, excerpt=shown)
        seen = first.setdefault((number, docno), line)
        if seen != line:
            message = f"The pair stands in row {seen} already."
            cure = "Keep one row for each topic and document."
            report.add("EJ03", message, cure, line=line, excerpt=shown)
    if report.has_errors:
        raise BadFile(report)
    return [(topics[number].pk, docno, grade) for number, docno, grade in rows]


def known_to(campaign: Campaign, assessor: User) -> dict[Pair, tuple[int, int | None]]:
    """By pair the assessor's last revision and its grade."""
    own = latest(Judgment.objects.filter(campaign=campaign, assessor=assessor)).order_by()
    rows = own.values_list("topic", "docno", "revision", "grade")
    return {(topic, docno): (revision, grade) for topic, docno, revision, grade in rows}


def fill(campaign: Campaign, assessor: User, pairs: set[Pair]) -> dict[Pair, int]:
    """Take a slot for each pair that has one for ``assessor``; return them by pair."""
    # Only the slots, in one order: locked topics and pairs would deadlock with a judge.
    slots = Slot.objects.select_for_update(of=("self",)).filter(plan__campaign=campaign)
    choices: dict[Pair, list[tuple[bool, int, int]]] = defaultdict(list)
    rows = slots.annotate(free=free_slots()).order_by("pk")
    for topic, docno, holder, free, k, pk in rows.values_list(
        "topic", "item__docno", "assessor", "free", "k", "pk"
    ):
        if (topic, docno) in pairs and (free or holder == assessor.pk):
            choices[topic, docno].append((holder != assessor.pk, k, pk))
    taken = {pair: min(found)[2] for pair, found in choices.items()}
    numbers = list(taken.values())
    for start in range(0, len(numbers), BATCH):
        Slot.objects.filter(pk__in=numbers[start : start + BATCH]).update(
            state=Slot.State.JUDGED,
            assessor=assessor,
            token=uuid4(),
            leased_at=None,
            expires_at=None,
        )
    return taken
