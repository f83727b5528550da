"""``poolbench user-measures``: files in, scores out, no database."""

import json

import pytest

from tests.poolbench.commands.conftest import Write

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 1\n"
RUN = "1 Q0 b 1 3 mine\n1 Q0 a 2 2 mine\n1 Q0 c 3 1 mine\n2 Q0 x 1 1 mine\n"


@pytest.fixture
def files(write: Write) -> list[str]:
    return [write("qrels", QRELS), write("r", RUN), "--known", write("k", "1 a\n1 b\n")]


def test_values_come_by_topic_and_averaged(run, files):
    ran = run("user-measures", *files, "-q")
    assert ran.refusal is None
    cells = [line.split("\t") for line in ran.out.splitlines()]
    found = {(name.strip(), topic): value for name, topic, value in cells}
    found.pop(("runid", "all"), None)
    assert found == {
        ("coverage", "1"): "1.0000",
        ("novelty", "1"): "0.5000",
        ("relative_recall", "1"): "2.0000",
        ("recall_effort", "1"): "0.5000",
        **{(name, "2"): "null" for name in ("coverage", "novelty", "relative_recall")},
        ("recall_effort", "2"): "null",
        ("coverage", "all"): "1.0000",
        ("novelty", "all"): "0.5000",
        ("relative_recall", "all"): "2.0000",
        ("recall_effort", "all"): "0.5000",
    }
    assert "coverage: 1 of 2 topics are undefined: the user knows no relevant document" in ran.err


def test_the_number_expected_counts_for_every_topic(run, files):
    ran = run("user-measures", *files, "--expected", 2, "--format", "json")
    told = json.loads(ran.out)["runs"][0]
    assert told["all"]["relative_recall"] == 0.5
    assert told["all"]["recall_effort"] == 2 / 3
    assert told["conditions"]["expected"] == 2


def test_wrong_numbers_and_files_are_refused(run, write, files):
    ran = run("user-measures", *files, "--expected", 0)
    assert ran.refusal == "The number of relevant documents expected must be at least 1."
    ran = run("user-measures", *files[:3], write("bad", "1 a b\n"))
    assert ran.refusal == "1 file rejected; no output written."
    assert "EK02 The line has 3 columns instead of 2" in ran.err
