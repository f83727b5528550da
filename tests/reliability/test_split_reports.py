"""Reports made in parts are, byte for byte, those made in one piece. Four seconds."""

import pytest

from campaigns.models import Grade, Job
from campaigns.services import job_parts, jobs
from judging.services.imports import import_judgments
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from reliability.services import reusability, simulation
from reliability.services.reusability import build_reusability_job, request_reusability_report
from reliability.services.simulation import SimulationRequest, request_simulation, simulate_campaign
from tests.world.files import accepted_run, run_text
from tests.world.parts import collect_messages, perform_in_parts

SPECS = {
    "two": depth_spec(2),
    "learning": read_spec(
        "{seed: 7, budget: {per_topic: 3}, steps: [{method: depth, k: 1}, {method: maxmean}]}"
    ),
}


@pytest.fixture
def sent(monkeypatch, settings):
    settings.POOLBENCH_INLINE = False
    return collect_messages(monkeypatch)


def test_a_simulation_in_parts(organizer, campaign, alpha, beta, beta2, qrels, sent, monkeypatch):
    def ask():
        request = SimulationRequest(SPECS, qrels, seeds=3)
        return request_simulation(actor=organizer, campaign=campaign, request=request)

    whole = jobs.run_here(ask())
    monkeypatch.setattr(simulation, "LINES_IN_ONE", 0)
    monkeypatch.setattr(simulation, "SEEDS_A_SHARE", 2)
    job = perform_in_parts(ask(), simulate_campaign, sent)
    assert (job.state, whole.state, len(sent)) == ("done", "done", 4), job.error
    assert (job.result, job.done, job.of) == (whole.result, whole.done, whole.of)


def test_a_reusability_report_in_parts(
    organizer, campaign, alpha, beta, beta2, qrels, sent, monkeypatch
):
    def ask():
        return request_reusability_report(actor=organizer, campaign=campaign, qrels=qrels)

    whole = jobs.run_here(ask())
    monkeypatch.setattr(reusability, "LINES_IN_ONE", 0)
    monkeypatch.setattr(reusability, "DRAWS_A_SHARE", 2)
    job = perform_in_parts(ask(), build_reusability_job, sent)
    assert (job.state, whole.state, len(sent)) == ("done", "done", 2), job.error
    assert (job.result, job.done, job.of) == (whole.result, whole.done, whole.of)


def test_parts_read_the_judgments_and_runs_of_one_moment(
    organizer, campaign, team, assessor, alpha, beta, sent, monkeypatch
):
    def judge(*rows: tuple[str, str, int]) -> None:
        import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)

    def ask() -> Job:
        request = SimulationRequest(SPECS, None, seeds=3)
        return request_simulation(actor=organizer, campaign=campaign, request=request)

    judge(("1", "d1", 2), ("1", "d3", 0), ("1", "d4", 1))
    whole = jobs.run_here(ask())
    monkeypatch.setattr(simulation, "LINES_IN_ONE", 0)
    job = ask()
    jobs.perform_job(job.pk, simulate_campaign)
    job_parts.perform_part(*sent[0])
    judge(("1", "d2", 1))
    accepted_run(team, "late", run_text("late").decode())
    job_parts.perform_part(*sent[1])
    jobs.perform_job(job.pk, simulate_campaign)
    job.refresh_from_db()
    assert (job.state, job.result, len(sent)) == ("done", whole.result, 2), job.error


def test_parts_by_different_scales_are_not_put_together(
    organizer, campaign, alpha, beta, qrels, sent, monkeypatch
):
    monkeypatch.setattr(simulation, "LINES_IN_ONE", 0)
    request = SimulationRequest(SPECS, qrels, seeds=3)
    job = request_simulation(actor=organizer, campaign=campaign, request=request)
    jobs.perform_job(job.pk, simulate_campaign)
    job_parts.perform_part(*sent[0])
    Grade.objects.filter(campaign=campaign, value=1).update(gain=7)
    job_parts.perform_part(*sent[1])
    jobs.perform_job(job.pk, simulate_campaign)
    job.refresh_from_db()
    assert (job.state, job.error[-25:]) == ("failed", "Ask for the report again.")
