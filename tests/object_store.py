"""An object store that speaks S3, in a thread of the tests; and the files of a test's store in its
folder or in a bucket.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from workbench.store_settings import build_store_settings

NUMBERS = count()
KEYS = {
    "AWS_ACCESS_KEY_ID": "tests",
    "AWS_SECRET_ACCESS_KEY": "tests",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@pytest.fixture(scope="session")
def object_store() -> Iterator[dict[str, str]]:
    """The environment of processes that reach the server."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    env = KEYS | {"AWS_ENDPOINT_URL": address}
    os.environ.update(env)
    yield env
    for name in env:
        del os.environ[name]
    server.stop()


def make_bucket() -> str:
    """The name of a new one."""
    import boto3

    name = f"poolbench-{os.getpid()}-{next(NUMBERS)}"
    boto3.client("s3").create_bucket(Bucket=name)
    return name


@contextmanager
def use_bucket(name: str, cache: Path) -> Iterator[None]:
    """The store is below a prefix of that bucket, its column files have copies in ``cache``."""
    storages = settings.STORAGES | {"store": build_store_settings(f"s3://{name}/bench")}
    with override_settings(STORAGES=storages, STORE_CACHE_DIR=cache):
        yield


@pytest.fixture
def bucket(object_store, tmp_path) -> Iterator[str]:
    """The store is this empty bucket."""
    name = make_bucket()
    with use_bucket(name, tmp_path / "cache"):
        yield name


in_both = pytest.mark.parametrize("files", ["folder", "bucket"], indirect=True)


class Folder:
    """The files of the store as an operator finds them, behind the back of Poolbench."""

    def remove(self, name: str) -> None:
        (Path(settings.STORE_DIR) / name).unlink()

    def write(self, name: str, data: bytes) -> None:
        path = Path(settings.STORE_DIR) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    def make_old(self, name: str) -> None:
        two_days_ago = time.time() - 2 * 24 * 3600
        os.utime(Path(settings.STORE_DIR) / name, (two_days_ago, two_days_ago))


class Bucket:
    """The same of a bucket."""

    def __init__(self, name: str) -> None:
        import boto3

        self.name, self.client = name, boto3.client("s3")

    def place(self, name: str) -> dict[str, str]:
        return {"Bucket": self.name, "Key": f"bench/{name}"}

    def remove(self, name: str) -> None:
        self.client.delete_object(**self.place(name))

    def write(self, name: str, data: bytes) -> None:
        self.client.put_object(**self.place(name), Body=data)

    def make_old(self, name: str) -> None:
        """Only the server can: it is in this process."""
        from moto.s3.models import s3_backends

        (backends,) = s3_backends.values()
        key: Any = backends["aws"].buckets[self.name].keys[f"bench/{name}"]
        key.last_modified = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=2)


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.full)])
def files(request) -> Folder | Bucket:
    """The files of the store, in a folder or in a bucket. Fixtures that store any come before.

    A test is in a bucket each time by ``in_both``.
    """
    if request.param == "folder":
        return Folder()
    folder = Path(settings.STORE_DIR)
    bucket = Bucket(request.getfixturevalue("bucket"))
    for path in folder.rglob("*"):
        if path.is_file():
            bucket.write(path.relative_to(folder).as_posix(), path.read_bytes())
            path.unlink()
    return bucket
