"""Measures of chances: against plain loops, finite differences and the evaluator."""

from collections.abc import Callable
from math import log2, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.measures import NoFractionError, compute_expected_ideal
from poolbench.evaluation.evaluate import evaluate
from tests.examples import examples
from tests.poolbench.estimation.frames import find, one_topic, random_frame, random_steps, to_steps
from tests.poolbench.evaluation.made import made, random_topics

TOP, LEVEL = 3, 2
NAMES = ("P@5", "AP", "bpref", "bpref-10", "nDCG@5", "nDCG", "RBP", "RR")

Ranked = list[tuple[int, float]]
"""Rank and chance of each framed document of a ranking."""


def average_precision(ranked: Ranked, chances: list[float]) -> float:
    found, total = 0.0, 0.0
    for rank, b in ranked:
        total += b * (1 + found) / rank
        found += b
    return total / sum(chances)


def bpref(ranked: Ranked, chances: list[float], extra: int = 0) -> float:
    relevant = sum(chances)
    least = min(relevant + extra, len(chances) - relevant)
    above, total = 0.0, 0.0
    for _, b in ranked:
        total += b * (1 - min(above, relevant + extra) / least)
        above += 1 - b
    return total / relevant


def precision(ranked: Ranked, chances: list[float]) -> float:
    return sum(b for rank, b in ranked if rank <= 5) / 5


def rbp(ranked: Ranked, chances: list[float]) -> float:
    return sum(b * 0.2 * 0.8 ** (rank - 1) for rank, b in ranked)


def reciprocal_rank(ranked: Ranked, chances: list[float]) -> float:
    missed, total = 1.0, 0.0
    for rank, b in ranked:
        total += missed * b / rank
        missed *= 1 - b
    return total


TWINS: dict[str, Callable[[Ranked, list[float]], float]] = {
    "P@5": precision,
    "AP": average_precision,
    "bpref": bpref,
    "bpref-10": lambda ranked, chances: bpref(ranked, chances, 10),
    "RBP": rbp,
    "RR": reciprocal_rank,
}


def rank_by_topic(frame: PoolFrame, run: int, topic: int) -> list[tuple[int, int]]:
    """Rank and pair of the framed documents."""
    own = frame.segment == run * len(frame.topics) + topic
    return list(zip(frame.rank[own].tolist(), frame.pair[own].tolist(), strict=True))


@examples(100)
@given(seed=st.integers(0, 10**6))
def test_chances_score_as_in_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = random_frame(rng)
    q = random_steps(rng, len(frame.topic_index), TOP)
    b = q[:, LEVEL - 1].tolist()
    for name, twin in TWINS.items():
        values = find(name, TOP, LEVEL).compute(frame, q).values
        for run, topic in np.ndindex(*frame.shape):
            ranked = [(rank, b[pair]) for rank, pair in rank_by_topic(frame, run, topic)]
            chances = b[frame.starts[topic] : frame.starts[topic + 1]]
            assert values[run, topic] == pytest.approx(twin(ranked, chances), abs=1e-12), name


def integrate_ideal(mean: float, variance: float, cutoff: int) -> float:
    """E D by summing D over a grid of the normal distribution."""
    spread = sqrt(variance)
    x = np.linspace(mean - 9 * spread, mean + 9 * spread, 60_001)
    weights = [1 / log2(1 + rank) for rank in range(1, cutoff + 1)]
    reached = sum(weight * np.clip(x - place, 0, 1) for place, weight in enumerate(weights))
    density = np.exp(-(((x - mean) / spread) ** 2) / 2) / (spread * sqrt(2 * pi))
    return float((reached * density).sum() * (x[1] - x[0]))


@examples(50)
@given(seed=st.integers(0, 10**6))
def test_ndcg_of_chances_is_gain_over_the_expected_ideal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, topics=2, runs=2)
    q = random_steps(rng, len(frame.topic_index), TOP)
    values = find("nDCG@5", TOP, LEVEL).compute(frame, q).values
    for run, topic in np.ndindex(*frame.shape):
        own = q[frame.starts[topic] : frame.starts[topic + 1]]
        ideal = sum(integrate_ideal(step.sum(), (step * (1 - step)).sum(), 5) for step in own.T)
        ranked = rank_by_topic(frame, run, topic)
        gain = sum(q[pair].sum() / log2(1 + rank) for rank, pair in ranked if rank <= 5)
        assert values[run, topic] == pytest.approx(gain / ideal, abs=1e-6)


def test_ideal_by_hand() -> None:
    ideal, slope = compute_expected_ideal(np.array([3.0, 2.4]), np.zeros(2), 10)
    assert ideal == pytest.approx([2.1309, 1.8309], abs=5e-5)
    assert slope[1] == pytest.approx(0.5)
    expected, _ = compute_expected_ideal(np.array([3.0]), np.array([1.0]), 10)
    assert expected[0] == pytest.approx(2.0857, abs=5e-5)
    assert integrate_ideal(3, 1, 10) == pytest.approx(expected[0], abs=1e-6)


def differ(frame: PoolFrame, q: np.ndarray, name: str, pair: int, step: int) -> list[np.ndarray]:
    """Differences of all scores, downwards and upwards, over the change of one chance."""
    measure, h = find(name, TOP, LEVEL), 1e-6
    scores = []
    for change in (-h, 0, h):
        moved = q.copy()
        moved[pair, step] += change
        scores.append(measure.compute(frame, moved).values)
    return [(scores[1] - scores[0]) / h, (scores[2] - scores[1]) / h]


def by_variance(
    frame: PoolFrame, q: np.ndarray, values: np.ndarray, cutoff: int, pair: int, step: int
) -> np.ndarray:
    """What a change of one chance does to nDCG through the variance of the count, by run: the
    derivative that is used holds it fixed.
    """
    own = q[frame.topic_index == frame.topic_index[pair]]
    counts, variance = own.sum(axis=0), (own * (1 - own)).sum(axis=0)
    up, down = (compute_expected_ideal(counts, variance + h, cutoff)[0] for h in (1e-5, -1e-5))
    ideal = compute_expected_ideal(counts, variance, cutoff)[0].sum()
    by_count = (up - down)[step] / 2e-5 * (1 - 2 * q[pair, step])
    return -values[:, frame.topic_index[pair]] * by_count / ideal


@pytest.mark.parametrize("name", NAMES)
@examples(50)
@given(seed=st.integers(0, 10**6))
def test_derivatives_are_what_small_changes_do(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, topics=2)
    q = random_steps(rng, len(frame.topic_index), TOP)
    values, (entry, gain, background) = find(name, TOP, LEVEL).compute(frame, q)
    for pair, step in zip(
        rng.integers(0, len(q), 6).tolist(), rng.integers(0, TOP, 6).tolist(), strict=True
    ):
        topic = frame.topic_index[pair]
        own = np.zeros(frame.shape)
        own[:, topic] = background[:, topic, step]
        at = np.flatnonzero(frame.pair == pair)
        own.reshape(-1)[frame.segment[at]] += gain[step] * entry[at]
        if "nDCG" in name:
            cutoff = 5 if "@" in name else int(frame.sizes.max())
            own[:, topic] += by_variance(frame, q, values, cutoff, pair, step)
        down, up = differ(frame, q, name, pair, step)
        # bpref bends where counts pass R: there it has a derivative on each side.
        assert (np.minimum(down, up) - 1e-6 <= own).all()
        assert (own <= np.maximum(down, up) + 1e-6).all()


def test_of_grades_0_and_1_chances_score_as_the_evaluator() -> None:
    topics = random_topics(40, seed=5)
    topics["all relevant"] = ([2, 3, 2], [2, 3, 2, 3])
    topics["none relevant"] = ([0, 1], [0, 1, 1])
    topics = {
        name: ([None if g is None or g < 0 else g for g in ranked], [g for g in all_ if g >= 0])
        for name, (ranked, all_) in topics.items()
    }
    run, qrels = made({name: own for name, own in topics.items() if own[1]})
    frame = build_pool_frame([run], qrels)
    scores = evaluate(run, qrels, NAMES, level=LEVEL)
    steps = to_steps(qrels.grades, TOP)
    for name in NAMES:
        values = find(name, TOP, LEVEL).compute(frame, steps).values[0]
        assert values.mean() == pytest.approx(scores.mean(name), abs=1e-12), name


def test_bpref_without_anything_not_relevant_is_the_share_retrieved() -> None:
    q = np.ones((4, 1))
    assert find("bpref").compute(one_topic("abc", "d"), q).values[0, 0] == pytest.approx(0.75)


def test_a_measure_without_a_form_for_chances_says_which_have_one() -> None:
    for name in ("ERR", "AP(rel=3)", "bpref(form=2004)"):
        with pytest.raises(NoFractionError, match=r"no estimate from a sample.*nDCG@k"):
            find(name, top=1)
