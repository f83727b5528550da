"""The organizer's pool pages."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.models import Run
from pooling.core.spec import depth_spec
from pooling.services import freeze
from tests.pooling.conftest import ranked_run

TREC = "1 0 d1 -1\n1 0 d2 -1\n1 0 d4 -1\n1 0 d5 -1\n2 0 d1 -1\n2 0 d2 -1\n2 0 d3 -1\n"


def asked(runs, **more):
    return {"run": [run.pk for run in runs], "depth": 2, "seconds": 30, **more}


@pytest.fixture
def page(as_user, organizer):
    """The organizer's client."""
    return as_user(organizer)


@pytest.fixture
def address(campaign):
    return reverse("pools", args=[campaign.slug])


def ticked(answer) -> set[str]:
    found = {run.pk: run.tag for run in answer.context["runs"]}
    return {found[pk] for pk in answer.context["checked"] if pk in found}


def test_without_runs_the_page_says_what_is_missing(page, address):
    assert "No runs to pool yet" in page.get(address).content.decode()


def test_all_runs_are_ticked_at_first_and_a_rule_ticks_others(page, address, runs):
    everything = {"alpha1", "alpha2", "beta1", "beta2"}
    assert ticked(page.get(address)) == everything
    assert ticked(page.get(address, {"priority": 1})) == {"alpha1", "beta1"}
    assert ticked(page.get(address, {"per_team": 1, "priority": ""})) == {"alpha1", "beta1"}
    assert ticked(page.get(address, {"per_team": 0})) == set()


def test_a_rule_that_is_no_number_is_told(page, address, runs):
    answer = page.get(address, {"priority": "first"})
    assert answer.status_code == 422
    assert "Enter a whole number" in answer.content.decode()


def test_the_preview_shows_size_cost_and_topics_and_writes_nothing(page, address, campaign, runs):
    answer = page.get(address, asked(runs, seconds=3600))
    html = answer.content.decode()
    assert "A pool of 7 documents" in html
    assert "<dd>7.0</dd>" in html
    assert "No chosen run answers topic 3" in html
    assert "Freeze pool 1" in html
    assert not campaign.pools.exists()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"run": []}, "Choose at least one run."),
        ({"depth": "deep"}, "Enter a whole number."),
        ({"depth": 5000}, "from 1 to 1,000"),
        ({"run": [99999]}, "not an accepted run"),
        ({"run": ["x"]}, "not a valid value"),
    ],
)
def test_a_wrong_question_is_told_in_the_form(page, address, runs, wrong, told):
    answer = page.get(address, asked(runs) | wrong)
    assert answer.status_code == 422
    assert told in answer.content.decode()


def test_freezing_leads_to_the_pool_and_back_to_a_list(page, address, campaign, runs):
    answer = page.post(address, asked(runs, after=0))
    pool = campaign.pools.get()
    assert answer.headers["Location"] == pool.get_absolute_url()
    shown = page.get(pool.get_absolute_url()).content.decode()
    assert pool.inputs_hash in shown
    assert "Version 1" in page.get(address).content.decode()


def test_a_second_organizer_is_told_that_the_first_was_quicker(page, address, campaign, runs):
    page.post(address, asked(runs, after=0))
    answer = page.post(address, asked(runs[:2], after=0))
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "Another pool was frozen while you looked" in html
    assert "Freeze pool 2" in html
    assert campaign.pools.count() == 1


def test_a_run_withdrawn_between_preview_and_freeze_is_told(page, address, campaign, runs):
    Run.objects.filter(pk=runs[0].pk).update(state=Run.State.WITHDRAWN)
    answer = page.post(address, asked(runs, after=0))
    assert answer.status_code == 422
    assert not campaign.pools.exists()


def test_the_file_for_judges_shows_neither_run_nor_rank(page, organizer, campaign, runs):
    pool = freeze(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    answer = page.get(reverse("pool-download", args=[campaign.slug, pool.version, "trec"]))
    assert answer.content.decode() == TREC
    assert answer.headers["Content-Disposition"] == 'attachment; filename="small-pool-1.txt"'


def test_csv_and_json_name_the_contributors(page, organizer, campaign, runs):
    freeze(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    csv = page.get(reverse("pool-download", args=[campaign.slug, 1, "csv"])).content.decode()
    assert csv.splitlines()[2] == "1,d2,1,alpha1 beta1"
    found = page.get(reverse("pool-download", args=[campaign.slug, 1, "json"])).json()
    assert found["topics"]["1"][2] == {"docno": "d4", "min_rank": 2, "contributors": ["alpha2"]}
    assert page.get(reverse("pool-download", args=[campaign.slug, 1, "pdf"])).status_code == 404


def test_a_pool_tells_which_of_its_runs_are_gone(page, organizer, campaign, runs):
    pool = freeze(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    Run.objects.filter(pk=runs[0].pk).update(state=Run.State.WITHDRAWN)
    html = " ".join(page.get(pool.get_absolute_url()).content.decode().split())
    assert "1 of the pooled runs has been replaced or withdrawn since: alpha1." in html


def test_the_page_asks_the_database_the_same_for_one_run_and_more(page, address, campaign, team):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    counts = []
    for number in (1, 2, 3):
        ranked_run(team, f"run{number}", {"1": f"d{number}"})
        with CaptureQueriesContext(connection) as told:
            page.get(address)
        counts.append(len(told))
    assert counts[0] == counts[2]


def test_an_old_pool_points_to_the_newest(page, organizer, campaign, runs):
    pools = [
        freeze(actor=organizer, campaign=campaign, spec=depth_spec(depth), runs=runs)
        for depth in (1, 2, 3)
    ]
    shown = [page.get(pool.get_absolute_url()).context["newer"] for pool in pools]
    assert shown == [pools[2], pools[2], None]
