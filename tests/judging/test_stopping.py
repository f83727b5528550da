"""Topics that end by a rule: whom it keeps from work, and what it leaves alone."""

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.models import Event, Role
from campaigns.services.campaigns import update_campaign
from judging.models import Assignment, Judgment, Plan, Slot, StoppedTopic, StoppingRule
from judging.queries.progress import assessor_progress, plan_progress
from judging.queries.screen import get_assessor_topic
from judging.services.adjudication import open_round
from judging.services.imports import import_judgments
from judging.services.judgments import claim_ahead, claim_next, undo_judgment
from judging.services.plan_slots import max_future_judgments
from judging.services.plans import create_plan
from judging.services.stopping import set_stopping_rule
from poolbench.judging import repeats
from poolbench.judging.stopping import StoppingCriteria
from poolbench.pooling.spec_file import read_spec
from pooling.services.freeze import freeze_pool
from tests.judging.conftest import waiting
from tests.judging.test_growing import WHOLE, worked
from tests.world.judged import rank_growing
from tests.world.people import joined

TWO_BARREN = StoppingCriteria(no_relevant_in=2)


@pytest.fixture
def rule(organizer, campaign):
    def hold(**limits: int) -> StoppingRule:
        return set_stopping_rule(
            actor=organizer, campaign=campaign, rule=StoppingCriteria(**limits)
        )

    return hold


@pytest.fixture
def ended(campaign):
    return lambda: sorted(StoppedTopic.objects.values_list("topic__number", flat=True))


def test_a_topic_that_ends_hands_out_nothing_more(
    plan, rule, grade, ended, assessor, campaign, topic, next_of
):
    rule(no_relevant_in=2)
    grade(assessor, "d1", 1)
    grade(assessor, "d2", 0)
    assert ended() == []
    grade(assessor, "d3", 0)
    assert ended() == ["1"]
    assert next_of(assessor) is None
    assert waiting(assessor, campaign)[topic.pk] == 0
    elsewhere = claim_ahead(actor=assessor, campaign=campaign, topic=None, count=9)
    assert {slot.topic.number for slot in elsewhere} == {"2", "3"}


def test_what_is_on_a_screen_is_judged_and_can_have_the_topic_go_on(
    double_plan, rule, grade, ended, assessor, assessor2, next_of
):
    rule(no_relevant_in=2)
    held = next_of(assessor2)
    assert held.item.docno == "d1"
    grade(assessor, "d2", 0)
    grade(assessor, "d3", 0)
    assert ended() == ["1"]
    assert grade(assessor2, "d1", 2).slot == held
    assert ended() == []
    assert next_of(assessor) is not None


def test_what_somebody_left_on_a_screen_goes_to_nobody_else_once_the_topic_has_ended(
    double_plan, rule, grade, ended, assessor, assessor2, campaign, topic, next_of
):
    claim_ahead(actor=assessor2, campaign=campaign, topic=topic, count=4)
    Slot.objects.filter(assessor=assessor2).update(expires_at=timezone.now())
    Slot.objects.filter(state="open", topic=topic).exclude(item__docno="d1").delete()
    rule(documents=1)
    assert grade(assessor, "d1", 0).slot is not None
    assert ended() == ["1"]
    assert next_of(assessor) is None
    rule()
    assert next_of(assessor).item.docno == "d2"


def test_what_an_ended_topic_disagrees_on_is_settled_all_the_same(
    double_plan, rule, grade, ended, organizer, assessor, assessor2, campaign, topic
):
    grade(assessor, "d1", 0)
    grade(assessor2, "d1", 2)
    rule(documents=1)
    assert ended() == ["1"]
    third = joined(campaign, "third", Role.ADJUDICATOR)
    pairs = [(topic.pk, "d1", None)]
    open_round(actor=organizer, campaign=campaign, pairs=pairs, adjudicators=[third])
    found = claim_next(actor=third, campaign=campaign, topic=topic, kind="adjudicate")
    assert found.item.docno == "d1"


def test_the_first_judgment_of_a_document_counts(
    double_plan, rule, grade, ended, assessor, assessor2, campaign
):
    rule(no_relevant_in=2)
    grade(assessor, "d1", 0)
    grade(assessor2, "d1", 0)
    assert ended() == []
    grade(assessor, "d2", 0)
    assert ended() == ["1"]
    # Changed and taken back: what happened has happened.
    grade(assessor, "d2", 3)
    undo_judgment(actor=assessor, campaign=campaign)
    assert ended() == ["1"]


def test_skips_count_for_nothing(plan, rule, grade, ended, assessor, skip):
    rule(documents=1)
    skip(assessor, "d1", "broken")
    assert ended() == []
    grade(assessor, "d2", 0)
    assert ended() == ["1"]


def test_a_rule_looks_at_what_was_judged_before_and_another_lets_topics_go_on(
    plan, rule, grade, ended, assessor, next_of
):
    grade(assessor, "d1", 0)
    grade(assessor, "d2", 0)
    rule(no_relevant_in=2)
    assert ended() == ["1"]
    rule(no_relevant_in=3)
    assert ended() == []
    rule(documents=2)
    assert ended() == ["1"]
    rule()
    assert ended() == []
    assert next_of(assessor).item.docno == "d3"
    told = Event.objects.filter(code="stopping.rule_set").order_by("pk")
    assert [event.subject for event in told] == [
        "after 2 consecutive documents without a relevant one",
        "after 3 consecutive documents without a relevant one",
        "after 2 judged documents",
        "never",
    ]


def test_the_rule_that_holds_already_is_not_set_again(rule, campaign):
    assert rule(relevant=3) == rule(relevant=3)
    assert campaign.stopping_rules.count() == 1


def test_the_same_rule_set_again_hears_another_relevance_level(
    plan, rule, grade, ended, organizer, assessor, campaign
):
    rule(relevant=1)
    grade(assessor, "d1", 1)
    assert ended() == ["1"]
    update_campaign(actor=organizer, campaign=campaign, relevance_level=2)
    rule(relevant=1)
    assert ended() == []
    assert campaign.stopping_rules.count() == 1


def test_only_organizers_set_rules(assessor, campaign):
    with pytest.raises(PermissionDenied):
        set_stopping_rule(actor=assessor, campaign=campaign, rule=TWO_BARREN)
    assert not StoppingRule.objects.exists()


def test_imported_judgments_end_topics_too(plan, rule, ended, organizer, assessor, campaign):
    rule(no_relevant_in=2)
    rows = [("1", "d1", 0), ("1", "d2", 0), ("2", "d5", 1), ("2", "d6", 0)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    assert ended() == ["1"]


def test_progress_counts_what_is_dropped_and_nobody_has_it_left(
    plan, rule, grade, assessor, campaign, topic
):
    rule(documents=1)
    grade(assessor, "d1", 0)
    Slot.objects.filter(item__docno="d2").update(reserved_for=assessor)
    plans = plan_progress(campaign)
    row = next(row for row in plans[0].topics if row.topic == topic)
    assert (row.ended, row.tally.open, row.tally.dropped, row.tally.left) == (True, 0, 3, 0)
    assert (row.tally.total, row.tally.percent) == (4, 100)
    person = next(row for row in assessor_progress(campaign, plans) if row.user == assessor)
    assert person.remaining == 5  # topics 2 and 3


def test_a_late_judgment_of_an_ended_topic_is_kept(
    plan, rule, grade, assessor, campaign, topic, ended
):
    rule(documents=1)
    held = claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=3)
    for slot in held:
        grade(assessor, slot.item.docno, 0)
    assert ended() == ["1"]
    assert Judgment.objects.count() == 3
    assert Slot.objects.filter(topic=topic, state="judged").count() == 3


def test_repeats_of_an_ended_topic_come_and_are_counted(
    plan, rule, grade, ended, assessor, campaign, topic, monkeypatch, next_of
):
    monkeypatch.setattr(repeats, "SOONEST", 0)
    Plan.objects.update(repeat_share=1)
    Assignment.objects.exclude(topic=topic).delete()
    rule(documents=1)
    grade(assessor, "d1", 0)
    assert ended() == ["1"]
    assert waiting(assessor, campaign) == {topic.pk: 1}
    assert get_assessor_topic(campaign, assessor, topic).left == 1
    again = next_of(assessor)
    assert (again.purpose, again.item.docno) == ("repeat", "d1")


def test_a_pool_that_grows_stops_growing_and_goes_on(rule, ended, organizer, campaign, team,
                                                     assessor, topic):  # fmt: skip
    pool = freeze_pool(
        actor=organizer, campaign=campaign, spec=read_spec(WHOLE), runs=rank_growing(team)
    )
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    rule(no_relevant_in=4)
    came = worked(assessor, campaign, topic)
    assert (len(came), ended(), pool.items.count()) == (4, ["1"], 4)
    plans = plan_progress(campaign)
    assert (plans[0].tally.coming, max_future_judgments(pool, ["1"], 1)) == (0, 0)
    rule(no_relevant_in=6)
    came += worked(assessor, campaign, topic)
    assert (len(set(came)), len(came), pool.items.count()) == (6, 6, 6)
    rule()
    assert max_future_judgments(pool, ["1"], 1) == 3
