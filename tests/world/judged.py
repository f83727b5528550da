"""What assessors have said of the small campaign, and a pool that grows as they judge."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from campaigns.models import Campaign, Team, User
from judging.models import Plan
from judging.services.assignments import assign_topics
from judging.services.imports import import_judgments
from judging.services.judgments import claim_next, undo_judgment
from judging.services.plans import PlanOptions, create_plan
from judging.services.slots import reopen_slot
from pooling.models import Pool
from tests.world.files import ranked_run
from tests.world.judgments import submit_judgment

Grades = dict[str, tuple[int, ...]]
DISPUTES: Grades = {"d1": (0, 3), "d2": (1, 1), "d3": (1, 2), "d4": (0, 1)}
VOTES: Grades = {"d1": (1, 2), "d2": (0, 1), "d3": (3, 3), "d4": (0, 0)}
THIRDS: Grades = {
    "d1": (0, 3, 3), "d2": (1, 1), "d3": (0, 0), "d4": (2, 1), "d5": (3, 1, 0), "d6": (2, 2),
}  # fmt: skip
"""By document, the grades of two assessors, and of the third where they differ by 2."""
GROWING = "{seed: 1, budget: {per_topic: 6}, steps: [{method: depth, k: 1}, {method: maxmean}]}"
"""Of the nine documents of these runs, three at first and three more."""
RANKED = {"north": "d1 d2 d3 d4", "south": "d5 d6 d2 d7", "east": "d8 d9 d1"}


def give_grades(campaign: Campaign, grades: Grades, *people: User) -> None:
    """d5 and d6 are of topic 2."""
    for docno, values in grades.items():
        topic = campaign.topics.get(number="1" if docno < "d5" else "2")
        given = {"campaign": campaign, "topic": topic, "docno": docno}
        for user, value in zip(people, values, strict=False):
            submit_judgment(actor=user, grade=value, **given)


def give_grades_and_reasons(campaign: Campaign, one: User, two: User) -> None:
    """All disputes but d4, with comments, and passages of the second."""
    topic = campaign.topics.get(number="1")
    for docno, (first, second) in list(DISPUTES.items())[:3]:
        given: dict[str, Any] = {"campaign": campaign, "topic": topic, "docno": docno}
        submit_judgment(actor=one, grade=first, comment=f"first on {docno}", **given)
        given |= {"comment": f"second on {docno}", "passages": [(0, 4, "Text")]}
        submit_judgment(actor=two, grade=second, **given)


def ask_thirds(campaign: Campaign, plan: Plan, people: list[User]) -> None:
    """The third judges where the others are 2 grades apart, only."""
    Plan.objects.filter(pk=plan.pk).update(third_from=2)
    plan.refresh_from_db()
    assign_topics(actor=plan.created_by, plan=plan, assessors=dict.fromkeys("123", people))
    give_grades(campaign, THIRDS, *people)


def do_everything(pool: Pool, one: User, two: User, three: User) -> Plan:
    """A little of everything that assessors and organizers do."""
    campaign, organizer, topic = pool.campaign, pool.frozen_by, pool.campaign.topics.get(number="1")
    people = {number: [one, two, three] for number in "123"}
    rows = [("1", "d1", 0), ("3", "d7", 1)]
    import_judgments(actor=organizer, campaign=campaign, assessor=three, rows=rows)
    scheme = PlanOptions("overlap", {"n": 2}, third_from=2, repeat_share=1.0)
    plan = create_plan(actor=organizer, pool=pool, assessors=people, scheme=scheme)
    give_grades(campaign, {"d1": (3, 1), "d2": (1,)}, one, two)
    give_grades(campaign, {"d2": (2,)}, one)
    said = {"topic": topic, "docno": "d3", "reason": "broken", "client_uuid": uuid4()}
    submit_judgment(actor=two, campaign=campaign, **said)
    reopen_slot(actor=organizer, slot=plan.slots.get(state="skipped"))
    give_grades(campaign, {"d3": (1,)}, three)
    undo_judgment(actor=one, campaign=campaign)
    claim_next(actor=two, campaign=campaign, topic=topic)
    return plan


def rank_growing(team: Team) -> list[Any]:
    return [ranked_run(team, tag, {"1": docnos}) for tag, docnos in RANKED.items()]
