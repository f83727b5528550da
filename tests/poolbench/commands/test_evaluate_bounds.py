"""``poolbench evaluate --bounds``."""

import json

import pytest

from tests.csv_reading import csv_conditions, csv_rows

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n"
RUN = "1 Q0 x 1 9 mine\n1 Q0 a 2 8 mine\n1 Q0 b 3 7 mine\n1 Q0 y 4 6 mine\n2 Q0 z 1 5 mine\n"
MEASURES = ("-m", "map", "-m", "num_rel_ret", "-m", "gm_map", "-m", "relstring")


@pytest.fixture
def bounds(run, write):
    """``poolbench evaluate --bounds`` of the two files."""
    files = write("qrels", QRELS), write("r", RUN)
    return lambda *options: run("evaluate", *files, "--bounds", *options)


def test_bounds_come_as_a_table(bounds):
    ran = bounds("-q", *MEASURES)
    assert ran.refusal is None
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0] == ["run", "measure", "topic", "value", "low", "high"]
    assert [row[1:] for row in rows[1:]] == [
        ["num_rel_ret", "1", "1", "1", "3"],
        ["num_rel_ret", "2", "0", "0", "1"],
        ["num_rel_ret", "all", "1", "1", "4"],
        # x and y relevant: (1/1 + 2/2 + 3/4) / 4; at worst neither: (1/2) / 2.
        ["map", "1", "0.2500", "0.2500", "0.6875"],
        ["map", "2", "0.0000", "0.0000", "0.5000"],
        ["map", "all", "0.1250", "0.1250", "0.5938"],
        ["gm_map", "all", "0.0016", "0.0016", "0.5863"],
    ]
    assert "bounds: unjudged documents assumed to have grades 0 to 2." in ran.err
    assert "2 of 2 judged topics averaged" in ran.err
    assert "relstring: bounds: it is text" in ran.err


def test_bounds_come_as_csv_with_conditions(bounds):
    ran = bounds("--format", "csv", "-m", "G", "-l", "2")
    (row,) = csv_rows(ran.out)
    assert (row["run"], row["measure"], row["topic"], row["exact"]) == ("mine", "G", "all", "true")
    assert float(row["low"]) == pytest.approx(1 / 12)
    assert csv_conditions(ran.out)["level"] == 2


def test_bounds_come_as_json_with_null_where_there_are_none(bounds):
    ran = bounds("--format", "json", "-q", "-n", "-m", "xinfAP")
    (found,) = json.loads(ran.out)["runs"]
    assert found["run"] == "mine"
    assert found["conditions"]["topics_averaged"] == 2
    nothing = {"value": None, "low": None, "high": None}
    assert found["bounds"] == {
        "xinfAP": {
            "exact": False,
            "reason": "it is an estimate from a sample; see its confidence interval",
            "highest_grade": 2,
            "topics": {"1": nothing, "2": nothing},
        }
    }


def test_bounds_of_judged_documents_only_are_those_of_all(bounds):
    ran = bounds("-J", "-m", "map")
    assert ran.out.splitlines()[1].split("\t")[3:] == ["0.2500", "0.1250", "0.5938"]


def test_bounds_and_intervals_are_not_printed_together(bounds):
    ran = bounds("--intervals")
    assert "not allowed with argument" in str(ran.refusal)


def test_a_refused_run_prints_no_bounds(run, write):
    ran = run("evaluate", write("qrels", QRELS), write("r", "1 Q0 a 1 x mine\n"), "--bounds")
    assert ran.refusal == "1 file rejected; no output written."
    assert ran.out == ""
