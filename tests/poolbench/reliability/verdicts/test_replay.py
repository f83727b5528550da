"""The replay of the verdicts scores runs as the product does."""

import numpy as np
import pytest

from benchmarks.verdict_campaigns import NEW_KIND, SIMULATED, mask_grades, simulate_campaign
from benchmarks.verdict_scorer import MEASURES
from benchmarks.verdict_tables import (
    ALIKE,
    COUNTS,
    PAGE,
    WRONG,
    Counts,
    add_answers,
    count_answer,
    fill_page,
    format_rate,
    read_counts,
    write_counts,
)
from poolbench.evaluation.measures.names import parse_measure
from poolbench.verdicts import VerdictState


@pytest.mark.parametrize("kind", ["few topics", "skewed numbers of relevant"])
def test_the_replay_scores_as_the_product(kind):
    campaign = simulate_campaign(1, kind)
    assert kind in SIMULATED
    grades = mask_grades(campaign.grades(), campaign.pool())
    measures = [parse_measure(name)[0] for name in (*MEASURES.values(), "judged_10")]
    scores = campaign.build_collection(grades).score(measures)
    own = [*campaign.make_scorer().measure(grades).values(), campaign.make_scorer().judged(grades)]
    assert np.allclose(scores.T, own, atol=1e-6)


def test_the_tables_of_the_page_are_those_of_the_counts():
    page = PAGE.read_text()
    assert page == fill_page(page, read_counts(COUNTS)), "run verdict_tables.py --write"


def test_wrong_answers_are_counted(tmp_path):
    """A wrong "good", a red that is one with reason and one that is not; a new kind apart."""
    counts, good, bad = Counts(), VerdictState.GOOD, VerdictState.BAD
    for kind, state, wrong in (
        ("few topics", good, True),
        ("few topics", bad, True),
        ("few topics", bad, False),
        (NEW_KIND, good, True),
    ):
        count_answer(counts, kind, "collection", f"MAP{ALIKE}", state, wrong=wrong)
    counts.campaigns["few topics", "collection"] = 3
    write_counts(tmp_path / "counts.csv", counts)
    read = read_counts(tmp_path / "counts.csv")
    assert read.campaigns["few topics", "collection"] == 3
    found = add_answers(read, "collection", of=ALIKE)
    assert [found[name] for name in (good, WRONG + good, bad, WRONG + bad)] == [1, 1, 2, 1]
    assert add_answers(read, "collection", of=ALIKE, kinds=[NEW_KIND])[WRONG + good] == 1
    assert add_answers(read, "collection")[good] == 0


def test_rates_have_the_interval_of_wilson():
    assert format_rate(27, 699) == "27 of 699 = 3.9 % (2.7 to 5.6)"
    assert format_rate(0, 73) == "0 of 73 (0 to 5.0 %)"
    assert format_rate(0, 0) == "–"
