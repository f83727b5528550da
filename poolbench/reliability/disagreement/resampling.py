"""Rankings with other assessors: resampled, or one random assessor per topic."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.comparison.rank_correlation import RankCorrelation, score_levels
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.judgments import Floats
from poolbench.reliability.disagreement.ballots import ABSENT
from poolbench.reliability.disagreement.panel import DisagreementPanel
from poolbench.reliability.disagreement.rankings import (
    Treat,
    choose_tau_ap,
    competition_ranks_or_none,
)
from poolbench.statistics.bootstrap import central_shares, quantiles_by_row
from poolbench.statistics.draws import ResamplingOptions, resample_counts
from poolbench.statistics.estimate import nan_to_none

ONE_ASSESSOR = "fewer than two human assessors have judged, so there are none to resample"
ALONE = "the policy uses one assessor only, so there is nothing to resample"
NO_DISAGREEMENT = "there is no unresolved disagreement, so all draws are identical"
TOO_FEW_RUNS = "fewer than two runs have a score"
FEW_ASSESSORS = 5
"""With fewer people, a percentile interval is far too narrow for 95 %."""
CONFIDENCE = 0.95
PERSISTENCE = 0.9
CELLS = 20_000_000
"""Draws × topics × runs in memory at once; limits the number of draws."""


@dataclass(frozen=True)
class RankBand:
    """The middle 95 % of one run's scores and ranks over the draws; None if undefined."""

    low: float | None = None
    high: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None


@dataclass(frozen=True)
class CoefficientSpread:
    """A coefficient over the draws; None, with a ``reason``, if no draw defines it."""

    mean: float | None
    least: float | None
    p5: float | None
    p95: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True)
class ResampledRankings:
    """Results of ``draws`` draws from ``seed``. ``bands`` by run; empty if undefined."""

    draws: int
    seed: int
    bands: tuple[RankBand, ...]
    coefficients: dict[str, CoefficientSpread]
    fixed_pairs: int = 0
    reason: str | None = None


def bootstrap_assessors(panel: DisagreementPanel, sampling: ResamplingOptions) -> ResampledRankings:
    """Draw as many people as there are, with replacement, and apply the policy to their
    judgments: a person drawn twice counts twice.

    ``fixed_pairs`` have at most one judgment or a final grade: they never change, so the
    bands do not reflect the uncertainty of their grades.
    """
    ballots = panel.ballots
    fixed = int(np.count_nonzero((ballots.counts < 2) | ballots.final))
    if reason := _undefined_reason(panel, needs_disagreement=True):
        return ResampledRankings(0, sampling.seed, (), {}, fixed, reason)
    sampling = _cap_draws(panel, sampling)
    multiplicities = np.concatenate([*resample_counts(len(ballots.people), sampling)]).astype(
        np.int64
    )
    scores = np.empty((len(panel.topics), len(multiplicities), len(panel.tags)))
    for at in range(len(panel.topics)):
        scores[at] = panel.score(at, ballots.resample_grades(multiplicities, ballots.rows(at)))
    return _summarize_draws(panel, panel.means(scores), sampling, fixed)


def swap_assessors_at_random(
    panel: DisagreementPanel, treat: Treat, sampling: ResamplingOptions
) -> ResampledRankings:
    """For each topic, the judgments of one of its assessors, at random."""
    if reason := _undefined_reason(panel, needs_disagreement=False):
        return ResampledRankings(0, sampling.seed, (), {}, 0, reason)
    sampling = _cap_draws(panel, sampling)
    generator = sampling.generator
    scores = np.empty((len(panel.topics), sampling.resamples, len(panel.tags)))
    for at in range(len(panel.topics)):
        choices = _choices(panel, at, treat)
        scores[at] = choices[generator.integers(0, len(choices), sampling.resamples)]
    return _summarize_draws(panel, panel.means(scores), sampling, 0)


def _choices(panel: DisagreementPanel, topic: int, treat: Treat) -> Floats:
    """The runs' scores on the topic by each of its assessors, or by the policy without any."""
    ballots, rows = panel.ballots, panel.ballots.rows(topic)
    columns = [
        at for at in ballots.people.tolist() if (ballots.judgments[rows, at] != ABSENT).any()
    ]
    own = ballots.own if treat == "own" else ballots.own_or_policy
    ways = [own(at)[rows] for at in columns] or [ballots.policy_grades[rows]]
    return panel.score(topic, np.array(ways))


def _undefined_reason(panel: DisagreementPanel, *, needs_disagreement: bool) -> str | None:
    if len(panel.tags) < 2:
        return TOO_FEW_RUNS
    if len(panel.ballots.people) < 2:
        return ONE_ASSESSOR
    if needs_disagreement and panel.ballots.policy.alone:
        return ALONE
    if needs_disagreement and not panel.ballots.disagreements.any():
        return NO_DISAGREEMENT
    return None


def _cap_draws(panel: DisagreementPanel, sampling: ResamplingOptions) -> ResamplingOptions:
    most = CELLS // max(1, len(panel.topics) * len(panel.tags))
    return ResamplingOptions(sampling.seed, max(100, min(sampling.resamples, most)))


def _summarize_draws(
    panel: DisagreementPanel, means: Floats, sampling: ResamplingOptions, fixed: int
) -> ResampledRankings:
    """``means`` is draws × runs."""
    base = panel.better * panel.means(panel.by_topic(panel.ballots.base))
    if np.count_nonzero(~np.isnan(base)) < 2:
        return ResampledRankings(0, sampling.seed, (), {}, fixed, TOO_FEW_RUNS)
    signed = panel.better * means
    return ResampledRankings(
        draws=sampling.resamples,
        seed=sampling.seed,
        bands=_bands(means, signed),
        coefficients={
            name: _summarize_coefficients(_coefficients(CORRELATIONS[name], base, signed))
            for name in ("tau-b", choose_tau_ap(base))
        },
        fixed_pairs=fixed,
    )


def _coefficients(correlation: RankCorrelation, base: Floats, signed: Floats) -> list[float | None]:
    """The coefficient of ``base`` and each row; the levels of ``base`` are computed once."""
    if np.isnan(base).any() or np.isnan(signed).any():
        return [correlation.of_scores(base, row).value for row in signed]
    reference = score_levels(base)
    return [correlation.compute(reference, score_levels(row), PERSISTENCE).value for row in signed]


def _bands(means: Floats, signed: Floats) -> tuple[RankBand, ...]:
    """Interpolated quantiles of scores; observed quantiles of ranks, so that ranks are integers."""
    shares = central_shares(CONFIDENCE)
    places = np.array([competition_ranks_or_none(row) for row in signed], np.float64)
    bands = []
    for scores, ranks in zip(means.T, places.T, strict=True):
        defined = ~np.isnan(scores)
        if not defined.any():
            bands.append(RankBand())
            continue
        low, high = quantiles_by_row(scores[None], shares)[0].tolist()
        best, worst = np.quantile(ranks[defined], shares, method="inverted_cdf").tolist()
        bands.append(RankBand(low, high, int(best), int(worst)))
    return tuple(bands)


def _summarize_coefficients(values: Sequence[float | None]) -> CoefficientSpread:
    defined: Floats = np.array([value for value in values if value is not None])
    if not len(defined):
        return CoefficientSpread(
            None, None, None, None, 0, "all runs are tied in one of the rankings"
        )
    p5, p95 = quantiles_by_row(defined[None], (0.05, 0.95))[0].tolist()
    mean, least = nan_to_none(defined.mean()), float(defined.min())
    return CoefficientSpread(mean, least, p5, p95, len(defined))
