"""An evaluation in parts stores, byte for byte, what an evaluation in one piece stores."""

import pytest

from campaigns.models import Grade, JobPart
from campaigns.services import job_parts, jobs
from campaigns.services.tasks import create_task
from evaluation.models import ScoreSet
from evaluation.services import score_shares
from evaluation.services.scoring import evaluate_campaign, request_evaluation, score_campaign
from tests.world.files import QRELS, accepted_run, qrels_release
from tests.world.parts import collect_messages, perform_in_parts


@pytest.fixture
def sent(monkeypatch, settings):
    """Two runs a part; the messages to workers."""
    settings.POOLBENCH_INLINE = False
    monkeypatch.setattr(score_shares, "RUNS_A_SHARE", 2)
    monkeypatch.setattr(score_shares, "LINES_IN_ONE", 0)
    return collect_messages(monkeypatch)


def evaluate_in_parts(sent, **asked):
    return perform_in_parts(request_evaluation(**asked), evaluate_campaign, sent)


def read_all(score_set: ScoreSet) -> tuple:
    rows = score_set.runs.order_by("pk").values_list("run", "means", "packed")
    scores = [(run, list(means.items()), bytes(packed)) for run, means, packed in rows]
    score_set.refresh_from_db()
    return score_set.topics, score_set.measures, score_set.conditions, scores


def test_scores_and_provenance_are_those_of_one_piece(
    organizer, campaign, alpha, beta, beta2, qrels, sent
):
    asked = {"actor": organizer, "campaign": campaign, "qrels": qrels}
    whole = score_campaign(**asked, measures=["map", "err_20", "bpref", "num_rel"])
    job = evaluate_in_parts(sent, **asked, measures=["map", "err_20", "bpref", "num_rel"])
    assert (job.state, job.done, job.of, len(sent)) == ("done", 3, 3, 2)
    assert read_all(ScoreSet.objects.get(pk=job.result["score_set"])) == read_all(whole)
    assert not JobPart.objects.exists()


def test_a_round_leaves_out_and_counts_what_was_judged_before(organizer, campaign, team, sent):
    qrels_release(campaign, "1 0 d1 2\n2 0 d5 0\n")
    qrels = qrels_release(campaign, QRELS, version=2)
    round_2 = create_task(
        actor=organizer, campaign=campaign, name="Round 2", topics=[], judged_before=1
    )
    for tag, docnos in (("a", "d1 d2 d3"), ("b", "d4 d5 d1"), ("c", "d2 d9 d8")):
        lines = "".join(
            f"{t} Q0 {d} 1 {9 - ord(d[1])} {tag}\n" for t in "12" for d in docnos.split()
        )
        accepted_run(team, tag, lines, task=round_2, report={"found": {"documents": 6}})
    asked = {"actor": organizer, "campaign": campaign, "qrels": qrels, "task": round_2}
    whole = score_campaign(**asked)
    job = evaluate_in_parts(sent, **asked)
    made = ScoreSet.objects.get(pk=job.result["score_set"])
    assert (read_all(made), made.task, len(sent)) == (read_all(whole), round_2, 2)
    assert made.conditions["removed"]["documents"] == 3


def test_runs_without_a_judged_topic_are_named_whichever_part_has_them(
    organizer, campaign, alpha, beta, beta2, sent
):
    qrels = qrels_release(campaign, "2 0 d1 1\n2 0 d5 0\n")
    job = evaluate_in_parts(sent, actor=organizer, campaign=campaign, qrels=qrels)
    assert job.state == "failed"
    assert job.error.startswith("Runs without any of the judged topics: beta-other.")


def test_parts_by_different_scales_are_not_put_together(
    organizer, campaign, alpha, beta, beta2, qrels, sent
):
    job = request_evaluation(actor=organizer, campaign=campaign, qrels=qrels)
    jobs.perform_job(job.pk, evaluate_campaign)
    job_parts.perform_part(*sent[0])
    Grade.objects.filter(campaign=campaign, value=1).update(gain=7)
    job_parts.perform_part(*sent[1])
    job.refresh_from_db()
    assert (job.state, job.error[-15:]) == ("failed", "Evaluate again.")


def test_few_lines_are_not_split(organizer, campaign, alpha, beta, beta2, qrels, sent, monkeypatch):
    monkeypatch.setattr(score_shares, "LINES_IN_ONE", 1000)
    job = request_evaluation(actor=organizer, campaign=campaign, qrels=qrels)
    jobs.perform_job(job.pk, evaluate_campaign)
    job.refresh_from_db()
    assert (job.state, job.done, job.of, sent) == ("done", 3, 3, [])
