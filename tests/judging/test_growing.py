"""Pools that grow while people judge: what comes next, who gets it, and that it can be replayed."""

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from campaigns.errors import ActionRefused
from judging.models import Judgment, Plan, Slot
from judging.services import plans
from judging.services.adaptive_pools import extend_adaptive_topic
from judging.services.judgments import claim_ahead, claim_next, undo_judgment
from judging.services.plans import PlanOptions, allocate_plan, close_plan, create_plan, preview_plan
from poolbench.cache import Cache, clear_caches
from poolbench.judging import repeats
from poolbench.pooling.session import LogMismatch
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from pooling.models import Pool, PoolEvent, PoolItem
from pooling.queries import frozen_pools
from pooling.queries.adaptive_pools import list_growth
from pooling.services import adaptive_pools
from pooling.services.freeze import freeze_pool
from tests.refusals import refusal
from tests.world.judged import GROWING
from tests.world.judgments import submit_judgment

WHOLE = "steps: [{method: depth, k: 1}, {method: maxmean}]"
"""As ``GROWING``, to the last document."""


@pytest.fixture
def runs(restore, team):
    return restore("growing_runs")


@pytest.fixture
def pool(restore, runs) -> Pool:
    return restore("growing_pool")


@pytest.fixture
def plan(restore, pool, assessor):
    return restore("growing_plan")


def said(who, slot, grade: int) -> Judgment:
    return submit_judgment(actor=who, grade=grade, slot=slot)


def worked(who, campaign, topic, good: str = "") -> list[str]:
    """All that comes to ``who``, one after the other; ``good`` docnos are relevant."""
    came = []
    while (slot := claim_next(actor=who, campaign=campaign, topic=topic)) is not None:
        said(who, slot, int(slot.item.docno in good.split()))
        came.append(slot.item.docno)
    return came


def test_a_pool_is_frozen_with_what_needs_no_judgments(pool):
    assert sorted(pool.items.values_list("docno", flat=True)) == ["d1", "d5", "d8"]
    assert (pool.size, pool.is_adaptive, pool.method) == (
        3,
        True,
        "depth 1, then maxmean, 6 per topic",
    )
    assert list(pool.growing.values_list("topic__number", "budget", "ended")) == [("1", 6, False)]


def test_the_run_that_finds_something_is_followed(pool, plan, campaign, assessor, topic):
    came = worked(assessor, campaign, topic, good="d5 d6 d7")
    # The first of each run were the same for all; then south's d6, which is relevant, as is d7,
    # with d2, which north lists as well, between them.
    assert sorted(came[:3]) == ["d1", "d5", "d8"]
    assert came[3:] == ["d6", "d2", "d7"]
    assert not campaign.topics.filter(number="1", pk__in=pool.growing.filter(ended=False)).exists()
    assert adaptive_pools.verify_pool_log(pool) == 6


def test_the_page_of_the_pool_tells_how_it_grows(
    campaign, runs, assessor, as_user, organizer, next_of
):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=read_spec(WHOLE), runs=runs)
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    for _ in range(5):
        slot = next_of(assessor)
        said(assessor, slot, int(slot.item.docno in ("d5", "d6")))
    next_of(assessor)
    (grown,) = list_growth(pool)
    assert (grown.selected, grown.budget, grown.judged, grown.relevant) == (6, 9, 5, 2)
    # South's two are of the only team; nothing relevant came with the one after them.
    assert (grown.one_team, grown.barren, grown.ended) == (2, 1, False)
    assert not grown.many_relevant  # 2 of 5 are many, but 5 say nothing yet
    html = as_user(organizer).get(pool.get_absolute_url()).content.decode()
    assert "Adaptive growth" in html
    assert "40 %" in html


def test_several_assessors_get_different_documents_without_waiting(
    pool, campaign, organizer, assessor, assessor2, topic
):
    people = {"1": [assessor, assessor2]}
    create_plan(actor=organizer, pool=pool, overlap=1, assessors=people)
    args = {"campaign": campaign, "topic": topic, "count": 3}
    first = claim_ahead(actor=assessor, **args)
    second = claim_ahead(actor=assessor2, **args)
    docnos = [slot.item.docno for slot in (*first, *second)]
    assert len(set(docnos)) == 6


def test_with_overlap_two_each_document_is_asked_for_twice(
    pool, campaign, organizer, assessor, assessor2, topic
):
    people = {"1": [assessor, assessor2]}
    create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    assert sorted(worked(assessor, campaign, topic)) == sorted(worked(assessor2, campaign, topic))
    assert Slot.objects.filter(state="judged").count() == 12
    # The first judgment of each is what the pool went by.
    assert PoolEvent.objects.filter(relevant=False).count() == 6 - 1
    assert adaptive_pools.verify_pool_log(pool) == 6


def test_a_changed_judgment_rewrites_nothing(pool, plan, campaign, assessor, topic, next_of):
    for _ in range(4):
        said(assessor, next_of(assessor), 1)
    before = list(PoolEvent.objects.values_list("number", "docno", "relevant"))
    first = Judgment.objects.order_by("pk").first()
    submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=first.docno, grade=0)
    undo_judgment(actor=assessor, campaign=campaign)
    worked(assessor, campaign, topic)
    assert (
        list(PoolEvent.objects.values_list("number", "docno", "relevant"))[: len(before)] == before
    )
    assert adaptive_pools.verify_pool_log(pool) == 6


def test_a_withdrawn_run_goes_on_contributing(plan, campaign, assessor, topic, runs):
    clear_caches()
    runs[0].__class__.objects.filter(pk=runs[0].pk).update(state="withdrawn")
    assert len(worked(assessor, campaign, topic)) == 6


def test_judgments_of_an_earlier_pool_count_and_are_not_asked_for_again(
    campaign, organizer, assessor, topic, runs
):
    earlier = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    create_plan(actor=organizer, pool=earlier, overlap=1, assessors={"1": [assessor]})
    before = worked(assessor, campaign, topic, good="d5 d6")
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=read_spec(WHOLE), runs=runs)
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    came = worked(assessor, campaign, topic, good="d7")
    assert sorted(before + came) == [f"d{n}" for n in range(1, 10)]
    assert came[0] in ("d7", "d2")  # south had found something
    assert pool.items.count() == 9


def test_other_designs_cannot_share_it_out(pool, organizer, assessor, assessor2):
    people = {"1": [assessor, assessor2]}
    scheme = PlanOptions(design="round-robin", parameters={"n": 1})
    assert (
        refusal(create_plan, actor=organizer, pool=pool, assessors=people, scheme=scheme)
        == "pool-grows"
    )


def test_who_is_not_assigned_makes_nothing_grow(plan, assessor2, next_of):
    assert next_of(assessor2) is None
    assert PoolEvent.objects.count() == 0


def test_a_closed_plan_makes_nothing_grow(pool, plan, organizer, assessor, topic, campaign):
    """Who asked a moment before must not leave slots that nobody would ever get."""
    close_plan(actor=organizer, plan=Plan.objects.get(pk=plan.pk))
    assert extend_adaptive_topic(assessor, plan, topic, 2) == 0
    assert PoolEvent.objects.count() == 0
    # What was asked for and not judged is in the next plan.
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    assert len(worked(assessor, campaign, topic)) == 6


def test_what_was_planned_before_counts_what_has_grown(pool, plan, organizer, assessor, topic):
    worked(assessor, plan.campaign, topic)
    people = {"1": [assessor]}
    scheme = PlanOptions(parameters={"n": 1})
    found = preview_plan(actor=organizer, pool=pool, scheme=scheme, assessors=people)
    assert (len(found.allocation.pairs), found.planned_before) == (0, 6)


def test_a_plan_does_not_ask_for_what_a_pool_has_grown_by_meanwhile(
    plan, campaign, organizer, assessor, topic, runs, monkeypatch
):
    deep = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(4), runs=runs)

    def laid_and_late(*args):
        laid = allocate_plan(*args)
        claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=5)
        return laid

    monkeypatch.setattr(plans, "allocate_plan", laid_and_late)
    assert (
        refusal(create_plan, actor=organizer, pool=deep, overlap=1, assessors={"1": [assessor]})
        == "planned-meanwhile"
    )
    monkeypatch.undo()
    create_plan(actor=organizer, pool=deep, overlap=1, assessors={"1": [assessor]})
    docnos = Slot.objects.values_list("item__docno", flat=True)
    assert len(docnos) == len(set(docnos)) == 9


def test_a_repeat_waits_until_its_turn_while_a_pool_grows(
    pool, campaign, organizer, assessor, topic, monkeypatch
):
    monkeypatch.setattr(repeats, "SOONEST", 4)
    scheme = PlanOptions(parameters={"n": 1}, repeat_share=1.0)
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]}, scheme=scheme)
    came = worked(assessor, campaign, topic)
    again = {docno: at for at, docno in enumerate(came)}
    apart = [again[docno] - came.index(docno) for docno in again]
    assert (len(came), sum(map(bool, apart)), min(filter(None, apart)) > 4) == (8, 2, True)


@pytest.mark.django_db(transaction=True)
def test_what_was_rolled_back_is_forgotten(
    pool, plan, campaign, assessor, topic, monkeypatch, next_of
):
    def hand() -> None:
        said(assessor, next_of(assessor), 0)

    hand()
    hand()
    with transaction.atomic():
        extend_adaptive_topic(assessor, plan, topic, 3)
        transaction.set_rollback(True)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(adaptive_pools, "SESSIONS", Cache(1000))
        for _ in range(3):
            hand()
    assert len(worked(assessor, campaign, topic)) == 1
    assert adaptive_pools.verify_pool_log(pool) == 6


@pytest.mark.django_db(transaction=True)
def test_a_database_that_was_put_back_is_not_mixed_up_with_memory(
    pool, plan, campaign, assessor, topic
):
    def came(good: str) -> list[str]:
        docnos = worked(assessor, campaign, topic, good)
        assert adaptive_pools.verify_pool_log(pool) == 6
        return docnos

    pools = PoolItem.objects.filter(pool=pool)
    at_first = list(pools.values_list("pk", flat=True))
    came("d5")
    # Back to where it was frozen.
    Judgment.objects.all()._raw_delete("default")
    Slot.objects.exclude(item__in=at_first).delete()
    Slot.objects.update(state="open", assessor=None)
    PoolEvent.objects.filter(pool=pool)._raw_delete("default")
    pools.exclude(pk__in=at_first)._raw_delete("default")
    pool.growing.update(ended=False)
    assert len(came("d8 d9")) == 6


def test_memory_is_bounded(pool, plan, topic, monkeypatch):
    sessions = adaptive_pools.SESSIONS
    monkeypatch.setattr(sessions, "bound", 60)
    folded = adaptive_pools.get_session(pool, topic)
    assert folded.session.cells == 3 * 9
    for key in range(5):
        sessions.put((0, pool.frozen_at, key), folded)
    assert [key for _, _, key in sessions.list_keys()] == [3, 4]


def test_a_pool_that_does_not_follow_its_log_is_told(pool, plan, campaign, assessor, topic):
    worked(assessor, campaign, topic)
    assert adaptive_pools.verify_pool_log(pool) == 6
    last = PoolItem.objects.filter(pool=pool).order_by("-position")[0]
    PoolItem.objects.filter(pk=last.pk).update(docno="d0")
    with pytest.raises(LogMismatch, match="topic 1"):
        adaptive_pools.verify_pool_log(pool)
    with pytest.raises(CommandError, match="do not match their log: 1"):
        call_command("check_pool", "small")


def test_an_assessor_is_told_that_a_log_is_not_followed(plan, assessor, next_of):
    for _ in range(4):
        said(assessor, next_of(assessor), 0)
    PoolEvent.objects.filter(relevant=None).update(docno="d0")
    with pytest.raises(ActionRefused, match="pool 1 differs from its log in topic 1") as refused:
        next_of(assessor)
    assert refused.value.code == "pool-diverged"


def test_the_command_plays_the_log_again(plan, campaign, assessor, organizer, topic, runs, capsys):
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    worked(assessor, campaign, topic)
    call_command("check_pool", "small")
    told = capsys.readouterr().out.splitlines()
    assert told == ["pool 1: 6 documents, as in its log", "pool 2: not adaptive"]
    with pytest.raises(CommandError, match="Unknown campaign"):
        call_command("check_pool", "nowhere")


@pytest.mark.parametrize("rule", [1, 2])
def test_a_pool_frozen_before_rules_had_numbers_goes_on_by_the_first(
    rule, campaign, organizer, assessor, topic, runs, next_of
):
    spec = GROWING.replace("maxmean", "mmns").replace("seed: 1", f"seed: 5, rule: {rule}")
    spec = read_spec(spec)
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    assert pool.spec["rule"] == rule
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    for _ in range(5):
        slot = next_of(assessor)
        said(assessor, slot, 0)
    without = {key: value for key, value in pool.spec.items() if key != "rule"}
    Pool.objects.filter(pk=pool.pk).update(spec=without)
    pool.refresh_from_db()
    if rule == 1:
        assert frozen_pools.frozen_spec(pool).rule == 1
        assert adaptive_pools.verify_pool_log(pool) == 5
        worked(assessor, campaign, topic)
        assert adaptive_pools.verify_pool_log(pool) == 6
    else:
        with pytest.raises(LogMismatch):
            adaptive_pools.verify_pool_log(pool)
