"""An object store that speaks S3, in a thread of the tests; each test has a bucket of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from django.test import override_settings

from workbench.store_settings import build_store_settings

NUMBERS = count()
KEYS = {
    "AWS_ACCESS_KEY_ID": "tests",
    "AWS_SECRET_ACCESS_KEY": "tests",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@contextmanager
def serve_objects() -> Iterator[str]:
    """The address of a server, which ends with the block."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        yield "http://{}:{}".format(*server.get_host_and_port())
    finally:
        server.stop()


def name_bucket() -> str:
    return f"poolbench-{os.getpid()}-{next(NUMBERS)}"


def make_bucket(name: str) -> None:
    import boto3

    boto3.client("s3").create_bucket(Bucket=name)


@contextmanager
def use_bucket(url: str, cache: Path) -> Iterator[None]:
    """The store is the bucket, with its cache in that folder."""
    from django.conf import settings

    storages = settings.STORAGES | {"store": build_store_settings(url)}
    with override_settings(STORAGES=storages, STORE_CACHE_DIR=cache):
        yield
