"""``aggregate``: labels in files to one grade per pair."""

import json
from pathlib import Path

import pytest

from poolbench.commands.command import CliError
from tests.poolbench.commands.conftest import run_on_files

LABELS = """topic,docno,worker,grade
1,a,x,1
1,a,y,1
1,a,z,1
1,b,x,1
1,b,y,1
1,b,z,0
1,c,x,0
1,c,y,1
"""


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(LABELS)
    return path


def run(*words: object) -> str:
    return run_on_files("aggregate", *words).out


def test_a_table_becomes_grades_with_probabilities(labels):
    lines = run(labels, "--format", "csv").splitlines()
    assert lines[2:] == [
        "topic,docno,grade,tie,labels,entropy,p_0,p_1", "1,a,1,0,3,0.0,0.0,1.0",
        "1,b,1,0,3,0.9183,0.3333,0.6667", "1,c,0,1,2,1.0,0.5,0.5",
    ]  # fmt: skip


def test_ties_and_qrels(labels):
    assert run(labels, "--format", "qrels") == "1 0 a 1\n1 0 b 1\n1 0 c 0\n"
    assert run(labels, "--ties", "highest", "--format", "qrels").endswith("1 0 c 1\n")
    assert run(labels, "--ties", "undecided", "--format", "qrels") == "1 0 a 1\n1 0 b 1\n"


def test_gold_weighs_the_workers(labels, tmp_path):
    gold = tmp_path / "gold.txt"
    gold.write_text("1 0 b 1\n1 0 c 0\n")
    text = run(labels, "--model", "weighted-majority", "--gold", gold, "--format", "json")
    workers = {row["worker"]: row["quality"] for row in json.loads(text)["by_worker"]}
    assert workers == {"x": 0.75, "y": 0.5, "z": 0.3333}
    with pytest.raises(CliError, match=r"needs gold.*Name their grades by --gold QRELS"):
        run(labels, "--model", "weighted-majority")


def test_iterations_are_those_asked_for(labels):
    facts = json.loads(run(labels, "--model", "dawid-skene", "--iterations", 1, "--format", "json"))
    assert (facts["iterations"], facts["converged"]) == (1, False)
    assert facts["options"]["most_iterations"] == 1
    with pytest.raises(CliError, match="--iterations must be an integer of at least 1, not 0"):
        run(labels, "--iterations", 0)


def test_tables_are_cut_and_csv_is_not(labels):
    assert "1      c" not in run(labels, "--rows", 1)
    assert "1      c" in run(labels, "--rows", 0)
    lines = run(labels, "--rows", 1, "--records", "workers", "--format", "csv").splitlines()
    assert lines[3:] == ["x,3,0.7222,", "y,3,0.7222,", "z,2,0.6667,"]


def test_faults_of_files_are_those_of_judgments(labels, tmp_path):
    labels.write_text(LABELS + "1,c,y,0\n")
    with pytest.raises(CliError, match="1 file rejected; no output written"):
        run(labels)
    assert run(labels, "--duplicates", "last", "--format", "qrels").endswith("1 0 c 0\n")
