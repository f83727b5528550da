import gzip
import io
from mmap import PAGESIZE

import pytest

from poolbench.files import streams
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


def pack(data):
    return gzip.compress(data, mtime=0)  # the same bytes, so the same name of the test, at any time


PACKED = pack(b"a")


@pytest.mark.parametrize(("source", "content"), [
    (pack(b"aaaaa") + pack(b"bbbbb"), b"aaaaabbbbb"),  # members are joined
    (pack(PACKED[:10]), PACKED[:10]),  # nothing is unpacked twice
    (b"x" * 10, b"x" * 10), (pack(b"x" * 10), b"x" * 10),  # at the limit
    (b"", b""), (io.BytesIO(b"\x1f"), b"\x1f"),
])  # fmt: skip
def test_read_bytes_up_to_the_limit(source, content):
    assert read_bytes(source, max_bytes=10) == content


class CountingStream(io.BytesIO):
    taken = 0

    def read(self, size=-1):
        part = super().read(size)
        self.taken += len(part)
        return part


def test_read_bytes_stops_early_in_a_bomb():
    bomb = CountingStream(pack(b"\0" * 50_000_000))
    assert codes(bomb, max_bytes=1_000_000) == {"E02": 1}
    assert bomb.taken < len(bomb.getvalue()) / 4


@pytest.mark.parametrize(("source", "code"), [
    (b"x" * 11, "E15"), (io.BytesIO(b"x" * 11), "E15"), (pack(b"x" * 11), "E02"),
    (b"\x1f\x8b", "E02"), (b"\x1f\x8bnot gzip", "E02"), (PACKED[:-3], "E02"), (PACKED[:12], "E02"),
    (PACKED + b"garbage", "E02"),
])  # fmt: skip
def test_read_bytes_of_too_many_bytes_or_broken_gzip(source, code):
    assert codes(source, max_bytes=10) == {code: 1}


def test_read_bytes_of_a_missing_path(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "none")


@pytest.mark.parametrize("packed", [False, True])
def test_a_mapped_file_has_the_same_text(tmp_path, packed, monkeypatch):
    monkeypatch.setattr(streams, "_MAPPED", 100)
    monkeypatch.setattr(streams, "_FORGOTTEN", 1)
    text = b"".join(b"1 Q0 d%d 1 2 t\n" % number for number in range(3_000))
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(text) if packed else text)
    mapped = streams.map_text(path)
    assert (len(mapped), mapped[:]) == (len(text), text)
    assert streams.drop_pages(mapped, 0, 10_000) == 10_000 - 10_000 % PAGESIZE
    assert mapped[5_000:5_100] == text[5_000:5_100]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    for limit in (len(text) - 1, 50):
        with pytest.raises(InvalidFile) as refused:
            streams.map_text(path, max_bytes=limit)
        assert dict(refused.value.report.counts) == {"E02" if packed else "E15": 1}


def test_a_small_file_is_read_instead_of_mapped(tmp_path):
    (tmp_path / "run").write_bytes(b"")
    assert streams.map_text(tmp_path / "run") == b""
