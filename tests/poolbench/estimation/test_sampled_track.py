"""One campaign judged at a fifth, beside all its judgments: what docs/estimates.md says of it."""

from pathlib import Path

import pytest

from benchmarks.sampled_track import (
    TrackMeasure,
    compare_track,
    estimate_track,
    list_rows,
    plan_track,
    score_track,
)
from poolbench.pooling.sample_plans import EstimatePlan
from tests.conftest import REPOSITORY

PUBLISHED = {"idst_bert_p1": 0.7645, "p_bert": 0.7380, "TUA1-1": 0.7314, "UNH_bm25": 0.4495}
"""nDCG@10, as NIST printed it."""


@pytest.fixture(scope="module")
def plan(data_dir: Path) -> EstimatePlan:
    return plan_track(data_dir)


@pytest.fixture(scope="module")
def measures(data_dir: Path, plan: EstimatePlan) -> list[TrackMeasure]:
    """3 CPU seconds."""
    return [*compare_track(estimate_track(data_dir, plan), score_track(data_dir))]


def test_a_pool_of_judged_runs_has_the_judged_pairs(plan: EstimatePlan) -> None:
    assert len(plan.plan.sizes) == 9260
    assert plan.forecasts[0].number == 1852


def test_scores_by_all_judgments_are_those_that_were_published(
    measures: list[TrackMeasure],
) -> None:
    scores = {run.run: run.full for run in measures[0].runs}
    assert {run: round(scores[run], 4) for run in PUBLISHED} == PUBLISHED


def test_147_of_148_intervals_hold_the_score_and_no_pair_stands_the_wrong_way_round(
    measures: list[TrackMeasure],
) -> None:
    assert [own.inside for own in measures] == [37, 37, 37, 36]
    assert [own.wrong for own in measures] == [0, 0, 0, 0]
    outside = [run.run for own in measures for run in own.runs if not run.holds]
    assert outside == ["srchvrs_ps_run1"]


def test_the_documentation_has_these_tables(
    measures: list[TrackMeasure], plan: EstimatePlan
) -> None:
    text = (REPOSITORY / "docs" / "estimates.md").read_text()
    missing = [line for line in list_rows(measures, plan) if line not in text]
    assert missing == []
