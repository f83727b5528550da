"""Measure a job that several workers share: CPU seconds of each, and what a kill costs.

    python benchmarks/workers.py [--workers 1 2 4] [--runs 150] [--topics 100] [--kill]
                                 [--simulation]

A campaign of generated runs (1,000 documents a topic) in the installation of the environment, whose
database and broker must take several processes: ``DATABASE_URL`` of PostgreSQL,
``CELERY_BROKER_URL`` of Redis or RabbitMQ, ``POOLBENCH_VAR`` a folder. It is made once. Each line
is an evaluation of all runs by so many fresh worker processes: CPU seconds from the first job to
the last, without their start. With ``--kill``, the busier of two workers is killed in the middle
of its work. With ``--simulation``, pools of depth 50 and by move-to-front are simulated instead.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
SEED, CANDIDATES, DEPTH, JUDGED = 20240101, 3000, 1000, 200
WORKER = (sys.executable, "-m", "celery", "-A", "workbench.celery", "worker", "-c", "1")
TICKS = os.sysconf("SC_CLK_TCK")
Request = Callable[[Any], Any]
"""Takes a campaign, gives a job."""


def make_campaign(runs: int, topics: int) -> Any:
    """The campaign with that many runs, from an earlier call or new."""
    import numpy as np

    from campaigns.models import Campaign, User
    from campaigns.services import campaigns, collection, people
    from poolbench.judging.scale import GradeSpec

    slug = f"workers-{runs}-{topics}"
    if found := Campaign.objects.filter(slug=slug).first():
        return found
    owner, _ = User.objects.get_or_create(username="bench", can_create_campaigns=True)
    scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
    campaign = campaigns.create_campaign(actor=owner, title=slug, slug=slug, scale=scale)
    numbers = [str(topic) for topic in range(1, topics + 1)]
    lines = "".join(f"{topic}\ttopic {topic}\n" for topic in numbers)
    collection.import_topics(actor=owner, campaign=campaign, data=lines.encode())
    team = people.get_or_create_team(actor=owner, campaign=campaign, name="Bench")
    merit = create_runs(campaign, team, runs, topics)
    freeze_qrels(campaign, numbers, np.argsort(-merit, axis=1)[:, :JUDGED])
    return campaign


def create_runs(campaign: Any, team: Any, runs: int, topics: int) -> Any:
    """Accepted runs of topics "1" to ``topics``, of ``DEPTH`` of the documents "D00000" to
    "D02999"; the merit of each, shape (topics, ``CANDIDATES``).
    """
    import numpy as np

    from campaigns import store
    from campaigns.models import Run
    from campaigns.services import matrices
    from poolbench.runs.run_matrix import PairArray, RunMatrix, write_matrix

    numbers = [str(topic) for topic in range(1, topics + 1)]
    pairs = ((topic, f"D{place:05d}") for topic in numbers for place in range(CANDIDATES))
    matrices.append_pair_chunk(campaign, start=0, pairs=PairArray.from_pairs(pairs))
    rng = np.random.default_rng(SEED)
    merit = rng.gumbel(0.0, 2.0, (topics, CANDIDATES))
    begins = np.arange(topics)[:, None] * CANDIDATES
    for number in range(runs):
        scores = merit + rng.normal(0.0, rng.uniform(2.0, 6.0), merit.shape)
        order = np.argsort(-scores, axis=1)[:, :DEPTH]
        matrix = RunMatrix(
            tuple(numbers),
            np.arange(topics + 1, dtype=np.int64) * DEPTH,
            (begins + order).ravel().astype(np.int32),
            np.take_along_axis(scores, order, axis=1).ravel(),
        )
        Run.objects.create(
            campaign=campaign, team=team, tag=f"run{number:03d}", state=Run.State.ACCEPTED,
            file_name="run", size=1, sha256=store.sha256(f"{number}".encode()),
            lines=topics * DEPTH, report={"found": {"documents": topics * DEPTH}},
            matrix=store.put_blob(write_matrix(matrix), ".columns"),
            submitted_by=campaign.created_by,
        )  # fmt: skip
    return merit


def freeze_qrels(campaign: Any, numbers: Sequence[str], best: Any) -> None:
    """The documents with most merit are judged, every fifth of them relevant."""
    from django.utils import timezone

    from campaigns import store
    from judging.models import Qrels

    rows = [
        f"{topic} 0 D{place:05d} {int(rank % 5 == 0)}\n"
        for topic, places in zip(numbers, best.tolist(), strict=True)
        for rank, place in enumerate(places)
    ]
    data = "".join(rows).encode()
    Qrels.objects.create(
        campaign=campaign, version=1, policy="latest", as_of=timezone.now(),
        path=store.put_blob(data), sha256=store.sha256(data), pairs=len(rows), manifest={},
        frozen_by=campaign.created_by,
    )  # fmt: skip


@contextmanager
def running(workers: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """So many worker processes, warmed up by nothing but their start."""
    from campaigns.models import ProcessHeartbeat

    ProcessHeartbeat.objects.all().delete()
    started = [
        subprocess.Popen(
            [*WORKER, "-n", f"w{number}@bench", "--loglevel", "WARNING"],
            cwd=ROOT, env=os.environ, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for number in range(workers)
    ]  # fmt: skip
    try:
        while ProcessHeartbeat.objects.count() < workers:
            time.sleep(0.1)
        time.sleep(2)
        yield started
    finally:
        for worker in started:
            with suppress(ProcessLookupError):
                worker.terminate()
            worker.wait()


def count_cpu_seconds(worker: subprocess.Popen[bytes]) -> float:
    """Of all processes of the worker, which are a session of their own."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == worker.pid:
                total += int(fields[11]) + int(fields[12])
    return total / TICKS


def request_evaluation(campaign: Any) -> Any:
    from evaluation.services import scoring

    return scoring.request_evaluation(
        actor=campaign.created_by, campaign=campaign, qrels=campaign.qrels.get()
    )


def request_simulation(campaign: Any) -> Any:
    from poolbench.pooling.spec import depth_spec
    from poolbench.pooling.spec_file import read_spec
    from reliability.services import simulation

    mtf = read_spec("{budget: {per_topic: 100}, steps: [{method: mtf}]}")
    request = simulation.SimulationRequest(
        {"depth": depth_spec(50), "mtf": mtf}, campaign.qrels.get(), seeds=20
    )
    return simulation.request_simulation(
        actor=campaign.created_by, campaign=campaign, request=request
    )


def wait_for(job: Any, share: float = 1.0) -> None:
    """Until so much of the job is done, or it is over."""
    while not job.is_over and not (share < 1 and job.of and job.done >= share * job.of):
        time.sleep(0.05)
        job.refresh_from_db()
    if job.state == "failed":
        raise SystemExit(job.error)


def measure_job(campaign: Any, workers: int, request: Request) -> tuple[float, list[float], Any]:
    """Wall seconds, CPU seconds of each worker, and what was found."""
    with running(workers) as started:
        before = [count_cpu_seconds(worker) for worker in started]
        begin = time.perf_counter()
        job = request(campaign)
        wait_for(job)
        wall = time.perf_counter() - begin
        after = [count_cpu_seconds(worker) for worker in started]
    used = [late - early for early, late in zip(before, after, strict=True)]
    return wall, used, read_result(job)


def measure_kill(campaign: Any, request: Request) -> tuple[float, float, int, Any]:
    """Wall seconds in all, and from the kill until the lost part was done by the other worker; the
    steps that were done again; what was found.
    """
    from campaigns.services.heartbeats import run_tick

    with running(2) as started:
        before = {worker: count_cpu_seconds(worker) for worker in started}
        begin = time.perf_counter()
        job = request(campaign)
        wait_for(job, 0.3)
        busiest = max(started, key=lambda it: count_cpu_seconds(it) - before[it])
        os.killpg(busiest.pid, signal.SIGKILL)
        killed, again, back = time.perf_counter(), 0, 0.0
        next_tick = killed + 60
        while not job.is_over:
            if time.perf_counter() > next_tick:
                next_tick += 60
                run_tick()
            if hasattr(job, "parts"):
                twice = list(job.parts.filter(attempts__gt=1))
                again = max(again, sum(part.steps for part in twice))
            elif job.attempts > 1:
                again = int(0.3 * job.of) + 1
            if again and not back:
                back = time.perf_counter() - killed
            time.sleep(0.05)
            job.refresh_from_db()
    if job.state == "failed":
        raise SystemExit(job.error)
    return time.perf_counter() - begin, back, again, read_result(job)


def read_result(job: Any) -> Any:
    """The scores by run, or the names of the files of a report, which are hashes."""
    from evaluation.models import ScoreSet

    if "score_set" not in job.result:
        return job.result
    rows = ScoreSet.objects.get(pk=job.result["score_set"]).runs.order_by("run")
    return [(row.run_id, row.means, bytes(row.packed)) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--simulation", action="store_true")
    options = parser.parse_args()
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    campaign = make_campaign(options.runs, options.topics)
    print(f"{options.runs} runs of {options.topics * DEPTH:,} lines")
    request = request_simulation if options.simulation else request_evaluation
    results = []
    for workers in options.workers:
        wall, used, result = measure_job(campaign, workers, request)
        results.append(result)
        each = " ".join(f"{seconds:.1f}" for seconds in used)
        print(f"{workers} workers: wall {wall:.1f} s; CPU {sum(used):.1f} s, of each {each}; "
              f"shares allow a speed-up of {sum(used) / max(used):.2f}", flush=True)  # fmt: skip
    if options.kill:
        wall, back, again, result = measure_kill(campaign, request)
        results.append(result)
        print(f"one of two killed: wall {wall:.1f} s; {again} steps done again, begun {back:.1f} s "
              "after the kill")  # fmt: skip
    if any(result != results[0] for result in results):
        raise SystemExit("the results differ")
    print("all results are equal")


if __name__ == "__main__":
    main()
