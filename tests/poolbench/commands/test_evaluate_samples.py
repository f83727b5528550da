"""``poolbench evaluate`` on judgments of a sample."""

import json

import pytest

from tests.csv_reading import csv_rows

STRATA = "1 0 a 1 1\n1 0 b 2 -1\n1 0 c 2 1\n1 0 d 2 0\n1 0 e 2 -1\n1 0 f 2 1\n"
PRELS = "1 a 1 1 1\n1 c 1 1 0.6\n1 d 0 1 0.6\n1 f 1 1 0.6\n"
RUN = "1 Q0 a 1 4 mine\n1 Q0 b 2 3 mine\n1 Q0 c 3 2 mine\n1 Q0 d 4 1 mine\n"


def test_strata_are_read_where_the_option_says_so(run, write):
    files = write("qrels", STRATA), write("r", RUN)
    ran = run("evaluate", *files, "--qrels-format", "strata", "-m", "inum_rel", "-m", "infNDCG")
    assert ran.refusal is None
    assert [line.split("\t")[2] for line in ran.out.splitlines()] == ["mine", "0.6832", "4.3333"]


def test_prels_are_read_where_the_option_says_so(run, write):
    files = write("qrels", PRELS), write("r", RUN)
    ran = run("evaluate", *files, "--qrels-format", "prels", "-m", "statAP", "-m", "xinfAP")
    assert [line.split("\t")[2] for line in ran.out.splitlines()] == ["mine", "null", "0.4872"]
    assert "xinfAP: 1 of 1 topics are undefined: the qrels have no strata" in ran.err


@pytest.mark.parametrize("text", [STRATA, PRELS])
def test_five_columns_without_the_option_are_refused_with_its_name(run, write, text):
    ran = run("evaluate", write("qrels", text), write("r", RUN), "-m", "xinfAP")
    assert ran.refusal == "1 file rejected; no output written."
    assert "ES08" in ran.err
    assert "--qrels-format strata" in ran.err
    assert ran.out == ""


def test_intervals_come_as_a_table(run, write):
    files = write("qrels", STRATA), write("r", RUN)
    ran = run("evaluate", *files, "--qrels-format", "strata", "--intervals", "-q", "-m", "inum_rel")
    assert ran.refusal is None
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0] == ["run", "measure", "topic", "estimate", "low", "high"]
    # 5/3 · 2 of stratum 2: variance 25 · (1 − 3/5) · (1/3) / 3 = 10/9.
    assert rows[1][:4] == ["mine", "inum_rel", "1", "4.3333"]
    assert rows[2] == ["mine", "inum_rel", "all", "4.3333", "2.2673", "6.3993"]
    assert "inum_rel: 95% intervals, delete-one jackknife within strata." in ran.err


def test_all_estimates_have_intervals_unless_some_are_named(run, write):
    files = write("qrels", PRELS), write("r", RUN)
    ran = run("evaluate", *files, "--qrels-format", "prels", "--intervals", "--format", "csv")
    rows = csv_rows(ran.out)
    told = {row["measure"]: bool(row["low"]) for row in rows}
    known = ["statAP", "stat_num_rel"]
    assert list(told) == ["infAP", "xinfAP", "infNDCG", "inum_rel", "inum_rel_ret", *known]
    assert [name for name, has_interval in told.items() if has_interval] == known
    assert "xinfAP: 95% intervals, delete-one jackknife within strata; no interval" in ran.err


def test_intervals_come_as_json_with_null_where_undefined(run, write):
    files = write("qrels", STRATA), write("r", "1 Q0 x 1 1 none\n")
    arguments = ("--qrels-format", "strata", "--intervals", "--format", "json", "-m", "xinfAP")
    ran = run("evaluate", *files, *arguments, "-q", "-n")
    assert json.loads(ran.out) == {
        "intervals": [
            {"run": "none", "measure": "xinfAP", "topic": "1"}
            | {"estimate": 0.0, "low": None, "high": None}
        ]
    }


def test_intervals_of_other_measures_are_refused(run, write):
    files = write("qrels", STRATA), write("r", RUN)
    ran = run("evaluate", *files, "--qrels-format", "strata", "--intervals", "-m", "map")
    assert ran.refusal is not None
    assert ran.refusal.startswith(
        "map has no sampling error. Measures with a sampling error: infAP, xinfAP"
    )
    again = run("evaluate", *files, "--qrels-format", "strata", "--intervals", "-m", "mop")
    assert "unknown measure" in str(again.refusal)


def test_bad_files_leave_no_intervals(run, write):
    ran = run("evaluate", write("qrels", STRATA), write("r", "1 Q0\n"), "--intervals")
    assert ran.refusal == "2 files rejected; no output written."
    assert ran.out == ""
