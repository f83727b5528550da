"""The ranking of the runs by a part of the judgments, drawn at random many times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.comparison.estimate import Floats
from evaluation.core.comparison.rank_drop import RankDrop, find_largest_drop
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.judgments import Ints, Mask
from evaluation.core.measures.family import Measure

LEVELS = (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)
"""Per cent of the judgments."""
DRAWS = 10
LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10

Spread = Callable[[Callable[[int], Floats], Sequence[int]], Iterable[Floats]]
"""Does the same work for every draw, in their order: ``map``, or in several processes."""

CARD = Card(
    name="reduced-judgments",
    title="The ranking by fewer judgments",
    formula="in each draw the judged relevant and the judged non-relevant documents of a topic "
    "are put into a random order each; the qrels at P % have the first "
    f"max({LEAST_RELEVANT}, R·P/100) relevant and the first max({LEAST_NONRELEVANT}, N·P/100) "
    "non-relevant of them, halves rounded up, and never more than there are; all runs are scored "
    "by them. tau = tau-b of the ranking of the runs with that of the same measure by all "
    "judgments; tau to the first = with that of the first measure named, by all judgments",
    reading="Which measure still puts the runs in the same order when only a part of the "
    "judgments is there.",
    source="Buckley and Voorhees, SIGIR 2004: strata by relevance, nested samples, tau; "
    "as others describe it. The least numbers kept, the levels and the draws are ours.",
    range="tau: -1 to 1; score: as the measure",
    parameters=(
        Parameter("levels", "P, in per cent.", ", ".join(map(str, LEVELS))),
        Parameter("draws", "How often, each with its own random orders.", str(DRAWS)),
        Parameter("seed", "Where the random numbers start.", "0"),
    ),
    edge_cases=(
        "The samples of one draw are nested: what is there at 10 % is there at 20 %.",
        "A topic's order depends on the seed, the draw and its id, and on no other topic.",
        (
            "Where a topic has few judgments the least numbers hold: at 1 % a topic with 200 "
            "judged has 11 or so, not 2. `judged` tells the share that is really there."
        ),
        "A topic without a relevant document has none in any sample, and stays in the mean.",
        "What was not drawn counts as not judged, at every depth.",
        (
            "The mean score is told because measures differ in it: MAP falls with the judgments, "
            "bpref stays, bpref-10 rises. It ranks systems, it does not estimate their score."
        ),
        "The largest drop is the largest of all draws: tau near 1 can hide it.",
    ),
    undefined="tau: fewer than two runs have a score, or all are tied.",
)


@dataclass(frozen=True)
class DrawSummary:
    """Of the draws in which the value is defined; None where there is none."""

    mean: float | None
    sd: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True)
class ReducedJudgments:
    """One measure at one level. ``judged`` is the share of the judgments that is there,
    ``score`` the mean over runs and draws. ``drop`` is the run that falls most in any draw.
    """

    measure: str
    level: int
    judged: float
    score: float | None
    tau: DrawSummary
    tau_to_first: DrawSummary
    drop: RankDrop | None


def rank_with_fewer_judgments(
    found: PooledCollection,
    measures: Sequence[Measure],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    levels: Sequence[int] = LEVELS,
    spread: Spread = map,
) -> list[ReducedJudgments]:
    """By measure, then level. Raises ``ValueError`` unless levels are from 1 to 100 % and
    there is a draw.
    """
    if draws < 1 or not levels or not all(1 <= level <= 100 for level in levels):
        raise ValueError("levels are from 1 to 100 per cent, draws from 1 up")
    work = partial(score_draw, found, measures, seed, levels)
    scores = np.array(list(spread(work, range(draws))))
    base = found.figures(measures)
    judged = max(1, int(np.count_nonzero(found.is_judged)))
    sizes = [_size(found, level) / judged for level in levels]
    return [
        _summarize_level(
            found, measure, (level, sizes[at]), scores[:, at, :, column], base[:, [column, 0]]
        )
        for column, measure in enumerate(measures)
        for at, level in enumerate(levels)
    ]


def score_draw(
    found: PooledCollection,
    measures: Sequence[Measure],
    seed: int,
    levels: Sequence[int],
    draw: int,
) -> Floats:
    """Levels × runs × measures."""
    turn = draw_judgment_order(found, seed, draw)
    return np.array(
        [found.figures(measures, judgments_at_level(found, turn, level)) for level in levels]
    )


def draw_judgment_order(found: PooledCollection, seed: int, draw: int) -> Ints:
    """By judgment: its place, from 0, in the random order of its topic's relevant or
    non-relevant ones.
    """
    turn = np.zeros(len(found.judged.grades), np.int64)
    nonrelevant = found.is_judged & ~found.is_relevant
    for at, topic in enumerate(found.judged.topics):
        digest = blake2b(topic.encode(), digest_size=8).digest()
        generator = np.random.default_rng([seed, draw, int.from_bytes(digest)])
        start, end = found.judged.starts[at : at + 2].tolist()
        for stratum in (found.is_relevant, nonrelevant):
            rows = start + np.flatnonzero(stratum[start:end])
            turn[rows] = generator.permutation(len(rows))
    return turn


def judgments_at_level(found: PooledCollection, turn: Ints, level: int) -> Mask:
    """The judgments that are there at ``level`` per cent; lines that are no judgment stay."""
    room = _room(found, level)
    own = np.where(
        found.is_relevant, room[0, found.judged.topic_index], room[1, found.judged.topic_index]
    )
    kept: Mask = (turn < own) | ~found.is_judged
    return kept


def _room(found: PooledCollection, level: int) -> Ints:
    """How many relevant and how many non-relevant judgments of each topic are kept."""
    counts = np.array(found.judged.counts_at(found.options.level))
    least = np.array([[LEAST_RELEVANT], [LEAST_NONRELEVANT]])
    room: Ints = np.minimum(counts, np.maximum(least, (2 * counts * level + 100) // 200))
    return room


def _size(found: PooledCollection, level: int) -> int:
    return int(_room(found, level).sum())


def _summarize_level(
    found: PooledCollection,
    measure: Measure,
    level: tuple[int, float],
    scores: Floats,
    base: Floats,
) -> ReducedJudgments:
    """``scores`` is draws × runs; ``base`` runs × 2, by all judgments, own and first measure."""
    own = dict(zip(found.tags, base[:, 0].tolist(), strict=True))
    drops = [
        find_largest_drop(own, dict(zip(found.tags, row, strict=True))) for row in scores.tolist()
    ]
    furthest = max(
        (drop for drop in drops if drop is not None),
        key=lambda drop: (drop.places, -drop.before),
        default=None,
    )
    return ReducedJudgments(
        measure=measure.name,
        level=level[0],
        judged=level[1],
        score=None if np.isnan(scores).all() else float(np.nanmean(scores)),
        tau=_taus(base[:, 0], scores),
        tau_to_first=_taus(base[:, 1], scores),
        drop=furthest,
    )


def _taus(base: Floats, scores: Floats) -> DrawSummary:
    found = [CORRELATIONS["tau-b"].of_scores(base, row).value for row in scores]
    known = [value for value in found if value is not None]
    if not known:
        return DrawSummary(None, None, None, None)
    return DrawSummary(float(np.mean(known)), float(np.std(known)), min(known), max(known))
