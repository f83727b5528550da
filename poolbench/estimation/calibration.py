"""The chance of each grade of each pair, learned from people's grades of a sample.

For each step g a logistic regression on machine grades, ranks and topics, with ridge penalties;
topics share what they have in common (partial pooling). Cross-fitted: the chances of a pair come
from grades of the other folds, never from its own, since intervals would be too narrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.frame import PoolFrame
from poolbench.evaluation.judgments import Floats, Ints

FOLDS = 5
RANK_PENALTY, TOPIC_PENALTY = 0.5, 1.0
LEAST_GRADES = 3
"""Fewer grades at or above a step, or below it: its share in the sample instead of a regression."""

_ROUNDS, _CLOSE, _RIDGE = 30, 1e-8, 1e-9


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """Columns by pair, with the ridge penalty of each; intercept and topics come on top."""

    columns: Floats
    penalties: Floats

    def join(self, other: "PairFeatures") -> "PairFeatures":
        return PairFeatures(
            np.column_stack([self.columns, other.columns]),
            np.concatenate([self.penalties, other.penalties]),
        )


def build_rank_features(frame: PoolFrame) -> PairFeatures:
    """log2 of the best rank, shares of runs with it in the first 10, 30 and 100, and log of the
    mean of 1 / (10 + rank) over runs; standardize_columnsd.
    """
    pairs, runs = len(frame.topic_index), len(frame.runs)
    best = np.full(pairs, frame.rank.max(initial=1) + 1)
    np.minimum.at(best, frame.pair, frame.rank)
    shares = [
        np.bincount(frame.pair[frame.rank <= k], minlength=pairs) / runs for k in (10, 30, 100)
    ]
    columns = np.column_stack([np.log2(best), *shares, log_mean_rank(frame)])
    return PairFeatures(standardize_columns(columns), np.full(5, RANK_PENALTY))


def log_mean_rank(frame: PoolFrame) -> Floats:
    """By pair: log of the mean of 1 / (10 + rank) over all runs; of a pair without any, as at a
    rank of one run that is twice the last one.
    """
    weights = np.bincount(
        frame.pair, weights=1 / (10 + frame.rank), minlength=len(frame.topic_index)
    )
    least = 1 / (10 + 2 * frame.rank.max(initial=1))
    log: Floats = np.log(np.maximum(weights, least) / len(frame.runs))
    return log


def standardize_columns(columns: Floats) -> Floats:
    """Mean 0 and standard deviation 1 by column; constant columns become 0."""
    spread = columns.std(axis=0)
    centred: Floats = (columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return centred


def fit_chances(
    features: PairFeatures,
    topics: Ints,
    steps: Floats,
    judged: Ints,
    fold: Ints,
    count: int,
    learned: Sequence[PairFeatures] | None = None,
) -> Floats:
    """The cross-fitted chances of each step, (pairs, G), non-increasing in g.

    ``topics``: the topic of each pair, of ``count``; ``steps``: (judged, G), whether people's
    grade of each pair of ``judged`` is g or more; ``fold``: the fold of each pair. ``learned``: for
    each fold, more features, which themselves were learned from grades of the other folds.
    """
    chances = np.empty((len(topics), steps.shape[1]))
    for own in range(FOLDS):
        train = fold[judged] != own
        rows = np.flatnonzero(fold == own)
        used = features if learned is None else features.join(learned[own])
        for g in range(steps.shape[1]):
            chances[rows, g] = _fit_step(used, topics, steps[train, g], judged[train], rows, count)
    lowered: Floats = np.minimum.accumulate(chances, axis=1)
    return lowered


def _fit_step(
    features: PairFeatures, topics: Ints, y: Floats, judged: Ints, rows: Ints, count: int
) -> Floats:
    hits = y.sum()
    if min(hits, len(y) - hits) < LEAST_GRADES:
        return np.full(len(rows), (hits + 0.5) / (len(y) + 1))
    slopes, effects = fit_logistic(
        np.column_stack([np.ones(len(judged)), features.columns[judged]]),
        np.concatenate([[0.0], features.penalties]),
        topics[judged],
        y,
        count,
    )
    scores = slopes[0] + features.columns[rows] @ slopes[1:] + effects[topics[rows]]
    return compute_logistic(scores)


def compute_logistic(x: Floats) -> Floats:
    from scipy.special import expit

    value: Floats = expit(x)
    return value


def fit_logistic(
    x: Floats, penalties: Floats, topics: Ints, y: Floats, count: int
) -> tuple[Floats, Floats]:
    """Slopes and effects of topics of a ridge logistic regression by Newton's method.

    The effects are a diagonal block of the Hessian, so they are eliminated first: a step costs
    O(n p² + count p²), however many topics there are.
    """
    slopes, effects = np.zeros(x.shape[1]), np.zeros(count)
    for _ in range(_ROUNDS):
        chance = compute_logistic(x @ slopes + effects[topics])
        left, weight = y - chance, chance * (1 - chance)
        gradient = x.T @ left - penalties * slopes
        of_topics = np.bincount(topics, left, count) - TOPIC_PENALTY * effects
        weighted = x * weight[:, None]
        diagonal = np.bincount(topics, weight, count) + TOPIC_PENALTY
        cross = np.column_stack([np.bincount(topics, column, count) for column in weighted.T])
        shrunk = cross / diagonal[:, None]
        hessian = x.T @ weighted + np.diag(penalties) - cross.T @ shrunk
        hessian += _RIDGE * np.eye(len(slopes))
        step = np.linalg.solve(hessian, gradient - shrunk.T @ of_topics)
        slopes = slopes + step
        effects = effects + of_topics / diagonal - shrunk @ step
        if np.abs(step).max() < _CLOSE:
            break
    return slopes, effects
