"""Faults of background work and of commands: killed in the middle, or done twice at once."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from benchmarks.faults import checks
from benchmarks.faults.campaign import (
    LARGE,
    LARGE_RUNS,
    STORM,
    TOPICS,
    build_large,
    write_judgments,
)
from benchmarks.faults.site import ROOT, Site
from benchmarks.faults.storm import Outcome
from benchmarks.workers import count_cpu_seconds

ROWS = 30_000
KILL_AFTER = (2.0, 4.0, 6.0, 9.0, 13.0, 18.0, 25.0)


def kill_evaluation(site: Site) -> Outcome:
    """The same evaluation undisturbed; with a worker killed as it has divided the work, which it
    sends just then; and with one killed in its share, which is started again, as systemd does.
    """
    build_large()
    ensure_running(site)
    calm, at_division, in_share = Evaluation(), Evaluation(), Evaluation()
    sets = count_score_sets()
    calm.run(lambda _job: True)
    before = count_cpu(site)

    def kill_at_division(job: Any) -> bool:
        return bool(job.of) and bool(kill_busier(site, before))

    at_division.run(kill_at_division)
    for name in {"w1", "w2"} - set(site.workers):
        site.start_worker(name)

    def kill_in_share(job: Any) -> bool:
        if not job.parts.filter(state="running").exists():
            return False
        now = count_cpu(site)
        time.sleep(0.05)
        site.start_worker(kill_busier(site, now))
        return True

    time.sleep(10)  # they start
    in_share.run(kill_in_share)
    done = [calm, at_division, in_share]
    outcome = Outcome("worker killed in evaluation")
    outcome.counts = {
        "evaluations whose scores differ": len({each.scores for each in done}) - 1,
        "jobs not done": sum(each.job.state != "done" for each in done),
        "score sets beyond one each": count_score_sets() - sets - len(done),
        "longer than 60 s": sum(each.seconds > 60 for each in done),
    }
    names = ("undisturbed", "killed at division", "killed in its share, started again")
    outcome.seconds = {name: each.seconds for name, each in zip(names, done, strict=True)}
    outcome.seen = [f"{LARGE_RUNS} runs; done again: {[each.again for each in done]} runs"]
    return outcome


def kill_busier(site: Site, before: dict[str, float]) -> str:
    """The worker that has used more of the processor since ``before``; its name."""
    used = {name: seconds - before[name] for name, seconds in count_cpu(site).items()}
    name = max(used, key=lambda name: used[name])
    site.kill_worker(name)
    return name


def count_cpu(site: Site) -> dict[str, float]:
    """Seconds of each worker so far."""
    return {name: count_cpu_seconds(worker) for name, worker in site.workers.items()}


def count_score_sets() -> int:
    from evaluation.models import ScoreSet

    return ScoreSet.objects.filter(campaign__slug=LARGE).count()


class Evaluation:
    """One of the large campaign: its ``job``, how long it took, how many runs were scored
    ``again``, and a digest of all scores.
    """

    def __init__(self) -> None:
        self.job: Any = None
        self.seconds, self.again, self.scores = 0.0, 0, ""

    def run(self, act: Callable[[Any], bool]) -> None:
        """``act`` is called with the job in progress until it says that it has acted."""
        from campaigns.models import Campaign, Job
        from evaluation.services.scoring import request_evaluation

        campaign = Campaign.objects.get(slug=LARGE)
        started, acted, qrels = time.monotonic(), False, campaign.qrels.get()
        job = request_evaluation(actor=campaign.created_by, campaign=campaign, qrels=qrels)
        while not job.is_over and time.monotonic() - started < checks.WAIT_SECONDS:
            acted = acted or (job.state == Job.State.RUNNING and act(job))
            twice = job.parts.filter(attempts__gt=1)
            self.again = max(self.again, sum(part.steps for part in twice))
            time.sleep(0.01)
            job.refresh_from_db()
        self.job, self.seconds = job, time.monotonic() - started
        self.scores = digest_scores()


def digest_scores() -> str:
    """Of the latest score set of the large campaign."""
    from evaluation.models import RunScores, ScoreSet

    latest = ScoreSet.objects.filter(campaign__slug=LARGE).order_by("pk").last()
    packed = RunScores.objects.filter(score_set=latest).order_by("run").values_list("packed")
    return hashlib.sha256(b"".join(bytes(each) for (each,) in packed)).hexdigest()


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
            # A transaction that was committed as its process was killed is whole.
            partly += Judgment.objects.count() not in (before, before + ROWS)
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
    waited = checks.wait_for_jobs(site)
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
        tag = f"twice{time.time_ns() % 10**9}{number}"
        lines = (
            f"{topic} Q0 d{n + number:05} {n} {99 - n} {tag}\n"
            for topic in range(1, TOPICS + 1)
            for n in range(90)
        )
        data = "".join(lines).encode()
        fields = {"team": storm.teams.get(), "data": data, "file_name": tag}
        submit_run(actor=owner, campaign=storm, **fields)
    request_evaluation(actor=large.created_by, campaign=large, qrels=qrels)
    request_reusability_report(actor=owner, campaign=large, qrels=qrels)
    for subject in list_verdict_subjects():
        get_report(large, subject.name)
    return list(Job.objects.filter(pk__gt=newest.pk if newest else 0))


def send_again(job: Any) -> None:
    from campaigns.services.jobs import dispatch_work

    dispatch_work(job)


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
