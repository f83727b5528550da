"""Scores of a campaign: their values, conditions and refusals, and their release."""

import math

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied

from campaigns.errors import ActionRefused
from campaigns.models import Job
from campaigns.services import jobs
from evaluation.models import RunScores, ScoreSet
from evaluation.services.release import release_scores
from evaluation.services.scoring import evaluate_campaign, request_evaluation, score_campaign
from judging.queries.judgments import qrels_table
from poolbench.evaluation.measures.registry import DEFAULT_NAMES
from reliability.queries.collection import load_collection
from tests.refusals import refusing
from tests.world.files import qrels_release


def scores_of(score_set, run) -> RunScores:
    return RunScores.objects.select_related("score_set").get(score_set=score_set, run=run)


def test_score_campaign_computes_the_values_worked_by_hand(score_set, alpha, beta, beta2):
    means = scores_of(score_set, alpha).means
    assert means["map"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert means["bpref"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert means["P_5"] == pytest.approx((2 / 5 + 1 / 5 + 0) / 3)
    assert means["recip_rank"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert (means["num_ret"], means["num_rel"], means["num_rel_ret"]) == (5, 3, 3)
    gained, ideal = 2 / math.log2(3) + 1 / math.log2(5), 2 + 1 / math.log2(3)
    assert means["ndcg"] == pytest.approx((gained / ideal + 1 + 0) / 3)
    assert scores_of(score_set, beta).means["map"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert scores_of(score_set, beta2).means["map"] == 0.0


def test_score_campaign_keeps_a_value_for_each_topic_and_measure(score_set, alpha):
    table = scores_of(score_set, alpha).table
    assert score_set.topics == ["1", "2", "3"]
    assert score_set.measures == list(DEFAULT_NAMES)
    assert table.shape == (3, len(DEFAULT_NAMES))
    assert table[:, score_set.measures.index("map")].tolist() == [0.5, 1.0, 0.0]


def test_a_topic_that_is_not_answered_has_no_judged_share(score_set, alpha, beta):
    shares = scores_of(score_set, alpha).table[:, score_set.measures.index("judged_10")]
    assert shares[:2].tolist() == [0.75, 1.0]
    assert np.isnan(shares[2])
    assert scores_of(score_set, alpha).means["judged_10"] == 0.875
    assert scores_of(score_set, beta).means["judged_10"] == 1.0


def test_conditions_say_what_the_figures_hold_under_and_name_no_run(score_set, qrels):
    told = score_set.conditions
    assert told["level"] == 1
    assert told["gains"] == {"0": 0.0, "1": 1.0, "2": 2.0, "3": 3.0}
    assert (told["topics_averaged"], told["topics_without_relevant"]) == (3, 1)
    assert (told["qrels_version"], told["qrels_sha256"]) == (1, qrels.sha256)
    assert told["runs"] == 3
    assert len(told["runs_sha256"]) == 64
    assert "alpha" not in str(told)
    assert "beta" not in str(told)


def test_withheld_topics_are_left_out(organizer, campaign, alpha, qrels):
    campaign.topics.filter(number="3").update(withheld=True)
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert made.topics == ["1", "2"]
    assert scores_of(made, alpha).means["map"] == 0.75
    assert made.conditions["topics_without_relevant"] == 0


def test_gains_and_level_are_the_campaigns(organizer, campaign, alpha, qrels):
    campaign.grades.filter(value=2).update(gain=10)
    campaign.relevance_level = 2
    campaign.save()
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["ndcg", "map"])
    means = scores_of(made, alpha).means
    gained, ideal = 10 / math.log2(3) + 1 / math.log2(5), 10 + 1 / math.log2(3)
    assert means["ndcg"] == pytest.approx((gained / ideal + 1 + 0) / 3)
    assert means["map"] == pytest.approx((1 / 2 + 0 + 0) / 3)


def test_measures_are_those_of_the_campaign_when_none_are_asked(organizer, campaign, alpha, qrels):
    campaign.measures = ["P_10", "AP"]
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert made.measures == ["map", "P_10", "judged_10"]


def test_request_evaluation_leaves_a_score_set_and_its_number(organizer, campaign, alpha, qrels):
    with_jobs = request_evaluation(actor=organizer, campaign=campaign, qrels=qrels)
    job = jobs.run_here(with_jobs)
    made = ScoreSet.objects.get()
    assert (job.state, job.result["score_set"], job.result["runs"]) == ("done", made.pk, 1)
    assert campaign.events.filter(code="scores.evaluated").count() == 1


def test_a_job_delivered_twice_leaves_one_score_set(organizer, campaign, alpha, qrels):
    job = jobs.run_here(request_evaluation(actor=organizer, campaign=campaign, qrels=qrels))
    evaluate_campaign(job)
    jobs.run_here(job)
    assert ScoreSet.objects.count() == 1


def test_unknown_measures_are_refused_together(organizer, campaign, alpha, qrels):
    with pytest.raises(ActionRefused) as refused:
        request_evaluation(
            actor=organizer, campaign=campaign, qrels=qrels, measures=["nope", "bpref_10"]
        )
    assert refused.value.code == "unknown-measure"
    assert "nope" in refused.value.message
    assert "bpref-10" in refused.value.message
    assert not Job.objects.filter(kind="evaluation.evaluate").exists()


def test_a_campaign_without_runs_is_refused(organizer, campaign, qrels):
    with refusing("no-runs"):
        request_evaluation(actor=organizer, campaign=campaign, qrels=qrels)


def test_a_relevance_level_of_0_is_refused(organizer, campaign, alpha, qrels):
    campaign.relevance_level = 0
    with refusing("bad-level"):
        score_campaign(actor=organizer, campaign=campaign, qrels=qrels)


def test_only_organizers_evaluate(participant, assessor, campaign, alpha, qrels):
    for person in (participant, assessor):
        with pytest.raises(PermissionDenied):
            request_evaluation(actor=person, campaign=campaign, qrels=qrels)


def test_earlier_score_sets_are_kept(organizer, campaign, score_set, alpha):
    newer = qrels_release(campaign, "1 0 d1 1\n", version=2)
    later = score_campaign(actor=organizer, campaign=campaign, qrels=newer)
    assert scores_of(later, alpha).means["map"] == 0.5
    assert scores_of(score_set, alpha).means["map"] == 0.5
    assert ScoreSet.objects.count() == 2


def test_the_highest_grade_is_that_of_the_campaigns_scale(organizer, campaign, alpha, qrels):
    # The scale ends at 3; nobody gave a 3.
    made = score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels, measures=["err_20", "ERR@20"]
    )
    assert made.measures == ["err_20", "err_20(max_rel=4)", "judged_10"]
    means = scores_of(made, alpha).means
    first, second = (2**2 - 1) / 2**3, (2**1 - 1) / 2**3
    of_topic_1 = first / 2 + (1 - first) * second / 4
    assert means["err_20"] == pytest.approx((of_topic_1 + second + 0) / 3)
    assert means["err_20(max_rel=4)"] < means["err_20"]
    assert made.conditions["highest_grade"] == 3
    assert made.conditions["highest_grade_from"] == "the campaign's scale"
    assert made.conditions["remarks"] == []


def test_judgments_above_a_stated_highest_grade_are_noted(organizer, campaign, alpha, qrels):
    made = score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels, measures=["err_20(max_rel=1)"]
    )
    noted = ["err_20(max_rel=1): 1 judgment above grade 1 counts as 1."]
    assert made.conditions["remarks"] == noted


def test_runs_without_a_judged_topic_are_refused_by_name(organizer, campaign, alpha, beta, beta2):
    qrels = qrels_release(campaign, "2 0 d1 1\n2 0 d5 0\n")
    with pytest.raises(ActionRefused, match="Runs without any of the judged topics: beta-other"):
        score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert not ScoreSet.objects.exists()


def test_a_reusability_report_has_the_gains_of_the_campaign(campaign, alpha, beta, qrels):
    collection = load_collection(campaign, qrels_table(qrels))
    assert collection.options.gains == {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0}


def test_the_same_evaluation_is_queued_once(organizer, campaign, alpha, qrels, settings):
    """Two clicks, or two requests at once: one score set, not two alike."""
    settings.POOLBENCH_INLINE = False
    asked = {"actor": organizer, "campaign": campaign, "qrels": qrels}
    first = request_evaluation(**asked)
    assert request_evaluation(**asked) == first
    assert request_evaluation(**asked, measures=["map"]) != first
    jobs.run_here(first)
    assert request_evaluation(**asked) != first


def test_release_scores_is_said_once_and_logged(organizer, campaign, score_set):
    released = release_scores(actor=organizer, score_set=score_set)
    assert released.released_at is not None
    assert released.released_by == organizer
    assert campaign.events.filter(code="scores.released").count() == 1


def test_release_scores_cannot_be_repeated(organizer, score_set):
    first = release_scores(actor=organizer, score_set=score_set).released_at
    with refusing("already-released"):
        release_scores(actor=organizer, score_set=score_set)
    score_set.refresh_from_db()
    assert score_set.released_at == first


def test_only_organizers_release(participant, assessor, viewer, score_set):
    for person in (participant, assessor, viewer):
        with pytest.raises(PermissionDenied):
            release_scores(actor=person, score_set=score_set)
    score_set.refresh_from_db()
    assert score_set.released_at is None
