from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import MAX_GRADE, qrels_from_rows, read_qrels, write_qrels


def refused(data):
    with pytest.raises(InvalidFile) as error:
        read_qrels(data)
    return [(f.code, f.line, f.column) for f in error.value.report.faults]


def test_read_qrels_sorts_and_keeps_negative_grades():
    table = read_qrels(b"2 0 b 1\n10\t0\ta\t-2\r\n2 Q0 a -1\n# note\n\n2 0 B +2")
    assert table.topics == ("10", "2")
    assert table.starts.tolist() == [0, 1, 4]
    assert table.docnos == ["a", "B", "a", "b"]
    assert table.grades.tolist() == [-2, 2, -1, 1]


def test_read_qrels_lists_all_faults_at_once():
    data = b"1 0 a 1\n1 0 a 1\n1 0 a 2\n1 0 b 1.0\n1 0 c\n1 0 d 1 x\n1 0 \xe9 1\n"
    assert set(refused(data)) == {
        ("EQ05", 2, 5), ("EQ06", 3, 5), ("EQ04", 4, 7), ("EQ02", 5, 6), ("EQ02", 6, 9),
        ("EQ01", 7, 5),
    }  # fmt: skip


@pytest.mark.parametrize("grade", ["yes", "1.5", "1_0", "٣", str(MAX_GRADE + 1), "9" * 5000, "--1"])
def test_read_qrels_refuses_other_grades(grade):
    assert refused(f"1 0 a {grade}\n1 0 b 0\n".encode()) == [("EQ04", 1, 7)]


def test_read_qrels_of_nothing():
    assert refused(b"") == [("EQ03", None, None)]


def test_read_qrels_warns_of_a_byte_order_mark():
    report = FaultReport()
    assert read_qrels(b"\xef\xbb\xbf1 0 a 1", report=report).topics == ("1",)
    assert dict(report.counts) == {"WQ01": 1}


NAMES = st.text(st.characters(exclude_characters=" #", exclude_categories=["Cs", "Cc"]), min_size=1)
GRADES = st.integers(-MAX_GRADE, MAX_GRADE)


@given(st.dictionaries(st.tuples(NAMES, NAMES), GRADES, min_size=1))
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


def test_qrels_from_rows_refuses_a_pair_twice():
    with pytest.raises(ValueError, match="one grade"):
        qrels_from_rows([("1", "a", 0), ("1", "a", 0)])
    with pytest.raises(ValueError, match="integers between"):
        qrels_from_rows([("1", "a", MAX_GRADE + 1)])


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
