from __future__ import annotations

import gzip
import io

import pytest

from poolbench.files.faults import InvalidFile
from poolbench.files.streams import read_bytes


def codes(source, **options):
    with pytest.raises(InvalidFile) as refused:
        read_bytes(source, **options)
    return dict(refused.value.report.counts)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_read_bytes_from_bytes_object_and_path(pack, tmp_path):
    packed = pack(b"1 Q0 d 1 2 t\n")
    path = tmp_path / "run.without-gz-in-its-name"
    path.write_bytes(packed)
    assert read_bytes(packed) == b"1 Q0 d 1 2 t\n"
    assert read_bytes(io.BytesIO(packed)) == b"1 Q0 d 1 2 t\n"
    assert read_bytes(path) == b"1 Q0 d 1 2 t\n"


def test_read_bytes_joins_gzip_members():
    assert read_bytes(gzip.compress(b"a") + gzip.compress(b"b")) == b"ab"


def test_read_bytes_does_not_unpack_twice():
    inner = gzip.compress(b"a")
    assert read_bytes(gzip.compress(inner)) == inner


def test_read_bytes_at_the_limit():
    assert read_bytes(b"x" * 10, max_bytes=10) == b"x" * 10
    assert read_bytes(gzip.compress(b"x" * 10), max_bytes=10) == b"x" * 10


def test_read_bytes_beyond_the_limit():
    assert codes(b"x" * 11, max_bytes=10) == {"E15": 1}
    assert codes(io.BytesIO(b"x" * 11), max_bytes=10) == {"E15": 1}
    assert codes(gzip.compress(b"x" * 11), max_bytes=10) == {"E02": 1}


class CountingStream(io.BytesIO):
    taken = 0

    def read(self, size=-1):
        part = super().read(size)
        self.taken += len(part)
        return part


def test_read_bytes_stops_early_in_a_bomb():
    bomb = CountingStream(gzip.compress(b"\0" * 50_000_000))
    assert codes(bomb, max_bytes=1_000_000) == {"E02": 1}
    assert bomb.taken < len(bomb.getvalue()) / 4


@pytest.mark.parametrize("broken", [
    b"\x1f\x8b", b"\x1f\x8bnot gzip", gzip.compress(b"a", mtime=0)[:-3],
    gzip.compress(b"a", mtime=0)[:12],
])  # fmt: skip
def test_read_bytes_of_broken_gzip(broken):
    assert codes(broken) == {"E02": 1}


def test_read_bytes_with_garbage_after_gzip():
    assert codes(gzip.compress(b"a") + b"garbage") == {"E02": 1}


def test_read_bytes_of_next_to_nothing():
    assert read_bytes(b"") == b""
    assert read_bytes(io.BytesIO(b"\x1f")) == b"\x1f"


def test_read_bytes_of_a_missing_path(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "none")
