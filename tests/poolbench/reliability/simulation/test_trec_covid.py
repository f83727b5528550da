"""Specs replayed on TREC-COVID round 1, against other programs where they can tell."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.names import parse_measures
from poolbench.files.streams import read_bytes
from poolbench.pooling.spec import PoolSpec, depth_spec
from poolbench.reliability.simulation.finished_campaign import FinishedCampaign
from poolbench.reliability.simulation.replay import Replay, replay_spec
from poolbench.reliability.simulation.simulator import simulate_specs
from poolbench.runs.qrels import qrels_from_rows, read_qrels
from poolbench.runs.runs import read_run
from poolbench.runs.tables import QrelsTable, RunTable
from tests.examples import ALL, take
from tests.poolbench.pooling.toy import step

BUDGET = 2000
MAXMEAN = PoolSpec((step("maxmean"),), cutoff=7)


@pytest.fixture(scope="module")
def covid(data_dir: Path) -> tuple[list[RunTable], FinishedCampaign]:
    folder = data_dir / "trec-covid-r1"
    with (folder / "leaderboard.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["contributed judgments"] == "yes"]
    runs = [read_run(read_bytes(path)) for path in sorted((folder / "runs-top50").iterdir())]
    qrels = read_qrels(read_bytes(folder / "qrels-covid-round1.txt"))
    return runs, FinishedCampaign.from_tables(runs, qrels, [row["run"] for row in rows])


def existing(qrels: QrelsTable, found: Replay) -> JudgmentTable:
    """The qrels after ``BUDGET`` judgments, as a file would hold them."""
    judged, listed = set(found.row[:BUDGET].tolist()), enumerate(qrels.by_pair().items())
    rows = [(*pair, grade) for row, (pair, grade) in listed if row in judged]
    return JudgmentTable.from_table(qrels_from_rows(rows))


@pytest.mark.full
def test_depth_7_and_maxmean(covid):
    _, finished = covid
    specs = {"depth": depth_spec(7), "maxmean": MAXMEAN}
    measures = parse_measures(["map"])
    found = simulate_specs(finished, specs, measures, seeds=1, budgets=(BUDGET, 6959))
    depth, maxmean = found.specs
    for spec in found.specs:
        # README.md of the data: 6,959 pairs, 6,953 of them judged.
        assert (spec.judged.mean, spec.holes.mean) == (6959, 6)
        assert spec.relevant.mean == 1951
    assert (maxmean.points[0].relevant.mean or 0) > 1.3 * (depth.points[0].relevant.mean or 0)


def test_the_ranking_is_that_of_scores_by_the_qrels_that_would_exist(covid):
    runs, finished = covid
    if not ALL:
        runs = take(runs, 4)
        finished = FinishedCampaign.from_tables(runs, finished.qrels, None)
    names = ("map", "bpref")
    found = simulate_specs(
        finished, {"m": MAXMEAN}, parse_measures(names), seeds=1, budgets=(BUDGET,)
    )
    (point,) = found.specs[0].points
    listing = finished.listing(MAXMEAN)
    judged = existing(finished.qrels, replay_spec(MAXMEAN, listing, finished))
    full = JudgmentTable.from_table(finished.qrels)
    for name in names:
        before, after = (
            np.array([evaluate(run, qrels, name).mean(name) for run in runs], float)
            for qrels in (full, judged)
        )
        agreement = point.rankings[name]
        assert agreement.tau_b.mean == pytest.approx(kendalltau(before, after).statistic, abs=1e-4)
        drops = rank(after) - rank(before)
        assert (agreement.drop.mean, agreement.worst and agreement.worst.places) == (
            drops.max(),
        ) * 2


def rank(scores: np.ndarray) -> np.ndarray:
    """1 + the number of runs with a higher score."""
    return 1 + (scores[None, :] > scores[:, None] + 1e-9).sum(axis=1)
