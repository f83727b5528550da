"""Run rankings by random samples of the judgments."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from statistics import stdev

import numpy as np

from poolbench.cards import Card, Parameter
from poolbench.evaluation.comparison.rank_drop import RankDrop, find_largest_drop
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.judgments import Ints, Mask
from poolbench.evaluation.measures.family import Measure
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.statistics.draws import Floats

LEVELS = (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)
"""Percentages of the judgments."""
DRAWS = 50
LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10

Spread = Callable[[Callable[[int], Floats], Sequence[int]], Iterable[Floats]]
"""Applies a function to every draw, in order: ``map``, or several processes."""

CARD = Card(
    name="reduced-judgments",
    title="Reduced judgments",
    formula="in each draw, the judged relevant and the judged non-relevant documents of a topic "
    "are shuffled separately; the qrels at P % contain the first "
    f"max({LEAST_RELEVANT}, R·P/100) relevant and the first max({LEAST_NONRELEVANT}, N·P/100) "
    "non-relevant of them, halves rounded up, at most all; all runs are scored by these "
    "qrels. tau = tau-b between this ranking of the runs and the ranking by the same measure "
    "and all judgments; tau to the first = tau-b with the ranking by the first measure listed "
    "and all judgments",
    reading="Which measures still rank the runs in the same order when only part of the "
    "judgments are available.",
    source="Buckley and Voorhees, SIGIR 2004: strata by relevance, nested samples, tau; "
    "as cited by others. The minimum numbers, the levels and the draws are ours.",
    range="tau: -1 to 1; score: as the measure",
    parameters=(
        Parameter("levels", "P, in percent.", ", ".join(map(str, LEVELS))),
        Parameter("draws", "Number of draws, each with its own random orders.", str(DRAWS)),
        Parameter("seed", "Random seed.", "0"),
    ),
    edge_cases=(
        "The samples of one draw are nested: the sample at 20 % contains the one at 10 %.",
        "A topic's order depends on the seed, the draw and the topic number only.",
        (
            "If a topic has few judgments, the minimum numbers apply: at 1 %, a topic with 200 "
            "judged documents keeps about 11, not 2. `judged` gives the actual share."
        ),
        "A topic without a relevant document has none in any sample and stays in the mean.",
        "Documents outside the sample count as unjudged, at every depth.",
        (
            "The mean score shows how measures react: with fewer judgments MAP falls, bpref "
            "stays and bpref-10 rises. Samples rank systems; they do not estimate their scores."
        ),
        "The largest drop is the largest over all draws; a tau near 1 can hide it.",
        (
            "Every mean has its standard error: the sd over the n draws in which the value is "
            "defined (divided by n), over √(n − 1). It says how near the mean of the draws is to "
            "that of all possible draws, not what other topics or runs would give. Levels of one "
            "draw are nested, so that their errors are not independent."
        ),
    ),
    undefined="tau: fewer than two runs have a score, or all are tied. Standard error: fewer than "
    "two draws.",
)


@dataclass(frozen=True)
class DrawSummary:
    """Over the draws in which the value is defined; None if there are none. ``standard_error``
    is that of the mean; None for a single draw.
    """

    mean: float | None
    standard_error: float | None
    sd: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True)
class ReducedJudgments:
    """One measure at one level. ``judged`` is the share of the judgments in the sample,
    ``score`` the mean over runs and draws, with its standard error over draws. ``drop`` is the
    largest drop in any draw.
    """

    measure: str
    level: int
    judged: float
    score: float | None
    score_standard_error: float | None
    tau: DrawSummary
    tau_to_first: DrawSummary
    drop: RankDrop | None


def rank_with_fewer_judgments(
    collection: PooledCollection,
    measures: Sequence[Measure],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    levels: Sequence[int] = LEVELS,
    spread: Spread = map,
) -> list[ReducedJudgments]:
    """By measure, then level. Raises ``ValueError`` unless levels are between 1 and 100 % and
    ``draws`` is at least 1.
    """
    if draws < 1 or not levels or not all(1 <= level <= 100 for level in levels):
        raise ValueError("levels must be between 1 and 100 percent, draws at least 1")
    work = partial(score_draw, collection, measures, seed, levels)
    scores = np.array(list(spread(work, range(draws))))
    base = collection.score(measures)
    judged = max(1, int(np.count_nonzero(collection.is_judged)))
    sizes = [int(_sample_sizes(collection, level).sum()) / judged for level in levels]
    return [
        _summarize_level(
            collection, measure, (level, sizes[at]), scores[:, at, :, column], base[:, [column, 0]]
        )
        for column, measure in enumerate(measures)
        for at, level in enumerate(levels)
    ]


def score_draw(
    collection: PooledCollection,
    measures: Sequence[Measure],
    seed: int,
    levels: Sequence[int],
    draw: int,
) -> Floats:
    """Levels × runs × measures."""
    turn = draw_judgment_order(collection, seed, draw)
    samples = (judgments_at_level(collection, turn, level) for level in levels)
    return np.array([collection.score(measures, sample) for sample in samples])


def draw_judgment_order(collection: PooledCollection, seed: int, draw: int) -> Ints:
    """By judgment: its position, from 0, in the random order of the relevant or the
    non-relevant judgments of its topic.
    """
    turn = np.zeros(len(collection.judged.grades), np.int64)
    nonrelevant = collection.is_judged & ~collection.is_relevant
    for at, topic in enumerate(collection.judged.topics):
        digest = blake2b(topic.encode(), digest_size=8).digest()
        generator = np.random.default_rng([seed, draw, int.from_bytes(digest)])
        start, end = collection.judged.starts[at : at + 2].tolist()
        for stratum in (collection.is_relevant, nonrelevant):
            rows = start + np.flatnonzero(stratum[start:end])
            turn[rows] = generator.permutation(len(rows))
    return turn


def judgments_at_level(collection: PooledCollection, turn: Ints, level: int) -> Mask:
    """The judgments sampled at ``level`` percent; lines with a grade below 0 stay."""
    sizes = _sample_sizes(collection, level)
    size = np.where(
        collection.is_relevant,
        sizes[0, collection.judged.topic_index],
        sizes[1, collection.judged.topic_index],
    )
    selected: Mask = (turn < size) | ~collection.is_judged
    return selected


def _sample_sizes(collection: PooledCollection, level: int) -> Ints:
    """2 × topics: the relevant and the non-relevant judgments in the sample."""
    counts = np.array(collection.judged.counts_at(collection.options.level))
    least = np.array([[LEAST_RELEVANT], [LEAST_NONRELEVANT]])
    sizes: Ints = np.minimum(counts, np.maximum(least, (2 * counts * level + 100) // 200))
    return sizes


def _summarize_level(
    collection: PooledCollection,
    measure: Measure,
    level: tuple[int, float],
    scores: Floats,
    base: Floats,
) -> ReducedJudgments:
    """``scores`` is draws × runs; ``base`` runs × 2, all judgments: this and the first measure."""
    drops = [find_largest_drop(collection.tags, base[:, 0], row) for row in scores]
    fallen = [drop for drop in drops if drop is not None]
    furthest = max(fallen, key=lambda drop: (drop.places, -drop.before), default=None)
    by_draw = [float(np.nanmean(row)) for row in scores if not np.isnan(row).all()]
    return ReducedJudgments(
        measure=measure.name,
        level=level[0],
        judged=level[1],
        score=None if np.isnan(scores).all() else float(np.nanmean(scores)),
        score_standard_error=estimate_standard_error(by_draw),
        tau=_taus(base[:, 0], scores),
        tau_to_first=_taus(base[:, 1], scores),
        drop=furthest,
    )


def _taus(base: Floats, scores: Floats) -> DrawSummary:
    taus = [CORRELATIONS["tau-b"].of_scores(base, row).value for row in scores]
    defined = [value for value in taus if value is not None]
    if not defined:
        return DrawSummary(None, None, None, None, None)
    return DrawSummary(
        mean=float(np.mean(defined)),
        standard_error=estimate_standard_error(defined),
        sd=float(np.std(defined)),
        least=min(defined),
        most=max(defined),
    )


def estimate_standard_error(values: Sequence[float]) -> float | None:
    """Of the mean of ``values``, independent draws; None if there are fewer than two."""
    if len(values) < 2:
        return None
    # Exact: equal values give 0, not a rounding error.
    return float(stdev(values) / len(values) ** 0.5)
