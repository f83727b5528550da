"""What a sample of a given number of judgments would tell, before anybody judges.

The chances that a sample is drawn by are cautious: alike in all topics, and near one half. Errors
forecast from them were half of what came for AP and bpref, and too large for P@10. A forecast
therefore takes chances as relevance is in collections: rarer, decided more by rank, and different
from topic to topic.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.calibration import compute_logistic
from poolbench.estimation.errors import forecast_variance
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.measures import FractionalMeasure, FractionalScores
from poolbench.evaluation.judgments import Floats
from poolbench.statistics.inclusion import inclusion_probabilities

RELEVANT, DECIDED, TOPICS_APART = 0.2, 2.0, 1.4
"""Share of relevant pairs, factor on log odds, and standard deviation of topics in log odds."""
RATIO = 1.25
"""Times the errors of ratios are larger for what the first order leaves."""
QUANTILE = 1.96
LEAST_BY_TOPIC = 5
"""Judgments a topic below which ratios get no interval."""


@dataclass(frozen=True)
class MeasureForecast:
    """``by_run``: expected half-widths of 95 % intervals; ``half_width``: their mean. Measures that
    are not ``is_linear`` have none from too few judgments. ``over_topics``: the mean with topics as
    a sample too, and ``twice_topics`` the same if as many judgments were spread over twice the
    topics (None: one topic, nothing to compare).
    """

    measure: str
    is_linear: bool
    half_width: float
    by_run: tuple[float, ...]
    over_topics: float | None
    twice_topics: float | None


@dataclass(frozen=True)
class SampleForecast:
    """A sample of ``number`` pairs, ``certain`` of which every such sample has; ``by_topic``:
    expected judgments of each topic; ``has_ratios``: whether there are enough for intervals of
    ratios.
    """

    number: int
    certain: int
    by_topic: tuple[float, ...]
    has_ratios: bool
    measures: tuple[MeasureForecast, ...]


def assume_chances(frame: PoolFrame, steps: Floats, level: int) -> Floats:
    """``steps``, the chances of each step that a sample is drawn by, made as uneven as relevance
    is: log odds times ``DECIDED`` about their mean, topics ``TOPICS_APART``, and a mean of
    ``RELEVANT`` at the step ``level``.
    """
    from scipy.special import ndtri

    bounded = np.clip(steps, 0.01, 0.99)
    odds = np.log(bounded / (1 - bounded))
    odds = odds.mean(axis=0) + DECIDED * (odds - odds.mean(axis=0))
    topics = len(frame.topics)
    effects = TOPICS_APART * ndtri((np.arange(topics) + 0.5) / topics)
    # Any fixed order: topics must not be easier because their numbers are higher.
    odds += np.random.default_rng(0).permutation(effects)[frame.topic_index][:, None]
    low, high = -20.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        is_above = compute_logistic(odds[:, level - 1] + middle).mean() > RELEVANT
        low, high = (low, middle) if is_above else (middle, high)
    return compute_logistic(odds + low)


def forecast_samples(
    frame: PoolFrame,
    steps: Floats,
    sizes: Floats,
    measures: Mapping[str, FractionalMeasure],
    level: int,
    numbers: Iterable[int],
) -> tuple[SampleForecast, ...]:
    """The forecast of a sample of each of ``numbers``, ascending; one above the frame is the frame.

    ``steps``: the chances that the sample is drawn by, ``sizes``: its z, as in ``InfluencePlan``.
    On DL19 and TREC-COVID round 1, 5 to 40 % judged, half-widths came out at .7 to 1.7 times this
    (docs/pooling.md).
    """
    chances = assume_chances(frame, steps, level)
    scored = {name: measure.compute(frame, chances) for name, measure in measures.items()}
    between = {name: _spread_topics(frame, chances, scores) for name, scores in scored.items()}
    forecasts = list[SampleForecast]()
    for number in sorted({min(each, len(sizes)) for each in numbers if each > 0}):
        pi = inclusion_probabilities(sizes, number)
        weight, share = ((1 - pi) / pi)[:, None], number / len(sizes)
        rows = list[MeasureForecast]()
        for name, scores in scored.items():
            variance = forecast_variance(frame, chances, weight, scores.derivative)
            is_linear = measures[name].is_linear
            if not is_linear:
                variance *= RATIO**2 * number / max(number - len(frame.topics), 1)
            halves, wide = _forecast_halves(between[name], variance, share)
            mean = float(halves.mean()) if len(halves) else 0.0
            rows.append(MeasureForecast(name, is_linear, mean, tuple(halves.tolist()), *wide))
        forecasts.append(
            SampleForecast(
                number=number,
                certain=int((pi >= 1).sum()),
                by_topic=tuple(frame.sum_topics(pi).tolist()),
                has_ratios=number >= LEAST_BY_TOPIC * len(frame.topics),
                measures=tuple(rows),
            )
        )
    return tuple(forecasts)


def _spread_topics(frame: PoolFrame, chances: Floats, scores: FractionalScores) -> Floats | None:
    """By run: the variance of its mean that topics bring, by how far apart expected scores are and
    how far true scores lie from them. None for one topic.
    """
    topics = len(frame.topics)
    if topics < 2:
        return None
    expected = scores.values.var(axis=1, ddof=1) / topics
    all_pairs = np.ones((len(chances), 1))
    spread: Floats = expected + forecast_variance(frame, chances, all_pairs, scores.derivative)
    return spread


def _forecast_halves(
    between: Floats | None, variance: Floats, share: float
) -> tuple[Floats, tuple[float, float] | tuple[None, None]]:
    """Half-widths by run, and their means with topics as a sample: these, and twice as many.
    ``between`` and ``variance`` by run: the topics' and the sample's part of the error; ``share``
    of the pairs judged.
    """
    halves: Floats = QUANTILE * np.sqrt(variance)
    if between is None or not len(halves):
        return halves, (None, None)
    # Twice the topics halve their part. The sample's part depends on the number of judgments, and a
    # little on how many pairs are left without one.
    thinner = variance * (1 - share / 2) / (1 - share) if share < 1 else variance
    wide = float(QUANTILE * np.sqrt(between + variance).mean())
    return halves, (wide, float(QUANTILE * np.sqrt(between / 2 + thinner).mean()))
