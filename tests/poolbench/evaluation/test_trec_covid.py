"""TREC-COVID round 1: the published scores of the uncut runs."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run

PUBLISHED = {"ndcg_cut_10": "ndcg@10", "P_5": "p@5", "bpref": "bpref", "map": "MAP"}


@pytest.fixture(scope="module")
def covid(data_dir: Path) -> tuple[Path, list[ScoredRun]]:
    folder = data_dir / "trec-covid-r1"
    judged = JudgmentTable.from_table(read_qrels(read_bytes(folder / "qrels-covid-round1.txt")))
    paths = sorted((folder / "runs-full").iterdir())
    runs = [read_run(read_bytes(path)) for path in paths]
    return folder, [evaluate(run, judged, [*PUBLISHED, "bpref-10"]) for run in runs]


def test_means_are_those_of_the_leaderboard(covid: tuple[Path, list[ScoredRun]]) -> None:
    folder, runs = covid
    with (folder / "leaderboard.csv").open(newline="") as stream:
        published = {row["run"]: row for row in csv.DictReader(stream)}
    assert len(runs) == 12
    for scores in runs:
        for ours, theirs in PUBLISHED.items():
            assert f"{scores.mean(ours):.4f}" == published[scores.tag][theirs], scores.tag


def test_bpref_10_by_topic_is_that_of_the_oracle(covid: tuple[Path, list[ScoredRun]]) -> None:
    folder, runs = covid
    found = {scores.tag: scores.by_topic("bpref-10") for scores in runs}
    with (folder / "oracle-bpref10.tsv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert {row["run"] for row in rows} <= set(found)
    assert len(rows) >= 12 * 30
    for row in rows:
        value = found[row["run"]][row["topic"]] if row["topic"] != "all" else None
        mean = next(s.mean("bpref-10") for s in runs if s.tag == row["run"])
        assert f"{mean if value is None else value:.4f}" == row["bpref10"]
