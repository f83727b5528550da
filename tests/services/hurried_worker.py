"""A Celery worker whose clocks run fast, and whose work takes a known time.

    python -m tests.services.hurried_worker FILE [CELERY OPTION...]

Each run that it scores takes half a second and adds a line to FILE; each part is of one run; a
simulation takes a minute. Dead workers and lost messages are noticed after two seconds.
"""

import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

from tests.services.test_workers import ROOT

django.setup()

from campaigns.services import heartbeats, jobs, matrices  # noqa: E402
from evaluation.services import score_shares  # noqa: E402
from reliability import tasks  # noqa: E402
from workbench import celery  # noqa: E402


def hurry(scored: Path) -> None:
    load = matrices.load_run_matrix

    def load_slowly(run: Any) -> Any:
        with scored.open("a") as file:
            file.write(f"{run.pk}\n")
        time.sleep(0.5)
        return load(run)

    jobs.BEAT_SECONDS, jobs.STALE_AFTER = 0.3, timedelta(seconds=2)
    jobs.UNSENT_AFTER, jobs.SHORTEST_WAIT = timedelta(seconds=2), timedelta(seconds=0.5)
    celery.WATCH_SECONDS = 3600  # a store that is away for seconds is away for longer than usual
    heartbeats.WORKER_BEAT_SECONDS = 0.5
    score_shares.RUNS_A_SHARE, score_shares.LINES_IN_ONE = 1, 0
    matrices.load_run_matrix = load_slowly
    tasks.simulate_campaign = lambda _job: time.sleep(60)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    hurry(Path(sys.argv[1]))
    celery.app.worker_main(["worker", "--loglevel", "WARNING", *sys.argv[2:]])
