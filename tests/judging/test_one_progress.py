"""All pages and the API say the same about progress, and about what remains for whom."""

import re
from dataclasses import dataclass

import pytest
from django.urls import reverse

from campaigns.lifecycle.head import build_phases, list_pending_tasks
from campaigns.lifecycle.status import get_campaign_status
from judging.lifecycle import JudgingFacts
from judging.queries.progress import assessor_progress, plan_progress
from judging.queries.screen import count_remaining, get_assessor_topic, list_assessor_topics
from judging.queries.tallies import SlotTally, judging_progress
from judging.services.assignments import assign_topics
from judging.services.imports import import_judgments
from judging.services.judgments import claim_ahead
from judging.services.plans import PlanOptions, close_plan, create_plan, pause_plan
from judging.services.slots import pause_work
from judging.services.stopping import set_stopping_rule
from poolbench.judging.designs.allocation import divide_open_judgments
from poolbench.judging.stopping import StoppingCriteria
from tests.confirming import api
from tests.judging.test_growing import said, worked
from tests.world.files import make_pool


@dataclass
class Seen:
    """What the surfaces say: of the campaign, and of one assessor by name."""

    state: str
    judged: int
    total: int
    coming: int
    remaining: dict[str, int]


def figures(html: str) -> str:
    """The text of a page, without tags and with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.fixture
def look(campaign, organizer, as_user):
    """``look(*assessors)``: what every surface says, after checking that all say the same."""

    def act(*assessors) -> Seen:
        status = get_campaign_status(campaign, organizer)
        tally = judging_progress(campaign)
        plans = plan_progress(campaign)
        api = call_api(campaign, organizer)
        # Head, plan and API: one tally.
        facts = status.get(JudgingFacts)
        assert facts.judging == tally
        for name in ("judged", "skipped", "coming", "dropped", "total", "unresolved"):
            shown = {sum(getattr(p.tally, name) for p in plans), api["judging"][name]}
            assert shown == {getattr(tally, name)}, name
        assert api["judging"]["complete"] == tally.is_complete
        page = figures(
            as_user(organizer).get(reverse("judging", args=[campaign.slug])).content.decode()
        )
        phase = next(p for p in build_phases(status) if str(p.label) == "Judging")
        if phase.note:
            assert f"{tally.judged} of {tally.total} judged" in phase.note
            assert f"{tally.done} of {tally.total} judged or skipped" in page
        more = f"at most {tally.coming} more as the pool grows"
        assert (more in phase.note) == (more in page) == bool(tally.coming)
        assert (phase.state == "done") == tally.is_complete
        remaining = {user.username: one_assessor(campaign, plans, api, user) for user in assessors}
        return Seen(phase.state, tally.judged, tally.total, tally.coming, remaining)

    def one_assessor(campaign, plans, api, user) -> int:
        topics = list_assessor_topics(campaign, user)
        count = count_remaining(topics)
        row = next(row for row in assessor_progress(campaign, plans) if row.user == user)
        told = next(row for row in api["assessors"] if row["assessor"] == user.username)
        own = call_api(campaign, user)
        assert (row.remaining, row.most) == (count, sum(topic.most for topic in topics))
        assert (told["remaining"], told["most"]) == (row.remaining, row.most)
        status = get_campaign_status(campaign, user)
        assert own["remaining"] == status.get(JudgingFacts).my_open == count
        assert own["judging"] is None
        assert own["assessors"] == []
        if row.pace.per_hour:
            assert row.hours_left == count / row.pace.per_hour
        for topic in topics:
            assert get_assessor_topic(campaign, user, topic.topic).left == topic.left
        tasks = list_pending_tasks(status)
        noun = "document" if count == 1 else "documents"
        asked = [task.label for task in tasks if task.action == "Judge"]
        assert asked == ([f"{count} {noun} to judge"] if count else [])
        page = figures(as_user(user).get(reverse("work", args=[campaign.slug])).content.decode())
        done = sum(topic.done for topic in topics)
        assert f"judged or skipped {done} of {done + count}" in page
        return count

    def call_api(campaign, user):
        return api(user).get(reverse("api-progress-detail", args=[campaign.slug])).json()

    return act


def test_a_growing_pool_in_all_its_states(
    growing_plan, campaign, organizer, assessor, topic, look, next_of
):
    assert look(assessor) == Seen("now", 0, 3, 3, {"assessor": 6})
    for _ in range(3):
        said(assessor, next_of(assessor), 0)
    # All there is is judged, but the pool still grows: not done, for nobody.
    assert look(assessor) == Seen("now", 3, 3, 3, {"assessor": 3})
    claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=2)
    assert look(assessor) == Seen("now", 3, 5, 1, {"assessor": 3})
    pause_plan(actor=organizer, plan=growing_plan)
    # Paused: nothing new comes to the assessor, and nothing is done.
    assert look(assessor) == Seen("now", 3, 5, 1, {"assessor": 2})
    pause_plan(actor=organizer, plan=growing_plan, paused=False)
    pause_work(actor=organizer, plan=growing_plan, topic=topic)
    assert look(assessor) == Seen("now", 3, 5, 1, {"assessor": 2})
    pause_work(actor=organizer, plan=growing_plan, topic=topic, paused=False)
    rule = StoppingCriteria(documents=3)
    set_stopping_rule(actor=organizer, campaign=campaign, rule=rule)
    # The stopping rule ended the topic: two documents are on a screen, nothing else comes.
    assert look(assessor) == Seen("now", 3, 5, 0, {"assessor": 2})
    set_stopping_rule(actor=organizer, campaign=campaign, rule=StoppingCriteria())
    worked(assessor, campaign, topic)
    assert look(assessor) == Seen("done", 6, 6, 0, {"assessor": 0})  # the budget is spent


@pytest.mark.full
def test_a_growing_pool_that_a_rule_ended_is_done(
    growing_plan, campaign, organizer, assessor, topic, look
):
    rule = StoppingCriteria(documents=4)
    set_stopping_rule(actor=organizer, campaign=campaign, rule=rule)
    worked(assessor, campaign, topic)
    assert look(assessor) == Seen("done", 4, 4, 0, {"assessor": 0})


def test_a_closed_plan_of_a_growing_pool_waits_for_nothing(
    growing_plan, organizer, assessor, look, next_of
):
    said(assessor, next_of(assessor), 0)
    next_of(assessor)
    close_plan(actor=organizer, plan=growing_plan)
    # A document on a screen may still be judged.
    assert look(assessor) == Seen("now", 1, 2, 0, {"assessor": 1})
    slot = growing_plan.slots.get(state="leased")
    said(assessor, slot, 0)
    assert look(assessor) == Seen("done", 2, 2, 0, {"assessor": 0})


def test_a_paused_plan_does_not_end_judging(plan, organizer, assessor, look):
    pause_plan(actor=organizer, plan=plan)
    assert look(assessor) == Seen("now", 0, 9, 0, {"assessor": 0})


def test_what_an_assessor_knows_already_does_not_wait(
    campaign, organizer, assessor, assessor2, assessor3, topic, look
):
    rows = [("1", "d0", 1), ("1", "d1", 0)]
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(6)]})
    users = [assessor, assessor2, assessor3]
    scheme = PlanOptions("overlap", {"n": 2})
    create_plan(actor=organizer, pool=pool, assessors={"1": users}, scheme=scheme)
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    remaining = look(*users).remaining
    assert remaining == {"assessor": 3, "assessor2": 4, "assessor3": 4}


@pytest.mark.full
def test_repeats_wait_for_their_assessor(campaign, organizer, assessor, assessor2, look, grade):
    pool = make_pool(campaign, {"1": [f"d{n}" for n in range(4)]})
    scheme = PlanOptions("overlap", {"n": 1}, repeat_share=1.0)
    people = {"1": [assessor, assessor2]}
    create_plan(actor=organizer, pool=pool, assessors=people, scheme=scheme)
    before = look(assessor, assessor2).remaining
    grade(assessor, "d0", 1)
    after = look(assessor, assessor2).remaining
    assert after["assessor"] >= before["assessor"]
    assert after["assessor2"] <= before["assessor2"]


def test_a_topic_that_loses_an_assessor_goes_to_the_others(
    organizer, assessor, assessor2, plan, topic, look
):
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor, assessor2]})
    assert look(assessor, assessor2).remaining == {"assessor": 7, "assessor2": 2}
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor2]})
    assert look(assessor, assessor2).remaining == {"assessor": 5, "assessor2": 4}


def test_open_judgments_are_divided_by_what_each_may_judge():
    assert divide_open_judgments(2 * 147, [147, 147, 147]) == pytest.approx([98, 98, 98])
    assert divide_open_judgments(5, [0, 5]) == [0, 5]
    assert divide_open_judgments(10, [3, 3]) == [3, 3]  # too few people: nobody more than all
    assert divide_open_judgments(4, []) == []
    assert divide_open_judgments(0, [0, 0]) == [0, 0]
    assert sum(divide_open_judgments(7, [5, 4, 3])) == pytest.approx(7)


def test_complete_means_that_nothing_waits():
    assert SlotTally(judged=3).is_complete
    assert not SlotTally().is_complete
    for waiting in ({"open": 1}, {"leased": 1}, {"coming": 1}, {"skipped": 1, "unresolved": 1}):
        assert not SlotTally(judged=3, **waiting).is_complete
    assert SlotTally(judged=3, skipped=1, dropped=2).is_complete
