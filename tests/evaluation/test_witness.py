"""The page *Second witness*: report of all automatic assessors, page, files, API."""

import json
from uuid import uuid4

import numpy as np
import pytest
from django.urls import reverse

from campaigns.models import Document
from campaigns.services.campaigns import update_campaign
from campaigns.services.people import get_or_create_team
from campaigns.services.snapshots import compute_report
from evaluation.queries.witness_report import (
    NO_GRADES,
    NO_MACHINES,
    NO_POOL,
    WITNESS,
    identify_witnesses,
    load_witness_report,
)
from judging.services.automatic import (
    SubmittedJudgment,
    create_automatic_assessor,
    submit_automatic_judgments,
)
from poolbench.pooling.spec_file import read_spec
from pooling.services.freeze import freeze_pool
from tests.csv_reading import csv_rows
from tests.evaluation.samples import DOCNOS, judge
from tests.pages import read_page
from tests.world.files import ranked_run

DEPTH = "{seed: 1, steps: [{method: depth, k: 20}]}"
SAMPLE = "{seed: 1, steps: [{method: influence, number: 48, measures: [map], level: 1, top: 3}]}"
PAIRS = [(topic, docno) for topic in "123" for docno in DOCNOS]


@pytest.fixture
def runs(organizer, campaign, team):
    update_campaign(actor=organizer, campaign=campaign, measures=["map", "P_5"])
    rows = [Document(campaign=campaign, docno=docno, body=f"Text {docno}.") for docno in DOCNOS]
    Document.objects.bulk_create(rows, ignore_conflicts=True)
    rivals = get_or_create_team(actor=organizer, campaign=campaign, name="Rivals")
    random = np.random.default_rng(0)
    found = []
    for at in range(4):
        ranking = {t: " ".join(random.permutation(DOCNOS)) for t in "123"}
        found.append(ranked_run((team, rivals)[at % 2], f"r{at}", ranking))
    return found


@pytest.fixture
def pool(organizer, campaign, runs):
    return freeze_pool(actor=organizer, campaign=campaign, spec=read_spec(DEPTH), runs=runs)


def grade_by_machine(pool, name: str, pairs=PAIRS):
    campaign = pool.campaign
    automatic = create_automatic_assessor(actor=pool.frozen_by, campaign=campaign, name=name)
    judgments = [
        SubmittedJudgment(topic, docno, int(int(docno[1:]) % 3 == 0), uuid4())
        for topic, docno in pairs
    ]
    submit_automatic_judgments(
        actor=pool.frozen_by, campaign=campaign, automatic=automatic, judgments=judgments
    )
    return automatic


def test_what_is_missing_is_said(organizer, campaign, request):
    assert load_witness_report(campaign).why == NO_POOL
    pool = request.getfixturevalue("pool")
    assert load_witness_report(campaign).why == NO_MACHINES
    grade_by_machine(pool, "m")
    assert load_witness_report(campaign).why == NO_GRADES


def test_a_pool_that_is_judged_completely_has_figures_with_intervals(pool, assessor):
    judge(pool, assessor, PAIRS)
    before = identify_witnesses(pool.campaign)
    grade_by_machine(pool, "m", PAIRS[:50])
    assert identify_witnesses(pool.campaign) != before
    report = load_witness_report(pool.campaign)
    (own,) = report.machines
    assert (report.judged, report.pairs, own.shared) == (60, 60, 50)
    assert own.coverage == pytest.approx(50 / 60)
    assert own.gain is None
    shares = {(c.people, c.machine): c.share for c in own.confusion.cells}
    # Of d1 to d7, d3 and d6 by three topics, of the first 50 pairs: 7 + 7 + 7 judged 1.
    assert shares[1, 1].value == pytest.approx(6 / 21)
    assert shares[1, 1].low < 6 / 21 < shares[1, 1].high
    assert {team.team for team in own.teams} == {"Rivals", pool.campaign.teams.first().name}
    assert [ranking.measure for ranking in own.rankings] == ["map", "P_5"]
    # The order of an imported file says nothing about the assessor.
    assert own.drift == ()


def test_a_sample_counts_what_is_judged_in_the_order_of_drawing(
    organizer, campaign, runs, assessor
):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=read_spec(SAMPLE), runs=runs)
    items = pool.items.values_list("topic__number", "docno")
    judge(pool, assessor, list(items))
    grade_by_machine(pool, "m")
    report = load_witness_report(campaign)
    assert (report.judged, report.pairs) == (48, 60)
    (own,) = report.machines
    assert own.gain is not None


def test_page_files_and_api_show_the_same_report(organizer, pool, assessor, client):
    judge(pool, assessor, PAIRS)
    automatic = grade_by_machine(pool, "m")
    compute_report(pool.campaign, WITNESS)
    client.force_login(organizer)
    slug = pool.campaign.slug
    page = read_page(client.get(reverse("automatic-witness", args=[slug, automatic.name])))
    assert "Second witness" in page
    assert "Its grades by people’s" in page
    address = reverse("automatic-witness-download", args=[slug, "m", "csv"])
    rows = csv_rows(client.get(address).content.decode())
    (correlation,) = [row for row in rows if row["figure"] == "correlation"]
    data = json.loads(client.get(address.replace(".csv", ".json")).content)
    stated = data["machines"][0]["confusion"]["correlation"]["value"]
    assert float(correlation["value"]) == pytest.approx(stated)
    answer = client.get(reverse("api-witness-list"), {"campaign": slug}).json()
    assert answer["report"]["machines"][0]["confusion"]["correlation"]["value"] == stated
    assert [row["text"] for row in answer["findings"]["m"]] == [
        row["text"] for row in data["findings"]["m"]
    ]
