"""Links of workers: those that claim nothing, that lead on, and lists of them."""

import pytest
from django.test import Client

from crowd.models import CrowdWorker, Study, WorkUnit
from crowd.queries.keys import unseal_external
from judging.models import Judgment
from tests.crowd.visiting import begin, enter, make_task, read_hidden, work
from tests.csv_reading import csv_rows
from tests.pages import read_page

pytestmark = pytest.mark.django_db


def test_to_look_at_a_link_claims_nothing(study):
    link, visitor = make_task(study), Client()
    assert visitor.head(link).status_code == 200
    assert visitor.options(link).status_code == 405
    assert visitor.head(link + "0").status_code == 403
    assert (WorkUnit.objects.count(), CrowdWorker.objects.count()) == (0, 0)


def test_a_comment_loses_its_control_characters(study):
    visitor = Client()
    path = enter(visitor, make_task(study))
    begin(visitor, path)
    fields = read_hidden(read_page(visitor.get(path)))
    wrong = {"cannot": "1", "reason": "other", "comment": "torn\0 page\x1b\n2"}
    assert visitor.post(path + "answer/", fields | wrong).status_code == 303
    assert Judgment.objects.get().comment == "torn page\n2"


def test_a_second_task_leads_to_the_one_that_is_open(study):
    visitor = Client()
    path = enter(visitor, make_task(study))
    begin(visitor, path)
    answer = visitor.get(make_task(study, uid="s2"))
    assert answer.status_code == 409
    assert "Finish that one first" in read_page(answer)
    assert WorkUnit.objects.count() == 1
    address = read_page(answer).partition('class="button primary" href="')[2].partition('"')[0]
    assert "Document 1 of 6" in read_page(visitor.get(address))


def test_a_link_that_anybody_could_write_opens_no_task_of_another(study):
    Study.objects.update(provider="prolific", provider_settings={"unsigned": True})
    door = f"/w/{study.campaign.slug}/{study.pk}/?PROLIFIC_PID=p1&STUDY_ID=x&SESSION_ID="
    visitor = Client()
    begin(visitor, enter(visitor, door + "s1"))
    answer = visitor.get(door + "s2")
    assert answer.status_code == 409
    assert "/w/unit/" not in read_page(answer)


def test_one_link_hands_out_unit_after_unit(study):
    Study.objects.update(unit_size=1, gold_per_unit=0, units_per_worker=2)
    link, visitor = make_task(study, uid=""), Client()
    for _ in range(2):
        enter(visitor, link)
    assert WorkUnit.objects.count() == 1
    work(visitor, link)
    work(visitor, link)
    units = WorkUnit.objects.order_by("pk")
    assert [each.state for each in units] == [WorkUnit.State.COMPLETE] * 2
    assert [unseal_external(study.campaign, each.external_id) for each in units] == ["p1/1", "p1/2"]
    refused = visitor.get(link)
    assert (refused.status_code, "worker-limit" in read_page(refused)) == (409, True)


def test_the_next_unit_has_an_id_that_no_other_link_used(study):
    Study.objects.update(unit_size=1, gold_per_unit=0, units_per_worker=3)
    visitor = Client()
    work(visitor, make_task(study, uid="p1/2"))
    work(visitor, make_task(study, uid=""))
    units = WorkUnit.objects.order_by("pk")
    assert [unseal_external(study.campaign, each.external_id) for each in units] == ["p1/2", "p1/3"]


def test_an_address_has_a_rate_at_the_door_and_in_units(study, settings):
    settings.POOLBENCH_CROWD_RATE = "2/min"
    visitor = Client()
    path = enter(visitor, make_task(study))
    assert visitor.get(path + "consent/").status_code == 200
    base = f"/w/{study.campaign.slug}/{study.pk}/"
    for address in ("return/", "hook/"):
        assert visitor.post(base + address).status_code == 429
    for address in (path, make_task(study, uid="s2")):
        answer = visitor.get(address)
        assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
        assert not answer.cookies
    assert visitor.get(path, REMOTE_ADDR="10.0.0.9").status_code == 303


def test_links_of_many_workers_are_one_file(door_study, as_user, organizer):
    study = door_study
    browser, url = as_user(organizer), f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/keys/"
    form = {"act": "links", "workers": "p1\r\np2\np1\n", "units": "a b", "hours": "48"}
    assert browser.post(url, form).status_code == 409  # no key
    browser.post(url, {"act": "add"})
    answer = browser.post(url, form)
    rows = csv_rows(answer.content.decode())
    assert [(row["worker"], row["unit"]) for row in rows] == [
        ("p1", "p1/a"), ("p1", "p1/b"), ("p2", "p2/a"), ("p2", "p2/b"),
    ]  # fmt: skip
    units = {enter(Client(), row["link"].removeprefix("http://testserver")) for row in rows}
    assert len(units) == WorkUnit.objects.count() == 4
    (row,) = csv_rows(browser.post(url, form | {"workers": "p3", "units": ""}).content.decode())
    assert (row["worker"], row["unit"], "mode=next" in row["link"]) == ("p3", "", True)
    for bad in (
        {"workers": ""},
        {"workers": "é"},
        {"workers": "a a/b", "units": "b/c c"},
        {"hours": "0"},
        {"workers": " ".join(map(str, range(2501)))},
    ):
        assert browser.post(url, form | bad).status_code == 409


def test_an_id_of_the_provider_finds_its_worker(study, as_user, organizer):
    enter(Client(), make_task(study, worker="5f2e"))
    worker = CrowdWorker.objects.get()
    base = f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/workers/"
    browser = as_user(organizer)
    assert browser.post(base, {"external": " 5f2e "})["Location"] == f"{base}{worker.pk}/"
    missed = browser.post(base, {"external": "5f2\0"}, follow=True)
    assert "No worker of this study has this ID" in read_page(missed)
