"""The figures of the verdict on a collection, by hand, against scipy, and on whole campaigns."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from poolbench.evaluation.measures.names import parse_measure
from poolbench.reading.docnos import DocnoArray
from poolbench.reliability.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection_from_matrices,
)
from poolbench.reliability.collection.kinds import find_kinds, measure_overlaps
from poolbench.reliability.collection.left_out_groups import (
    LeftOutGroups,
    find_different_runs,
    measure_left_out_groups,
)
from poolbench.reliability.verdicts.reusability import compute_collection, judge_collection
from poolbench.runs.run_matrix import PairArray, PairDictionary, RunMatrix
from poolbench.runs.tables import QrelsTable, group_starts
from poolbench.verdicts import VerdictState
from tests.poolbench.reliability.collection.toy import P_2, toy_collection

MEASURES = [measure for name in ("map", "ndcg_cut_10") for measure in parse_measure(name)]


def test_teams_left_out_by_hand():
    """Runs a (team 0), b and c (team 1), d (did not contribute). Without the unique documents of
    its team a falls from place 1 behind b, c and d; c stays behind a and d, and b does not count,
    being of its team.
    """
    scores, without = np.array([0.8, 0.6, 0.5, 0.55]), np.array([0.4, 0.6, 0.45, 0.55])
    different = np.zeros((4, 4), bool)
    different[0, 1] = different[1, 0] = True
    figures = measure_left_out_groups(
        ("a", "b", "c", "d"), np.array([0, 1, 1, 2]), np.array([True, True, True, False]),
        different, scores, without, np.array([0.5, 0.9, 0.7, np.nan]),
    )  # fmt: skip
    assert (figures.places, figures.furthest) == ([3, 0], "a")
    assert np.allclose(figures.judged, [0.5, 0.8])
    assert (figures.crossed, figures.different) == (1, 2)
    assert (figures.moved, figures.moved_share, figures.low_judged) == (1, 0.5, 0.5)


def test_undefined_scores_do_not_move():
    nothing = np.full(2, np.nan)
    figures = measure_left_out_groups(
        ("a", "b"), np.arange(2), np.ones(2, bool), np.zeros((2, 2), bool), nothing, nothing,
        nothing,
    )  # fmt: skip
    assert (figures.places, figures.judged, figures.crossed_share) == ([0, 0], [0.0, 0.0], 0.0)


def test_different_runs_are_those_of_holm():
    generator = np.random.default_rng(4)
    by_topic = generator.random((12, 5)) + np.array([0.0, 0.1, 0.3, 0.5, 0.5])
    pairs = list(zip(*np.triu_indices(5, 1), strict=True))
    raw = np.array([ttest_rel(by_topic[:, a], by_topic[:, b]).pvalue for a, b in pairs])
    order = np.argsort(raw)
    below = raw[order] * np.arange(len(raw), 0, -1) <= 0.05
    count = int(np.argmin(below)) if not below.all() else len(raw)
    expected = np.zeros((5, 5), bool)
    for at in order[:count]:
        expected[pairs[at]] = True
    assert 0 < count < len(raw)
    assert (find_different_runs("abcde", by_topic) == (expected | expected.T)).all()


def test_kinds_of_the_toy():
    """alpha ab, xy, k and beta ba, yz: 3 of (5 + 4) / 2 shared. gamma ac, lk shares ak with alpha,
    a with beta: together (4 / 9 + 1 / 4) / 2 = .35 with both.
    """
    found = toy_collection()
    assert found.tags == ("alpha", "beta", "delta", "gamma")
    overlaps = [[1, 6 / 9, 4 / 9], [6 / 9, 1, 2 / 8], [4 / 9, 2 / 8, 1]]
    assert np.allclose(measure_overlaps(found.pool), overlaps)
    assert find_kinds(found).tolist() in ([0, 0, -1, 1], [1, 1, -1, 0])
    assert find_kinds(toy_collection(pooled=("gamma",))).tolist() == [-1, -1, -1, 0]


def test_a_left_out_run_is_judged_as_far_as_other_teams_contributed():
    """Pool of the first two: north has a, b; x, y, z; k. South (gamma) has a, c; -; l, k.

    alpha ab, xy, k keeps a and k: (1/2 + 0 + 1) / 3. beta ba, yz keeps a: (1/2 + 0) / 2.
    gamma ac, lk keeps a and k: (1/2 + 1/2) / 2. Its pool has 9 documents, c and m unjudged.
    """
    figures = compute_collection(toy_collection(), P_2)
    assert figures.by_team.judged == [(0.5 + 0.25) / 2, 0.5]
    assert figures.by_kind.judged == figures.by_team.judged
    assert figures.judged == {"alpha": 1.0, "beta": 1.0, "gamma": 1.0}
    assert list(figures.others) == ["delta"]
    assert figures.kinds == [["alpha", "beta"], ["gamma"]]
    assert (figures.teams, figures.pool_judged, figures.unjudged) == (2, 1.0, 0)
    partly = compute_collection(toy_collection("xz"), P_2)
    assert (partly.unjudged, partly.pool_judged) == (2, 6 / 8)


def test_a_pool_cut_at_half_its_depth_is_the_pool_of_that_depth():
    """At depth 1 nobody brings c and z; d came from elsewhere and stays."""
    cut, built = toy_collection().cut_pool(1), toy_collection("cz", depth=1)
    assert cut.judged.grades.tolist() == built.judged.grades.tolist() == [1, 0, 1, 0, 0, 1, 2]
    assert (cut.score(MEASURES) == built.score(MEASURES)).all()
    for mine, own in zip(
        cut.pool.contributors(cut.by_team), built.pool.contributors(built.by_team), strict=True
    ):
        assert mine.tolist() == own.tolist()


def test_without_a_cut_off_teams_are_left_out_of_half_the_pool_too():
    """alpha abc, xy, k keeps a of others, beta bad, yz keeps a and d: (1/9 + 2/6) / 2. gamma ace,
    lkm keeps a and k: (1/3 + 1/3) / 2.
    """
    figures = compute_collection(toy_collection(), MEASURES[0])
    assert np.allclose(figures.of_half.judged, [2 / 9, 1 / 3])
    assert (figures.by_team.places, figures.of_half.places) == ([0, 2], [0, 0])
    assert compute_collection(toy_collection(), MEASURES[1]).of_half.places == ()
    (first_relevant,) = parse_measure("recip_rank")
    assert compute_collection(toy_collection(), first_relevant).of_half.places == ()


def simulate_collection(
    seed: int,
    ways: Sequence[Sequence[int]],
    *,
    topics: int,
    depth: int,
    documents: int,
    newcomer: int | None = None,
    alone: float = 0.4,
) -> PooledCollection:
    """``ways``: by team, how each of its runs retrieves. Runs of one way share most of their
    errors, those of one team nearly all. ``newcomer`` is the way of a run that does not
    contribute. Every document of the pool is judged without error.
    """
    generator = np.random.default_rng(seed)
    runs = [(team, way) for team, each in enumerate(ways) for way in each]
    if newcomer is not None:
        runs.append((len(ways), newcomer))
    team, way = (np.array(part) for part in zip(*runs, strict=True))
    quality = 1 + 0.3 * generator.standard_normal(len(ways) + 1)[team]
    codes, grades = [], []
    for topic in range(topics):
        truth = np.arange(documents) < np.clip(np.exp(generator.normal(3, 0.8)), 2, 120)
        scores = 1.7 * truth * quality[:, None] + 0.3 * generator.standard_normal(
            (len(runs), documents)
        )
        scores += generator.standard_normal((10, documents))[way]
        scores += alone * generator.standard_normal((len(ways) + 1, documents))[team]
        codes.append(np.argsort(-scores, axis=1)[:, :depth] + topic * documents)
        grades.append(truth)
    names = tuple(f"{topic:03d}" for topic in range(topics))
    starts = group_starts(np.full(topics, documents))
    docnos = DocnoArray.from_ids(f"{at:05d}" for _ in names for at in range(documents))
    listed = np.concatenate(codes, axis=1)
    judged = np.zeros(topics * documents, bool)
    judged[listed[team < len(ways)]] = True
    table = QrelsTable(
        names, group_starts(judged.reshape(topics, -1).sum(axis=1)),
        docnos.take(np.flatnonzero(judged)), np.concatenate(grades)[judged].astype(np.int32),
    )  # fmt: skip
    ends, ranks = (
        group_starts(np.full(topics, depth)),
        np.tile(-np.arange(depth, dtype=float), topics),
    )
    tags = [f"run{at:03d}" for at in range(len(runs))]
    matrices = {
        tag: RunMatrix(names, ends, row.astype(np.int32), ranks)
        for tag, row in zip(tags, listed, strict=True)
    }
    source = CollectionSource(
        teams={tag: f"team{at:02d}" for tag, at in zip(tags, team, strict=True)},
        pooled=[tag for tag, at in zip(tags, team, strict=True) if at < len(ways)],
        depth=depth,
    )
    pairs = PairDictionary([PairArray(names, starts, docnos)])
    return build_collection_from_matrices(matrices, pairs, table, source)


@pytest.mark.parametrize("measure", MEASURES, ids=[measure.name for measure in MEASURES])
def test_runs_of_one_kind_promise_nothing_for_another(measure):
    """Eight teams by words and one with ten near-copies; the run by meaning does not contribute.
    Left out, each team moves little, as the verdict says; of the other run it says nothing good,
    and its judged@10 shows that it is none of them.
    """
    ways = [[0]] * 8 + [[0] * 10]
    found = simulate_collection(2, ways, topics=15, depth=20, documents=200, newcomer=1)
    figures = compute_collection(found, measure)
    assert (len(figures.kinds), figures.teams) == (1, 9)
    verdict = judge_collection(replace(figures, of_half=LeftOutGroups()))
    assert verdict.state is VerdictState.AMBER
    assert "New runs of the kind that contributed are scored fairly" in verdict.sentence
    assert "treat others with care: all 18 runs are of 1 kind" in verdict.sentence
    (share,) = figures.others.values()
    assert not figures.is_like_contributors(share)
    alike = simulate_collection(2, ways, topics=15, depth=20, documents=200, newcomer=0)
    (share,) = compute_collection(alike, measure).others.values()
    assert figures.is_like_contributors(share)


def list_ways(teams: int, runs: int) -> list[list[int]]:
    """As many teams of one or more runs, every fourth by the first of ten ways."""
    generator = np.random.default_rng(5)
    sizes = 1 + np.bincount(generator.integers(0, teams, runs - teams), minlength=teams)
    return [[int(generator.choice([0, 0, *range(10)]))] * int(size) for size in sizes]


@pytest.mark.parametrize(
    ("teams", "runs", "topics", "depth", "states"),
    [
        (20, 35, 12, 40, [VerdictState.AMBER, VerdictState.GOOD]),
        pytest.param(41, 71, 50, 100, [VerdictState.GOOD], marks=pytest.mark.full),
    ],
)
def test_many_runs_do_not_make_a_collection_worse(teams, runs, topics, depth, states):
    """The second has the shape of TREC-8: by limits in places and by minima over runs, the more
    runs there are, the sooner one of them fails.
    """
    ways = list_ways(teams, runs)
    found = simulate_collection(8, ways, topics=topics, depth=depth, documents=12 * depth)
    for measure in MEASURES:
        figures = compute_collection(found, measure)
        assert (figures.teams, figures.by_team.allowed) == (teams, runs // 20)
        # By MAP, which reads below the pool, half of it says the same, and the verdict no more.
        assert bool(figures.of_half.places) == (measure.name == "map")
        assert figures.of_half.moved_share <= 0.1
        verdict = judge_collection(replace(figures, of_half=LeftOutGroups()))
        assert verdict.state in states, verdict.sentence
