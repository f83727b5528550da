"""Variation between assessors: on a pair, on a topic, and of each assessor from the others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import Floats, Ints, divide_or_default
from poolbench.judging.agreement.labels import LabelTable, Pair
from poolbench.statistics.estimate import nan_to_none

INTRACLASS = Card(
    name="icc",
    title="Intraclass correlation",
    formula="(MSB − MSW) / (MSB + (n₀ − 1)·MSW); MSB, MSW: mean squares of the grades between and "
    "within pairs; n₀ = (N − Σ nᵢ²/N) / (a − 1), nᵢ the judgments of a pair, N = Σ nᵢ, a pairs",
    reading="The share of the variance of the grades that is due to the documents; the rest is due "
    "to who judged them.",
    source="Shrout and Fleiss, Intraclass correlations, 1979: ICC(1,1); n₀ for unequal numbers of "
    "judgments as in Snedecor and Cochran, Statistical Methods.",
    range="below 0 if assessors differ more within a document than between documents, to 1",
    edge_cases=(
        "Only pairs with at least two judgments count.",
        "Grades are numbers at equal distances.",
    ),
    undefined="fewer than two pairs have two judgments, or all grades are the same.",
    example="One pair judged 2, 2, 1, another 0, 0, 1: MSB 8/3, MSW 1/3, n₀ 3: "
    "(7/3) / (10/3) = 0.7.",
)
WITH_OTHERS = Card(
    name="agreement-with-others",
    title="Agreement with others",
    formula="mean, over the assessor's pairs with other judgments, of the share of the others who "
    "gave the same grade",
    reading="How often a randomly chosen other assessor of the same document agrees with this one.",
    source="Observed agreement of Fleiss 1971, for one assessor.",
    edge_cases=(
        "Corrected for chance: (observed − expected) / (1 − expected), expected = Σ p·q.",
        "p is the assessor's share of a grade, q the mean share of that grade among the others.",
        "High for anybody who always gives the most common grade: compare the corrected value.",
    ),
    undefined="no one else judged the assessor's pairs; corrected also if expected is 1.",
    example="Grades of two documents: ada 2, 0; bob 2, 0; cem 1, 1: ada agrees with one of two "
    "others on both: 0.5; cem with neither: 0.",
)


@dataclass(frozen=True)
class TopicVariation:
    """The grades of a topic's ``pairs`` with at least two judgments, ``judgments`` in all.

    ``within`` is the variance within a pair, ``unanimous`` the share of pairs with one grade;
    ``icc`` as in ``INTRACLASS``. None where undefined.
    """

    topic: str
    pairs: int
    judgments: int
    mean: float | None
    within: float | None
    unanimous: float | None
    icc: float | None

    @property
    def deviation(self) -> float | None:
        """The standard deviation between assessors on the same pair."""
        return None if self.within is None else self.within**0.5


@dataclass(frozen=True)
class PairVariation:
    """The judgments of one pair: their number by grade, mean and unbiased variance."""

    pair: Pair
    counts: tuple[int, ...]
    mean: float
    variance: float


@dataclass(frozen=True)
class AssessorVariation:
    """``shared`` pairs were judged by others too; ``observed`` and ``corrected`` as in
    ``WITH_OTHERS``.
    """

    name: str
    judged: int
    shared: int
    observed: float | None
    corrected: float | None


@dataclass(frozen=True)
class Variation:
    """``whole`` over all topics; ``pairs`` by variance, widest first; ``assessors`` by name."""

    scale: tuple[int, ...]
    whole: TopicVariation
    topics: tuple[TopicVariation, ...]
    pairs: tuple[PairVariation, ...]
    assessors: tuple[AssessorVariation, ...]


def measure_variation(labels: LabelTable) -> Variation:
    """All variation in ``labels``, in time proportional to its judgments."""
    counts = count_grades(labels)
    several = counts.sum(axis=1) >= 2
    scale = np.array(labels.scale, np.float64)
    topics = tuple(
        _topic(topic, counts[several & (labels.topic_indices == at)], scale)
        for at, topic in enumerate(labels.topics)
    )
    return Variation(
        scale=labels.scale,
        whole=_topic("", counts[several], scale),
        topics=topics,
        pairs=tuple(_pairs(labels, counts, scale)),
        assessors=tuple(_assessors(labels, counts)),
    )


def count_grades(labels: LabelTable) -> Ints:
    """(pairs, grades of the scale): the number of judgments."""
    columns = [(labels.positions == at).sum(axis=0) for at in range(len(labels.scale))]
    return np.stack(columns, axis=1).astype(np.int64)


def intraclass_correlation(counts: Ints, scale: Floats) -> float:
    """ICC(1,1) of the ``counts`` (pairs, grades) with at least two judgments each; NaN where
    undefined.
    """
    judgments = counts.sum(axis=1)
    total, pairs = int(judgments.sum()), len(counts)
    if pairs < 2:
        return np.nan
    means = counts @ scale / judgments
    grand = float(judgments @ means) / total
    between = float(judgments @ (means - grand) ** 2) / (pairs - 1)
    within = float((counts * (scale - means[:, None]) ** 2).sum()) / (total - pairs)
    usual = (total - float(judgments @ judgments) / total) / (pairs - 1)
    spread = between + (usual - 1) * within
    return (between - within) / spread if spread > 0 else np.nan


def _topic(topic: str, counts: Ints, scale: Floats) -> TopicVariation:
    judgments = counts.sum(axis=1)
    total, pairs = int(judgments.sum()), len(counts)
    if not pairs:
        return TopicVariation(topic, 0, 0, None, None, None, None)
    means = counts @ scale / judgments
    squares = float((counts * (scale - means[:, None]) ** 2).sum())
    return TopicVariation(
        topic,
        pairs,
        total,
        float(judgments @ means) / total,
        squares / (total - pairs),
        float((counts.max(axis=1) == judgments).mean()),
        nan_to_none(intraclass_correlation(counts, scale)),
    )


def _pairs(labels: LabelTable, counts: Ints, scale: Floats) -> list[PairVariation]:
    judgments = counts.sum(axis=1)
    several = np.flatnonzero(judgments >= 2)
    means = counts[several] @ scale / judgments[several]
    squares = (counts[several] * (scale - means[:, None]) ** 2).sum(axis=1)
    variances = squares / (judgments[several] - 1)
    # The widest first; ties in the order of the pairs.
    order = np.argsort(-variances, kind="stable")
    return [
        PairVariation(
            labels.pairs[several[at]],
            tuple(counts[several[at]].tolist()),
            float(means[at]),
            float(variances[at]),
        )
        for at in order.tolist()
    ]


def _assessors(labels: LabelTable, counts: Ints) -> list[AssessorVariation]:
    judgments = counts.sum(axis=1)
    listed = []
    for row, name in enumerate(labels.assessors):
        own = np.flatnonzero(labels.judged[row])
        shared = own[judgments[own] >= 2]
        observed, corrected = _agreement_with_others(labels.positions[row][shared], counts[shared])
        listed.append(
            AssessorVariation(
                name, len(own), len(shared), nan_to_none(observed), nan_to_none(corrected)
            )
        )
    return listed


def _agreement_with_others(own_places: Ints, counts: NDArray[np.int64]) -> tuple[float, float]:
    """``own_places`` are the assessor's grades as places on the scale, ``counts`` all judgments."""
    if not len(own_places):
        return np.nan, np.nan
    others = counts.copy()
    rows = np.arange(len(own_places))
    others[rows, own_places] -= 1
    sizes = others.sum(axis=1)
    observed = float((others[rows, own_places] / sizes).mean())
    own = np.bincount(own_places, minlength=counts.shape[1]) / len(own_places)
    expected = float(own @ (others / sizes[:, None]).mean(axis=0))
    corrected = divide_or_default(np.array(observed - expected), np.array(1 - expected))
    return observed, float(corrected)
