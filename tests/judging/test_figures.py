"""Figures of progress as people read them."""

import pytest
from django.template.loader import render_to_string

from judging.queries.progress import plan_progress
from judging.queries.remaining import Remaining
from judging.queries.screen import AssessorTopic, count_ahead
from judging.queries.tallies import SlotTally
from judging.services.leases import MAX_LEASES
from judging.services.plans import pause_plan
from judging.services.stopping import set_stopping_rule
from poolbench.judging.stopping import StoppingCriteria


def test_progress_is_whole_only_when_nothing_is_left():
    assert SlotTally(open=1, judged=999).percent == 99
    assert SlotTally(leased=1, judged=1999).percent == 99
    assert SlotTally(judged=999, skipped=1).percent == 100
    assert SlotTally().percent == 0
    assert (
        AssessorTopic(
            topic=None, judged=499, skipped=0, checked_out=0, remaining=Remaining(1, 1)
        ).percent
        == 99
    )
    assert (
        AssessorTopic(topic=None, judged=0, skipped=0, checked_out=0, remaining=Remaining()).percent
        == 100
    )


def test_after_imported_judgments_there_is_nothing_to_undo(campaign):
    def told(judged: int) -> str:
        progress = AssessorTopic(
            campaign.topics.first(), judged, skipped=0, checked_out=0, remaining=Remaining(2, 2)
        )
        shown = {"campaign": campaign, "screen": {"last": None, "progress": progress}}
        return render_to_string("judging/_undo.html", shown)

    assert "Nothing judged yet." in told(0)
    assert "Nothing to undo." in told(34)
    assert "Nothing judged" not in told(34)


def test_an_assessor_who_left_leaves_topics_to_nobody(plan, campaign, assessor):
    (before,) = plan_progress(campaign)
    assert before.waiting == []
    campaign.members.filter(user=assessor).delete()
    (after,) = plan_progress(campaign)
    assert [row.topic.number for row in after.waiting] == [row.topic.number for row in after.topics]


@pytest.mark.parametrize(
    ("per_hour", "left", "ahead"),
    [(None, 400, 3), (24, 400, 3), (60, 400, 5), (121, 400, 11), (5_000, 400, 36), (121, 40, 10),
     (121, 5, 3)],
)  # fmt: skip
def test_five_minutes_of_the_pace_are_fetched_ahead(
    plan, campaign, assessor, topic, per_hour, left, ahead
):
    progress = AssessorTopic(
        topic, judged=9, skipped=0, checked_out=0, remaining=Remaining(left, left)
    )
    assert count_ahead(campaign, assessor, progress, per_hour) == ahead < MAX_LEASES


def test_with_a_stopping_rule_or_an_adaptive_pool_three_are_fetched_ahead(
    growing_plan, campaign, organizer, assessor, topic
):
    progress = AssessorTopic(
        topic, judged=9, skipped=0, checked_out=0, remaining=Remaining(400, 400)
    )
    assert count_ahead(campaign, assessor, progress, 120) == 3
    pause_plan(actor=organizer, plan=growing_plan)
    assert count_ahead(campaign, assessor, progress, 120) == 10
    rule = StoppingCriteria(no_relevant_in=9)
    set_stopping_rule(actor=organizer, campaign=campaign, rule=rule)
    assert count_ahead(campaign, assessor, progress, 120) == 3
