"""Qrels, and qrels of a sample with its strata or probabilities: read, refused, written."""

from dataclasses import replace
from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import MAX_GRADE, qrels_from_rows, read_qrels, write_qrels
from poolbench.runs.sampled_qrels import (
    READERS,
    build_prels_sample,
    build_strata_sample,
    number_strata,
    read_frame,
    read_prels,
    read_strata,
    read_unsampled_qrels,
    write_prels,
    write_strata,
)
from tests.refusals import list_faults


def refused(read, data):
    return [(f.code, f.line, f.column) for f in list_faults(read, data)]


def known(values):
    return [None if isnan(value) else value for value in values.tolist()]


def test_read_qrels_sorts_and_keeps_negative_grades():
    table = read_qrels(b"2 0 b 1\n10\t0\ta\t-2\r\n2 Q0 a -1\n# note\n\n2 0 B +2")
    assert table.topics == ("10", "2")
    assert table.starts.tolist() == [0, 1, 4]
    assert table.docnos == ["a", "B", "a", "b"]
    assert table.grades.tolist() == [-2, 2, -1, 1]


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


@pytest.mark.parametrize(("read", "data", "faults"), [
    (read_qrels, b"1 0 a 1\n1 0 a 1\n1 0 a 2\n1 0 b 1.0\n1 0 c\n1 0 d 1 x\n1 0 \xe9 1\n", {
        ("EQ05", 2, 5), ("EQ06", 3, 5), ("EQ04", 4, 7), ("EQ02", 5, 6), ("EQ02", 6, 9),
        ("EQ01", 7, 5),
    }),
    (read_strata,
     b"1 0 a 1 1\n1 0 a 1 1\n1 0 a 2 1\n1 0 b 1 1.0\n1 0 c 1\n1 0 d 1 1 x\n1 0 \xe9 1 1\n", {
        ("ES05", 2, 5), ("ES06", 3, 5), ("ES04", 4, 9), ("ES02", 5, 8), ("ES02", 6, 11),
        ("ES01", 7, 5),
    }),
    *((read_prels, f"1 a 1 1 {probability}\n".encode(), {("ES07", 1, 9)})
      for probability in ("0", "-0.5", "1.01", "nan", "inf", "0,5", "na", "1e-999")),
    *((read_prels, f"1 a {grade} 1 0.5\n".encode(), {("ES04", 1, 5)})
      for grade in ("yes", "1.5", MAX_GRADE + 1)),
    *((read_qrels, f"1 0 a {grade}\n1 0 b 0\n".encode(), {("EQ04", 1, 7)})
      for grade in ("yes", "1.5", "1_0", "٣", MAX_GRADE + 1, "9" * 5000, "--1")),
    (read_frame, b"1 a -1 1 NA\n1 b 1 1 NA\n1 c -1 1 0\n1 d -1 1 0.5\n1 e -1 1 x\n1 d -1 1 0.5\n", {
        ("ES07", 1, 10), ("ES07", 2, 9), ("ES07", 3, 10), ("ES07", 5, 10), ("ES05", 6, 3),
    }),
    (read_qrels, b"", {("EQ03", None, None)}),
    (read_strata, b"# nothing\n", {("ES03", None, None)}),
    (read_prels, b"# nothing\n", {("ES03", None, None)}),
    (read_unsampled_qrels, b"1 0 a 1\n1 0 b 1 0\n", {("EQ02", 2, 9)}),
])  # fmt: skip
def test_all_faults_are_listed_at_once_by_place(read, data, faults):
    assert set(refused(read, data)) == faults


@pytest.mark.parametrize(("read", "data", "code"), [
    (read_qrels, b"\xef\xbb\xbf1 0 a 1", "WQ01"), (read_strata, b"\xef\xbb\xbf1 0 a s 1", "WS01"),
])  # fmt: skip
def test_a_byte_order_mark_is_a_warning(read, data, code):
    report = FaultReport()
    assert len(getattr(table := read(data, report=report), "qrels", table)) == 1
    assert dict(report.counts) == {code: 1}


def test_five_columns_read_as_plain_qrels_name_the_option():
    with pytest.raises(
        InvalidFile, match=r"--qrels-format strata .* --qrels-format prels"
    ) as error:
        read_unsampled_qrels(b"\n1 0 a 1 0\n1 0 b 1 0\n")
    assert [fault.code for fault in error.value.report.faults] == ["ES08"]


def test_plain_qrels_are_read_as_such():
    assert READERS["qrels"](b"# of five columns none\n1 0 a 1\n").grades.tolist() == [1]


NAMES = st.text(st.characters(exclude_characters=" #", exclude_categories=["Cs", "Cc"]), min_size=1)
PAIRS = st.tuples(NAMES, NAMES)
GRADES = st.integers(-2, 3)
PROBABILITIES = st.one_of(st.just(nan), st.floats(1e-6, 1))


@given(st.dictionaries(PAIRS, st.integers(-MAX_GRADE, MAX_GRADE), min_size=1))
def test_write_qrels_is_read_back(grades):
    table = qrels_from_rows((topic, docno, grade) for (topic, docno), grade in grades.items())
    written = write_qrels(table)
    again = read_qrels(written)
    assert (again.topics, again.docnos) == (table.topics, table.docnos)
    assert again.grades.tolist() == table.grades.tolist()
    assert again.starts.tolist() == table.starts.tolist()
    assert write_qrels(again) == written


def test_write_qrels_sorts_by_code_point():
    rows = [("2", "b", 1), ("10", "é", 0), ("2", "B", -1)]
    assert write_qrels(qrels_from_rows(rows)) == "10 0 é 0\n2 0 B -1\n2 0 b 1\n".encode()


@given(st.dictionaries(PAIRS, st.tuples(NAMES, GRADES), min_size=1))
def test_write_strata_is_read_back(rows):
    table = build_strata_sample((*pair, stratum, grade) for pair, (stratum, grade) in rows.items())
    again = read_strata(write_strata(table))
    assert write_strata(again) == write_strata(table)
    assert (again.strata, known(again.inclusion)) == (table.strata, known(table.inclusion))


@given(st.dictionaries(PAIRS, st.tuples(GRADES, PROBABILITIES), min_size=1))
def test_write_prels_is_read_back(rows):
    table = build_prels_sample((*pair, grade, p) for pair, (grade, p) in rows.items())
    again = read_prels(write_prels(table))
    assert write_prels(again) == write_prels(table)
    assert again.qrels.grades.tolist() == table.qrels.grades.tolist()
    assert known(again.inclusion) == known(table.inclusion)


@given(st.dictionaries(PAIRS, st.tuples(GRADES, st.floats(1e-6, 1)), min_size=1))
def test_a_frame_is_read_back_with_the_probabilities_of_unjudged_pairs(rows):
    table = build_prels_sample((*pair, grade, p) for pair, (grade, p) in rows.items())
    data = write_prels(replace(table, inclusion=table.frame))
    frame, prels = read_frame(data), read_prels(data)
    assert frame.qrels.grades.tolist() == table.qrels.grades.tolist()
    assert frame.frame.tolist() == [rows[pair][1] for pair in sorted(rows)]
    # Read as prels, the same file means the same sample as without them.
    for each in (frame, prels):
        assert known(each.inclusion) == known(table.inclusion)


def test_qrels_from_rows_refuses_a_pair_twice():
    with pytest.raises(ValueError, match="one grade"):
        qrels_from_rows([("1", "a", 0), ("1", "a", 0)])
    with pytest.raises(ValueError, match="integers between"):
        qrels_from_rows([("1", "a", MAX_GRADE + 1)])


def test_rows_that_are_no_sample_are_refused():
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        build_prels_sample([("1", "a", 1, 0.0)])
    with pytest.raises(ValueError, match="one grade per topic and document"):
        build_strata_sample([("1", "a", "s", 1), ("1", "a", "t", 1)])
    with pytest.raises(ValueError, match="probabilities but no strata"):
        write_strata(build_prels_sample([("1", "a", 1, 0.5)]))


def test_qrels_from_no_rows():
    assert write_qrels(qrels_from_rows([])) == b""


@pytest.mark.parametrize(
    ("file", "pairs"),
    [
        ("trec-covid-r1/qrels-covid-round1.txt", 8691),
        ("trec-dl19-passage/qrels.dl19-passage.txt", 9260),
    ],
)
def test_read_qrels_of_real_campaigns(file, pairs, data_dir):
    assert len(read_qrels(read_bytes(data_dir / file))) == pairs
