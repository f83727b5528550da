"""Simulating on a campaign: the same as on its files, fed by the runs that its specs choose."""

import json
from dataclasses import replace
from functools import partial

import pytest
from django.core.exceptions import PermissionDenied

from campaigns.errors import ActionRefused
from campaigns.models import Job, Run
from campaigns.services import jobs, matrices
from evaluation.services.scoring import score_campaign
from judging.queries.judgments import qrels_table
from judging.services.plans import create_plan
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.reliability.disagreement.report import parse_ranking_measures
from poolbench.reliability.simulation.finished_campaign import FinishedCampaign
from poolbench.reliability.simulation.formats import FORMATS
from poolbench.reliability.simulation.simulator import simulate_specs
from pooling.models import Pool
from pooling.queries.frozen_pools import frozen_spec
from pooling.services.freeze import freeze_pool
from reliability.services import simulation
from reliability.services.reusability import request_reusability_report
from reliability.services.simulation import (
    SimulationRequest,
    load_finished_campaign,
    request_simulation,
)
from reliability.views.stored_reports import read_stored_report
from tests.world.files import qrels_release
from tests.world.judgments import submit_judgment

SPECS = {
    "two": depth_spec(2),
    "learning": read_spec(
        "{seed: 7, budget: {per_topic: 3}, steps: [{method: depth, k: 1}, {method: maxmean}]}"
    ),
    "by tag": read_spec("{steps: [{method: depth, k: {beta-secret: 2}}]}"),
}


@pytest.fixture
def asked(campaign, organizer):
    """Queue a simulation as the organizer."""
    return partial(request_simulation, actor=organizer, campaign=campaign)


@pytest.fixture
def made(asked):
    """The job of a simulation, done."""
    return lambda wanted: jobs.run_here(asked(request=wanted))


def read(job: Job, ending: str = "json") -> str:
    assert job.state == Job.State.DONE, job.error
    return read_stored_report(job, ending)


def facts(job: Job) -> dict:
    return json.loads(read(job))["facts"]


def fed(campaign, text: str, **more) -> set[str]:
    """The runs that feed a spec which chooses them by ``text``."""
    spec = read_spec(f"{{steps: [{{method: take}}], runs: {text}}}")
    return set(
        load_finished_campaign(campaign, SimulationRequest({"it": spec}, **more)).select_runs(spec)
    )


def test_runs_are_ranked_by_the_gains_of_the_campaign(
    organizer, campaign, alpha, beta, beta2, qrels
):
    campaign.grades.filter(value=1).update(gain=7)
    scores = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    found = load_finished_campaign(campaign, SimulationRequest({"two": depth_spec(2)}, qrels))
    panel = found.panel(*parse_ranking_measures(["ndcg_cut_10"]))
    made = dict(
        zip(found.tags, panel.means(panel.by_topic(panel.ballots.policy_grades)), strict=True)
    )
    assert made == {
        row.run.tag: pytest.approx(row.means["ndcg_cut_10"]) for row in scores.runs.all()
    }


def test_it_is_the_simulation_of_the_same_files(made, campaign, alpha, beta, beta2, qrels):
    job = made(SimulationRequest(SPECS, qrels, ["map", "P_5"], seeds=3, budgets=[2, 5]))
    tables = [matrices.load_run_table(run) for run in (alpha, beta, beta2)]
    specs = {
        name: spec if spec.seed is not None else replace(spec, seed=campaign.seed)
        for name, spec in SPECS.items()
    }
    finished = FinishedCampaign.from_tables(
        tables, qrels_table(qrels), None, campaign.relevance_level
    )
    found = simulate_specs(
        finished, specs, parse_ranking_measures(["map", "P_5"]), seeds=3, budgets=[2, 5]
    )
    assert read(job) == FORMATS["json"](found)
    assert read(job, "csv") == FORMATS["csv"](found)
    assert "Small Task, by qrels 1." in read(job, "html")
    assert (job.done, job.of) == (3 * 3 + 2 * 3, 15)
    told = {key: job.result[key] for key in ("specs", "seeds", "version", "runs", "pooled")}
    assert told == {"specs": [*SPECS], "seeds": 3, "version": 1, "runs": 3, "pooled": 3}


def test_a_wish_comes_back_from_its_job_as_it_was(asked, campaign, alpha, beta, qrels):
    wanted = SimulationRequest(SPECS, qrels, ["map"], seeds=2, budgets=[4], all_runs=True)
    assert SimulationRequest.from_job(asked(request=wanted)) == wanted


def test_withheld_topics_stay_out(made, campaign, alpha, beta, qrels):
    campaign.topics.filter(number="2").update(withheld=True)
    told = facts(made(SimulationRequest(SPECS, qrels)))
    assert (told["topics"], told["judged"], told["relevant"]) == (2, 5, 2)


def test_by_the_judgments_so_far(made, campaign, organizer, assessor, alpha, beta):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[alpha, beta])
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor], "2": [assessor]})
    topic = campaign.topics.get(number="1")
    for docno, grade in (("d1", 2), ("d2", 0)):
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=grade)
    job = made(SimulationRequest(SPECS))
    told = facts(job)
    assert (told["topics"], told["judged"], told["relevant"]) == (1, 2, 1)
    assert job.result["version"] is None


def test_pools_are_fed_by_the_runs_of_the_newest_pool_or_by_all(
    made, campaign, organizer, alpha, beta, beta2, qrels
):
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=[alpha, beta2])
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=[alpha, beta])
    Run.objects.filter(pk=beta.pk).update(state=Run.State.WITHDRAWN)
    two = {"two": depth_spec(2)}
    told = facts(made(SimulationRequest(two, qrels)))
    assert (told["runs"], told["pooled"]) == (2, 1)
    assert facts(made(SimulationRequest(two, qrels, all_runs=True)))["pooled"] == 2


def test_a_spec_chooses_runs_by_team_priority_and_kind(
    campaign, organizer, alpha, beta, beta2, qrels
):
    Run.objects.filter(pk=beta.pk).update(priority=2)
    Run.objects.filter(pk=alpha.pk).update(kind="manual")
    first = {"alpha-one", "beta-other"}
    assert fed(campaign, "{per_team: 1}", qrels=qrels) == first
    assert fed(campaign, "{priority: 1}", qrels=qrels) == first
    assert fed(campaign, "{teams: [Beta]}", qrels=qrels) == {"beta-secret", "beta-other"}
    assert fed(campaign, "{kind: manual}", qrels=qrels) == {"alpha-one"}
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=[alpha, beta])
    assert fed(campaign, "{per_team: 1}", qrels=qrels) == {"alpha-one", "beta-secret"}
    assert fed(campaign, "{per_team: 1}", qrels=qrels, all_runs=True) == first


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            {"measures": ["map", "num_rel"]},
            ["Measures that do not rank runs: num_rel. Use measures for which higher is better."],
        ),
        ({"measures": ["nonsense"]}, ["nonsense: unknown measure."]),
        ({"specs": {}}, ["No spec or no measure."]),
        ({"seeds": 0}, ["Seeds and budgets must be at least 1."]),
        (
            {
                "specs": {
                    "one": read_spec("{steps: [{method: take}], runs: {teams: [Nobody]}}"),
                    "good": depth_spec(1),
                    "two": read_spec("{steps: [{method: take}], runs: {tags: [lost, gone]}}"),
                }
            },
            [
                "No contributing run matches spec one: team Nobody.",
                "No contributing run matches spec two: tag lost, tag gone.",
            ],
        ),
    ],
)
def test_everything_that_cannot_be_is_told_and_nothing_queued(
    asked, campaign, alpha, beta, qrels, more, told
):
    with pytest.raises(ActionRefused) as refused:
        asked(
            request=SimulationRequest(**{"specs": {"two": depth_spec(2)}, "qrels": qrels, **more})
        )
    lines = str(refused.value).splitlines()
    assert [line[: len(said)] for line, said in zip(lines, told, strict=True)] == told
    assert not campaign.jobs.filter(kind="evaluation.simulation").exists()


def test_one_run_or_nothing_relevant_is_refused(asked, campaign, alpha, qrels):
    with pytest.raises(ActionRefused, match="A ranking needs at least two runs"):
        asked(request=SimulationRequest(SPECS, qrels))
    barren = qrels_release(campaign, "1 0 d1 0\n", version=2)
    with pytest.raises(ActionRefused) as refused:
        asked(request=SimulationRequest(SPECS, barren))
    assert len(str(refused.value).splitlines()) == 1


def test_what_memory_does_not_hold_is_refused(asked, alpha, beta, qrels, monkeypatch):
    # 3 specs, 5 seeds; 7 budgets of 3 topics by 2 runs and 4 pairs, and 7 pairs in all.
    monkeypatch.setattr(simulation, "MOST_NUMBERS", 15 * (7 * (3 * 2 + 4) + 7))
    asked(request=SimulationRequest(SPECS, qrels))
    with pytest.raises(ActionRefused, match="needs 1,386 numbers in memory; the limit is 1,155"):
        asked(request=SimulationRequest(SPECS, qrels, seeds=6))


def test_only_organizers_may_ask(campaign, assessor, alpha, beta, qrels):
    with pytest.raises(PermissionDenied):
        request_simulation(
            actor=assessor, campaign=campaign, request=SimulationRequest(SPECS, qrels)
        )


def test_the_same_request_is_queued_once(asked, campaign, organizer, alpha, beta, qrels):
    job = asked(request=SimulationRequest(SPECS, qrels))
    assert asked(request=SimulationRequest(SPECS, qrels)) == job
    assert asked(request=SimulationRequest(SPECS, qrels, seeds=6)) != job
    report = request_reusability_report(actor=organizer, campaign=campaign, qrels=qrels)
    assert request_reusability_report(actor=organizer, campaign=campaign, qrels=qrels) == report
    assert request_reusability_report(actor=organizer, campaign=campaign, qrels=None) != report


def test_runs_that_went_before_it_began_are_told(asked, alpha, beta, qrels):
    job = asked(request=SimulationRequest(SPECS, qrels))
    Run.objects.filter(pk=alpha.pk).update(state=Run.State.WITHDRAWN)
    told = jobs.run_here(job)
    assert told.state == Job.State.FAILED
    assert told.error == (
        "Simulation failed: a ranking needs at least two runs. "
        "Check the runs of the campaign, then request the simulation again."
    )


def test_pools_of_the_first_version_have_a_spec_too():
    old = Pool(spec={"version": 1, "method": "depth", "depth": 7, "seed": 3})
    assert frozen_spec(old) == depth_spec(7, seed=3)


CAL = {"reads": read_spec("steps: [{method: depth, k: 1}, {method: cal}]")}


def test_a_method_that_reads_has_the_texts_of_the_campaign(made, campaign, alpha, beta, qrels):
    pytest.importorskip("sklearn")
    found = json.loads(read(made(SimulationRequest(CAL, qrels, ["map"], seeds=1))))["specs"][0]
    everything = json.loads(
        read(made(SimulationRequest({"all": depth_spec(9)}, qrels, ["map"], seeds=1)))
    )
    assert found["relevant"]["mean"] == everything["specs"][0]["relevant"]["mean"] > 0


def test_documents_without_a_text_are_told_of(asked, campaign, alpha, beta, qrels):
    pytest.importorskip("sklearn")
    campaign.documents.filter(docno="d1").delete()
    with pytest.raises(ActionRefused, match=r"reads: cal needs texts; 1 of \d documents have none"):
        asked(request=SimulationRequest(CAL, qrels, ["map"]))
    assert not Job.objects.filter(kind=simulation.SIMULATION).exists()
