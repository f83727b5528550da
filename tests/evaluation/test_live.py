"""Scores from the judgments so far: right after every kind of change, and only then renewed."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from campaigns.models import Campaign, Topic
from evaluation.queries import interim_scores as live_module
from evaluation.queries.interim_scores import compute_interim_scores, topic_log_marks
from evaluation.services.scoring import score_campaign
from judging.models import Plan
from judging.queries.judgments import load_log_reader
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from tests.pages import read_page
from tests.world.files import accepted_run


def judge(campaign, organizer, assessor, *rows):
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)


@pytest.fixture
def live(organizer, campaign, alpha, beta, beta2):
    return lambda policy="majority": compute_interim_scores(
        actor=organizer, campaign=campaign, policy=policy
    )


def test_live_scores_are_those_of_a_release_made_now(
    live, organizer, campaign, assessor, alpha, beta
):
    judge(campaign, organizer, assessor, ("1", "d1", 2), ("1", "d3", 0), ("2", "d1", 1))
    scores = live()
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    kept = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    for run, values, means in zip(scores.runs, scores.values, scores.means, strict=True):
        row = kept.runs.get(run=run)
        assert np.array_equal(values, row.table, equal_nan=True)
        assert means == pytest.approx([row.means[m.name] for m in scores.measures], nan_ok=True)


def test_models_of_all_pairs_are_fitted_anew_with_each_judgment(
    live, organizer, campaign, assessor, assessor2, alpha, beta
):
    policy = "crowd:dawid-skene-one-coin"
    judge(campaign, organizer, assessor, ("1", "d1", 1), ("1", "d3", 0), ("2", "d1", 1))
    judge(campaign, organizer, assessor2, ("1", "d1", 1), ("1", "d3", 1))
    assert live(policy).rescored == 2
    assert live(policy).rescored == 0
    judge(campaign, organizer, assessor2, ("2", "d1", 0))
    scores = live(policy)
    assert scores.rescored == 2
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy=policy)
    kept = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    for run, values in zip(scores.runs, scores.values, strict=True):
        assert np.array_equal(values, kept.runs.get(run=run).table, equal_nan=True)


def test_judged_at_10_among_the_measures_of_the_campaign_is_one_column(
    client, organizer, campaign, assessor, alpha
):
    Campaign.objects.update(measures=["judged_10", "map"])
    judge(campaign, organizer, assessor, ("1", "d1", 2))
    client.force_login(organizer)
    answer = client.get(reverse("interim-scores", args=[campaign.slug]))
    assert [column.name for column in answer.context["columns"]] == ["map", "judged_10"]
    assert 'class="verdict-line"' in read_page(answer)


def test_an_unknown_policy_is_refused_and_a_crowd_policy_offered(
    client, organizer, campaign, assessor, assessor2, alpha, beta, beta2, restore
):
    restore("pool")
    restore("plan")
    Plan.objects.update(overlap=2)
    client.force_login(organizer)
    address = reverse("interim-scores", args=[campaign.slug])
    refused = client.get(address, {"policy": "crowd:nonsense"})
    assert refused.status_code == 409
    assert "crowd:nonsense is no policy of this page" in read_page(refused)
    page = read_page(client.get(address, {"policy": "crowd:ordinal"}))
    assert '<option value="crowd:ordinal" selected>' in page


def test_only_topics_with_new_judgments_are_scored_again(live, organizer, campaign, assessor):
    judge(campaign, organizer, assessor, ("1", "d1", 2), ("2", "d1", 1))
    assert live().rescored == 2
    assert live().rescored == 0
    judge(campaign, organizer, assessor, ("1", "d3", 0))
    assert live().rescored == 1
    assert live("maximum").rescored == 2


def test_what_is_kept_in_memory_is_bounded(live, organizer, campaign, assessor, monkeypatch):
    monkeypatch.setattr(live_module.TOPIC_SCORES, "bound", 2)
    judge(campaign, organizer, assessor, ("1", "d1", 2), ("2", "d1", 1))
    for policy in ("majority", "maximum", "single"):
        live(policy)
    assert len(live_module.TOPIC_SCORES) == 2
    assert live("single").rescored == 0


def test_a_changed_judgment_changes_the_scores(live, organizer, campaign, assessor):
    judge(campaign, organizer, assessor, ("1", "d1", 2))
    names = [measure.name for measure in live().measures]
    before = [means[names.index("map")] for means in live().means]
    judge(campaign, organizer, assessor, ("1", "d1", 0))
    assert before == [0.5, 1.0, 0.0]
    assert [means[names.index("map")] for means in live().means] == [0.0, 0.0, 0.0]


def test_a_new_run_appears(live, organizer, campaign, assessor, team):
    judge(campaign, organizer, assessor, ("1", "d1", 2))
    assert len(live().runs) == 3
    accepted_run(team, "alpha-two", "1 Q0 d1 1 1 alpha-two\n")
    assert [run.tag for run in live().runs][-1] == "alpha-two"


def test_pairs_that_the_policy_cannot_decide_are_left_out_and_counted(
    live, organizer, campaign, assessor, assessor2
):
    judge(campaign, organizer, assessor, ("1", "d1", 2), ("1", "d2", 1))
    judge(campaign, organizer, assessor2, ("1", "d1", 0))
    scores = live("single")
    assert (scores.judged, scores.undecided) == (1, 1)
    assert live("maximum").judged == 2


def test_a_topic_of_which_nothing_is_decided_is_no_part_of_a_mean(
    live, organizer, campaign, assessor, assessor2
):
    judge(campaign, organizer, assessor, ("1", "d1", 2))
    alone = live("single")
    judge(campaign, organizer, assessor, ("2", "d1", 0))
    judge(campaign, organizer, assessor2, ("2", "d1", 1))
    scores = live("single")
    assert (scores.undecided, scores.topics["2"].judged) == (1, 0)
    assert scores.values.shape == alone.values.shape
    assert scores.means == alone.means


def test_withheld_topics_are_left_out(live, organizer, campaign, assessor):
    judge(campaign, organizer, assessor, ("1", "d1", 2), ("2", "d1", 1))
    Topic.objects.filter(campaign=campaign, number="2").update(withheld=True)
    assert list(live().topics) == ["1"]


def test_only_organizers_see_the_scores_so_far(campaign, assessor):
    with pytest.raises(PermissionDenied):
        compute_interim_scores(actor=assessor, campaign=campaign, policy="majority")


def test_the_page_hears_adjudications_unless_told_otherwise(client, live, organizer, campaign):
    client.force_login(organizer)
    page = client.get(reverse("interim-scores", args=[campaign.slug]))
    assert page.context["policy"] == "adjudicated-median-floor"


def test_the_page_ranks_the_runs_and_tells_who_moved(client, live, organizer, campaign, assessor):
    url = reverse("interim-scores", args=[campaign.slug])
    client.force_login(organizer)
    assert "No interim scores" in read_page(client.get(url))
    judge(campaign, organizer, assessor, ("1", "d3", 2))
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    page = client.get(url, {"by": "map"})
    assert sorted(row.place for row in page.context["rows"]) == [1, 2, 2]
    judge(campaign, organizer, assessor, ("1", "d3", 0), ("1", "d1", 2))
    page = client.get(url, {"by": "map"})
    rows = [(row.run.tag, row.move.moved) for row in page.context["rows"]]
    # Equal scores share the better place, as on the leaderboard: beta-secret was second.
    assert rows == [("beta-secret", 1), ("alpha-one", -1), ("beta-other", -1)]
    assert "▲ 1" in read_page(page)


def test_movement_is_told_against_the_newest_scores_with_that_measure(
    client, live, organizer, campaign, assessor
):
    judge(campaign, organizer, assessor, ("1", "d1", 2))
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    first = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["P_5"])
    client.force_login(organizer)
    page = client.get(reverse("interim-scores", args=[campaign.slug]), {"by": "map"})
    assert page.context["compared"] == first
    assert {row.move.moved for row in page.context["rows"]} == {0}
    assert all(row.move.first is not None for row in page.context["rows"])


def test_the_first_time_is_told_apart_from_new_judgments(live, organizer, campaign, assessor):
    judge(campaign, organizer, assessor, ("1", "d1", 2))
    assert live().from_scratch
    judge(campaign, organizer, assessor, ("1", "d3", 0))
    assert not live().from_scratch


def test_another_judgment_set_aside_instead_is_noticed(live, organizer, campaign, assessor):
    judge(campaign, organizer, assessor, ("1", "d1", 2), ("1", "d2", 0), ("1", "d3", 1))
    reader = load_log_reader(campaign)
    first, second = (
        topic_log_marks(replace(reader, counting=np.array(rows)))
        for rows in ([False, True, True], [True, False, True])
    )
    assert first != second


def test_an_open_page_asks_again_and_gets_the_ranking_only_after_a_judgment(
    client, live, organizer, campaign, assessor
):
    judge(campaign, organizer, assessor, ("1", "d3", 2))
    client.force_login(organizer)
    address = reverse("interim-scores", args=[campaign.slug])
    page = client.get(address, {"by": "map"})
    asked = re.search(r'interim-ranking"\s+hx-get="([^"]+)"', page.content.decode())
    again = unescape(asked.group(1))
    assert client.get(again, headers={"HX-Request": "true"}).status_code == 204
    judge(campaign, organizer, assessor, ("1", "d3", 0), ("1", "d1", 2))
    part = client.get(again, headers={"HX-Request": "true"})
    assert part.context["by"] == "map"
    assert part.content.strip().startswith(b"<div")
    whole = client.get(address, {"by": "map"})
    assert "<h1" not in part.content.decode()
    assert "<h1" in whole.content.decode()
    assert [row.means for row in part.context["rows"]] == [
        row.means for row in whole.context["rows"]
    ]


def test_an_open_page_gets_the_ranking_without_a_run_that_was_withdrawn(
    client, live, organizer, campaign, assessor
):
    client.force_login(organizer)
    address = reverse("interim-scores", args=[campaign.slug])
    first = client.get(address)
    again = {"path": address, "data": {"seen": first.context["state"]}}
    assert client.get(**again, headers={"HX-Request": "true"}).status_code == 204
    run = first.context["rows"][0].run
    campaign.runs.filter(pk=run.pk).update(state="withdrawn")
    part = client.get(**again, headers={"HX-Request": "true"})
    assert run not in [row.run for row in part.context["rows"]]
