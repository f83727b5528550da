"""The page of workers: controls, alarms, filters, work set aside and undone."""

import json
import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.models import Payment, Study, WorkUnit
from crowd.queries.unit_work import list_unit_slots
from crowd.services.unit_answers import UnitAnswer
from crowd.services.units import answer_unit, begin_unit, consent_to_study
from judging.models import Exclusion, Judgment
from tests.crowd.crowd_work import (
    FAST,
    HONEST,
    LINE,
    RANDOM,
    make_complete_unit,
    make_crowd,
    make_worker,
)
from tests.crowd.worker_study import make_study, make_unit
from tests.csv_reading import csv_rows
from tests.pages import read_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(campaign) -> Study:
    return make_study(campaign, stop_after=3)


@pytest.fixture
def crowd(study):
    return make_crowd(study, [HONEST] * 6 + [FAST, LINE])


def url(study: Study, *rest: object) -> str:
    return f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/" + "".join(
        f"{part}/" for part in rest
    )


def names_in_order(page: str) -> list[str]:
    return re.findall(r'class="mono"[^>]*>([^<]*)', page)


def test_a_study_without_workers_says_what_comes(study, as_user, organizer):
    page = read_page(as_user(organizer).get(url(study, "workers")))
    assert "No workers yet" in page


def test_the_page_shows_the_controls_of_every_worker(study, crowd, as_user, organizer):
    page = read_page(as_user(organizer).get(url(study, "workers")))
    assert sorted(names_in_order(page)) == [f"worker-t{n:04}" for n in range(8)]
    assert "8 of 8 workers" in page
    assert page.count(">Too fast</span>") == 1
    # Four gold documents: two with grade 0, two with 3; the line worker has two right.
    assert "2/4" in page
    assert "0.15 to 0.85" in page


def test_columns_sort_by_address(study, crowd, as_user, organizer):
    client = as_user(organizer)
    up = names_in_order(read_page(client.get(url(study, "workers") + "?sort=worker")))
    down = names_in_order(read_page(client.get(url(study, "workers") + "?sort=-worker")))
    assert up == sorted(up) == down[::-1]
    fastest = names_in_order(read_page(client.get(url(study, "workers") + "?sort=pace")))
    assert fastest[0] == "worker-t0006"
    alarmed = names_in_order(read_page(client.get(url(study, "workers"))))
    assert alarmed[0] == "worker-t0006"
    assert client.get(url(study, "workers") + "?sort=nonsense").status_code == 200


def test_filters_choose_by_alarm_and_state(study, crowd, as_user, organizer):
    client = as_user(organizer)
    page = read_page(client.get(url(study, "workers") + "?alarm=pace"))
    assert names_in_order(page) == ["worker-t0006"]
    page = read_page(client.get(url(study, "workers") + "?state=aside"))
    assert names_in_order(page) == []
    assert "No worker with this state and alarm." in page
    assert len(names_in_order(read_page(client.get(url(study, "workers") + "?alarm=x")))) == 8


def test_queries_do_not_grow_with_workers(study, as_user, organizer):
    client = as_user(organizer)
    make_crowd(study, [HONEST, RANDOM])
    client.get(url(study, "workers"))
    with CaptureQueriesContext(connection) as few:
        client.get(url(study, "workers"))
    for number in range(10, 40):
        make_complete_unit(study, make_worker(study, number), number)
    with CaptureQueriesContext(connection) as many:
        assert client.get(url(study, "workers")).status_code == 200
    assert len(many) == len(few)


def test_setting_aside_and_undoing_is_a_click_each(study, crowd, as_user, organizer):
    client = as_user(organizer)
    data = {"worker": crowd[0].pk, "reason": "answers in a pattern", "sort": "-gold"}
    response = client.post(url(study, "workers", "aside"), data)
    exclusion = Exclusion.objects.get()
    assert response.url == f"{url(study, 'workers')}?sort=-gold&aside={exclusion.pk}"
    assert (exclusion.worker, exclusion.actor, exclusion.unit) == (crowd[0], organizer, None)
    page = read_page(client.get(response.url))
    assert "worker-t0000 is set aside: answers in a pattern" in page
    assert f"workers/undo/{exclusion.pk}/" in page
    response = client.post(url(study, "workers", "undo", exclusion.pk))
    page = read_page(client.get(response.url))
    assert "The work of worker-t0000 counts again." in page
    assert Exclusion.objects.filter(undoes=exclusion).count() == 1
    # The address of the notice offers nothing that is undone already.
    assert "is set aside" not in read_page(
        client.get(url(study, "workers") + f"?aside={exclusion.pk}")
    )


def test_without_reason_the_alarms_are_the_reason(study, crowd, as_user, organizer):
    client = as_user(organizer)
    client.post(url(study, "workers", "aside"), {"worker": crowd[6].pk})
    assert Exclusion.objects.get().reason == "Too fast: 12 of 12 answers, median 1.0 seconds"
    page = read_page(
        client.post(url(study, "workers", "aside"), {"worker": crowd[0].pk}, follow=True)
    )
    assert "Give a reason for setting work aside." in page
    assert Exclusion.objects.count() == 1


def test_one_unit_can_be_set_aside(study, crowd, as_user, organizer):
    client = as_user(organizer)
    unit = WorkUnit.objects.get(worker=crowd[1])
    data = {"unit": unit.pk, "page": crowd[1].pk, "reason": "phone in hand"}
    response = client.post(url(study, "workers", "aside"), data)
    assert response.url.startswith(url(study, "workers", crowd[1].pk))
    assert Exclusion.objects.get().unit == unit
    assert "1 unit set aside" in read_page(client.get(url(study, "workers")))


def test_a_running_unit_of_a_worker_who_is_set_aside_ends_and_is_paid(study, as_user, organizer):
    unit = begin_unit(unit=consent_to_study(unit=make_unit(study), version=1))
    slot = list_unit_slots(unit)[0]
    answer_unit(unit=unit, answer=UnitAnswer(slot.token, uuid4(), 1))
    as_user(organizer).post(
        url(study, "workers", "aside"), {"worker": unit.worker_id, "reason": "x"}
    )
    unit.refresh_from_db()
    assert unit.state == WorkUnit.State.SCREENED_OUT
    payment = Payment.objects.get(unit=unit)
    assert (payment.judged, str(payment.amount)) == (1, "0.50")  # 3.00 · 1/6


def test_the_page_of_a_worker(study, crowd, as_user, organizer):
    page = read_page(as_user(organizer).get(url(study, "workers", crowd[7].pk)))
    assert "worker-t0007" in page
    assert page.count("golddoc") == 8  # on the list of gold, and in the timeline
    assert ">different<" in page
    assert "Nothing was ever set aside." in page
    assert as_user(organizer).get(url(study, "workers", 987654321)).status_code == 404


def test_a_withdrawn_answer_and_a_trial_count_for_nothing(study, crowd, as_user, organizer):
    WorkUnit.objects.filter(worker=crowd[0]).update(trial=True)
    row = Judgment.objects.filter(unit__worker=crowd[1], purpose="judge").first()
    Judgment.objects.create(
        campaign=row.campaign, topic=row.topic, docno=row.docno, assessor=row.assessor,
        revision=2, kind="withdrawn", unit=row.unit, source="crowd",
    )  # fmt: skip
    rows = csv_rows(as_user(organizer).get(url(study) + "workers.csv").content.decode())
    judged = {row["pseudonym"]: row["judged"] for row in rows}
    assert "worker-t0000" not in judged
    assert (judged["worker-t0001"], judged["worker-t0002"]) == ("11", "12")


def test_workers_as_a_file(study, crowd, as_user, organizer):
    client = as_user(organizer)
    data = json.loads(client.get(url(study) + "workers.json").content)
    assert [alarm["alarm"] for alarm in data["alarms"]] == ["Too fast", "Same grade in a row"]
    assert data["workers"][7]["entropy"] == 0.0
    assert data["workers"][7]["balanced"] == 0.5
    assert client.get(url(study) + "workers.exe").status_code == 404
