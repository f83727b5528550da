from __future__ import annotations

import pytest

from campaigns.errors import ActionRefused
from campaigns.models import Event, Topic
from judging.models import Judgment, Slot
from judging.queries.judgments import current_judgments
from judging.services import bulk
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from poolbench.files.faults import InvalidFile
from tests.world.files import make_pool


def test_import_fills_slots_and_keeps_the_rest_without_one(plan, campaign, organizer, assessor):
    rows = [("1", "d1", 2), ("2", "d5", 0), ("2", "outside", 1)]
    args = {"actor": organizer, "campaign": campaign, "assessor": assessor}
    assert import_judgments(**args, rows=rows) == 3
    found = {j.docno: j for j in current_judgments(campaign)}
    assert found["d1"].slot.assessor == assessor
    assert found["outside"].slot is None
    assert {j.source for j in found.values()} == {"import"}
    assert Slot.objects.filter(state="judged").count() == 2
    told = Event.objects.get(code="judgments.imported").data
    assert (told["without_slot"], told["known_before"]) == (1, 0)


def test_import_again_writes_only_what_differs(plan, campaign, organizer, assessor):
    args = {"actor": organizer, "campaign": campaign, "assessor": assessor}
    import_judgments(**args, rows=[("1", "d1", 2), ("1", "d2", 0)])
    assert import_judgments(**args, rows=[("1", "d1", 2), ("1", "d2", 1)]) == 1
    assert Judgment.objects.get(docno="d2", revision=2).grade == 1
    assert current_judgments(campaign).count() == 2


def test_import_by_a_second_assessor_takes_the_next_slot(
    double_plan, campaign, organizer, assessor, assessor2, assessor3
):
    for user in (assessor, assessor2, assessor3):
        args = {"actor": organizer, "campaign": campaign, "assessor": user}
        import_judgments(**args, rows=[("1", "d1", 2)])
    slots = Judgment.objects.order_by("pk").values_list("slot__k", flat=True)
    assert list(slots) == [0, 1, None]


def test_import_lists_every_fault_and_writes_nothing(plan, campaign, organizer, assessor):
    rows = [("9", "d1", 1), ("1", "d1", 8), ("1", "d2", 1), ("1", "d2", 0), ("8", "x", -1)]
    with pytest.raises(InvalidFile) as caught:
        import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    assert caught.value.report.counts == {"EJ01": 2, "EJ02": 2, "EJ03": 1}
    assert [f.line for f in caught.value.report.faults if f.code == "EJ03"] == [4]
    assert not Judgment.objects.exists()


def test_import_wants_an_assessor(plan, campaign, organizer, participant):
    with pytest.raises(ActionRefused, match="Not an assessor"):
        import_judgments(actor=organizer, campaign=campaign, assessor=participant, rows=[])


def test_an_import_asks_a_few_queries_for_each_hundred_judgments(
    campaign, organizer, assessor, django_assert_max_num_queries
):
    topics = [str(n) for n in range(100, 130)]
    Topic.objects.bulk_create(Topic(campaign=campaign, number=n, title=n) for n in topics)
    pool = make_pool(campaign, {n: [f"doc{i}" for i in range(230)] for n in topics})
    people = {n: [assessor] for n in topics}
    create_plan(actor=organizer, pool=pool, overlap=1, assessors=people)
    rows = [(n, f"doc{i}", i % 3) for n in topics for i in range(290)]
    args = {"actor": organizer, "campaign": campaign, "assessor": assessor}
    with django_assert_max_num_queries(300):
        assert import_judgments(**args, rows=rows) == 8700
    assert Slot.objects.filter(state="judged").count() == 6900


def test_an_import_that_is_overtaken_by_its_assessor_is_written_all_the_same(
    campaign, plan, organizer, assessor, grade, monkeypatch
):
    """Between reading the last revision and writing the next, the assessor judges."""
    look = bulk.map_latest_revisions

    def look_and_be_overtaken(*args):
        found = look(*args)
        monkeypatch.setattr(bulk, "map_latest_revisions", look)
        grade(assessor, "d1", 1)
        return found

    monkeypatch.setattr(bulk, "map_latest_revisions", look_and_be_overtaken)
    rows = [("1", "d1", 3), ("1", "d2", 2)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    found = current_judgments(campaign).order_by("docno").values_list("docno", "grade")
    assert list(found) == [("d1", 3), ("d2", 2)]
