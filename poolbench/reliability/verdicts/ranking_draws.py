"""Rankings that might have been: the rest of a pool judged, or a second opinion on everything.

Both draw grades for documents and rank the runs by each draw. They work on whatever scores runs
by grades, so that a campaign and a simulation use the same code.
"""

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
STRATA = 4
"""Documents that no run lists, one, several, more than half of them."""
OPINION_PRIOR = 5.0
"""The weight, in pairs of grades, of all topics in the second opinions drawn for one of them."""
PAIRS = 1 << 20
"""Pairs of runs compared at once."""
LOW = 0.05
"""The quantile of the draws that counts as their lower end."""


class GradeScorer(Protocol):
    """Scores all runs by any grades of the same documents."""

    @property
    def better(self) -> float:
        """1 where a higher score is better, -1 where a lower one is."""

    def score(self, topic: int, grades: Grades) -> Floats:
        """Ways × runs, from ways × documents of the topic; ``ABSENT``: unjudged."""

    def count_listings(self, topic: int) -> tuple[Ints, int]:
        """By document of the topic: how many runs list it as far as the scores read; and of how
        many.
        """

    def means(self, by_topic: Floats) -> Floats:
        """Over topics: (topics × any columns) to columns."""


def draw_rest_of_pool(
    scorer: GradeScorer, grades: Sequence[Grades], draws: int, seed: int
) -> tuple[Floats, Floats]:
    """Scores now (runs) and by each draw (draws × runs). ``grades`` by topic, ``ABSENT`` where
    unjudged.

    The unjudged documents of a topic that about as many runs list get grades from a Dirichlet
    distribution over the grades of those judged among them, plus ``PRIOR`` documents like them of
    all topics: those judged are a random sample, but a small one, and what more runs list is
    relevant more often. Topics without a judgment are left out.
    """
    generator = np.random.default_rng(seed)
    strata = [_stratify(*scorer.count_listings(at)) for at in range(len(grades))]
    scale, shares = _share_grades(grades, strata)
    scores: list[Floats] = []
    for at, own in enumerate(grades):
        if (own == ABSENT).all():
            continue
        ways = np.repeat(own[None, :], draws, axis=0)
        for stratum in np.unique(strata[at][own == ABSENT]).tolist():
            inside = strata[at] == stratum
            missing = np.flatnonzero(inside & (own == ABSENT))
            counts = _count_grades(own[inside], scale) + PRIOR * shares[stratum]
            weights = generator.standard_gamma(counts, (draws, len(scale)))
            ways[:, missing] = _draw_grades(generator, weights, len(missing), scale)
        # Apart from now, where some are unjudged, all ways grade the same documents.
        now = scorer.score(at, own[None])
        then = scorer.score(at, ways) if ABSENT in own else np.repeat(now, draws, axis=0)
        scores.append(np.concatenate((now, then)))
    return _average_draws(scorer, scores, draws)


def _stratify(listings: Ints, runs: int) -> Ints:
    """The stratum of each document, from 0 to ``STRATA`` - 1."""
    strata: Ints = np.digitize(listings, [1, 2, max(STRATA - 1, runs // 2 + 1)])
    return strata


def _share_grades(grades: Sequence[Grades], strata: Sequence[Ints]) -> tuple[Grades, Floats]:
    """All grades, and strata × shares of them over all topics, with one document of all strata."""
    every, place = np.concatenate(grades), np.concatenate(strata)
    scale = np.unique(every[every != ABSENT])
    counts = np.array([_count_grades(every[place == at], scale) for at in range(STRATA)])
    return scale, _normalize_rows(counts + _normalize_rows(counts.sum(axis=0, keepdims=True)))


def _count_grades(grades: Grades, scale: Grades) -> Floats:
    return np.array([np.count_nonzero(grades == grade) for grade in scale], np.float64)


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


def summarize_taus(now: Floats, then: Floats, better: float = 1.0, lower: float = LOW) -> Estimate:
    """Tau-b of the rankings by ``then`` (draws × runs) with that by ``now``: the median over the
    draws, and as its lower end their quantile ``lower``.
    """
    scored = ~np.isnan(now)
    if np.count_nonzero(scored) < 2 or not len(then):
        return UNDEFINED
    taus = correlate_rankings(better * now[scored], better * then[:, scored])
    defined = taus[~np.isnan(taus)]
    if not len(defined):
        return UNDEFINED
    low, median = np.quantile(defined, (lower, 0.5))
    return Estimate(float(median), len(defined), float(low))


def correlate_rankings(base: Floats, others: Floats) -> Floats:
    """Tau-b of ``base`` (runs) with each row of ``others``; NaN where all runs are tied."""
    first, second = np.triu_indices(len(base), 1)
    signs = _compare_pairs(base[None], first, second)[0]
    taus = np.full(len(others), np.nan)
    step = max(1, PAIRS // max(len(first), 1))
    for start in range(0, len(others), step):
        compared = _compare_pairs(others[start : start + step], first, second)
        pairs = np.sqrt(np.count_nonzero(signs) * np.count_nonzero(compared, axis=1))
        np.divide(compared @ signs, pairs, out=taus[start : start + step], where=pairs > 0)
    return taus


def rank_competitors(scores: Floats) -> Ints:
    """1 + the number of runs with a higher score, by row."""
    noise = 1e-9 * float(np.nanmax(np.abs(scores), initial=0.0))
    ranks: Ints = 1 + (scores[:, :, None] - scores[:, None, :] < -noise).sum(axis=-1)
    return ranks


def _compare_pairs(scores: Floats, first: Ints, second: Ints) -> Floats:
    """Rows × pairs of runs: 1 where the ``first`` is higher, -1 where the ``second`` is, and 0
    where they differ by noise alone.
    """
    noise = 1e-9 * np.nanmax(np.abs(scores), axis=1, initial=0.0, keepdims=True)
    differences = scores[:, first] - scores[:, second]
    signs: Floats = np.where(np.abs(differences) <= noise, 0.0, np.sign(differences))
    return signs


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
