"""The replay of the verdicts scores runs as the product does."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.verdict_campaigns import SIMULATED, mask_grades, simulate_campaign
from benchmarks.verdict_scorer import MEASURES
from poolbench.evaluation.measures.names import parse_measure


@pytest.mark.parametrize("kind", ["few topics", "skewed numbers of relevant"])
def test_the_replay_scores_as_the_product(kind):
    campaign = simulate_campaign(1, kind)
    assert kind in SIMULATED
    grades = mask_grades(campaign.grades(), campaign.pool())
    measures = [parse_measure(name)[0] for name in (*MEASURES.values(), "judged_10")]
    scores = campaign.build_collection(grades).score(measures)
    own = [*campaign.make_scorer().measure(grades).values(), campaign.make_scorer().judged(grades)]
    assert np.allclose(scores.T, own, atol=1e-6)
