"""The content store in a bucket of an object store that speaks S3: ``POOLBENCH_STORE``.

Loaded only where that setting names one; the packages are those of the extra ``s3``.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import SEEK_CUR, SEEK_SET, BufferedReader, RawIOBase
from pathlib import Path
from threading import Lock
from typing import Any

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.utils import timezone
from storages.backends.s3 import S3Storage

from campaigns.file_cache import FileCache
from campaigns.storages import COLUMNS, MARKER, MarkedStorage, StoreAwayError, StoredFile

# A page may wait for no longer: two tries, and then it says that the store is away.
CONFIG = Config(
    connect_timeout=3,
    read_timeout=5,
    retries={"total_max_attempts": 2, "mode": "standard"},
    max_pool_connections=20,
)
IN_TURN = TransferConfig(use_threads=False)
"""Ten new threads for each file leave memory behind: 3.5 MB for one of 25 MB there and back."""
REFRESH_AFTER = timedelta(hours=1)
"""Much less than the age at which ``housekeeping`` removes files that no row names."""
BUFFER_BYTES = 1 << 16
MARKER_SECONDS = 30.0


class StoreBucket(MarkedStorage, S3Storage):  # type: ignore[misc]
    """The objects of a bucket below ``location``. Keys, endpoint and region are those of the
    usual variables: ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, ``AWS_ENDPOINT_URL``, ….
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(client_config=CONFIG, **options)
        self._lock, self._checked = Lock(), dict[str, float]()
        self._clients: dict[int, Any] = {}

    @property
    def client(self) -> Any:
        """One for all threads; a forked process gets its own, with connections of its own."""
        with self._lock:
            if (process := os.getpid()) not in self._clients:
                session = self._create_session()
                self._clients = {process: session.client("s3", config=self.client_config)}
            return self._clients[process]

    @property
    def cache(self) -> FileCache:
        return FileCache(Path(settings.STORE_CACHE_DIR), settings.POOLBENCH_CACHE_BYTES)

    def locate(self, name: str) -> dict[str, str]:
        """The arguments that name the object."""
        return {"Bucket": self.bucket_name, "Key": self._normalize_name(name)}

    @property
    def place(self) -> str:
        return f"{self.bucket_name}/{self.location}"

    def expect_marker(self, token: str) -> None:
        self.expect_token(self.place, token)

    def require_marker(self) -> None:
        """Asked of the store again after ``MARKER_SECONDS``."""
        if time.monotonic() < self._checked.get(self.place, 0.0):
            return
        try:
            with self.open(MARKER) as stream:
                token = stream.read().decode().strip()
        except FileNotFoundError:
            token = None
        self.check_token(self.place, token)
        if token is not None:
            self._checked[self.place] = time.monotonic() + MARKER_SECONDS

    def put(self, name: str, data: bytes, *, synced: bool) -> None:  # noqa: ARG002
        """An object is stored for good, and visible, once the store has answered."""
        if name != MARKER:
            self.require_marker()
        with raise_store_errors(name):
            self.client.put_object(**self.locate(name), Body=data)

    def put_file(self, name: str, path: Path) -> None:
        self.require_marker()
        if not self.refresh(name):
            with raise_store_errors(name):
                place = self.locate(name).values()
                self.client.upload_file(str(path), *place, Config=IN_TURN)
        if name.endswith(COLUMNS) and path.parent == self.cache.folder:
            self.cache.keep(name, path)
        else:
            path.unlink()

    def refresh(self, name: str) -> bool:
        """Objects do not get young by being read: an old one is copied onto itself."""
        try:
            age = timezone.now() - self.get_modified_time(name)
        except FileNotFoundError:
            return False
        if age > REFRESH_AFTER:
            place = self.locate(name)
            with raise_store_errors(name):
                changed = {"MetadataDirective": "REPLACE"}
                self.client.copy(place, *place.values(), ExtraArgs=changed)
        return True

    def sync(self) -> None:
        """Nothing waits here."""

    def path(self, name: str) -> str:
        def download(part: Path) -> None:
            with raise_store_errors(name):
                place = self.locate(name).values()
                self.client.download_file(*place, str(part), Config=IN_TURN)

        try:
            return str(self.cache.fetch(name, download))
        except ValueError as error:
            raise StoreAwayError(f"the store is damaged: {error}") from error

    def get_scratch_folder(self) -> Path:
        folder = self.cache.folder
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def list_files(self) -> Iterator[StoredFile]:
        start = f"{self.location.strip('/')}/".lstrip("/")
        with raise_store_errors("the list of files"):
            pages = self.client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=start):
                for each in page.get("Contents", ()):
                    name = each["Key"].removeprefix(start)
                    yield StoredFile(name, each["Size"], each["LastModified"])

    def count_free_bytes(self) -> int | None:
        return None

    def delete(self, name: str) -> None:
        with raise_store_errors(name):
            self.client.delete_object(**self.locate(name))

    def exists(self, name: str) -> bool:
        try:
            self.read_head(name)
        except FileNotFoundError:
            return False
        return True

    def size(self, name: str) -> int:
        return int(self.read_head(name)["ContentLength"])

    def get_modified_time(self, name: str) -> datetime:
        modified: datetime = self.read_head(name)["LastModified"]
        return modified

    def read_head(self, name: str) -> dict[str, Any]:
        """Size and time of the object. Raises ``FileNotFoundError``."""
        with raise_store_errors(name):
            head: dict[str, Any] = self.client.head_object(**self.locate(name))
        return head

    def _open(self, name: str, mode: str = "rb") -> BufferedReader:
        if mode != "rb":
            raise ValueError("the files of the store are written whole, by put")
        return BufferedReader(RangeReader(self, name, self.size(name)), BUFFER_BYTES)


class RangeReader(RawIOBase):
    """An object to be read from any place. From there on its bytes come as a stream, when they are
    read: what is not read is not fetched.
    """

    def __init__(self, bucket: StoreBucket, name: str, size: int) -> None:
        self._bucket, self._name, self._size = bucket, name, size
        self._place = 0
        self._stream: Any = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        start = {SEEK_SET: 0, SEEK_CUR: self._place}.get(whence, self._size)
        if (place := max(0, start + offset)) != self._place:
            self._drop_stream()
            self._place = place
        return place

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return self._read(None)

    def close(self) -> None:
        self._drop_stream()
        super().close()

    def _read(self, count: int | None) -> bytes:
        if self._place >= self._size:
            return b""
        with raise_store_errors(self._name):
            try:
                data = self._continue(count)
            except BotoCoreError:  # a stream that rested too long, as behind a slow client
                self._drop_stream()
                data = self._continue(count)
        self._place += len(data)
        return data

    def _continue(self, count: int | None) -> bytes:
        if self._stream is None:
            place = self._bucket.locate(self._name)
            got = self._bucket.client.get_object(**place, Range=f"bytes={self._place}-")
            self._stream = got["Body"]
        data: bytes = self._stream.read(count)
        return data

    def _drop_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None


@contextmanager
def raise_store_errors(name: str) -> Iterator[None]:
    """Raise ``FileNotFoundError`` or ``StoreAwayError`` for the errors of the library."""
    try:
        yield
    except ClientError as error:
        answer = error.response
        is_missing = answer["ResponseMetadata"]["HTTPStatusCode"] == 404
        if is_missing and answer["Error"]["Code"] != "NoSuchBucket":
            raise FileNotFoundError(f"{name} is not in the bucket") from error
        raise StoreAwayError(f"the store refused {name}: {answer['Error']['Code']}") from error
    except (BotoCoreError, Boto3Error) as error:
        # Without the address: the messages of jobs are for participants too.
        raise StoreAwayError(f"the store is away: {type(error).__name__}") from error
