"""Runs by pair codes: what is written is read back, and the dictionary finds every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.runs.columnar import read_columns, write_columns
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
    assert known.places(table).tolist() == [row.get(pair, -1) for pair in known]
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
    assert (again.topics, again.docnos) == (pairs.topics, pairs.docnos)


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
