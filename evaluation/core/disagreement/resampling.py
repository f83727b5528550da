"""What would have come out with other assessors: resampled, or one drawn for each topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.core.comparison.draws import resample_counts
from evaluation.core.comparison.estimate import ResamplingOptions, nan_to_none
from evaluation.core.comparison.rank_correlation import RankCorrelation, score_levels
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.disagreement.ballots import ABSENT
from evaluation.core.disagreement.panel import DisagreementPanel
from evaluation.core.disagreement.rankings import Treat, choose_tau_ap, competition_ranks_or_none
from evaluation.core.judgments import Floats

ONE_ASSESSOR = "fewer than two people have judged, so there is nobody to draw instead"
ALONE = "the policy hears one assessor alone, so there is nothing to resample"
NO_DISPUTE = "no pair has different grades that nobody has settled, so every draw is alike"
TOO_FEW_RUNS = "fewer than two runs have a score"
FEW_ASSESSORS = 5
"""Below so many people a percentile interval is far too narrow to be taken for 95 %."""
CONFIDENCE = 0.95
PERSISTENCE = 0.9
CELLS = 20_000_000
"""Draws × topics × runs held at once: more draws are not made."""


@dataclass(frozen=True)
class RankBand:
    """Where one run's score and rank lie in the middle 95 % of the draws."""

    low: float | None
    high: float | None
    rank_low: int | None
    rank_high: int | None


@dataclass(frozen=True)
class CoefficientSpread:
    """A coefficient over the draws; None where no draw has it, and ``reason`` says why."""

    mean: float | None
    least: float | None
    p5: float | None
    p95: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True)
class ResampledRankings:
    """What ``draws`` draws from ``seed`` gave. ``bands`` by run; empty where undefined."""

    draws: int
    seed: int
    bands: tuple[RankBand, ...]
    coefficients: dict[str, CoefficientSpread]
    fixed_pairs: int = 0
    reason: str | None = None


def bootstrap_assessors(panel: DisagreementPanel, sampling: ResamplingOptions) -> ResampledRankings:
    """Draw as many people as there are, with replacement, and apply the policy to what they
    said: someone drawn twice counts twice.

    ``fixed_pairs`` are judged by at most one person or settled: they never change, so the
    bands do not show how uncertain those grades are.
    """
    ballots = panel.ballots
    fixed = int(np.count_nonzero((ballots.counts < 2) | ballots.settled))
    if reason := _undefined(panel, needs_dispute=True):
        return ResampledRankings(0, sampling.seed, (), {}, fixed, reason)
    sampling = _capped(panel, sampling)
    drawn = np.concatenate([*resample_counts(len(ballots.people), sampling)]).astype(np.int64)
    scores = np.empty((len(panel.topics), len(drawn), len(panel.tags)))
    for at in range(len(panel.topics)):
        scores[at] = panel.score(at, ballots.resampled(drawn, ballots.rows(at)))
    return _summarize_draws(panel, panel.means(scores), sampling, fixed)


def swap_assessors_at_random(
    panel: DisagreementPanel, treat: Treat, sampling: ResamplingOptions
) -> ResampledRankings:
    """For each topic the judgments of one of the people who judged any of it, at random."""
    if reason := _undefined(panel, needs_dispute=False):
        return ResampledRankings(0, sampling.seed, (), {}, 0, reason)
    sampling = _capped(panel, sampling)
    generator = sampling.generator
    scores = np.empty((len(panel.topics), sampling.resamples, len(panel.tags)))
    for at in range(len(panel.topics)):
        choices = _choices(panel, at, treat)
        scores[at] = choices[generator.integers(0, len(choices), sampling.resamples)]
    return _summarize_draws(panel, panel.means(scores), sampling, 0)


def _choices(panel: DisagreementPanel, topic: int, treat: Treat) -> Floats:
    """The runs' scores on the topic by each of its people, or by the policy if it has none."""
    ballots, rows = panel.ballots, panel.ballots.rows(topic)
    columns = [at for at in ballots.people.tolist() if (ballots.given[rows, at] != ABSENT).any()]
    own = ballots.own if treat == "own" else ballots.own_else
    ways = [own(at)[rows] for at in columns] or [ballots.made[rows]]
    return panel.score(topic, np.array(ways))


def _undefined(panel: DisagreementPanel, *, needs_dispute: bool) -> str | None:
    if len(panel.tags) < 2:
        return TOO_FEW_RUNS
    if len(panel.ballots.people) < 2:
        return ONE_ASSESSOR
    if needs_dispute and panel.ballots.policy.alone:
        return ALONE
    if needs_dispute and not panel.ballots.disputed.any():
        return NO_DISPUTE
    return None


def _capped(panel: DisagreementPanel, sampling: ResamplingOptions) -> ResamplingOptions:
    most = CELLS // max(1, len(panel.topics) * len(panel.tags))
    return ResamplingOptions(sampling.seed, max(100, min(sampling.resamples, most)))


def _summarize_draws(
    panel: DisagreementPanel, means: Floats, sampling: ResamplingOptions, fixed: int
) -> ResampledRankings:
    """``means`` is draws × runs."""
    base = panel.better * panel.means(panel.by_topic(panel.ballots.base))
    if np.count_nonzero(~np.isnan(base)) < 2:
        return ResampledRankings(0, sampling.seed, (), {}, fixed, TOO_FEW_RUNS)
    turned = panel.better * means
    return ResampledRankings(
        draws=sampling.resamples,
        seed=sampling.seed,
        bands=_bands(means, turned),
        coefficients={
            name: _spread(_coefficients(CORRELATIONS[name], base, turned))
            for name in ("tau-b", choose_tau_ap(base))
        },
        fixed_pairs=fixed,
    )


def _coefficients(correlation: RankCorrelation, base: Floats, turned: Floats) -> list[float | None]:
    """The coefficient of ``base`` and each row; its levels are found once."""
    if np.isnan(base).any() or np.isnan(turned).any():
        return [correlation.of_scores(base, row).value for row in turned]
    reference = score_levels(base)
    return [correlation.compute(reference, score_levels(row), PERSISTENCE).value for row in turned]


def _bands(means: Floats, turned: Floats) -> tuple[RankBand, ...]:
    """Quantiles of scores between draws, of ranks among them, so that a rank is whole."""
    shares = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    places = np.array([competition_ranks_or_none(row) for row in turned], np.float64)
    bands = []
    for scores, ranks in zip(means.T, places.T, strict=True):
        known = ~np.isnan(scores)
        if not known.any():
            bands.append(RankBand(None, None, None, None))
            continue
        low, high = np.quantile(scores[known], shares).tolist()
        best, worst = np.quantile(ranks[known], shares, method="inverted_cdf").tolist()
        bands.append(RankBand(low, high, int(best), int(worst)))
    return tuple(bands)


def _spread(values: Sequence[float | None]) -> CoefficientSpread:
    known: Floats = np.array([value for value in values if value is not None])
    if not len(known):
        return CoefficientSpread(
            None, None, None, None, 0, "all runs are tied in one of the rankings"
        )
    five, most = np.quantile(known, [0.05, 0.95]).tolist()
    return CoefficientSpread(nan_to_none(known.mean()), float(known.min()), five, most, len(known))
