"""TREC-COVID round 1: what 56 pooled runs of 56 teams, depth 7, say of the collection."""

import csv
from pathlib import Path

import pytest

from poolbench.evaluation.comparison.rank_drop import RankDrop
from poolbench.evaluation.measures.names import parse_measures
from poolbench.files.streams import read_bytes
from poolbench.reliability.collection.condensed_lists import compare_condensed
from poolbench.reliability.collection.contributors import count_contributions
from poolbench.reliability.collection.correction import correct_unpooled_scores
from poolbench.reliability.collection.depths import count_new_by_depth
from poolbench.reliability.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection,
)
from poolbench.reliability.collection.leave_one_group_out import leave_groups_out
from poolbench.reliability.collection.reduced_judgments import rank_with_fewer_judgments
from poolbench.reliability.collection.report import MEASURES
from poolbench.reliability.collection.stability import assess_stability
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run


@pytest.fixture(scope="module")
def covid(data_dir: Path) -> PooledCollection:
    folder = data_dir / "trec-covid-r1"
    with (folder / "leaderboard.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    paths = sorted((folder / "runs-top50").iterdir())
    runs = [read_run(read_bytes(path), lenient=True) for path in paths]
    return build_collection(
        runs,
        read_qrels(read_bytes(folder / "qrels-covid-round1.txt")),
        CollectionSource(
            teams={row["run"]: row["team"] for row in rows},
            pooled={row["run"] for row in rows if row["contributed judgments"] == "yes"},
        ),
    )


def test_the_depth_of_the_pool_can_be_seen(covid):
    # The README of the data: the depth-7 pool has 6,959 pairs, 6,953 of them judged.
    assert (covid.pool.depth, len(covid.pool.place)) == (7, 6959)
    assert sum(row.judged for row in count_new_by_depth(covid)) == 6953
    assert [row.relevant for row in count_new_by_depth(covid)] == [
        517, 354, 307, 219, 207, 180, 167,
    ]  # fmt: skip


def test_uniques(covid):
    found = count_contributions(covid)
    assert len(found.by_team) == 56
    assert (found.from_elsewhere, found.relevant_from_elsewhere) == (1738, 401)
    first = found.by_team[0]
    assert (first.name, first.alone, first.relevant_alone) == ("xj4wang", 79, 57)
    assert sum(row.relevant_alone for row in found.by_team) == 1068


def test_leave_one_team_out(covid):
    found = {row.measure: row for row in leave_groups_out(covid, parse_measures(MEASURES))}
    means = {name: round(row.mean_percent, 1) for name, row in found.items()}
    assert means == {"map": -18.5, "P_10": -24.6, "bpref": -6.3, "bpref-10": -6.7, "ndcg": -13.0}
    taus = {name: round(row.coefficients["tau-b"].value, 3) for name, row in found.items()}
    assert taus == {"map": 0.946, "P_10": 0.892, "bpref": 0.975, "bpref-10": 0.975, "ndcg": 0.959}
    assert found["P_10"].drop == RankDrop("xj4wang_run1", 3, 33)
    assert found["map"].drop == RankDrop("xj4wang_run1", 7, 32)


def test_signs_of_a_small_pool(covid):
    found = assess_stability(covid)
    assert found.low_runs == {"5": 59, "10": 122, "20": 143, "100": 143}
    dense = [topic.topic for topic in found.topics if topic.alarm]
    assert sorted(map(int, dense)) == [5, 6, 10, 12, 13, 18, 26, 29]
    assert round(found.concentration, 3) == 0.454


@pytest.mark.full
def test_fewer_judgments(covid):
    measures = parse_measures(MEASURES)
    rows = rank_with_fewer_judgments(covid, measures, draws=10, levels=(10, 40, 50, 100))
    found = {(row.measure, row.level): row for row in rows}
    taus = {key: round(row.tau.mean, 3) for key, row in found.items()}
    tenth = {name: taus[name, 10] for name in MEASURES}
    assert tenth == {"map": 0.721, "P_10": 0.742, "bpref": 0.834, "bpref-10": 0.836, "ndcg": 0.817}
    half = {name: taus[name, 50] for name in MEASURES}
    assert half == {"map": 0.913, "P_10": 0.899, "bpref": 0.94, "bpref-10": 0.939, "ndcg": 0.935}
    for level, order in ((40, ["bpref", "map"]), (50, ["map", "bpref"])):
        to_map = {name: found[name, level].tau_to_first.mean for name in order}
        assert sorted(to_map, key=to_map.__getitem__, reverse=True) == order
    means = {key: round(row.score, 3) for key, row in found.items()}
    assert (means["map", 10], means["map", 100]) == (0.033, 0.104)
    assert (means["bpref", 10], means["bpref", 100]) == (0.16, 0.156)
    assert (means["bpref-10", 10], means["bpref-10", 100]) == (0.17, 0.159)


def test_condensed_and_corrected(covid):
    (gap,), (correction,) = (
        of(covid, parse_measures(["P_10"])) for of in (compare_condensed, correct_unpooled_scores)
    )
    assert round(gap.mean_gap_others, 3) == 0.109
    assert round(gap.mean_gap_pooled, 3) == 0.061
    assert round(correction.bias, 3) == 0.064
    assert len(correction.runs) == 143 - 56
