"""Runs by pair codes: written and read back; a pair is found by its bytes, not by its hash."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.reading.machine_words import mix_bits
from poolbench.reading.reader import DocnoArray
from poolbench.runs.columnar import read_columns, write_columns
from poolbench.runs.grouping import find_duplicate_rows, group_by_topic
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.run_matrix import (
    PairArray,
    PairDictionary,
    RunMatrix,
    read_matrix,
    read_pairs,
    write_matrix,
    write_pairs,
)
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import QrelsTable, RunTable

PAIRS = st.sets(
    st.tuples(st.sampled_from(["1", "2", "é"]), st.text("abé\u2028", min_size=1)), max_size=20
)


def made(pairs):
    return run_from_rows("t", [(topic, docno, 1.0) for topic, docno in pairs])


def filled(runs):
    known = PairDictionary()
    for run in runs:
        known.extend(known.missing(run))
    return known


@given(st.lists(PAIRS, max_size=4))
def test_every_pair_has_one_code_and_runs_come_back(runs):
    tables = [made(pairs) for pairs in runs]
    known = filled(tables)
    assert sorted(known) == sorted(set().union(*runs))
    assert len(known) == len(list(known))
    for table in tables:
        again = known.decode(known.encode(table), "t")
        assert (again.topics, again.docnos) == (table.topics, table.docnos)
        assert again.starts.tolist() == table.starts.tolist()
        assert again.scores.tolist() == table.scores.tolist()


@given(st.lists(PAIRS, max_size=4), PAIRS)
def test_places_are_those_of_the_table(runs, judged):
    known = filled([made(pairs) for pairs in runs])
    table = qrels_from_rows((topic, docno, 0) for topic, docno in judged)
    row = {pair: at for at, pair in enumerate(PairArray(table.topics, table.starts, table.docnos))}
    expected = [row.get(pair, -1) for pair in known]
    assert known.places(table).take(np.arange(len(known))).tolist() == expected
    code = {pair: at for at, pair in enumerate(known)}
    assert known.find(table).tolist() == [code.get(pair, -1) for pair in row]


def test_a_run_with_a_pair_that_has_no_code_is_refused():
    known = filled([made({("1", "a")})])
    with pytest.raises(KeyError, match="not in the dictionary"):
        known.encode(made({("1", "a"), ("1", "b")}))


@given(st.lists(st.tuples(st.sampled_from("12"), st.text("abé", min_size=1)), max_size=20))
def test_pairs_are_written_in_their_order(listed):
    pairs = PairArray.from_pairs(listed)
    again = read_pairs(write_pairs(pairs))
    assert list(again) == list(pairs) == listed
    assert (again.topics, again.docnos.take(slice(None))) == (pairs.topics, pairs.docnos)


def matrix():
    pairs, scores = np.array([3, 0, 2], np.int32), np.array([2.5, -0.0, 1e300])
    return RunMatrix(("1", "é"), np.array([0, 1, 3]), pairs, scores)


def test_a_matrix_is_written_byte_for_byte_the_same_and_read_back():
    data = write_matrix(matrix())
    assert data == write_matrix(matrix())
    again = read_matrix(data)
    assert again.topics == ("1", "é")
    assert again.starts.tolist() == [0, 1, 3]
    assert again.pairs.tolist() == [3, 0, 2]
    assert again.scores.tobytes() == matrix().scores.tobytes()


@pytest.mark.parametrize(
    "data", [b"", b"1 Q0 a 1 2 t\n", write_columns({}, {"x": np.zeros(2, np.complex128)})]
)
def test_what_is_no_file_of_columns_is_refused(data):
    with pytest.raises(ValueError, match=r"not a column file|unknown type"):
        read_columns(data)


def test_columns_begin_at_multiples_of_64():
    columns = {"a": np.arange(5, dtype=np.int32), "b": np.array([1.5]), "c": np.empty(0)}
    head, again, last = read_columns(write_columns({"name": "é"}, columns))
    assert head == {"name": "é"}
    assert {name: values.tolist() for name, values in again.items()} == {
        "a": [0, 1, 2, 3, 4], "b": [1.5], "c": [],
    }  # fmt: skip
    assert last % 64 == 0


TOPICS = st.sampled_from(["1", "01", "2", "é"])
DOCNOS = st.text("ab-0é", min_size=1, max_size=12) | st.sampled_from(["x" * 300, "x" * 299 + "y"])
JUDGED = st.sets(st.tuples(TOPICS, DOCNOS), max_size=40)


@given(JUDGED, JUDGED)
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


def test_an_id_whose_hash_is_0_is_not_that_with_1():
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    words = np.array([8, 8 ^ inverse, 9], "<u8")
    ids = DocnoArray(words.tobytes(), np.arange(3) * 8, np.full(3, 8))
    assert ids.hashes()[:2].tolist() == [0, 1]
    for own in range(3):
        judged = ids.take(np.array([own]))
        qrels = QrelsTable(("a",), np.array([0, 1]), judged, np.zeros(1, np.int32))
        run = RunTable("t", ("a",), np.array([0, 3]), ids, np.zeros(3))
        found = PairIndex.from_table(qrels).find(run)
        assert found.tolist() == [0 if own == row else -1 for row in range(3)]


def test_ids_of_one_hash_are_all_distinct():
    ids = colliding(20)
    assert len(ids.distinct()) == 20


def test_ids_of_one_hash_are_no_repetition():
    ids = colliding(50)
    assert find_duplicate_rows(ids, group_by_topic(["a"] * 50)) == {}
    twice = ids.take(np.r_[0:50, 7:3:-1])
    topics = ["a"] * 50 + ["a", "b", "a", "a"]
    assert find_duplicate_rows(twice, group_by_topic(topics)) == {50: 7, 52: 5, 53: 4}
