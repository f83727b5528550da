"""The files of runs in the store: as they were sent until the check, and packed from then on.

A file that was sent as gzip stays as it is. The store has any other one twice in its life: first
under a name of its own, so that no other row can come to name it and it can go at once; then
packed, under a name that runs with the same bytes share.
"""

import gzip
import hashlib
import io
import shutil
import string
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from campaigns import store
from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Run
from poolbench.files.streams import GZIP_MAGIC

GZIP, PACKED, FORMER_PACKED, SENT = ".gz", ".packed.zst", ".packed.gz", ".sent."
STEP = 1 << 20


@dataclass(frozen=True)
class SentFile:
    """A file as it was sent: its bytes, or a temporary file, which ``store`` moves."""

    source: bytes | Path

    @classmethod
    def from_upload(cls, upload: Any) -> "SentFile":
        """The file of a form: Django has written a large one to the disk already."""
        if hasattr(upload, "temporary_file_path"):
            return cls(Path(upload.temporary_file_path()))
        return cls(upload.read())

    @cached_property
    def size(self) -> int:
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    @cached_property
    def sha256(self) -> str:
        with self.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]

    @cached_property
    def is_gzip(self) -> bool:
        return self.read(len(GZIP_MAGIC)) == GZIP_MAGIC

    def open(self) -> IO[bytes]:
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")

    def read(self, size: int = -1) -> bytes:
        with self.open() as stream:
            return stream.read(size)

    def store(self) -> str:
        """Store the file as it is, once, and return its name."""
        digest = self.sha256
        suffix = GZIP if self.is_gzip else SENT + get_random_string(16, string.ascii_lowercase)
        if isinstance(self.source, bytes):
            return store.put_blob(self.source, suffix)
        return store.put_file(self.source, suffix, digest=digest)

    def pack(self) -> str:
        """Store it packed, a piece at a time, and return that name."""
        import pyarrow  # only who packs or unpacks needs its 25 MB

        part = store.make_part_path()
        try:
            # At level 1: smaller than gzip at level 6 on runs, in a tenth of its time.
            with (
                self.open() as stream,
                pyarrow.OSFile(str(part), "wb") as target,
                pyarrow.CompressedOutputStream(target, "zstd") as packed,
            ):
                shutil.copyfileobj(stream, packed, STEP)
            return store.put_file(part, PACKED)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def is_large(file: SentFile) -> bool:
    """Whether the unpacked file is large: a few bytes of gzip can be many lines."""
    left: int = settings.POOLBENCH_CHECK_AT_ONCE_BYTES
    if file.size > left or not file.is_gzip:
        return file.size > left
    try:
        with file.open() as stream, gzip.open(stream) as unpacked:
            while part := unpacked.read(STEP):
                left -= len(part)
                if left < 0:
                    return True
    except (OSError, EOFError, zlib.error):
        pass  # damaged, which the check reports quickly
    return False


def pack_run_file(data: bytes) -> str:
    """Store the bytes of a run, packed if they are not yet, and return the name."""
    file = SentFile(data)
    return store.put_blob(data, GZIP) if file.is_gzip else file.pack()


def pack_sent_file(name: str) -> str:
    """The name of the file ``name`` once it is packed."""
    return SentFile(store.find_blob_path(name)).pack() if SENT in name else name


def unpack_run_file(name: str, data: bytes, size: int) -> bytes:
    """The ``size`` bytes that were sent, from the file ``name`` of the store."""
    if name.endswith(PACKED):
        import pyarrow

        unpacked: bytes = pyarrow.Codec("zstd").decompress(data, size, asbytes=True)
        return unpacked
    return gzip.decompress(data) if name.endswith(FORMER_PACKED) else data


def read_original_file(run: Run) -> bytes:
    """The bytes as they were uploaded."""
    if run.file_removed_at is not None:
        message = _("The file of this rejected run was removed on %(at)s.")
        fix = _("The report of the check is still there. Submit a corrected file.")
        at = format_utc(run.file_removed_at)
        raise ActionRefused("file-removed", message % {"at": at}, fix)
    try:
        data = store.get_blob(run.file)
    except store.MissingFileError:
        # The check may have packed it since the row was read.
        run.refresh_from_db(fields=["file"])
        data = store.get_blob(run.file)
    return unpack_run_file(run.file, data, run.size)


def remove_sent_file(name: str) -> None:
    """Remove the file as it was sent once its run names the packed one.

    Should this process die before: ``housekeeping`` removes what no row names.
    """
    if SENT in name and not Run.objects.filter(file=name).exists() and not store.keeps_files():
        store.remove_blob(name)
