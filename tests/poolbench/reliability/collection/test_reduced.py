"""The reduced-judgment experiment: which judgments are drawn, and what comes of them."""

from dataclasses import astuple
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import sem

from poolbench.evaluation import evaluate
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.measures.names import parse_measures
from poolbench.reliability.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection,
)
from poolbench.reliability.collection.reduced_judgments import (
    LEAST_NONRELEVANT,
    LEVELS,
    draw_judgment_order,
    estimate_standard_error,
    judgments_at_level,
    rank_with_fewer_judgments,
    score_draw,
)
from poolbench.runs.qrels import qrels_from_rows
from tests.poolbench.reliability.collection.toy import P_2, toy_collection
from tests.poolbench.reliability.disagreement.drawn import drawn_runs

MEASURES = tuple(parse_measures(["map", "P_10", "bpref", "bpref-10", "ndcg"]))


def large_qrels(topics: str = "12", relevant: int = 30, others: int = 90):
    return qrels_from_rows(
        (topic, f"d{n}", 1 + n % 2 if n < relevant else 0)
        for topic in topics
        for n in range(relevant + others)
    )


def large(topics: str = "12") -> PooledCollection:
    runs = drawn_runs(np.random.default_rng(5))
    return build_collection(runs, large_qrels(topics), CollectionSource(depth=1))


def counts(found: PooledCollection, level: int, draw: int = 0) -> list[tuple[int, int]]:
    """Relevant and non-relevant judgments of each topic that are kept."""
    kept = judgments_at_level(found, draw_judgment_order(found, 0, draw), level)
    relevant, others = kept & found.is_relevant, kept & ~found.is_relevant
    masks = (found.judged.count(relevant).tolist(), found.judged.count(others).tolist())
    return list(zip(*masks, strict=True))


@pytest.mark.parametrize(
    ("level", "relevant", "others"),
    # 30 and 90 of each topic; halves up: 1.5 is 2 and 4.5 is 5, of which 10 are the least.
    [(1, 1, 10), (5, 2, 10), (10, 3, 10), (15, 5, 14), (50, 15, 45), (100, 30, 90)],
)
def test_how_many_are_drawn(level, relevant, others):
    assert counts(large(), level) == [(relevant, others)] * 2


def test_samples_are_nested_and_relevant_ones_by_themselves():
    found = large()
    turn = draw_judgment_order(found, 0, 0)
    kept = [judgments_at_level(found, turn, level) for level in LEVELS]
    for smaller, larger in pairwise(kept):
        assert not (smaller & ~larger).any()
    assert kept[-1].all()


def test_a_draw_depends_on_seed_draw_and_topic_and_on_no_other_topic():
    found, more = large("12"), large("123")
    first = draw_judgment_order(found, 0, 0)
    assert (draw_judgment_order(more, 0, 0)[: len(first)] == first).all()
    assert (draw_judgment_order(found, 0, 0) == first).all()
    half = len(first) // 2
    for other in (
        draw_judgment_order(found, 1, 0),
        draw_judgment_order(found, 0, 1),
        np.roll(first, half),
    ):
        assert (other != first).any()


def test_lines_that_are_no_judgment_stay_and_few_judgments_all_do():
    qrels = qrels_from_rows([("1", "a", 1), ("1", "b", 0), ("1", "c", -1), ("2", "x", 0)])
    found = build_collection(drawn_runs(np.random.default_rng(1)), qrels, CollectionSource(depth=1))
    assert judgments_at_level(found, draw_judgment_order(found, 0, 0), 1).all()
    assert LEAST_NONRELEVANT == 10


def test_scores_are_those_of_evaluate_on_the_judgments_that_are_left():
    runs, qrels = drawn_runs(np.random.default_rng(5)), large_qrels()
    found = build_collection(runs, qrels, CollectionSource(depth=1))
    kept = judgments_at_level(found, draw_judgment_order(found, 3, 1), 20)
    listed = zip(qrels.by_pair().items(), kept, strict=True)
    rows = [(*pair, grade) for (pair, grade), there in listed if there]
    scores = score_draw(found, MEASURES, 3, (20,), 1)[0]
    for at, table in enumerate(sorted(runs, key=lambda run: run.tag)):
        told = evaluate(table, qrels_from_rows(rows), MEASURES, found.options)
        assert scores[at].tolist() == list(told.overall)


def test_all_judgments_give_the_same_ranking_and_tau_is_of_the_scores():
    found = large()
    rows = {
        (row.measure, row.level): row
        for row in rank_with_fewer_judgments(found, MEASURES, draws=3, seed=2)
    }
    assert len(rows) == len(MEASURES) * len(LEVELS)
    base = found.score(MEASURES)
    for measure in MEASURES:
        full = rows[measure.name, 100]
        assert (full.judged, full.tau.mean, full.tau.least, full.drop) == (1, 1, 1, None)
    scores = [score_draw(found, MEASURES, 2, LEVELS, draw) for draw in range(3)]
    level, column = LEVELS.index(10), 2
    taus = [
        CORRELATIONS["tau-b"].of_scores(base[:, column], s[level, :, column]).value for s in scores
    ]
    told = rows[MEASURES[column].name, 10]
    own = np.std(taus)
    assert astuple(told.tau) == pytest.approx(
        (np.mean(taus), own / np.sqrt(3 - 1), own, min(taus), max(taus))
    )
    to_map = [
        CORRELATIONS["tau-b"].of_scores(base[:, 0], s[level, :, column]).value for s in scores
    ]
    assert told.tau_to_first.mean == pytest.approx(np.mean(to_map))
    assert told.tau_to_first.standard_error == pytest.approx(sem(to_map))
    means = [np.mean(s[level, :, column]) for s in scores]
    assert told.score == pytest.approx(np.mean(means))
    assert told.score_standard_error == pytest.approx(sem(means))


def test_the_toy_by_hand():
    (row,) = rank_with_fewer_judgments(toy_collection(), [P_2], draws=4, levels=(1,))
    # One relevant of each topic is left of five, and all of the four that are not relevant.
    assert row.judged == 7 / 9
    found = toy_collection()
    kept = judgments_at_level(found, draw_judgment_order(found, 0, 0), 1)
    # Topic 1 keeps a or d, topic 2 keeps z, topic 3 keeps k or l.
    a, k = int(kept[0]), int(kept[7])
    assert (a + kept[3], kept[6], k + kept[8], kept[[1, 2, 4, 5]].all()) == (1, 1, 1, True)
    halves = {"alpha": a + k, "beta": a + 1, "delta": 1, "gamma": a + 1}
    scores = score_draw(found, [P_2], 0, (1,), 0)[0][:, 0]
    assert dict(zip(found.tags, scores, strict=True)) == pytest.approx(
        {tag: number / 6 for tag, number in halves.items()}
    )


@pytest.mark.parametrize(
    "wrong", [{"draws": 0}, {"levels": ()}, {"levels": (0,)}, {"levels": (101,)}]
)
def test_levels_and_draws_that_are_none(wrong):
    with pytest.raises(ValueError, match="percent"):
        rank_with_fewer_judgments(toy_collection(), [P_2], **wrong)


def test_one_run_has_no_tau():
    found = build_collection(
        drawn_runs(np.random.default_rng(5), 1), large_qrels(), CollectionSource(depth=1)
    )
    (row,) = rank_with_fewer_judgments(found, [P_2], draws=1, levels=(50,))
    assert astuple(row.tau) == (None, None, None, None, None)
    assert row.score is not None
    assert row.score_standard_error is None


def test_the_standard_error_by_hand():
    # The squares of the deviations from 3 add up to 10: √(10 / 4) / √5.
    assert estimate_standard_error([1, 2, 3, 4, 5]) == pytest.approx(0.5**0.5)
    # A third is not exact, its mean over 50 draws neither; all draws are the same.
    assert estimate_standard_error([1 / 3] * 50) == 0
    assert estimate_standard_error([0.1]) is None


def test_all_judgments_have_no_error_and_more_draws_have_less():
    found = large()
    errors = {}
    for draws in (8, 72):
        rows = rank_with_fewer_judgments(found, MEASURES, draws=draws, levels=(10, 100))
        assert {row.score_standard_error for row in rows if row.level == 100} == {0}
        assert {row.tau.standard_error for row in rows if row.level == 100} == {0}
        errors[draws] = [row.score_standard_error for row in rows if row.level == 10]
    # Nine times the draws: a third of the error, give or take what eight draws say of an error.
    assert np.divide(errors[8], errors[72]) == pytest.approx(3, rel=0.6)


def test_fifty_draws_unless_told_otherwise():
    drawn = []

    def spread(work, draws):
        drawn.extend(draws)
        return map(work, draws)

    rank_with_fewer_judgments(toy_collection(), [P_2], levels=(50,), spread=spread)
    assert drawn == list(range(50))
