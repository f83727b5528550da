"""TREC Deep Learning 2019: the 37 passage runs under other assessors, and under machines.

The figures told with the data compare scores as trec_eval prints them, with four decimals,
so that runs whose printed scores are equal are tied; so does this test, and beside it tells
the coefficient of the unrounded scores.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from poolbench.evaluation import ScoringOptions
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.measures.names import parse_measure
from poolbench.files.streams import read_bytes
from poolbench.judging.policies import apply_policy, get_policy
from poolbench.reliability.disagreement.ballots import (
    ABSENT,
    BallotTable,
    Grades,
    build_ballots,
    build_ballots_from_qrels,
)
from poolbench.reliability.disagreement.panel import DisagreementPanel, build_panel_from_tables
from poolbench.reliability.disagreement.rankings import SystemRanking, rankings_by_assessor
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run

MACHINES = {
    "4_prompts_dl2019": 0.8810,
    "dl2019_dev_gen_query_similarity_qrel": 0.7479,
    "dl2019_sun_then_decomposed_relavance_qrel": 0.8675,
    "dl2019_test_4prompts_flant5large": 0.9059,
    "dl2019_test_4prompts_llama70b": 0.8668,
    "dl2019_test_baseline_relavance_qrel_prompt_order__3210": 0.8961,
    "dl2019_test_sun_then_decomposed_flant5large": 0.9277,
}


def ballots_from(folder: Path, published: Path, files: str) -> BallotTable:
    tables = {
        path.name.removesuffix(".gz").removesuffix(".txt"): read_qrels(read_bytes(path))
        for path in sorted(folder.glob(files))
    }
    reference = read_qrels(read_bytes(published)).by_pair()
    return build_ballots(build_ballots_from_qrels(tables), get_policy("mean-floor"), reference)


@cache
def panel_from(data_dir: Path, folder: Path, files: str) -> DisagreementPanel:
    dl19 = data_dir / "trec-dl19-passage"
    runs = [read_run(read_bytes(path)) for path in sorted((dl19 / "runs-top100").iterdir())]
    assert len(runs) == 37
    ballots = ballots_from(folder, dl19 / "qrels.dl19-passage.txt", files)
    return build_panel_from_tables(runs, ballots, parse_measure("ndcg_cut_10")[0], ScoringOptions())


def taus(panel: DisagreementPanel, digits: int | None) -> dict[str, float | None]:
    rows: list[SystemRanking] = rankings_by_assessor(replace(panel, digits=digits), "own")
    return {row.name: row.coefficients["tau-b"].value for row in rows}


def test_published_qrels_and_the_floor_mean_of_two_assessors(data_dir):
    panel = panel_from(data_dir, data_dir / "dl19-eight-assessors" / "main", "*.txt")
    assert taus(panel, 4)["policy"] == pytest.approx(0.9436, abs=0.00005)
    assert taus(panel, None)["policy"] == pytest.approx(628 / 666)


def test_seven_machines_rank_the_runs_as_told(data_dir):
    panel = panel_from(data_dir, data_dir / "llm-judges-dl19", "*.gz")
    found = taus(panel, 4)
    assert {name: found[name] for name in MACHINES} == pytest.approx(MACHINES, abs=0.00005)
    known = [value for name in MACHINES if (value := found[name]) is not None]
    assert (round(min(known), 3), round(max(known), 3)) == (0.748, 0.928)


@pytest.mark.parametrize(("name", "differ", "tau"), [
    ("crowd:majority", 0, 0.913), ("crowd:dawid-skene", 793, 0.946), ("crowd:ordinal", 211, 0.922),
])  # fmt: skip
def test_crowd_policies_rank_the_runs_as_the_page_says(data_dir, name, differ, tau):
    panel = panel_from(data_dir, data_dir / "dl19-eight-assessors" / "main", "*.txt")
    grades, base = (
        grades_by_policy(data_dir, panel, policy) for policy in (name, "crowd:majority")
    )
    assert int((grades != base).sum()) == differ
    official = panel.means(panel.by_topic(panel.ballots.base))
    scores = panel.means(panel.by_topic(grades))
    assert CORRELATIONS["tau-b"].of_scores(official, scores).value == pytest.approx(tau, abs=5e-4)


@cache
def grades_by_policy(data_dir: Path, panel: DisagreementPanel, policy: str) -> Grades:
    """By row of the panel's pairs; ABSENT where nobody judged."""
    folder = data_dir / "dl19-eight-assessors" / "main"
    tables = {path.name: read_qrels(read_bytes(path)) for path in sorted(folder.glob("*.txt"))}
    rows, _ = apply_policy(get_policy(policy), build_ballots_from_qrels(tables))
    graded = {(topic, docno): grade for topic, docno, grade in rows}
    return np.array([graded.get(pair, ABSENT) for pair in panel.ballots.pairs], np.int32)
