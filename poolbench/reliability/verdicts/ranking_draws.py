"""Rankings that might have been: the rest of a pool judged, or a second opinion on everything.

Both draw grades for documents and rank the runs by each draw. They work on whatever scores runs
by grades, so that a campaign and a simulation use the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from poolbench.evaluation.judgments import Floats, Ints
from poolbench.judging.agreement.coefficient import count_all_assessors
from poolbench.judging.agreement.labels import LabelTable
from poolbench.reliability.disagreement.ballots import ABSENT, Grades
from poolbench.statistics.estimate import UNDEFINED, Estimate

PRIOR = 1.0
"""The weight, in judged documents, of all topics in the grades drawn for one of them."""
OPINION_PRIOR = 5.0
"""The weight, in pairs of grades, of all topics in the second opinions drawn for one of them."""
LOW, HIGH = 0.05, 0.95
"""The quantiles of the draws that count as their lower and upper end."""


class GradeScorer(Protocol):
    """Scores all runs by any grades of the same documents."""

    @property
    def better(self) -> float:
        """1 where a higher score is better, -1 where a lower one is."""

    def score(self, topic: int, grades: Grades) -> Floats:
        """Ways × runs, from ways × documents of the topic; ``ABSENT``: unjudged."""

    def means(self, by_topic: Floats) -> Floats:
        """Over topics: (topics × any columns) to columns."""


def draw_rest_of_pool(
    scorer: GradeScorer, grades: Sequence[Grades], draws: int, seed: int
) -> tuple[Floats, Floats]:
    """Scores now (runs) and by each draw (draws × runs). ``grades`` by topic, ``ABSENT`` where
    unjudged.

    The unjudged documents of a topic get grades from a Dirichlet distribution over the grades
    of its judged documents plus ``PRIOR`` documents of all topics: those judged are a random
    sample, but a small one. Topics without a judgment are left out.
    """
    generator = np.random.default_rng(seed)
    every = np.concatenate(grades)
    scale, times = np.unique(every[every != ABSENT], return_counts=True)
    shares = times / max(times.sum(), 1)
    scores: list[Floats] = []
    for at, own in enumerate(grades):
        judged = own != ABSENT
        if not judged.any():
            continue
        ways = np.repeat(own[None, :], draws + 1, axis=0)
        missing = np.flatnonzero(~judged)
        if len(missing):
            counts = np.array([np.count_nonzero(own == grade) for grade in scale]) + PRIOR * shares
            weights = generator.standard_gamma(counts, (draws, len(scale)))
            ways[1:, missing] = _draw_grades(generator, weights, len(missing), scale)
        scores.append(scorer.score(at, ways))
    return _average_draws(scorer, scores, draws)


def draw_second_opinions(
    scorer: GradeScorer,
    grades: Sequence[Grades],
    opinions: Sequence[Ints],
    scale: Sequence[int],
    draws: int,
    seed: int,
) -> tuple[Floats, Floats]:
    """Scores now (runs) and by second opinions on every judged document (draws × runs).

    ``opinions`` has the confusion counts of each topic with documents of two assessors, grades
    of one × grades of the other, both ways round. A draw takes each topic's second opinions
    from those of a random such topic plus ``OPINION_PRIOR`` pairs of grades of all, so that
    assessors may differ more on some topics than on others.
    """
    generator = np.random.default_rng(seed)
    tables = np.array(opinions, np.float64)
    overall = tables.sum(axis=0) + np.eye(len(scale)) * 1e-9
    overall /= overall.sum(axis=1, keepdims=True)
    steps = np.cumsum(_normalize_rows(tables + OPINION_PRIOR * overall), axis=-1)
    place = {grade: at for at, grade in enumerate(scale)}
    values = np.array(scale, np.int32)
    scores: list[Floats] = []
    for at, own in enumerate(grades):
        judged = np.flatnonzero((own != ABSENT) & np.isin(own, values))
        ways = np.repeat(own[None, :], draws + 1, axis=0)
        if len(judged):
            source = generator.integers(0, len(tables), draws)
            rows = np.array([place[int(grade)] for grade in own[judged]])
            chances = steps[source][:, rows, :]
            drawn = generator.random((draws, len(judged), 1))
            ways[1:, judged] = values[(drawn > chances[..., :-1]).sum(axis=-1)]
        scores.append(scorer.score(at, ways))
    return _average_draws(scorer, scores, draws)


def _average_draws(
    scorer: GradeScorer, scores: Sequence[Floats], draws: int
) -> tuple[Floats, Floats]:
    """Over topics, of the first way of each and of all its others."""
    if not scores:
        return np.empty(0), np.empty((draws, 0))
    now, then = [ways[0] for ways in scores], [ways[1:] for ways in scores]
    return scorer.means(np.array(now)), scorer.means(np.array(then))


def measure_second_opinions(
    scorer: GradeScorer, grades: Sequence[Grades], labels: LabelTable, draws: int, seed: int
) -> Estimate:
    """``summarize_taus`` of ``draw_second_opinions`` after the documents that two assessors share
    in ``labels``; undefined without any.
    """
    counts = count_all_assessors(labels, 1)
    opinions = counts.coincident[0][counts.units[0] > 0]
    if not len(opinions):
        return UNDEFINED
    now, then = draw_second_opinions(scorer, grades, opinions, labels.scale, draws, seed)
    return summarize_taus(now, then, scorer.better)


def summarize_taus(now: Floats, then: Floats, better: float = 1.0) -> Estimate:
    """Tau-b of the rankings by ``then`` (draws × runs) with that by ``now``: the median over the
    draws, and as its lower end their ``LOW`` quantile.
    """
    scored = ~np.isnan(now)
    if np.count_nonzero(scored) < 2 or not len(then):
        return UNDEFINED
    taus = correlate_rankings(better * now[scored], better * then[:, scored])
    defined = taus[~np.isnan(taus)]
    if not len(defined):
        return UNDEFINED
    low, median = np.quantile(defined, (LOW, 0.5))
    return Estimate(float(median), len(defined), float(low))


def correlate_rankings(base: Floats, others: Floats) -> Floats:
    """Tau-b of ``base`` (runs) with each row of ``others``; NaN where all runs are tied."""
    signs = np.sign(_differences(base[None]))[0]
    untied = float(np.count_nonzero(signs))
    taus = np.full(len(others), np.nan)
    for row, scores in enumerate(others):
        other = np.sign(_differences(scores[None]))[0]
        pairs = np.sqrt(untied * np.count_nonzero(other))
        if pairs:
            taus[row] = float((signs * other).sum()) / pairs
    return taus


def rank_competitors(scores: Floats) -> Ints:
    """1 + the number of runs with a higher score, by row."""
    ranks: Ints = 1 + (_differences(scores) < 0).sum(axis=-1)
    return ranks


def _differences(scores: Floats) -> Floats:
    """Rows × runs × runs: of each run to each other, differences by noise alone being 0."""
    differences: Floats = scores[:, :, None] - scores[:, None, :]
    noise = 1e-9 * float(np.nanmax(np.abs(scores), initial=0.0))
    differences[np.abs(differences) <= noise] = 0.0
    return differences


def _draw_grades(
    generator: np.random.Generator, weights: Floats, count: int, scale: Grades
) -> Grades:
    """Draws × ``count`` grades, by the weights (draws × grades) of each draw."""
    steps = np.cumsum(_normalize_rows(weights), axis=-1)
    drawn = generator.random((len(weights), count, 1))
    grades: Grades = scale[(drawn > steps[:, None, :-1]).sum(axis=-1)]
    return grades


def _normalize_rows(weights: Floats) -> Floats:
    sums = weights.sum(axis=-1, keepdims=True)
    shares: Floats = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    return shares
