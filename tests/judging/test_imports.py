"""Imports, also while their assessors judge: both once locked what the other needed."""

import random
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.db import connection

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Event, Role, Topic, User
from judging.models import Judgment, Slot
from judging.queries.judgments import current_judgments
from judging.services import bulk
from judging.services.imports import import_judgments
from judging.services.judgments import claim_next
from judging.services.plans import create_plan
from poolbench.files.faults import InvalidFile
from tests.examples import ALL
from tests.world.at_once import run_at_once
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import joined


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
    topics = [str(n) for n in range(100, 130 if ALL else 106)]
    Topic.objects.bulk_create(Topic(campaign=campaign, number=n, title=n) for n in topics)
    pool = make_pool(campaign, {n: [f"doc{i}" for i in range(230)] for n in topics})
    people = {n: [assessor] for n in topics}
    create_plan(actor=organizer, pool=pool, overlap=1, assessors=people)
    rows = [(n, f"doc{i}", i % 3) for n in topics for i in range(290)]
    args = {"actor": organizer, "campaign": campaign, "assessor": assessor}
    with django_assert_max_num_queries(300 if ALL else 70):
        assert import_judgments(**args, rows=rows) == 290 * len(topics)
    assert Slot.objects.filter(state="judged").count() == 230 * len(topics)


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


PAIRS = 40


def judging(campaign: Campaign, user: User) -> list[UUID]:
    """Judge in random topics; return the acknowledged."""
    dice, given = random.Random(user.pk), []  # noqa: S311 (the same each time)
    topics = list(campaign.topics.all())
    for _ in range(40):
        place = {"actor": user, "campaign": campaign, "topic": dice.choice(topics)}
        if (slot := claim_next(**place)) is not None:
            given.append(uuid4())
            submit_judgment(**place, docno=slot.item.docno, grade=1, client_uuid=given[-1])
    return given


def importing(campaign: Campaign, user: User) -> list[UUID]:
    dice = random.Random(user.pk)  # noqa: S311 (as above)
    for _ in range(8):
        chosen = dice.sample(range(PAIRS), PAIRS // 2)
        rows = [(str(t), f"d{n}", dice.randrange(2)) for t in (1, 2, 3) for n in chosen]
        actor = campaign.created_by
        import_judgments(actor=actor, campaign=campaign, assessor=user, rows=rows)
    return []


if connection.vendor == "postgresql":  # elsewhere there is one writer at a time anyway

    @pytest.mark.django_db(transaction=True)
    def test_imports_and_judges_wait_for_each_other_and_lose_nothing(campaign):
        users = [joined(campaign, f"a{n}", Role.ASSESSOR) for n in range(4)]
        pool = make_pool(campaign, {t: [f"d{n}" for n in range(PAIRS)] for t in "123"})
        create_plan(
            actor=campaign.created_by, pool=pool, overlap=2, assessors=dict.fromkeys("123", users)
        )
        acts = [partial(act, campaign, user) for act in (judging, importing) for user in users]
        given = [uuid for uuids in run_at_once(lambda act: act(), acts) for uuid in uuids]
        assert Judgment.objects.filter(client_uuid__in=given).count() == len(given) > 0
        assert not Slot.objects.filter(state="judged", judgments=None).exists()
