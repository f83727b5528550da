"""The rows of a run are found in the qrels by their bytes, not by their hashes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from poolbench.reading.machine_words import mix_bits
from poolbench.reading.reader import DocnoArray
from poolbench.runs.grouping import find_duplicate_rows, group_by_topic
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import QrelsTable, RunTable

TOPICS = st.sampled_from(["1", "01", "2", "é"])
DOCNOS = st.text("ab-0é", min_size=1, max_size=12) | st.sampled_from(["x" * 300, "x" * 299 + "y"])
PAIRS = st.sets(st.tuples(TOPICS, DOCNOS), max_size=40)


@given(PAIRS, PAIRS)
def test_find_says_where_each_pair_stands(judged, retrieved):
    qrels = qrels_from_rows((topic, docno, 1) for topic, docno in judged)
    run = run_from_rows("t", [(topic, docno, 0.0) for topic, docno in retrieved])
    topics = np.repeat(qrels.topics or ("",), np.diff(qrels.starts) if qrels.topics else [0])
    place = {pair: row for row, pair in enumerate(zip(topics, qrels.docnos, strict=True))}
    of_run = np.repeat(run.topics or ("",), np.diff(run.starts) if run.topics else [0])
    expected = [place.get(pair, -1) for pair in zip(of_run, run.docnos, strict=True)]
    assert PairIndex.from_table(qrels).find(run).tolist() == expected


def test_find_in_qrels_of_many_topics_and_rows():
    rows = [(f"{topic:04d}", f"d{docno}") for topic in range(900) for docno in range(120)]
    qrels = qrels_from_rows((topic, docno, 0) for topic, docno in rows[::3])
    run = run_from_rows("t", [(topic, docno, 0.0) for topic, docno in rows])
    found = PairIndex.from_table(qrels).find(run)
    assert np.count_nonzero(found >= 0) == len(rows) // 3
    assert qrels.docnos.take(found[found >= 0]) == run.docnos.take(np.flatnonzero(found >= 0))


def colliding(count: int) -> DocnoArray:
    """Ids of sixteen bytes that all have one hash."""
    first = np.arange(1, count + 1, dtype=np.uint64) << np.uint64(1)
    second = mix_bits(np.uint64(16) ^ first) ^ np.uint64(0x123456789ABCDEF)
    data = np.stack([first, second], axis=1).astype("<u8").tobytes()
    return DocnoArray(data, np.arange(count) * 16, np.full(count, 16))


def test_ids_of_one_hash_are_told_apart():
    ids = colliding(400)
    assert len(set(ids.hashes().tolist())) == 1
    starts = np.array([0, 100, 150])
    judged = ids.take(np.r_[0:200:2, 100:150])
    qrels = QrelsTable(("a", "b"), starts, judged, np.zeros(150, np.int32))
    run = RunTable("t", ("b", "x"), np.array([0, 200, 400]), ids, np.zeros(400))
    index = PairIndex.from_table(qrels)
    assert index.crowded
    found = index.find(run)
    assert found[100:150].tolist() == list(range(100, 150))
    assert set(found[:100]) | set(found[150:]) == {-1}


def test_ids_of_one_hash_are_all_distinct():
    ids = colliding(20)
    assert len(ids.distinct()) == 20


def test_ids_of_one_hash_are_no_repetition():
    ids = colliding(50)
    assert find_duplicate_rows(ids, group_by_topic(["a"] * 50)) == {}
    twice = ids.take(np.r_[0:50, 7:3:-1])
    topics = ["a"] * 50 + ["a", "b", "a", "a"]
    assert find_duplicate_rows(twice, group_by_topic(topics)) == {50: 7, 52: 5, 53: 4}
