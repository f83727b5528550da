"""Who waits for whom in PostgreSQL: organizers' acts and judgments must never wait in a ring."""

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Barrier, Event

import pytest
from django.db import connection, transaction
from django.db.models.deletion import Collector

from judging.models import Judgment, Purpose, Slot, StoppedTopic
from judging.services import adaptive_pools, imports, judgments, plans
from judging.services.bulk import ImportRow
from judging.services.judgments import claim_next, try_lease
from judging.services.leases import lease_slots
from judging.services.plans import close_plan, create_plan
from judging.services.stopping import set_stopping_rule
from poolbench.judging.stopping import StoppingCriteria
from poolbench.pooling.spec_file import read_spec
from pooling.services.freeze import freeze_pool
from tests.world.files import make_pool, ranked_run
from tests.world.judgments import submit_judgment

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer"),
]
WAIT, MEETING = 20, 0.5


def apart(act):
    """``act`` with a connection of its own, closed after it."""

    def run(*args):
        try:
            return act(*args)
        finally:
            connection.close()

    return run


def test_a_plan_is_made_while_a_judgment_is_written(
    plan, campaign, organizer, assessor, topic, monkeypatch
):
    more = make_pool(campaign, {"1": ["n1", "n2"]}, version=2)
    about_to_wait, lock = Event(), plans.lock_judging

    def tell_and_lock(*args, **options):
        about_to_wait.set()
        lock(*args, **options)

    monkeypatch.setattr(plans, "lock_judging", tell_and_lock)
    make = apart(lambda: create_plan(actor=organizer, pool=more, assessors={"1": [assessor]}))
    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno="d1", grade=1)
            made = other.submit(make)
            assert about_to_wait.wait(WAIT)
        assert made.result(WAIT).slots.count() == 2


def test_a_document_handed_out_while_its_plan_is_closed_stays(
    plan, organizer, assessor, monkeypatch
):
    """The lease comes between the closing's look and its deletion: it waits, and gets nothing."""
    slot = Slot.objects.get(item__docno="d1")
    take = apart(lambda: try_lease(slot, assessor))
    delete = Collector.delete
    with ThreadPoolExecutor(1) as other:
        taken = []

        def meet_and_delete(collector):
            taken.append(other.submit(take))
            wait(taken, MEETING)
            return delete(collector)

        monkeypatch.setattr(Collector, "delete", meet_and_delete)
        close_plan(actor=organizer, plan=plan)
        assert Slot.objects.filter(pk=slot.pk).exists() == taken[0].result(WAIT)


def test_documents_leased_together_wait_for_a_locked_one_last(plan, assessor, assessor2):
    """Those that are free are leased and committed before; the locked one is then gone."""
    first, locked, third = Slot.objects.filter(topic__number="1").order_by("position")[:3]
    take = apart(lambda: lease_slots([first, locked, third], assessor))
    theirs = Slot.objects.get(pk=locked.pk)
    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            assert try_lease(theirs, assessor2)
            taken = other.submit(take)
            assert not wait([taken], MEETING).done
            own = Slot.objects.filter(assessor=assessor).order_by("position")
            assert list(own) == [first, third]
        assert taken.result(WAIT) == [first, third]
    assert Slot.objects.get(pk=locked.pk).assessor == assessor2


def test_two_growing_pools_do_not_ask_for_one_document(campaign, organizer, assessor, team, topic):
    """They grow at once: the second waits, and then knows what the first has asked for."""
    runs = [ranked_run(team, tag, {"1": "d1 d2 d3 d4 d5 d6"}) for tag in ("north", "south")]
    made = []
    for limit in (5, 6):
        spec = read_spec(f"{{steps: [{{method: maxmean}}], budget: {{per_topic: {limit}}}}}")
        pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
        made.append(create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]}))
    one, two = made

    def bring():
        with transaction.atomic():
            assert adaptive_pools.extend_adaptive_topic(assessor, two, topic, 2) == 2

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            assert adaptive_pools.extend_adaptive_topic(assessor, one, topic, 2) == 2
            second = other.submit(apart(bring))
            assert not wait([second], MEETING).done
        second.result(WAIT)
    assert len(set(Slot.objects.values_list("item__docno"))) == 4


def test_of_two_judgments_at_once_the_later_one_decides_whether_a_topic_ends(
    double_plan, campaign, organizer, assessor, assessor2, topic, monkeypatch
):
    """Both are written before either looks: the one alone would end the topic, both do not."""
    set_stopping_rule(actor=organizer, campaign=campaign, rule=StoppingCriteria(no_relevant_in=2))
    args = {"campaign": campaign, "topic": topic}
    submit_judgment(**args, actor=assessor, docno="d1", grade=0)
    both, follow = Barrier(2), judgments.apply_stopping_rule

    def meet_and_follow(*told):
        both.wait(WAIT)
        follow(*told)

    monkeypatch.setattr(judgments, "apply_stopping_rule", meet_and_follow)
    said = [(assessor, "d2", 0), (assessor2, "d3", 1)]
    act = apart(
        lambda who, docno, grade: submit_judgment(**args, actor=who, docno=docno, grade=grade)
    )
    with ThreadPoolExecutor(2) as others:
        assert len([*others.map(lambda each: act(*each), said)]) == 2
    assert not StoppedTopic.objects.exists()


def test_an_import_by_two_and_a_document_that_comes_meanwhile_do_not_wait_in_a_ring(
    campaign, organizer, assessor, assessor2, team, topic, monkeypatch
):
    """The judge holds a slot that the import has not seen, and wants the topic."""
    spec = read_spec("{steps: [{method: maxmean}], budget: {per_topic: 5}}")
    runs = [ranked_run(team, tag, {"1": "d1 d2 d3 d4 d5 d6"}) for tag in ("north", "south")]
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]})
    set_stopping_rule(actor=organizer, campaign=campaign, rule=StoppingCriteria(no_relevant_in=9))
    args = {"actor": assessor, "campaign": campaign, "topic": topic}
    append_all, judged = imports.append_judgments, []

    def judge_next():
        docno = claim_next(**args).item.docno
        return submit_judgment(**args, docno=docno, grade=0)

    def append_and_meet(*told, **options):
        counts = append_all(*told, **options)
        if not judged:
            judged.append(other.submit(apart(judge_next)))
            wait(judged, MEETING)
        return counts

    monkeypatch.setattr(imports, "append_judgments", append_and_meet)
    rows = [ImportRow(topic.pk, docno, "grade", 0) for docno in ("d5", "d6")]
    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            said = {assessor2: rows, organizer: rows}
            pairs = [row[:2] for row in rows]
            imports.write_imported(organizer, campaign, said, pairs, Purpose.JUDGE, {})
        assert judged[0].result(WAIT).docno == "d1"
    assert Judgment.objects.count() == 5
