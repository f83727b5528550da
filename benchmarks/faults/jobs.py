"""Faults of background work and of commands: killed in the middle, or done twice at once."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from benchmarks.faults import checks
from benchmarks.faults.campaign import LARGE, STORM, build_large, write_judgments
from benchmarks.faults.site import ROOT, Site
from benchmarks.faults.storm import Outcome

ROWS = 30_000
KILL_AFTER = (2.0, 4.0, 6.0, 9.0, 13.0, 18.0, 25.0)


def kill_evaluation(site: Site) -> Outcome:
    """The same evaluation twice: undisturbed, and with a worker killed in the middle."""
    build_large()
    ensure_running(site)
    first, calm = evaluate(lambda _job: True)

    def kill(job: Any) -> bool:
        if not job.of:
            return False
        site.kill_worker("w1")
        return True

    second, disturbed = evaluate(kill)
    site.start_worker("w1")
    outcome = Outcome("worker killed in evaluation")
    outcome.counts = {
        "evaluations whose scores differ": int(first["scores"] != second["scores"]),
        "score sets beyond two": second["sets"] - 2,
        "jobs not done": int("done" not in (first["state"], second["state"])),
    }
    outcome.seconds = {"evaluation undisturbed": calm, "with the kill": disturbed}
    outcome.seen = [f"{second['runs']} runs, {second['attempts']} attempts at the job"]
    return outcome


def evaluate(act: Callable[[Any], bool]) -> tuple[dict[str, Any], float]:
    """What came out, and the seconds; ``act`` is called with the job until it has acted."""
    from campaigns.models import Campaign, Job
    from evaluation.models import RunScores, ScoreSet
    from evaluation.services.scoring import request_evaluation

    campaign = Campaign.objects.get(slug=LARGE)
    started = time.monotonic()
    qrels = campaign.qrels.get()
    job = request_evaluation(actor=campaign.created_by, campaign=campaign, qrels=qrels)
    acted = False
    while job.state in (Job.State.QUEUED, Job.State.RUNNING):
        if time.monotonic() - started > checks.WAIT_SECONDS:
            break
        acted = acted or (job.state == Job.State.RUNNING and act(job))
        time.sleep(0.02)
        job.refresh_from_db()
    sets = ScoreSet.objects.filter(campaign=campaign).order_by("pk")
    packed = RunScores.objects.filter(score_set=sets.last()).order_by("run").values_list("packed")
    digest = hashlib.sha256(b"".join(bytes(each) for (each,) in packed)).hexdigest()
    told = {
        "scores": digest, "sets": sets.count(), "state": job.state, "attempts": job.attempts,
        "runs": len(packed),
    }  # fmt: skip
    return told, time.monotonic() - started


def ensure_running(site: Site) -> None:
    if site.web is None:
        site.start()
    site.wait_until_healthy()


def kill_import(site: Site) -> Outcome:
    """``manage.py import_judgments``, killed later and later: none of its rows are there, or all;
    at last it is let finish, and once more changes nothing.
    """
    from judging.models import Judgment

    build_large()
    path, name = write_judgments(ROWS), f"{STORM}-0"
    before = Judgment.objects.count()
    command = [sys.executable, "manage.py", "import_judgments", LARGE, str(path)]
    command += ["--assessor", name, "--format", "qrels"]
    partly, killed = 0, 0
    for seconds in KILL_AFTER:
        child = subprocess.Popen(command, cwd=ROOT, env=site.env, stdout=subprocess.DEVNULL)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            killed += 1
            time.sleep(1)  # the server rolls back
            partly += Judgment.objects.count() != before
        else:
            break
    done = [site.manage(*command[2:], check=False) for _ in range(2)]
    added = Judgment.objects.count() - before
    path.unlink()
    outcome = Outcome("import killed", {"imports half there": partly, "rows": added - ROWS})
    outcome.findings = [each.stderr[-300:] for each in done if each.returncode]
    outcome.findings += checks.list_failed_commands(site)
    outcome.seen = [f"killed {killed} times; then {' '.join(done[-1].stdout.split())[-200:]}"]
    return outcome


def double_jobs(site: Site) -> Outcome:
    """Runs, an evaluation, a reusability report and snapshots: every message comes three times,
    and two sweeps at once take every running job for lost.
    """
    from campaigns.models import Event, Job, Run
    from evaluation.models import ScoreSet

    build_large()
    ensure_running(site)
    sets = ScoreSet.objects.count()
    asked = ask_for_jobs()
    with ThreadPoolExecutor(4) as senders:
        list(senders.map(send_again, [job for job in asked for _ in range(2)]))
    for _ in range(4):
        forget_heartbeats()
        with ThreadPoolExecutor(2) as sweeps:
            list(sweeps.map(lambda _: site.manage("tick"), range(2)))
    waited = checks.wait_for_jobs()
    names = [run.pk for run in Run.objects.filter(file_name__startswith="twice")]
    decided = [
        Event.objects.filter(code__in=("run.accepted", "run.rejected"), data__run=pk).count()
        for pk in names
    ]
    rows = list(Job.objects.filter(pk__in=[job.pk for job in asked]))
    # The report is refused: the judgments of generated runs have no depth.
    broken = [job for job in rows if job.error.startswith(("Internal", "Failed"))]
    outcome = Outcome("two of every job at once")
    outcome.counts = {
        "score sets beyond one": ScoreSet.objects.count() - sets - 1,
        "runs not decided once": sum(count != 1 for count in decided),
        "jobs not ended": sum(job.state in (Job.State.QUEUED, Job.State.RUNNING) for job in rows),
        "jobs that broke": len(broken),
    }
    outcome.seconds = {"all jobs done": waited}
    outcome.findings = checks.list_failed_commands(site)
    outcome.seen = [f"{len(asked)} jobs of {len({job.kind for job in asked})} kinds"]
    return outcome


def ask_for_jobs() -> list[Any]:
    """Those of three runs, and of the large campaign an evaluation, a report and snapshots."""
    from campaigns.models import Campaign, Job
    from campaigns.services.runs import submit_run
    from campaigns.services.snapshots import get_report, list_verdict_subjects
    from evaluation.services.scoring import request_evaluation
    from reliability.services.reusability import request_reusability_report

    newest = Job.objects.order_by("pk").last()
    storm, large = (Campaign.objects.get(slug=slug) for slug in (STORM, LARGE))
    owner, qrels = storm.created_by, large.qrels.get()
    for number in range(3):
        tag = f"twice{time.time_ns()}{number}"
        lines = (f"1 Q0 d{n + number:05} {n} {99 - n} {tag}\n" for n in range(90))
        data = "".join(lines).encode()
        fields = {"team": storm.teams.get(), "data": data, "file_name": tag}
        submit_run(actor=owner, campaign=storm, **fields)
    request_evaluation(actor=owner, campaign=large, qrels=qrels)
    request_reusability_report(actor=owner, campaign=large, qrels=qrels)
    for subject in list_verdict_subjects():
        get_report(large, subject.name)
    return list(Job.objects.filter(pk__gt=newest.pk if newest else 0))


def send_again(job: Any) -> None:
    from campaigns.services.jobs import dispatch_job

    dispatch_job(job)


def forget_heartbeats() -> None:
    """As if every worker had been silent for an hour."""
    from django.utils import timezone

    from campaigns.models import Job

    open_jobs = Job.objects.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING))
    # Not their third attempt, after which they would fail as told.
    open_jobs.update(heartbeat=timezone.now() - timedelta(hours=1), attempts=1)


JOBS: dict[str, Callable[[Site], Outcome]] = {
    "worker killed in evaluation": kill_evaluation,
    "import killed": kill_import,
    "two of every job at once": double_jobs,
}
