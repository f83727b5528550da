"""The product's worker, for which a few runs are a share of an evaluation that takes seconds."""

import time
from typing import Any

from celery.signals import worker_init

from workbench.celery import app  # noqa: F401 (the worker's)

SECONDS = 3.0


@worker_init.connect
def slow_down(**_signal: Any) -> None:
    from evaluation.services import score_shares

    score = score_shares.score_batch

    def score_slowly(*args: Any, **options: Any) -> Any:
        time.sleep(SECONDS)
        return score(*args, **options)

    score_shares.LINES_IN_ONE = 1
    score_shares.score_batch = score_slowly
