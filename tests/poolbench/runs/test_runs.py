import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import read_bytes
from poolbench.runs.runs import read_run, run_from_rows
from tests.refusals import list_faults

NASTY = "\u00a0\u3000\u2028\u0085\u001c"


def ranking(table):
    return {
        topic: list(zip(table.docnos[rows], table.scores[rows].tolist(), strict=True))
        for topic, rows in ((t, table.rows(i)) for i, t in enumerate(table.topics))
    }


def refused(data, **options):
    return [(f.code, f.line, f.column) for f in list_faults(read_run, data, **options)]


def test_read_run_orders_by_score_then_docno_descending():
    table = read_run(
        b"2 Q0 a 1 1 t\n10 Q0 b 1 -0.0 t\n10 Q0 c 2 0.0 t\n10 Q0 d 3 1e1 t\n10 Q0 B 4 0 t\n"
    )
    assert table.topics == ("10", "2")
    assert table.starts.tolist() == [0, 4, 5]
    assert table.docnos == ["d", "c", "b", "B", "a"]
    assert table.scores.tolist() == [10, 0, 0, 0, 1]
    assert table.tag == "t"


@pytest.mark.parametrize("data", [
    b"\xef\xbb\xbf1 Q0 a 1 2 t\r\n1 Q0 b 2 1 t\r\n", b"1\tQ0\ta\t1\t2\tt\n1\tQ0\tb\t2\t1\tt",
    b"  1 Q0   a 1 2 t \n\n \t\n1 Q0 b 2 1 t\n\n",
    b"# ir_metadata.start\n# tag: x\n1 Q0 a 1 2 t\n#1 Q0 z 1 9 t\n1 Q0 b 2 1 t\n# end",
    b"\n\n1 Q0 b zwei 1 t\n1 Q0 a 1 2 other\n",
], ids=["bom-crlf", "tabs", "blanks", "comments", "ranks-ignored"])  # fmt: skip
def test_read_run_takes_what_trec_eval_takes(data):
    assert ranking(read_run(data)) == {"1": [("a", 2.0), ("b", 1.0)]}


def test_read_run_warns_of_a_byte_order_mark():
    report = FaultReport()
    read_run(b"\xef\xbb\xbf1 Q0 a 1 2 t\n", report=report)
    assert dict(report.counts) == {"W12": 1}


@pytest.mark.parametrize(("text", "expected"), [
    ("1 Q0 a 1 1.00000000001 t\n1 Q0 b 2 1.0 t\n", {"1": [("a", 1.00000000001), ("b", 1.0)]}),
    (f"1 Q0 d{NASTY}x 1 2 t\n1 Q0 e 1 1 t\n", {"1": [(f"d{NASTY}x", 2.0), ("e", 1.0)]}),
    ("001 Q0 NA 1 2 t\n1 Q0 null 1 1 t\n1 Q0 01 1 0 t\n",
     {"001": [("NA", 2.0)], "1": [("null", 1.0), ("01", 0.0)]}),
], ids=["double-precision", "ascii-white-space-only", "ids-are-strings"])  # fmt: skip
def test_read_run_keeps_scores_and_ids_as_they_are(text, expected):
    assert ranking(read_run(text.encode())) == expected


def test_read_run_with_extra_columns_only_when_lenient():
    data = b"1 Q0 a 1 2 t more\n1 Q0 b 1 3 t\n"
    assert refused(data) == [("E03", 1, 14)]
    assert ranking(read_run(data, lenient=True)) == {"1": [("b", 3.0), ("a", 2.0)]}


def test_read_run_with_infinite_scores_only_when_lenient():
    data = b"1 Q0 a 1 -inf t\n1 Q0 b 1 1 t\n1 Q0 c 1 Infinity t\n1 Q0 d 1 1e999 t\n"
    assert refused(data) == [("E14", 1, 10), ("E14", 3, 10), ("E14", 4, 10)]
    assert read_run(data, lenient=True).docnos == ["d", "c", "b", "a"]
    assert refused(b"1 Q0 a 1 nan t\n", lenient=True) == [("E14", 1, 10)]


@pytest.mark.parametrize(
    "score", ["1", "-1", "+1.5", ".5", "5.", "1e3", "1E-30", "-2.5e+3", "0" * 400]
)
def test_read_run_takes_decimal_scores(score):
    assert read_run(f"1 Q0 a 1 {score} t\n".encode()).scores.tolist() == [float(score)]


@pytest.mark.parametrize(
    "score", ["nan", "inf", "-Infinity", "1e999", "0x1p3", "1_000", "1,5", "abc", "١", "--1", "1e"]
)
def test_read_run_refuses_other_scores(score):
    assert refused(f"1 Q0 a 1 {score} t\n1 Q0 b 1 1 t\n".encode()) == [("E14", 1, 10)]


def test_read_run_lists_all_faults_at_once():
    data = "1 Q0 é 1 x t\n1 Q0 a\n\n1 Q0 b 1 1 t\n1 Q0 b 2 2 t\n".encode() + b"1 Q0 \xff 1 1 t\n"
    expected = {("E14", 1, 10), ("E03", 2, 7), ("E11", 5, 6), ("E01", 6, 6)}
    assert set(refused(data)) == expected


def test_read_run_duplicate_with_another_score_names_the_first_line():
    with pytest.raises(InvalidFile, match="in topic 7: already on line 2"):
        read_run(b"8 Q0 b 1 1 t\n7 Q0 b 1 1 t\n8 Q0 c 1 1 t\n7 Q0 b 2 2 t\n")


@pytest.mark.parametrize("data", [b"", b"\n \n", b"# only\n# comments"])
def test_read_run_of_nothing(data):
    assert [code for code, _, _ in refused(data)] == ["E04"]


def test_read_run_over_many_blocks_places_a_late_fault():
    lines = [f"{n % 7} Q0 doc-{n:07d} 1 {n % 1000} tag" for n in range(100_000)]
    good = read_run("\n".join(lines).encode())
    assert len(good) == 100_000
    lines[90_000] = "3 Q0 x 1 bad tag"
    assert refused("\n".join(lines).encode()) == [("E14", 90_001, 10)]


SCORES = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(
    st.characters(exclude_characters=" \t\n\r\x0b\x0c\0#", exclude_categories=["Cs", "Cc"]),
    min_size=1,
)
ROWS = st.dictionaries(st.tuples(st.sampled_from(["1", "01", "q-2"]), NAMES), SCORES, min_size=1)


@given(ROWS, st.randoms())
def test_read_run_does_not_depend_on_the_order_of_lines(rows, random):
    lines = [f"{topic} Q0 {docno} 0 {score!r} t" for (topic, docno), score in rows.items()]
    first = read_run("\n".join(lines).encode())
    random.shuffle(lines)
    second = read_run("\r\n".join(lines).encode())
    assert first.topics == second.topics
    assert first.docnos == second.docnos
    assert first.starts.tolist() == second.starts.tolist()
    assert first.scores.tobytes() == second.scores.tobytes()
    direct = run_from_rows("t", [(t, d, s) for (t, d), s in rows.items()])
    assert (direct.docnos, direct.tag) == (first.docnos, "t")
    assert direct.scores.tobytes() == first.scores.tobytes()
    for index in range(len(first.topics)):
        part = first.rows(index)
        pairs = list(zip(first.scores[part].tolist(), first.docnos[part], strict=True))
        assert pairs == sorted(pairs, reverse=True)


@pytest.mark.parametrize("rows", [[("1", "a", 1.0), ("1", "a", 2.0)], [("1", "a", np.nan)]])
def test_run_from_rows_refuses(rows):
    with pytest.raises(ValueError, match="each document once"):
        run_from_rows("t", rows)


def test_run_from_no_rows():
    assert len(run_from_rows("t", [])) == 0


@pytest.mark.full
def test_read_run_of_a_real_campaign(data_dir):
    files = sorted((data_dir / "trec-covid-r1" / "runs-top50").iterdir())
    assert len(files) == 143
    assert sum(len(read_run(read_bytes(file), file=file.name)) for file in files) == 211_976
