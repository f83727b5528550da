"""Plans by design: what is written, in which order, and grades that stand already."""

from collections import Counter

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Document, Event
from judging.models import Judgment, Plan, Slot
from judging.services.assignments import assign_topics
from judging.services.imports import import_judgments
from judging.services.plans import PlanOptions, close_plan, create_plan, pause_plan, preview_plan
from judging.services.qrels import freeze_qrels, verify_qrels
from judging.services.slots import pause_work, reassign_work
from pooling.models import PoolItem
from tests.confirming import confirm, read_confirmation
from tests.pages import read_page
from tests.world.files import make_pool


@pytest.fixture
def everyone(assessor, assessor2, assessor3):
    return {number: [assessor, assessor2, assessor3] for number in "123"}


def taken(plan) -> dict[tuple[str, str], list[str | None]]:
    """By pair whom its slots are for."""
    rows = plan.slots.order_by("item", "k").values_list(
        "topic__number", "item__docno", "reserved_for__username"
    )
    found: dict[tuple[str, str], list[str | None]] = {}
    for topic, docno, whose in rows:
        found.setdefault((topic, docno), []).append(whose)
    return found


def test_round_robin_keeps_each_judgment_for_one(pool, organizer, everyone, next_of):
    scheme = PlanOptions("round-robin", {"n": 1})
    plan = create_plan(actor=organizer, pool=pool, assessors=everyone, scheme=scheme)
    whose = taken(plan)
    assert Counter(name for (name,) in whose.values()) == {
        "assessor": 3, "assessor2": 3, "assessor3": 3,
    }  # fmt: skip
    for user in everyone["1"]:
        slot = next_of(user)
        assert slot.reserved_for == user
    assert (plan.design, plan.parameters, plan.overlap) == ("round-robin", {"n": 1}, 1)


def test_a_preview_is_what_is_made(pool, organizer, everyone):
    scheme = PlanOptions("blocks", {"n": 2, "shared": 2}, third_from=2, repeat_share=0.2)
    asked = {"actor": organizer, "pool": pool, "assessors": everyone, "scheme": scheme}
    seen = preview_plan(**asked)
    assert not Slot.objects.exists()
    assert not Event.objects.filter(code="plan.created").exists()
    plan = create_plan(**asked)
    loads = Counter(plan.slots.values_list("reserved_for__username", flat=True))
    assert {user.username: load for user, load in seen.loads} == loads
    assert seen.forecast.judgments == plan.slots.count() == 15
    assert seen.shared == (2, 2)
    assert (seen.thirds, seen.repeats) == (6, pytest.approx(3))
    event = Event.objects.get(code="plan.created")
    assert event.data["judgments"] == 15
    assert event.data["design"] == "blocks"


@pytest.mark.parametrize(
    ("scheme", "match"),
    [
        (PlanOptions("magic"), "Unknown design: magic"),
        (PlanOptions("overlap", {"n": 0}), "Judgments per document: 0"),
        (PlanOptions("overlap", {"n": 1}, order="value"), "Unknown order: value"),
        (PlanOptions("overlap", {"n": 1}, third_from=1), "requires at least two judgments"),
        (PlanOptions("overlap", {"n": 3}, third_from=1), "a third judgment need 4 assessors"),
        (PlanOptions("overlap", {"n": 2}, third_from=4), "third judgments out of range: 4"),
        (PlanOptions("overlap", {"n": 1}, repeat_share=1.5), "share of repeats: 1.5"),
        (PlanOptions("overlap", {"n": 1}, rationale="always"), "Unknown rationale: always"),
        (PlanOptions("topic-owner"), "More than one assessor for"),
    ],
)
def test_a_scheme_that_will_not_do_is_refused(scheme, match, pool, organizer, everyone):
    for act in (create_plan, preview_plan):
        with pytest.raises(ActionRefused, match=match):
            act(actor=organizer, pool=pool, assessors=everyone, scheme=scheme)
    assert not Plan.objects.exists()


@pytest.mark.parametrize(
    ("order", "docnos"),
    [
        ("random", ["b", "Z", "a", "é"]),
        ("docno", ["Z", "a", "b", "é"]),
        ("pool", ["é", "a", "b", "Z"]),
        # Of the three texts and the picture, which has none.
        ("length", ["b", "é", "Z", "a"]),
    ],
)
def test_documents_come_in_the_order_of_the_plan(order, docnos, campaign, organizer, assessor):
    pool = make_pool(campaign, {})
    topic = campaign.topics.get(number="1")
    ranks = [("b", 7), ("Z", 7), ("a", 2), ("é", 1)]
    PoolItem.objects.bulk_create(
        PoolItem(pool=pool, topic=topic, docno=docno, min_rank=rank, contributors=b"", position=at)
        for at, (docno, rank) in enumerate(ranks)
    )
    lengths = {"b": 50, "Z": 900, "a": 800}
    for docno, length in lengths.items():
        Document.objects.create(campaign=campaign, docno=docno, body="x" * length)
    file = {"format": "image", "file": "e.png", "media_type": "image/png"}
    Document.objects.create(campaign=campaign, docno="é", **file)
    scheme = PlanOptions("overlap", {"n": 1}, order=order)
    plan = create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]}, scheme=scheme)
    assert list(plan.slots.values_list("item__docno", flat=True)) == docnos


def test_grades_that_stand_fill_the_slots(pool, campaign, organizer, assessor, assessor2, next_of):
    def bring(user, rows):
        import_judgments(actor=organizer, campaign=campaign, assessor=user, rows=rows)

    bring(assessor2, [("1", "d1", 3), ("1", "elsewhere", 1)])
    bring(assessor, [("1", "d1", 0), ("1", "d2", 2)])
    people = {number: [assessor, assessor2] for number in "123"}
    plan = create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    states = Counter(plan.slots.values_list("item__docno", "state"))
    assert states["d1", "judged"] == 2
    assert (states["d2", "judged"], states["d2", "open"]) == (1, 1)
    assert states["d3", "open"] == 2
    assert Event.objects.get(code="plan.created").data["judged_before"] == 3
    rows = Judgment.objects.filter(docno="d1", slot__isnull=False).values_list(
        "assessor__username", "grade", "revision", "source"
    )
    assert sorted(rows) == [("assessor", 0, 2, "import"), ("assessor2", 3, 2, "import")]
    # Nobody is asked for what they have judged: d2 goes to the other.
    assert next_of(assessor).item.docno == "d3"
    assert next_of(assessor2).item.docno == "d2"


def test_a_release_before_the_plan_stays_as_it_was(pool, campaign, organizer, assessor, assessor2):
    for user, grade in ((assessor, 0), (assessor2, 3)):
        rows = [("1", "d1", grade)]
        import_judgments(actor=organizer, campaign=campaign, assessor=user, rows=rows)
    release = freeze_qrels(actor=organizer, campaign=campaign, policy="maximum")
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor2]})
    assert verify_qrels(release)
    after = freeze_qrels(actor=organizer, campaign=campaign, policy="maximum")
    assert after.pairs == release.pairs == 1


def test_a_reserved_slot_waits_for_its_own(pool, campaign, organizer, assessor, assessor2):
    rows = [("1", "d1", 3)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor2, rows=rows)
    people = {number: [assessor] for number in "123"}
    scheme = PlanOptions("round-robin", {"n": 1})
    plan = create_plan(actor=organizer, pool=pool, assessors=people, scheme=scheme)
    assert set(plan.slots.values_list("state", flat=True)) == {"open"}


def test_two_that_disagree_already_call_a_third(pool, campaign, organizer, everyone):
    first, second, _ = everyone["1"]
    for user, grade in ((first, 0), (second, 3)):
        rows = [("1", "d1", grade)]
        import_judgments(actor=organizer, campaign=campaign, assessor=user, rows=rows)
    scheme = PlanOptions("overlap", {"n": 2}, third_from=2)
    plan = create_plan(actor=organizer, pool=pool, assessors=everyone, scheme=scheme)
    assert [s.state for s in plan.slots.filter(item__docno="d1").order_by("k")] == [
        "judged", "judged", "open",
    ]  # fmt: skip


def test_a_third_judge_is_left_when_people_change(pool, organizer, everyone, topic):
    first, second, third = everyone["1"]
    scheme = PlanOptions("overlap", {"n": 2}, third_from=2)
    plan = create_plan(actor=organizer, pool=pool, assessors=everyone, scheme=scheme)
    with pytest.raises(ActionRefused, match="and a third judgment need 3 assessors"):
        assign_topics(actor=organizer, plan=plan, assessors={topic.number: [first, second]})
    with pytest.raises(ActionRefused, match="needs 3 assessors per topic; too few would remain"):
        reassign_work(actor=organizer, plan=plan, assessor=third, to=[first])
    assert plan.assignments.filter(topic=topic).count() == 3


def test_closing_lets_go_of_what_nobody_touched(plan, organizer, assessor, grade, next_of):
    grade(assessor, "d1", 1)
    out = next_of(assessor)
    assert close_plan(actor=organizer, plan=plan) == 7
    assert set(plan.slots.values_list("item__docno", "state")) == {
        ("d1", "judged"), (out.item.docno, "leased"),
    }  # fmt: skip
    assert next_of(assessor) == out
    grade(assessor, out.item.docno, 2, token=out.token)
    again = create_plan(actor=organizer, pool=plan.pool, assessors={"1": [assessor]})
    assert again.slots.count() == 7
    with pytest.raises(ActionRefused, match="already in a plan"):
        create_plan(actor=organizer, pool=plan.pool, assessors={})


def test_make_plan_makes_overlap_slots_a_pair(pool, organizer, assessor, assessor2):
    people = {"1": [assessor, assessor2], "2": [assessor2, assessor]}
    plan = create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert plan.slots.count() == 18
    assert set(plan.slots.values_list("state", flat=True)) == {"open"}
    assert plan.assignments.count() == 4
    assert Event.objects.filter(code="plan.created").get().data["pairs"] == 9


def test_make_plan_refuses_too_few_assessors_for_the_overlap(pool, organizer, assessor, assessor2):
    people = {"1": [assessor, assessor2], "2": [assessor], "3": [assessor2, assessor2]}
    with pytest.raises(ActionRefused, match="too few for topics 2, 3"):
        create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert not Slot.objects.exists()


def test_make_plan_refuses_strangers_and_unknown_topics(pool, organizer, assessor, participant):
    with pytest.raises(ActionRefused, match=r"Not an assessor of this campaign: participant\."):
        create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [participant]})
    with pytest.raises(ActionRefused, match="Unknown topic: 9"):
        create_plan(actor=organizer, pool=pool, overlap=1, assessors={"9": [assessor]})
    with pytest.raises(PermissionDenied):
        create_plan(actor=assessor, pool=pool, overlap=1, assessors={})


def test_make_plan_leaves_out_pairs_of_an_earlier_plan(plan, campaign, organizer, assessor):
    wider = make_pool(campaign, {"1": ["d9", "d1", "d2"], "2": ["d1"]}, version=2)
    second = create_plan(actor=organizer, pool=wider, overlap=1, assessors={"1": [assessor]})
    pairs = set(second.slots.values_list("topic__number", "item__docno"))
    assert pairs == {("1", "d9"), ("2", "d1")}
    with pytest.raises(ActionRefused, match="already in a plan"):
        create_plan(actor=organizer, pool=wider, overlap=1, assessors={})


def test_assign_replaces_the_people_of_a_topic(plan, organizer, assessor2, topic):
    assign_topics(actor=organizer, plan=plan, assessors={topic.number: [assessor2]})
    assert [a.assessor for a in plan.assignments.filter(topic=topic)] == [assessor2]
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [assessor2]}) == 0
    assert assign_topics(actor=organizer, plan=plan, assessors={"1": [], "2": [assessor2]}) == 2
    assert not plan.assignments.filter(topic=topic).exists()


def test_a_closed_plan_stays_closed_and_keeps_its_date(plan, organizer, assessor, topic):
    assert (plan.state, plan.closed_at) == ("open", None)
    close_plan(actor=organizer, plan=plan)
    closed = Plan.objects.get(pk=plan.pk)
    assert (closed.state, plan.state) == ("closed", "closed")
    assert closed.closed_at == plan.closed_at is not None
    acts = [
        lambda: pause_plan(actor=organizer, plan=plan),
        lambda: pause_plan(actor=organizer, plan=plan, paused=False),
        lambda: pause_work(actor=organizer, plan=plan, assessor=assessor),
        lambda: assign_topics(actor=organizer, plan=plan, assessors={topic.number: []}),
        lambda: reassign_work(actor=organizer, plan=plan, assessor=assessor, to=[assessor]),
    ]
    for act in acts:
        with pytest.raises(ActionRefused, match="This plan was closed on") as refused:
            act()
        assert refused.value.code == "plan-closed"
    assert Plan.objects.get(pk=plan.pk).closed_at == closed.closed_at
    assert not Event.objects.filter(code__in=("plan.paused", "plan.resumed")).exists()


def test_a_plan_is_paused_and_resumed(plan, organizer):
    pause_plan(actor=organizer, plan=plan)
    assert Plan.objects.get(pk=plan.pk).state == plan.state == "paused"
    pause_plan(actor=organizer, plan=plan)
    pause_plan(actor=organizer, plan=plan, paused=False)
    assert Plan.objects.get(pk=plan.pk).state == plan.state == "open"
    codes = Event.objects.filter(code__startswith="plan.").order_by("pk")
    assert list(codes.values_list("code", flat=True)) == [
        "plan.created",
        "plan.paused",
        "plan.resumed",
    ]


def test_closing_once_more_cancels_expired_leases(plan, organizer, assessor, next_of):
    next_of(assessor)
    close_plan(actor=organizer, plan=plan)
    first = plan.closed_at
    event = Event.objects.filter(code="plan.closed").latest("pk")
    assert event.data == {"plan": plan.pk, "checked_out": 1}
    plan.slots.update(expires_at=timezone.now())
    assert close_plan(actor=organizer, plan=plan) == 1
    assert plan.closed_at == first


def test_expired_leases_of_a_closed_plan_are_canceled_by_a_page_of_their_own(
    plan, campaign, organizer, assessor, as_user, next_of
):
    next_of(assessor)
    close_plan(actor=organizer, plan=plan)
    plan.slots.update(expires_at=timezone.now())
    client, address = as_user(organizer), reverse("plan-close", args=[campaign.slug, plan.pk])
    page = read_page(client.get(address))
    assert "Cancel the expired leases of this closed plan?" in page
    assert "1 judgment with an expired lease is canceled." in page
    assert "Close this judging plan?" not in page
    assert "pause the plan instead" not in page
    confirm(client, address)
    shown = read_page(client.get(reverse("judging", args=[campaign.slug])))
    assert "1 expired lease canceled." in shown
    assert "Cancel expired leases" not in shown
    codes = Event.objects.filter(code__startswith="plan.").order_by("pk")
    assert list(codes.values_list("code", flat=True)) == [
        "plan.created",
        "plan.closed",
        "plan.leases_canceled",
    ]


def test_what_was_read_before_another_closed_the_plan_is_asked_anew(
    plan, campaign, organizer, as_user
):
    client, address = as_user(organizer), reverse("plan-close", args=[campaign.slug, plan.pk])
    form = read_confirmation(client.get(address))
    close_plan(actor=organizer, plan=plan)
    assert client.post(address, form).status_code == 409
