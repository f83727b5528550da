"""Scoring all runs by any grades: the same numbers as from the plain function."""

import numpy as np
import pytest

from poolbench.evaluation import ScoringOptions
from poolbench.evaluation.evaluate import aggregate_defined_values, select_measures
from poolbench.evaluation.measures.names import parse_measure, parse_measures
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.topic_means import aggregate_over_topics
from poolbench.reliability.disagreement.ballots import ABSENT
from poolbench.reliability.disagreement.panel import disambiguate_tags, scored_depth
from poolbench.reliability.disagreement.report import can_rank_runs
from tests.poolbench.reliability.disagreement.drawn import drawn_panel, plain_scores, qrels_of

EVERY = [
    measure.name
    for measure in parse_measures(["all_trec", "err_5", "rbp", "bpref-10", "dcg_3", "Q"])
    if can_rank_runs(measure)
]
CUT = [
    f"{family.name}_2"
    for family in FAMILIES.values()
    if (k := family.all_parameters().get("k")) is not None
    and k.kind == "rank"
    and family.suffix == "k"
    and family.text is None
]


@pytest.mark.parametrize("name", EVERY)
def test_any_grades_score_as_by_the_plain_function(name):
    panel, runs = drawn_panel(7, name)
    rng = np.random.default_rng(3)
    for _ in range(3):
        grades = rng.integers(0, 4, len(panel.ballots)).astype(np.int32)
        grades[rng.random(len(grades)) < 0.2] = ABSENT
        found = panel.means(panel.by_topic(grades))
        wanted = plain_scores(panel, runs, qrels_of(panel.ballots, grades))
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("name", CUT)
def test_no_document_below_the_depth_changes_a_measure_at_a_rank(name):
    panel, runs = drawn_panel(11, name, level=2)
    assert scored_depth(panel.measure, panel.options) == 2
    grades = panel.ballots.policy_grades
    wanted = plain_scores(panel, runs, qrels_of(panel.ballots, grades))
    np.testing.assert_allclose(panel.means(panel.by_topic(grades)), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", ["map", "P_2(list=condensed)", "bpref", "ndcg"])
def test_other_measures_are_of_the_whole_ranking(name):
    assert scored_depth(parse_measure(name)[0], ScoringOptions()) is None
    assert scored_depth(parse_measure("P_2")[0], ScoringOptions(judged_only=True)) is None


def test_many_ways_at_once_score_as_each_by_itself():
    panel, _ = drawn_panel(5, "map")
    rows = panel.ballots.rows(1)
    ways = np.random.default_rng(1).integers(0, 4, (50, rows.stop - rows.start)).astype(np.int32)
    together = panel.score(1, ways)
    for way, scores in zip(ways, together, strict=True):
        assert np.array_equal(panel.score(1, way[None])[0], scores)


def test_a_topic_without_a_grade_has_no_score():
    panel, _ = drawn_panel(5, "map")
    grades = panel.ballots.policy_grades.copy()
    grades[panel.ballots.rows(0)] = ABSENT
    by_topic = panel.by_topic(grades)
    assert np.isnan(by_topic[0]).all()
    assert np.array_equal(panel.means(by_topic), panel.means(by_topic[1:]))


@pytest.mark.parametrize("name", ["map", "gm_map", "map(mean=median)", "map(mean=harmonic)"])
def test_figures_over_topics_are_those_of_single_columns(name):
    (measure,) = select_measures([name])
    rng = np.random.default_rng(2)
    values = rng.random((9, 30))
    values[rng.random(values.shape) < 0.3] = np.nan
    values[:, 4] = np.nan
    wanted = [aggregate_defined_values(measure, column) for column in values.T]
    found = [None if np.isnan(v) else v for v in aggregate_over_topics(measure, values).tolist()]
    assert found == wanted


def test_a_sum_over_no_topic_is_nothing_and_of_undefined_ones_undefined():
    (count,) = select_measures(["num_rel_ret"])
    for values in (np.empty((0, 2)), np.full((2, 2), np.nan)):
        wanted = [aggregate_defined_values(count, column) for column in values.T]
        found = aggregate_over_topics(count, values).tolist()
        assert [None if np.isnan(v) else v for v in found] == wanted


def test_runs_of_one_tag_are_told_apart():
    assert disambiguate_tags(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]
