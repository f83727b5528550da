"""What is told while people judge, by hand."""

import numpy as np
import pytest

from poolbench.reliability.stopping.discoveries import (
    PoolState,
    TopicDiscoveries,
    TopicState,
    count_pool,
    count_since_last_relevant,
    discoveries_by_depth,
    discoveries_by_team,
    discoveries_by_topic,
    discovery_curve,
)
from poolbench.reliability.stopping.movement import (
    choose_checkpoints,
    default_step,
    measure_movement,
)
from poolbench.reliability.stopping.remaining_relevant import (
    NO_DEPTH,
    NO_SAMPLE,
    NOTHING_JUDGED,
    estimate_remaining,
    extrapolate_below_pool,
    project_unjudged,
)

TEAMS = ("north", "south")


def laid(topics: dict[str, str], ranks: int = 1) -> PoolState:
    """By topic its documents: ``+`` relevant, ``-`` not, ``.`` not judged; ranks count up, going
    round after ``ranks``; all from the first team, every second one from the other as well.
    """

    def lay(topic: str) -> TopicState:
        marks, places = np.array([*topics[topic]], "U1"), np.arange(len(topics[topic]))
        contributed = np.column_stack([np.ones(len(marks), np.bool_), places % 2 == 1])
        return TopicState(topic, places % ranks + 1, marks != ".", marks == "+", contributed)

    return count_pool([*topics], TEAMS, map(lay, topics))


def test_what_is_left_in_a_topic_by_hand():
    found = estimate_remaining(laid({"1": "++---....."}), is_random=True)
    assert (found.relevant, found.judged, found.unjudged, found.topics_unjudged) == (2, 5, 5, 0)
    assert found.expected == pytest.approx(2)
    assert (found.low, found.high) == (0.0, 5.0)
    assert found.completeness == pytest.approx(0.5)


def test_a_rank_that_no_run_gave_takes_no_more_room_than_another():
    last = np.iinfo(np.int32).max
    yes, all_teams = np.ones(2, np.bool_), np.ones((2, 2), np.bool_)
    held = count_pool(["1"], TEAMS, [TopicState("1", np.array([1, last]), yes, yes, all_teams)])
    assert (held.counts.shape, held.count(0).tolist()) == ((4, 1, 2), [2])
    windows = discoveries_by_depth(held)
    assert [(row.first, row.last, row.documents) for row in (windows[0], windows[-1])] == [
        (1, 1, 1), (101, last, 1),
    ]  # fmt: skip
    assert project_unjudged(held, 3).tolist() == [[1, 0, 0]]


def test_topics_are_strata_and_their_variances_add_up():
    held = laid({"1": "+" * 20 + "-" * 30 + "." * 50, "2": "-" * 90 + "." * 10, "3": "...."})
    found = estimate_remaining(held, is_random=True)
    assert found.expected == pytest.approx(50 * 20 / 50)
    first = 100**2 * (1 - 0.5) * (21 / 52) * (31 / 52) / 50
    second = 100**2 * (1 - 0.9) * (1 / 92) * (91 / 92) / 90
    apart = 1.959963984540054 * (first + second) ** 0.5
    assert (found.low, found.high) == pytest.approx((20 - apart, 20 + apart))
    assert (found.topics_unjudged, found.unjudged) == (1, 60)


def test_the_interval_holds_what_is_there_about_as_often_as_it_says():
    rng, held = np.random.default_rng(7), 0
    for _ in range(400):
        topics, truth = {}, 0
        for topic in range(10):
            marks = rng.random(60) < rng.uniform(0.05, 0.5)
            judged = rng.permutation(60)[:30]
            signs = np.full(60, ".")
            signs[judged] = np.where(marks[judged], "+", "-")
            truth += int(marks.sum() - marks[judged].sum())
            topics[str(topic)] = "".join(signs)
        found = estimate_remaining(laid(topics), is_random=True)
        held += found.low <= truth <= found.high
    assert 0.92 <= held / 400 <= 0.985


def test_no_sample_no_estimate():
    found = estimate_remaining(laid({"1": "++-."}), is_random=False)
    assert (found.expected, found.reason) == (None, NO_SAMPLE)
    assert estimate_remaining(laid({"1": "...."}), is_random=True).reason == NOTHING_JUDGED
    done = estimate_remaining(laid({"1": "++--"}), is_random=False)
    assert (done.expected, done.low, done.high, done.completeness) == (0.0, 0.0, 0.0, 1.0)


def test_what_was_found_is_projected_on_the_whole_topic():
    held = laid({"1": "+-.+", "2": "-+"}, ranks=2)
    assert project_unjudged(held, 2).tolist() == [[4 / 3, 4 / 3], [0, 1]]


def test_nothing_is_told_below_a_pool_without_a_depth():
    assert extrapolate_below_pool(laid({"1": "+-"}), None, is_random=True, seed=0) == NO_DEPTH
    assert extrapolate_below_pool(laid({"1": ".."}), 2, is_random=True, seed=0) == NOTHING_JUDGED
    assert extrapolate_below_pool(laid({"1": "+."}), 2, is_random=False, seed=0) == NO_SAMPLE
    marks = {str(topic): "+-" * 15 for topic in range(5)}
    below = extrapolate_below_pool(laid(marks, ranks=30), 30, is_random=True, seed=0)
    assert below.further > 0
    assert below.low <= below.further <= below.high


def test_a_topic_in_which_nothing_is_judged_says_nothing_below_the_pool():
    marks = {str(topic): "+-" * 15 for topic in range(5)}
    want = extrapolate_below_pool(laid(marks, ranks=30), 30, is_random=True, seed=0)
    more = marks | {f"silent {topic}": "." * 30 for topic in range(20)}
    assert extrapolate_below_pool(laid(more, ranks=30), 30, is_random=True, seed=0) == want


def test_found_by_topic_and_its_alarms():
    held = laid({"1": "+++++-----", "2": "+---------", "3": ".."})
    first, second, third = discoveries_by_topic(held, {"1": [True, False, False], "2": [False]})
    assert first == TopicDiscoveries("1", 10, 10, 5, 3, 2)
    assert (first.share, first.is_dense, second.is_dense) == (0.5, True, False)
    assert (second.since, third.since, third.share) == (1, 0, None)
    # Three in ten is more than a third of nine, but nine say nothing yet.
    assert not TopicDiscoveries("x", 20, 9, 9, 0, 0).is_dense
    assert TopicDiscoveries("x", 20, 20, 10, 6, 0).is_mostly_unique
    assert not TopicDiscoveries("x", 20, 20, 10, 5, 0).is_mostly_unique
    assert not TopicDiscoveries("x", 20, 20, 9, 9, 0).is_mostly_unique


def test_since_relevant():
    assert count_since_last_relevant([]) == 0
    assert count_since_last_relevant([False, False]) == 2
    assert count_since_last_relevant([True, False, True]) == 0
    assert count_since_last_relevant([True, False, False]) == 2


def test_found_by_depth_sums_to_the_pool():
    held = laid({"1": "+-.+-.+-.+-."}, ranks=12)
    windows = discoveries_by_depth(held)
    assert [(w.first, w.last) for w in windows] == [(1, 1), (2, 2), (3, 5), (6, 10), (11, 12)]
    assert [w.documents for w in windows] == [1, 1, 3, 5, 2]
    assert [(w.judged, w.relevant) for w in windows] == [(1, 1), (1, 0), (2, 1), (3, 2), (1, 0)]
    assert windows[0].rate == 1.0


def test_a_pool_that_holds_nothing_yet_has_no_depths():
    assert discoveries_by_depth(laid({})) == []


def test_found_by_team_counts_what_it_alone_brought():
    rows = discoveries_by_team(laid({"1": "++-+.-"}))
    north, south = rows
    assert (north.name, north.documents, north.judged, north.relevant, north.unique_relevant) == (
        "north", 6, 5, 3, 1,
    )  # fmt: skip
    assert (south.name, south.documents, south.relevant, south.unique_relevant) == (
        "south", 3, 2, 0,
    )  # fmt: skip


def test_the_curve_ends_with_all():
    assert discovery_curve([]) == []
    assert discovery_curve([True, False, True]) == [(1, 1), (2, 1), (3, 2)]
    long = discovery_curve([True] * 1000, points=10)
    assert len(long) == 10
    assert long[-1] == (1000, 1000)


def test_a_ranking_that_moved():
    before = {"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.1}
    now = {"a": 0.4, "b": 0.6, "c": 0.5, "d": 0.1}
    found = measure_movement(7, before, now)
    # Two of six pairs have changed: a fell below b and c.
    assert found.tau_b.value == pytest.approx((4 - 2) / 6)
    assert (found.drop.tag, found.drop.before, found.drop.after) == ("a", 1, 3)
    # Down the ranking before, a b c d: of those above, how many are above it now? b: 0 of 1,
    # c: b of two, d: 3 of 3.
    assert found.tau_ap_name == "tau-ap-a"
    assert found.tau_ap.value == pytest.approx(2 / 3 * (0 + 1 / 2 + 1) - 1)


def test_where_less_is_better_the_ranking_is_turned():
    found = measure_movement(1, {"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 1.0}, lower=True)
    assert found.tau_b.value == pytest.approx(-1)
    assert found.drop.tag == "a"


def test_runs_without_a_score_are_left_out():
    found = measure_movement(1, {"a": float("nan"), "b": 1.0}, {"a": 1.0, "b": 1.0, "c": 0.5})
    assert found.tau_b.value is None
    assert found.tau_b.why


def test_checkpoints_stay_where_they_are_as_judgments_come():
    assert choose_checkpoints(1000, 100) == [900, 800, 700, 600]
    assert choose_checkpoints(1099, 100) == [900, 800, 700, 600]
    assert choose_checkpoints(250, 100) == [100]
    assert choose_checkpoints(199, 100) == []
    assert choose_checkpoints(0, 10) == []


@pytest.mark.parametrize(
    ("judgments", "step"), [(0, 10), (100, 10), (250, 20), (500, 50), (8691, 500), (86_830, 5000)]
)
def test_the_usual_step_is_a_round_number(judgments, step):
    assert default_step(judgments) == step
