"""Rankings that might have been: the rest of a pool judged, or a second opinion on everything.

Both draw grades for documents and rank the runs by each draw. They work on whatever scores runs
by grades, so that a campaign and a simulation use the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evaluation.core.judgments import Floats, Ints
from reliability.core.disagreement.ballots import ABSENT, Grades

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


@dataclass(frozen=True)
class TauSpread:
    """Tau-b with the present ranking over the draws: median and ``LOW`` quantile. ``moved`` is
    the median number of runs that change their place.
    """

    median: float | None
    low: float | None
    moved: float | None


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
    scale = _list_grades(grades)
    shares = _share_grades(np.concatenate(grades), scale)
    now, then = [], []
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
        scores = scorer.score(at, ways)
        now.append(scores[0])
        then.append(scores[1:])
    if not now:
        return np.empty(0), np.empty((draws, 0))
    return scorer.means(np.array(now)), scorer.means(np.array(then))


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
    now, then = [], []
    for at, own in enumerate(grades):
        judged = np.flatnonzero((own != ABSENT) & np.isin(own, values))
        ways = np.repeat(own[None, :], draws + 1, axis=0)
        if len(judged):
            source = generator.integers(0, len(tables), draws)
            rows = np.array([place[int(grade)] for grade in own[judged]])
            chances = steps[source][:, rows, :]
            drawn = generator.random((draws, len(judged), 1))
            ways[1:, judged] = values[(drawn > chances[..., :-1]).sum(axis=-1)]
        scores = scorer.score(at, ways)
        now.append(scores[0])
        then.append(scores[1:])
    if not now:
        return np.empty(0), np.empty((draws, 0))
    return scorer.means(np.array(now)), scorer.means(np.array(then))


def summarize_taus(now: Floats, then: Floats, better: float = 1.0) -> TauSpread:
    """The rankings by ``then`` (draws × runs) against that by ``now``."""
    scored = ~np.isnan(now)
    if np.count_nonzero(scored) < 2 or not len(then):
        return TauSpread(None, None, None)
    base, others = better * now[scored], better * then[:, scored]
    taus = correlate_rankings(base, others)
    defined = taus[~np.isnan(taus)]
    if not len(defined):
        return TauSpread(None, None, None)
    moved = np.count_nonzero(rank_competitors(others) != rank_competitors(base[None]), axis=1)
    low, median = np.quantile(defined, (LOW, 0.5))
    return TauSpread(float(median), float(low), float(np.median(moved)))


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


def _list_grades(grades: Sequence[Grades]) -> Grades:
    values = np.unique(np.concatenate(grades)) if len(grades) else np.empty(0, np.int32)
    scale: Grades = values[values != ABSENT].astype(np.int32)
    return scale


def _share_grades(grades: Grades, scale: Grades) -> Floats:
    counts = np.array([np.count_nonzero(grades == grade) for grade in scale], np.float64)
    shares: Floats = counts / max(counts.sum(), 1.0)
    return shares


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
