"""Settings of the background work: its broker, three queues, and the bounds of workers."""

from pathlib import Path
from typing import Any

from environ import Env
from kombu import Exchange, Queue

PAGE_KINDS = (
    "campaigns.check_run", "campaigns.snapshot", "crowd.fetch_key_set", "pooling.preview",
)  # fmt: skip
"""A page, and the person in front of it, waits for them."""
LONG_KINDS = (
    "campaigns.register_collection",
    "evaluation.collection",
    "evaluation.simulation",
    "judging.model",
    "replay.archive",
    "replay.overview",
    "replay.rehearse",
    "replay.runs",
)

REDIS_SECONDS = {"socket_timeout": 3, "socket_connect_timeout": 2}
"""One that hangs must not hold web threads: the row of the job waits for a sweep."""


def build_worker_settings(env: Env, broker_folder: Path) -> dict[str, Any]:
    """``broker_folder`` has the messages of a ``filesystem://`` broker."""
    ordinary = env("POOLBENCH_QUEUE", default="poolbench")
    page, long = f"{ordinary}-page", f"{ordinary}-long"
    names = {"page": page, "ordinary": ordinary, "long": long}
    taken = [names[kind] for kind in env.list("POOLBENCH_WORKER_QUEUES", default=list(names))]
    seconds = {
        page: env.int("POOLBENCH_PAGE_JOB_SECONDS", default=600),
        ordinary: env.int("POOLBENCH_JOB_SECONDS", default=3600),
        long: env.int("POOLBENCH_LONG_JOB_SECONDS", default=6 * 3600),
    }
    queues = dict.fromkeys(PAGE_KINDS, page) | dict.fromkeys(LONG_KINDS, long)
    limits = {kind: {"soft_time_limit": seconds[queue]} for kind, queue in queues.items()}
    url = env("CELERY_BROKER_URL", default="filesystem://")
    return {
        "CELERY_BROKER_URL": url,
        "CELERY_BROKER_TRANSPORT_OPTIONS": _build_transport_options(url, broker_folder),
        "CELERY_TASK_PUBLISH_RETRY_POLICY": {"max_retries": 1, "interval_start": 0.2},
        "CELERY_WORKER_CONSUMER": "workbench.worker_consumer:SteadyConsumer",
        # What a worker takes from, in turn; messages are sent to the others as well.
        "CELERY_TASK_QUEUES": [Queue(name, Exchange(name), routing_key=name) for name in taken],
        "CELERY_TASK_DEFAULT_QUEUE": ordinary,
        "CELERY_TASK_ROUTES": {kind: {"queue": queue} for kind, queue in queues.items()},
        "CELERY_TASK_ANNOTATIONS": limits,
        "CELERY_TASK_SOFT_TIME_LIMIT": seconds[ordinary],
        # A message is done with when its work is. If a worker dies, its rows are found by their
        # heartbeats, long before a broker would deliver the message again: that does no harm.
        "CELERY_TASK_ACKS_LATE": True,
        # RabbitMQ closes the channel of a message that was held for half an hour: Celery would end
        # the worker after its job. It connects again instead; the job is claimed once.
        "CELERY_BROKER_CHANNEL_ERROR_RETRY": True,
        # Each process holds the message that it works on and no other.
        "CELERY_WORKER_PREFETCH_MULTIPLIER": 1,
        # A process that has grown is replaced after its job.
        "CELERY_WORKER_MAX_MEMORY_PER_CHILD": 1000
        * env.int("POOLBENCH_WORKER_MEGABYTES", default=350),
        "CELERY_WORKER_MAX_TASKS_PER_CHILD": env.int("POOLBENCH_WORKER_JOBS", default=1000),
        "CELERY_TASK_IGNORE_RESULT": True,
        "CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP": True,
        # Lines of workers go through LOGGING as well.
        "CELERY_WORKER_HIJACK_ROOT_LOGGER": False,
        "CELERY_TIMEZONE": "UTC",
        "POOLBENCH_PAGE_CHECK_BYTES": env.int("POOLBENCH_PAGE_CHECK_BYTES", default=50_000_000),
    }


def _build_transport_options(url: str, folder: Path) -> dict[str, str | int]:
    if url.startswith(("redis:", "rediss:")):
        return dict(REDIS_SECONDS)
    if not url.startswith("filesystem:"):
        return {}
    queue = str(folder / "queue")
    return {
        "data_folder_in": queue,
        "data_folder_out": queue,
        "control_folder": str(folder / "control"),
    }
