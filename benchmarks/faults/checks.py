"""What must hold after each fault: nothing lost, doubled or half-visible."""

import time
from collections.abc import Iterable
from typing import Any

from benchmarks.faults.people import Uploader
from benchmarks.faults.site import Site

WAIT_SECONDS = 420.0
REFUSED = "evaluation.collection"
"""The judgments of generated runs have no depth, which its report says."""


def count_unfinished_jobs() -> int:
    from django.db import connection

    from campaigns.models import Job

    try:
        return Job.objects.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING)).count()
    finally:
        connection.close()


def wait_for_jobs(site: Site, seconds: float = WAIT_SECONDS) -> float | None:
    """Seconds until no job waits or runs; None if that does not happen in ``seconds``."""
    started = time.monotonic()
    while count_unfinished_jobs():
        site.restart_ended_workers()
        if time.monotonic() - started > seconds:
            return None
        time.sleep(0.25)
    return time.monotonic() - started


def count_faults(uploaders: Iterable[Uploader], judges: list[Any]) -> dict[str, int]:
    """Counts that must all be 0, over everything that was acknowledged."""
    from django.db.models import Count

    from benchmarks.judging import count_violations
    from campaigns.models import Job, Run

    counts = count_violations(judges)
    del counts["in the log but not acknowledged"]  # imports have no uuid of a browser
    runs = Run.objects.filter(campaign__slug="storm")
    names = runs.values("file_name").annotate(n=Count("pk"))
    there = set(runs.values_list("pk", flat=True))
    acknowledged = [pk for each in uploaders for pk in each.acknowledged.values()]
    undecided = runs.exclude(state=Run.State.ACCEPTED)
    return counts | {
        "runs acknowledged and not there": len(set(acknowledged) - there),
        "runs stored twice": names.filter(n__gt=1).count(),
        "runs not accepted": undecided.count(),
        "uploads refused": sum(len(each.refused) for each in uploaders),
        "jobs not done": Job.objects.exclude(state=Job.State.DONE).exclude(kind=REFUSED).count(),
        "accepted runs without columns": runs.filter(state="accepted", matrix="").count(),
    }


def list_failed_commands(site: Site) -> list[str]:
    """What the product's own checks find; none if all is right."""
    commands = (["check_judging"], ["check_store"], ["qrels", "verify"], ["check_pool", "growing"])
    done = [(" ".join(each), site.manage(*each, check=False)) for each in commands]
    return [f"{name}: {it.stdout[-300:]}{it.stderr[-300:]}" for name, it in done if it.returncode]
