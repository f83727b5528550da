"""A document that one assessor cannot decide goes on to another by itself; shares are handed on,
people and topics paused, documents taken back.
"""

from collections import Counter
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.lifecycle.head import build_phases, list_pending_tasks
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Event
from judging.models import Judgment, Slot
from judging.queries.invariants import list_violations
from judging.queries.overview import list_skipped
from judging.queries.progress import plan_progress
from judging.queries.screen import get_assessor_topic
from judging.services.adjudication import record_meeting_decision
from judging.services.assignments import assign_topics
from judging.services.judgments import claim_ahead, claim_next, undo_judgment
from judging.services.plans import PlanOptions, close_plan, create_plan, pause_plan
from judging.services.slots import pause_work, reassign_work, reopen_slot, return_all_slots
from tests.judging.conftest import waiting
from tests.judging.test_invariants import broken
from tests.world.files import make_pool


@pytest.fixture
def planned(campaign, organizer, assessor, assessor2, assessor3):
    """``planned(n, people, design)``: two documents of topic 1."""

    def make(n=1, people=(assessor, assessor2, assessor3), design="overlap"):
        pool = make_pool(campaign, {"1": ["d1", "d2"]})
        scheme = PlanOptions(design, {"n": n})
        return create_plan(actor=organizer, pool=pool, assessors={"1": people}, scheme=scheme)

    return make


def states(plan, docno) -> list[str]:
    return sorted(plan.slots.filter(item__docno=docno).values_list("state", flat=True))


def test_a_document_that_one_cannot_decide_goes_to_each_other_once(
    planned, campaign, topic, skip, assessor, assessor2, assessor3, next_of
):
    plan = planned()
    for number, user in enumerate((assessor, assessor2, assessor3), start=1):
        assert waiting(user, campaign)[topic.pk] == 1
        slot = next_of(user)
        assert slot.item.docno == "d1"
        skip(user, "d1", token=slot.token)
        assert states(plan, "d1") == ["open" if number < 3 else "skipped"]
        assert get_assessor_topic(campaign, user, topic).skipped == 1
        assert broken(campaign) == set()
        # Never again for who skipped it.
        assert next_of(user).item.docno == "d2"
        Slot.objects.filter(state="leased").update(state="open", assessor=None, expires_at=None)
    assert [slot.item.docno for slot, _ in list_skipped(campaign)] == ["d1"]
    log = Event.objects.filter(code="slot.passed_on").order_by("pk")
    assert [(e.actor, e.subject) for e in log] == [
        (assessor, "topic 1, d1"),
        (assessor2, "topic 1, d1"),
    ]


@pytest.mark.parametrize(("reason", "comment"), [("broken", ""), ("language", ""), ("other", "x")])
def test_other_skips_are_for_the_organizer(planned, skip, assessor, reason, comment):
    plan = planned()
    skip(assessor, "d1", reason, comment=comment)
    assert states(plan, "d1") == ["skipped"]


def test_the_last_assessor_of_a_pair_gets_one_of_its_slots_only(
    planned, campaign, skip, assessor, assessor2, assessor3
):
    plan = planned(n=2)
    skip(assessor, "d1")
    assert states(plan, "d1") == ["open", "open"]
    skip(assessor2, "d1")
    assert states(plan, "d1") == ["open", "skipped"]
    skip(assessor3, "d1")
    assert states(plan, "d1") == ["skipped", "skipped"]
    assert plan_progress(campaign)[0].tally.unresolved == 2
    assert broken(campaign) == set()


def test_what_was_reserved_is_reserved_for_another(
    planned, campaign, skip, assessor, assessor2, assessor3, next_of
):
    plan = planned(design="round-robin", people=(assessor, assessor2, assessor3))
    first = plan.slots.get(item__docno="d1")
    assert first.reserved_for == assessor
    skip(assessor, "d1")
    first.refresh_from_db()
    # assessor2 has d2 to judge, assessor3 nothing.
    assert (first.state, first.reserved_for) == ("open", assessor3)
    assert next_of(assessor3).item.docno == "d1"
    assert broken(campaign) == set()


@pytest.mark.parametrize("design", ["overlap", "round-robin"])
def test_an_undone_skip_takes_the_document_back(planned, design, campaign, skip, assessor, grade):
    planned(design=design)
    skip(assessor, "d1")
    undone = undo_judgment(actor=assessor, campaign=campaign)
    assert (undone.slot.state, undone.slot.assessor) == ("leased", assessor)
    assert broken(campaign) == set()
    assert grade(assessor, "d1", 1, token=undone.slot.token).slot_id == undone.slot_id
    assert broken(campaign) == set()


def test_who_skipped_may_still_judge_as_long_as_nobody_else_has(
    planned, campaign, skip, assessor, assessor2, grade, next_of
):
    plan = planned(people=(assessor, assessor2))
    skip(assessor, "d1")
    slot = next_of(assessor2)
    assert slot.item.docno == "d1"
    undone = undo_judgment(actor=assessor, campaign=campaign)
    assert undone.slot is None
    skip(assessor, "d1")
    assert grade(assessor2, "d1", 2, token=slot.token).slot_id == slot.pk
    assert grade(assessor, "d1", 1).slot is None
    assert states(plan, "d1") == ["judged"]
    assert broken(campaign) == set()


def test_a_new_assessor_gets_what_waited_and_who_leaves_gives_it_back(
    planned, campaign, organizer, skip, topic, assessor, assessor2
):
    plan = planned(people=(assessor,))
    skip(assessor, "d1")
    assert states(plan, "d1") == ["skipped"]
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor, assessor2]})
    assert states(plan, "d1") == ["open"]
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor]})
    assert states(plan, "d1") == ["skipped"]
    assert broken(campaign) == set()
    reassign_work(actor=organizer, plan=plan, assessor=assessor, to=[assessor2])
    assert states(plan, "d1") == ["open"]
    assert broken(campaign) == set()


def test_a_campaign_with_an_unresolved_skip_is_not_done(
    plan, campaign, organizer, assessor, assessor2, topic, grade, skip, as_user
):
    skip(assessor, "d1", "other", comment="a poem in a table")
    while any(slot := claim_next(actor=assessor, campaign=campaign, topic=t)
              for t in campaign.topics.all()):  # fmt: skip
        grade(assessor, slot.item.docno, 1, topic=slot.topic)

    def shown() -> tuple[str, list[str], str]:
        status = get_campaign_status(campaign, organizer)
        phases = {phase.label: phase for phase in build_phases(status)}
        tasks = [task.label for task in list_pending_tasks(status)]
        return phases["Judging"].state, tasks, phases["Judging"].note

    skipped = "1 skipped document needs another assessor, or closing its plan"
    assert shown() == ("now", ["No teams yet", skipped], "8 of 9 judged, 1 skip unresolved")
    page = as_user(organizer).get(reverse("judging", args=[campaign.slug])).content.decode()
    assert "1 skip unresolved" in page
    assert "a poem in a table" in page
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor, assessor2]})
    reopen_slot(actor=organizer, slot=plan.slots.get(state="skipped"))
    assert shown()[::2] == ("now", "8 of 9 judged")
    skip(assessor2, "d1", "broken")
    assert skipped in shown()[1]
    pause_plan(actor=organizer, plan=plan)
    close_plan(actor=organizer, plan=plan)
    assert shown()[0] == "done"


def test_an_adjudicated_pair_needs_no_other_assessor(
    double_plan, campaign, organizer, assessor, assessor2, topic, grade, skip
):
    grade(assessor, "d1", 1)
    skip(assessor2, "d1")
    assert plan_progress(campaign)[0].tally.unresolved == 1
    record_meeting_decision(
        actor=organizer, campaign=campaign, topic=topic, docno="d1", grade=1, client_uuid=uuid4()
    )
    assert plan_progress(campaign)[0].tally.unresolved == 0


def test_another_reason_is_said(planned, campaign, skip, assessor, as_user, organizer):
    planned()
    for nothing in ("", "  "):
        with pytest.raises(ActionRefused, match="Say why you skip") as refused:
            skip(assessor, "d1", "other", comment=nothing)
        assert refused.value.code == "no-explanation"
    client = as_user(assessor)
    address = reverse("judge-skip", args=[campaign.slug, "1"])
    data = {"docno": "d1", "client_uuid": str(uuid4()), "reason": "other"}
    assert "Say why you skip" in client.post(address, data, follow=True).content.decode()
    assert not Judgment.objects.exists()
    client.post(address, data | {"comment": "half of it is cut off"})
    page = as_user(organizer).get(reverse("judging", args=[campaign.slug])).content.decode()
    assert "half of it is cut off" in page
    form = as_user(assessor).get(reverse("judge", args=[campaign.slug, "1"])).content.decode()
    assert 'name="comment"' in form.split('id="judge-skip"')[1]


def test_a_skip_given_back_to_its_assessor_is_found(planned, campaign, skip, assessor):
    plan = planned()
    skip(assessor, "d1")
    plan.slots.filter(item__docno="d1").update(reserved_for=assessor)
    assert broken(campaign) == {"skipped"}


@pytest.mark.parametrize("design", ["overlap", "round-robin"])
def test_closing_a_plan_returns_what_was_passed_on_to_who_skipped_it(
    planned, design, campaign, organizer, skip, topic, assessor, as_user
):
    plan = planned(design=design)
    skip(assessor, "d1")
    if design == "round-robin":  # taken by another, who left it
        slot = plan.slots.get(item__docno="d1")
        claim_next(actor=slot.reserved_for, campaign=campaign, topic=topic)
        plan.slots.filter(state="leased").update(expires_at=timezone.now())
    page = as_user(organizer).get(reverse("plan-close", args=[campaign.slug, plan.pk]))
    assert "1 judgment not yet started is canceled." in page.content.decode()
    assert close_plan(actor=organizer, plan=plan) == 1
    slot = plan.slots.get()
    assert (slot.state, slot.assessor, slot.expires_at) == ("skipped", assessor, None)
    assert plan_progress(campaign)[0].tally.dropped == 0
    shown = as_user(organizer).get(reverse("judging", args=[campaign.slug])).content.decode()
    assert "Cancel expired leases" not in shown
    assert broken(campaign) == set()


def whose(plan) -> Counter[str]:
    return Counter(plan.slots.values_list("reserved_for__username", flat=True))


def test_handing_on_deals_the_reserved_to_who_has_no_part(
    dealt, campaign, organizer, assessor, assessor2, assessor3, grade, next_of
):
    own = dealt.slots.filter(reserved_for=assessor).order_by("position")
    grade(assessor, own[0].item.docno, 1)
    held = next_of(assessor)
    told = reassign_work(actor=organizer, plan=dealt, assessor=assessor, to=[assessor2, assessor3])
    assert told == {"returned": 1, "moved": 3, "topics": 1}
    held.refresh_from_db()
    assert (held.state, held.assessor) == ("open", None)
    assert held.reserved_for != assessor
    assert whose(dealt)["assessor"] == 1
    for pair in dealt.pool.items.all():
        people = list(dealt.slots.filter(item=pair).values_list("reserved_for", flat=True))
        assert len(set(people)) == 2
    assert not dealt.assignments.filter(assessor=assessor).exists()
    assert next_of(assessor) is None
    assert not any(count for _, count in list_violations(campaign))
    event = Event.objects.get(code="assignment.reassigned")
    assert event.data["moved"] == 3


def test_what_nobody_may_take_stays(dealt, organizer, assessor, assessor2, next_of):
    told = reassign_work(actor=organizer, plan=dealt, assessor=assessor, to=[assessor2])
    # Of the four documents of assessor two are shared with assessor2.
    assert (told["moved"], told["stayed"]) == (2, 2)
    assert whose(dealt)["assessor"] == 2
    assert dealt.assignments.filter(assessor=assessor).exists()
    assert next_of(assessor) is not None


def test_handing_topics_on_leaves_enough_people(
    double_plan, organizer, assessor, assessor2, assessor3, topic
):
    with pytest.raises(ActionRefused, match="too few would remain for 1, 2, 3"):
        reassign_work(actor=organizer, plan=double_plan, assessor=assessor, to=[assessor2])
    told = reassign_work(
        actor=organizer, plan=double_plan, assessor=assessor, to=[assessor3], topics=[topic]
    )
    assert told["topics"] == 1
    names = double_plan.assignments.filter(topic=topic).values_list("assessor__username", flat=True)
    assert sorted(names) == ["assessor2", "assessor3"]
    assert double_plan.assignments.filter(assessor=assessor).count() == 2


def test_handing_on_needs_an_assessor_who_is_another(
    double_plan, organizer, assessor, participant, assessor2
):
    with pytest.raises(ActionRefused, match="No assessor to reassign to"):
        reassign_work(actor=organizer, plan=double_plan, assessor=assessor, to=[assessor])
    with pytest.raises(ActionRefused, match="Not an assessor"):
        reassign_work(actor=organizer, plan=double_plan, assessor=assessor, to=[participant])
    with pytest.raises(PermissionDenied):
        reassign_work(actor=assessor, plan=double_plan, assessor=assessor, to=[assessor2])


def test_a_paused_assessor_gets_nothing_and_finishes_what_is_shown(
    double_plan, organizer, assessor, assessor2, grade, next_of
):
    held = next_of(assessor)
    assert pause_work(actor=organizer, plan=double_plan, assessor=assessor) == 3
    grade(assessor, held.item.docno, 1, token=held.token)
    assert next_of(assessor) is None
    assert next_of(assessor2) is not None
    assert pause_work(actor=organizer, plan=double_plan, assessor=assessor, paused=False) == 3
    assert next_of(assessor) is not None


def test_a_paused_topic_is_handed_to_nobody(
    double_plan, campaign, organizer, assessor, assessor2, topic, next_of
):
    assert pause_work(actor=organizer, plan=double_plan, topic=topic) == 2
    other = campaign.topics.get(number="2")
    for user in (assessor, assessor2):
        assert next_of(user) is None
        assert claim_next(actor=user, campaign=campaign, topic=other) is not None
    assert pause_work(actor=organizer, plan=double_plan, topic=topic) == 0
    with pytest.raises(ActionRefused, match="an assessor or a topic"):
        pause_work(actor=organizer, plan=double_plan)


def test_all_that_is_out_comes_back_at_once(
    double_plan, campaign, organizer, assessor, assessor2, grade, topic, next_of
):
    ahead = claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=3)
    next_of(assessor2)
    assert return_all_slots(actor=organizer, campaign=campaign, assessor=assessor) == 3
    assert Slot.objects.filter(state="leased").count() == 1
    assert return_all_slots(actor=organizer, campaign=campaign, assessor=assessor) == 0
    assert Event.objects.filter(code="slots.returned").count() == 1
    # What is judged all the same is kept, and fills the slot again.
    said = grade(assessor, ahead[0].item.docno, 2, token=ahead[0].token)
    assert said.slot is not None
