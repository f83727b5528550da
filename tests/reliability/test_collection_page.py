"""The reusability report: requested on the page, built by a job, stored as built."""

import json

import pytest
from django.urls import reverse

from campaigns.models import Job
from judging.services.plans import create_plan
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.reliability.collection.report import MEASURES
from pooling.services.freeze import freeze_pool
from reliability.queries.collection import pooled_depth
from reliability.services import reusability
from tests.csv_reading import csv_conditions
from tests.pages import read_page
from tests.world.files import qrels_release
from tests.world.judgments import submit_judgment


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Half a second for a report instead of five."""
    assert reusability.DRAWS == 50
    monkeypatch.setattr(reusability, "DRAWS", 3)


@pytest.fixture
def address(campaign):
    return reverse("reusability", args=[campaign.slug])


@pytest.fixture
def qrels(campaign, alpha, beta):
    return qrels_release(campaign)


@pytest.fixture
def pool(campaign, organizer, alpha, beta):
    return freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[alpha, beta])


@pytest.fixture
def ask(page, address, django_capture_on_commit_callbacks):
    def post(qrels):
        with django_capture_on_commit_callbacks(execute=True):
            return page.post(address, {"qrels": qrels})

    return post


@pytest.fixture
def made(page, ask, campaign):
    """The report that was asked for, and the address of its files."""

    def make(qrels="1"):
        assert ask(qrels).status_code == 302
        job = campaign.jobs.get(kind="evaluation.collection")
        assert job.state == Job.State.DONE, job.error
        where = reverse("reusability-report", args=[campaign.slug, job.pk, "json"])
        answer = page.get(where)
        assert "attachment" in answer.headers["Content-Disposition"]
        return json.loads(answer.content), where.removesuffix("json")

    return make


def test_without_judgments_the_page_says_what_is_missing(page, address):
    html = read_page(page.get(address))
    assert "No judgments" in html
    assert "Create report" not in html


def test_a_report_is_made_by_a_release_and_kept(page, address, pool, qrels, made):
    report, where = made()
    facts = report["facts"]
    assert (facts["runs"], facts["teams"], facts["depth"]) == (2, 2, 2)
    assert (facts["judged"], facts["relevant"], facts["draws"]) == (7, 3, 3)
    assert sorted(facts["measures"]) == sorted(MEASURES)
    html = read_page(page.get(address))
    assert "<td>qrels 1</td>" in html
    assert f'<a href="{where}csv" download>CSV</a>' in html
    saved = page.get(f"{where}csv")
    assert saved.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert csv_conditions(read_page(saved))["depth"] == 2
    assert 'report.html?save" download' in html
    assert "Reusability report" in read_page(page.get(f"{where}html"))


def test_a_report_can_be_made_while_people_judge(
    page, address, campaign, organizer, assessor, pool, made
):
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor], "2": [assessor]})
    topic = campaign.topics.get(number="1")
    for docno, grade in (("d1", 2), ("d2", 0), ("d3", 0)):
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=grade)
    facts = made("")[0]["facts"]
    assert (facts["judged"], facts["relevant"], facts["topics"]) == (3, 1, 1)
    assert "current judgments" in read_page(page.get(address))


def test_why_there_is_no_report_is_told(page, address, campaign, qrels, alpha, ask):
    # Nobody says how deep the pool was, and too little of what the runs have first is judged.
    qrels_release(campaign, "1 0 x1 0\n1 0 x2 1\n", version=2)
    ask("2")
    told = read_page(page.get(address))
    assert "Cannot create the report: the pool depth cannot be inferred" in told
    assert page.post(address, {"qrels": "9"}).status_code == 404
    assert page.post(address, {"qrels": "x"}).status_code == 404


def test_reports_of_before_there_was_csv_have_none(page, address, campaign, organizer):
    job = Job.objects.create(
        campaign=campaign,
        kind="evaluation.collection",
        state=Job.State.DONE,
        created_by=organizer,
        result={"version": 1, "judged": 7, "runs": 2, "html": "gone", "json": "gone"},
    )
    assert ">CSV<" not in read_page(page.get(address))
    where = reverse("reusability-report", args=[campaign.slug, job.pk, "csv"])
    assert page.get(where).status_code == 404


def test_topics_are_told_in_the_order_of_the_campaign(campaign, pool, qrels, made):
    campaign.topics.filter(number="1").update(position=99)
    topics = made()[0]["stability"]["topics"]
    assert [row["topic"] for row in topics] == ["2", "3", "1"]


def test_topics_withheld_since_the_release_are_left_out(campaign, pool, qrels, made):
    campaign.topics.filter(number="3").update(withheld=True)
    facts = made()[0]["facts"]
    assert (facts["topics"], facts["judged"]) == (2, 6)


def test_the_depth_is_that_of_the_spec_where_it_has_one():
    assert pooled_depth({"version": 1, "method": "depth", "depth": 7}) == 7
    assert pooled_depth(depth_spec(5).as_dict()) == 5
    for text, depth in (
        ("steps: [{method: depth, k: 3}, {method: maxmean}]", 3),
        ("{budget: {total: 9}, steps: [{method: depth, k: 3}]}", None),
        ("steps: [{method: take}]", None),
        ("steps: [{method: depth, k: {a: 3}}]", None),
        ("steps: [{method: depth, k: 3, documents: 4}]", None),
        ("steps: [{method: depth, k: 9, stop: {relevant: 1}}, {method: depth, k: 3}]", 3),
    ):
        assert pooled_depth(read_spec(text).as_dict()) == depth
