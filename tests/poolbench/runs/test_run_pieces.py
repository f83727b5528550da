"""A run in pieces is the run as a whole; what would need a message is left to that."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.runs import run_pieces
from poolbench.runs.run_pieces import OddRunError, iter_run_pieces, split_run
from poolbench.runs.runs import read_run
from tests.examples import examples

SCORES = st.sampled_from(["1.5", "1.50", "-0.0", "0", "7e-3", "0.12345678901234567", "12.25"])
DOCNOS = st.from_regex(r"\A[a-z]{1,3}[0-9é]{0,20}\Z")
RUNS = st.lists(st.dictionaries(DOCNOS, SCORES, min_size=1, max_size=12), min_size=1, max_size=12)


def text_of(topics, order=lambda listed: listed):
    return "".join(
        f"{topic} Q0 {docno} 1 {score} tag\n"
        for topic, own in order([*enumerate(topics)])
        for docno, score in own.items()
    ).encode()


def documents(table):
    return {
        topic: [*zip(table.docnos[table.rows(at)], table.scores[table.rows(at)], strict=True)]
        for at, topic in enumerate(table.topics)
    }


def read_pieces(path, parts=1):
    return [documents(piece) for span in split_run(path, parts) for piece in iter_run_pieces(span)]


def join(pieces):
    return {topic: own for piece in pieces for topic, own in piece.items()}


@examples(60)
@given(RUNS, st.integers(15, 400), st.integers(1, 3))
def test_pieces_of_whole_topics_are_the_run(tmp_path_factory, topics, size, parts):
    path = tmp_path_factory.mktemp("pieces") / "run"
    path.write_bytes(text_of(topics, lambda listed: listed[::-1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_pieces, "PIECE", size)
        patch.setattr(run_pieces, "MIN_PART", 100)
        pieces = read_pieces(str(path), parts)
    assert sum(map(len, pieces)) == len(topics)
    assert join(pieces) == documents(read_run(path.read_bytes()))


def test_spans_start_with_topics_and_cover_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(run_pieces, "MIN_PART", 1000)
    monkeypatch.setattr(run_pieces, "PIECE", 2000)
    path = tmp_path / "run"
    path.write_bytes(text_of([{f"d{n}": "1" for n in range(9)} for _ in range(60)]))
    data = path.read_bytes()
    spans = split_run(str(path), 3)
    assert [span.start for span in spans[1:]] == [span.end for span in spans[:-1]]
    assert (spans[0].start, spans[-1].end, len(spans)) == (0, len(data), 3)
    for span in spans[1:]:
        before, after = data[: span.start].split(b"\n")[-2], data[span.start :]
        assert before.split()[0] != after.split()[0]
        assert not span.is_whole


LINE = b"1 Q0 a 1 2.0 tag\n"


@pytest.mark.parametrize("data", [
    b"\xef\xbb\xbf" + LINE, b"# comment\n" + LINE, LINE + b"1 Q0 b 2 1.0 tag more\n",
    LINE + b"1 Q0 b 2 1.0\n", LINE + LINE, LINE + b"2 Q0 a 1 1 tag\n1 Q0 b 2 1 tag\n",
    LINE + b"1 Q0 b 2 1.0 other\n", LINE + b"1 Q0 b 2 nan tag\n", LINE + b"1 Q0 b 2 inf tag\n",
    LINE + b"1 Q0 b 2 1,5 tag\n", LINE + b"1 Q0 \xff 2 1 tag\n", LINE + b"1 Q0 b\0 2 1 tag\n",
    gzip.compress(LINE, mtime=0), b'{"a Q0 a 1 2.0 tag\n', b"\n",
])  # fmt: skip
def test_what_needs_a_message_is_left_to_the_whole_reading(tmp_path, data):
    path = tmp_path / "run"
    path.write_bytes(data)
    with pytest.raises(OddRunError):
        read_pieces(str(path))


@pytest.mark.parametrize("size", [0, None])
def test_nothing_and_a_missing_file_are_left_to_the_whole_reading(tmp_path, size):
    path = tmp_path / "run"
    if size is not None:
        path.write_bytes(b"")
    with pytest.raises(OddRunError):
        split_run(str(path), 1)
