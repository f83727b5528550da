"""Rankings by each assessor, by resampled ones and by assessors drawn for each topic."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau

from poolbench.judging.policies import PairBallot
from poolbench.reliability.disagreement.ballots import ABSENT
from poolbench.reliability.disagreement.rankings import (
    choose_tau_ap,
    competition_ranks_or_none,
    ranking_coefficients,
    rankings_by_assessor,
)
from poolbench.reliability.disagreement.report import build_disagreement_report
from poolbench.reliability.disagreement.resampling import (
    bootstrap_assessors,
    swap_assessors_at_random,
)
from poolbench.statistics.draws import ResamplingOptions, resample_counts
from tests.examples import ALL, take
from tests.poolbench.reliability.disagreement.drawn import (
    drawn_panel,
    panel_of_first,
    plain_scores,
    qrels_of,
)


def two_minds():
    """Ada finds A's documents relevant and bob B's, on two topics; C is found by nobody."""
    said = [
        PairBallot(topic, docno, {"ada": int(docno == "a"), "bob": int(docno == "b")})
        for topic in ("1", "2")
        for docno in ("a", "b", "c")
    ]
    first = {"A": ("a", "a"), "B": ("b", "b"), "C": ("c", "c")}
    return panel_of_first(first, said)


@pytest.mark.parametrize("treat", ["own", "filled"])
@pytest.mark.parametrize("measure", ["ndcg_cut_5", "map"])
def test_each_ranking_is_that_of_the_plain_function(measure, treat):
    panel, runs = drawn_panel(3, measure)
    ballots = panel.ballots
    base, *others = rankings_by_assessor(panel, treat)
    assert base.scores == tuple(plain_scores(panel, runs, qrels_of(ballots, ballots.policy_grades)))
    for at, name in enumerate(ballots.assessors):
        found = others[at]
        grades = ballots.own(at) if treat == "own" else ballots.own_or_policy(at)
        qrels = qrels_of(ballots, grades)
        topics = {topic for topic, _ in qrels}
        reference = qrels_of(ballots, ballots.policy_grades)
        same_topics = {pair: grade for pair, grade in reference.items() if pair[0] in topics}
        scores = plain_scores(panel, runs, qrels)
        assert (found.name, found.kind, found.topics) == (name, "assessor", len(topics))
        assert found.scores == pytest.approx(scores)
        tau = kendalltau(plain_scores(panel, runs, same_topics), scores).statistic
        assert found.coefficients["tau-b"].value == pytest.approx(tau)


def test_one_mind_a_ranking():
    base, ada, bob, union, intersection = rankings_by_assessor(two_minds(), "filled")
    assert base.ranks == (1, 1, 3)
    assert (ada.ranks, bob.ranks) == ((1, 2, 2), (2, 1, 2))
    assert ada.drop is not None
    assert (ada.drop.tag, ada.drop.before, ada.drop.after) == ("B", 1, 2)
    assert union.scores == (1.0, 1.0, 0.0)
    assert intersection.scores == (0.0, 0.0, 0.0)
    told = intersection.coefficients["tau-b"]
    assert (told.value, told.why) == (None, "all runs are tied in one of the rankings")


def test_tau_ap_is_the_one_that_is_defined():
    one, tied = np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 2.0])
    assert choose_tau_ap(one, np.array([1.0, np.nan, 2.0])) == "tau-ap-a"
    assert choose_tau_ap(one, tied) == "tau-ap-b"
    found = ranking_coefficients(tied, one, "tau-ap-b")
    assert all(each.value is not None for each in found.values())


def test_all_rows_have_the_same_coefficients():
    """B and C are tied on topic 1, which is all that ada judged, and not over both topics."""
    said = [
        PairBallot("1", "a", {"ada": 1, "bob": 1}),
        PairBallot("2", "b", {"bob": 1}),
        PairBallot("2", "a", {"bob": 1}),
    ]
    panel = panel_of_first({"A": ("a", "a"), "B": ("x", "b"), "C": ("x", "x")}, said)
    for treat, name in (("own", "tau-ap-b"), ("filled", "tau-ap-a")):
        rows = rankings_by_assessor(panel, treat)
        assert {tuple(row.coefficients) for row in rows} == {("tau-b", name, "rbo-b")}


def test_runs_without_a_score_have_no_rank():
    assert competition_ranks_or_none(np.array([0.5, np.nan, 0.7, 0.5])) == (2, None, 1, 2)


@pytest.mark.parametrize("policy", take(["median-floor", "adjudicated-mean-floor", "single"], 3))
def test_the_bootstrap_is_the_policy_applied_to_who_was_drawn(policy):
    panel, runs = drawn_panel(9, "ndcg_cut_5", policy)
    sampling = ResamplingOptions(4, 100)
    found = bootstrap_assessors(panel, sampling)
    drawn = np.concatenate([*resample_counts(3, sampling)]).astype(np.int64)
    ballots = panel.ballots
    ways = ballots.resample_grades(drawn, slice(0, len(ballots)))
    scores = np.array([plain_scores(panel, runs, qrels_of(ballots, way)) for way in ways])
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    assert [band.low for band in found.bands] == pytest.approx(low.tolist())
    assert [band.high for band in found.bands] == pytest.approx(high.tolist())
    base = plain_scores(panel, runs, qrels_of(ballots, ballots.policy_grades))
    taus = [kendalltau(base, row).statistic for row in scores]
    assert found.coefficients["tau-b"].mean == pytest.approx(np.mean(taus))
    assert found.coefficients["tau-b"].least == pytest.approx(min(taus))
    assert found.coefficients["tau-b"].p5 == pytest.approx(np.quantile(taus, 0.05))
    ranks = np.array([competition_ranks_or_none(row) for row in scores])
    wanted = np.quantile(ranks, 0.025, axis=0, method="inverted_cdf")
    assert [band.rank_low for band in found.bands] == wanted.tolist()
    wanted = np.quantile(ranks, 0.975, axis=0, method="inverted_cdf")
    assert [band.rank_high for band in found.bands] == wanted.tolist()


def test_the_bootstrap_tells_what_never_changes():
    panel, _ = drawn_panel(9)
    fixed = (panel.ballots.counts < 2).sum()
    assert bootstrap_assessors(panel, ResamplingOptions(0, 100)).fixed_pairs == fixed > 0


def test_settled_pairs_never_change_where_the_policy_hears_adjudications():
    said = [
        PairBallot("1", "a", {"ada": 1, "bob": 0}, adjudicated=1),
        PairBallot("1", "b", {"ada": 0, "bob": 1}),
        PairBallot("1", "c", {"ada": 1}),
    ]
    runs = {"A": ("a",), "B": ("b",)}
    for policy, fixed in (("adjudicated-maximum", 2), ("maximum", 1)):
        found = bootstrap_assessors(panel_of_first(runs, said, policy), ResamplingOptions(0, 100))
        assert found.fixed_pairs == fixed
        assert found.bands[0].low == (1.0 if fixed == 2 else 0.0)


def test_the_same_seed_gives_the_same_bands():
    panel, _ = drawn_panel(2)
    assert bootstrap_assessors(panel, ResamplingOptions(5, 100)) == bootstrap_assessors(
        panel, ResamplingOptions(5, 100)
    )


def test_random_swaps_are_all_ways_to_choose_one_assessor_a_topic():
    """Of A's and B's scores on two topics there are four ways, each a quarter of the draws."""
    found = swap_assessors_at_random(
        two_minds(), "own", ResamplingOptions(0, 4000 if ALL else 1000)
    )
    base = np.array([1.0, 1.0, 0.0])
    ways = [((a == "ada") + (b == "ada")) / 2 for a, b in product(("ada", "bob"), repeat=2)]
    taus = [
        ranking_coefficients(base, np.array([way, 1 - way, 0.0]), "tau-ap-b")["tau-b"].value
        for way in ways
    ]
    spread = found.coefficients["tau-b"]
    assert spread.mean == pytest.approx(np.mean(taus), abs=0.02 if ALL else 0.04)
    assert spread.least == pytest.approx(min(taus))
    assert (found.bands[0].low, found.bands[0].high) == (0.0, 1.0)
    assert (found.bands[2].low, found.bands[2].high) == (0.0, 0.0)


def test_random_swaps_draw_only_who_judged_the_topic():
    said = [
        PairBallot("1", "a", {"ada": 1}), PairBallot("1", "b", {"ada": 0}),
        PairBallot("2", "b", {"bob": 1}), PairBallot("2", "a", {"bob": 0}),
    ]  # fmt: skip
    panel = panel_of_first({"A": ("a", "a"), "B": ("b", "x")}, said)
    found = swap_assessors_at_random(panel, "own", ResamplingOptions(0, 100))
    assert {(band.low, band.high) for band in found.bands} == {(0.5, 0.5), (0.0, 0.0)}


def test_a_machine_has_a_ranking_and_is_never_drawn():
    said = [
        PairBallot("1", "a", {"ada": 1}, automatic={"robot": 0}),
        PairBallot("1", "b", {"ada": 0}, automatic={"robot": 1}),
    ]
    panel = panel_of_first({"A": ("a",), "B": ("b",)}, said)
    robot = rankings_by_assessor(panel, "filled")[2]
    assert (robot.name, robot.kind, robot.ranks) == ("automatic:robot", "machine", (2, 1))
    assert bootstrap_assessors(panel, ResamplingOptions(0, 100)).reason is not None
    assert swap_assessors_at_random(panel, "filled", ResamplingOptions(0, 100)).reason is not None


def test_random_swaps_never_take_a_machine_for_a_person():
    """Ada and bob say the same; only the machine would turn the two runs."""
    said = [
        PairBallot("1", "a", {"ada": 1, "bob": 1}, automatic={"robot": 0}),
        PairBallot("1", "b", {"ada": 0, "bob": 0}, automatic={"robot": 1}),
    ]
    panel = panel_of_first({"A": ("a",), "B": ("b",)}, said)
    found = swap_assessors_at_random(panel, "own", ResamplingOptions(0, 200))
    assert found.coefficients["tau-b"].least == 1.0
    assert [(band.low, band.high) for band in found.bands] == [(1.0, 1.0), (0.0, 0.0)]


@pytest.mark.parametrize(
    ("first", "said", "reason"),
    [
        ({}, [PairBallot("1", "a", {"ada": 1, "bob": 0})], "fewer than two runs"),
        ({"A": ("a",)}, [PairBallot("1", "a", {"ada": 1, "bob": 0})], "fewer than two runs"),
        (
            {"A": ("a",), "B": ("b",)},
            [PairBallot("1", "a", {"ada": 1})],
            "fewer than two human assessors",
        ),
        ({"A": ("a",), "B": ("b",)}, [], "fewer than two human assessors"),
        (
            {"A": ("a",), "B": ("b",)},
            [PairBallot("1", "a", {"ada": 1, "bob": 1})],
            "there is no unresolved disagreement, so all draws",
        ),
    ],
)
def test_undefined_says_why(first, said, reason):
    report = build_disagreement_report(panel_of_first(first, said), draws=100, swaps=100)
    assert reason in (report.bootstrap.reason or "")
    assert (report.bootstrap.bands, report.bootstrap.coefficients) == ((), {})
    assert report.as_dict()["bootstrap"]["reason"] == report.bootstrap.reason
    for row in report.rankings:
        assert all(found.value is not None or found.why for found in row.coefficients.values())


def test_a_policy_that_decides_nothing_has_no_ranking_to_compare_with():
    said = [PairBallot("1", "a", {"ada": 1, "bob": 0}), PairBallot("1", "b", {"ada": 0, "bob": 1})]
    report = build_disagreement_report(
        panel_of_first({"A": ("a",), "B": ("b",)}, said, "single"), draws=100, swaps=100
    )
    assert report.by_policy.scores == (None, None)
    for drawn in (report.bootstrap, report.swaps):
        assert (drawn.reason, drawn.bands) == ("fewer than two runs have a score", ())


def test_a_policy_that_hears_one_alone_is_not_resampled():
    said = [PairBallot("1", "a", {"ada": 1, "bob": 0}), PairBallot("1", "b", {"ada": 0, "bob": 1})]
    panel = panel_of_first({"A": ("a",), "B": ("b",)}, said, "assessor:ada")
    assert "uses one assessor only" in (
        bootstrap_assessors(panel, ResamplingOptions(0, 100)).reason or ""
    )
    assert panel.ballots.policy_grades.tolist() == [1, 0]
    assert ABSENT not in panel.ballots.policy_grades.tolist()


@pytest.mark.parametrize("treat", ["own", "filled"])
def test_a_topic_is_scored_only_where_grades_differ_from_the_base(treat, monkeypatch):
    """Ada grades topic 1 as the policy does, and bob has judged topic 2 alone."""
    said = [
        PairBallot("1", "a", {"ada": 1}),
        PairBallot("1", "b", {"ada": 0}),
        PairBallot("2", "a", {"ada": 1, "bob": 0}),
        PairBallot("2", "b", {"ada": 0, "bob": 1}),
    ]
    panel = panel_of_first({"A": ("a", "a"), "B": ("b", "b")}, said)
    scored, score = [], type(panel).score

    def count_topic(self, topic, grades):
        scored.append(topic)
        return score(self, topic, grades)

    monkeypatch.setattr(type(panel), "score", count_topic)
    base = panel.by_topic(panel.ballots.base)
    scored.clear()
    grades = panel.ballots.own(1) if treat == "own" else panel.ballots.own_or_policy(1)
    by_topic = panel.by_topic(grades, base)
    again = scored.copy()
    np.testing.assert_array_equal(by_topic, panel.by_topic(grades))
    assert again == ([0, 1] if treat == "own" else [1])
