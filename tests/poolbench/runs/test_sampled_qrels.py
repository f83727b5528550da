from __future__ import annotations

from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.runs.qrels import MAX_GRADE
from poolbench.runs.sampled_qrels import (
    READERS,
    build_prels_sample,
    build_strata_sample,
    number_strata,
    read_prels,
    read_strata,
    read_unsampled_qrels,
    write_prels,
    write_strata,
)


def refused(read, data):
    with pytest.raises(InvalidFile) as error:
        read(data)
    return [(f.code, f.line, f.column) for f in error.value.report.faults]


def known(values):
    return [None if isnan(value) else value for value in values.tolist()]


def test_read_strata_takes_rates_from_the_strata_of_each_topic():
    table = read_strata(
        b"2 0 b s1 1\n2\t0 a s1 -1\r\n2 0 c s2 0\n# note\n\n1 0 d s1 -2\n1 0 e s1 2"
    )
    assert table.qrels.topics == ("1", "2")
    assert list(table.qrels.docnos) == ["d", "e", "a", "b", "c"]
    assert table.qrels.grades.tolist() == [-2, 2, -1, 1, 0]
    assert table.strata == ("s1", "s1", "s1", "s1", "s2")
    assert known(table.inclusion) == [None, 0.5, None, 0.5, 1.0]
    assert number_strata(table.qrels, table.strata).tolist() == [0, 0, 1, 1, 2]


def test_read_prels_takes_documents_chosen_otherwise_for_certain():
    data = b"1 a 1 1 0.25\n1 b 0 0 0.1\n1 c 2 2 NA\n1 d 0 1 NA\n1 e -1 1 0\n1 f 0 1 1e-2"
    table = read_prels(data)
    assert table.strata is None
    assert table.qrels.grades.tolist() == [1, 0, 2, 0, -1, 0]
    assert known(table.inclusion) == [0.25, 1.0, 1.0, None, None, 0.01]


def test_read_strata_lists_all_faults_at_once():
    data = b"1 0 a 1 1\n1 0 a 1 1\n1 0 a 2 1\n1 0 b 1 1.0\n1 0 c 1\n1 0 d 1 1 x\n1 0 \xe9 1 1\n"
    assert set(refused(read_strata, data)) == {
        ("ES05", 2, 5), ("ES06", 3, 5), ("ES04", 4, 9), ("ES02", 5, 8), ("ES02", 6, 11),
        ("ES01", 7, 5),
    }  # fmt: skip


@pytest.mark.parametrize("probability", ["0", "-0.5", "1.01", "nan", "inf", "0,5", "na", "1e-999"])
def test_read_prels_refuses_other_probabilities(probability):
    assert refused(read_prels, f"1 a 1 1 {probability}\n".encode()) == [("ES07", 1, 9)]


@pytest.mark.parametrize("grade", ["yes", "1.5", str(MAX_GRADE + 1)])
def test_read_prels_refuses_other_grades(grade):
    assert refused(read_prels, f"1 a {grade} 1 0.5\n".encode()) == [("ES04", 1, 5)]


@pytest.mark.parametrize("read", [read_strata, read_prels])
def test_reading_nothing_is_refused(read):
    assert refused(read, b"# nothing\n") == [("ES03", None, None)]


def test_read_strata_warns_of_a_byte_order_mark():
    report = FaultReport()
    assert read_strata(b"\xef\xbb\xbf1 0 a s 1", report=report).qrels.topics == ("1",)
    assert dict(report.counts) == {"WS01": 1}


def test_five_columns_read_as_plain_qrels_name_the_option():
    with pytest.raises(
        InvalidFile, match=r"--qrels-format strata .* --qrels-format prels"
    ) as error:
        read_unsampled_qrels(b"\n1 0 a 1 0\n1 0 b 1 0\n")
    assert [fault.code for fault in error.value.report.faults] == ["ES08"]


def test_plain_qrels_are_read_as_such():
    assert READERS["qrels"](b"# of five columns none\n1 0 a 1\n").grades.tolist() == [1]
    assert refused(read_unsampled_qrels, b"1 0 a 1\n1 0 b 1 0\n") == [("EQ02", 2, 9)]


NAMES = st.text(st.characters(exclude_characters=" #", exclude_categories=["Cs", "Cc"]), min_size=1)
GRADES = st.integers(-2, 3)
PAIRS = st.tuples(NAMES, NAMES)


@given(st.dictionaries(PAIRS, st.tuples(NAMES, GRADES), min_size=1))
def test_write_strata_is_read_back(rows):
    table = build_strata_sample((*pair, stratum, grade) for pair, (stratum, grade) in rows.items())
    again = read_strata(write_strata(table))
    assert write_strata(again) == write_strata(table)
    assert (again.strata, known(again.inclusion)) == (table.strata, known(table.inclusion))


PROBABILITIES = st.one_of(st.just(nan), st.floats(1e-6, 1))


@given(st.dictionaries(PAIRS, st.tuples(GRADES, PROBABILITIES), min_size=1))
def test_write_prels_is_read_back(rows):
    table = build_prels_sample((*pair, grade, p) for pair, (grade, p) in rows.items())
    again = read_prels(write_prels(table))
    assert write_prels(again) == write_prels(table)
    assert again.qrels.grades.tolist() == table.qrels.grades.tolist()
    assert known(again.inclusion) == known(table.inclusion)


def test_rows_that_are_no_sample_are_refused():
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        build_prels_sample([("1", "a", 1, 0.0)])
    with pytest.raises(ValueError, match="one grade per topic and document"):
        build_strata_sample([("1", "a", "s", 1), ("1", "a", "t", 1)])
    with pytest.raises(ValueError, match="probabilities but no strata"):
        write_strata(build_prels_sample([("1", "a", 1, 0.5)]))
