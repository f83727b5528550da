"""Q-measure: average precision that also counts how much the relevant documents gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch, safe_ratio, sum_by_place
from evaluation.core.judgments import Floats
from evaluation.core.measures.cumulated_gain import GAINS
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.values import Value
from evaluation.core.segments import running_sums

_BETA = Parameter(
    "beta",
    "How much gain counts beside precision: 0 leaves average precision, large values leave "
    "the gain's share of the best possible.",
    "1",
    kind="number",
)


def q_measure(
    batch: ScoringBatch, *, beta: float = 1.0, gains: tuple[tuple[int, float], ...] = ()
) -> Floats:
    batch = _levelled(batch, dict(gains) or batch.options.gains)
    rows = batch.select_rows(batch.is_relevant)
    gained = running_sums(rows.gains, rows.starts)
    found = rows.running(np.ones(len(rows.ranks), np.bool_))
    blended = (found + beta * gained) / (rows.ranks + beta * _best(batch, rows))
    return safe_ratio(sum_by_place(rows.segment, blended, len(rows)), batch.relevant)


def _levelled(batch: ScoringBatch, table: Mapping[int, float] | None) -> ScoringBatch:
    """``batch`` with a gain table by which grades below the level gain nothing."""
    below = dict.fromkeys(range(batch.options.level), 0.0)
    return replace(batch, options=replace(batch.options, gains={**(table or {}), **below}))


def _best(batch: ScoringBatch, rows: ScoringBatch) -> Floats:
    """The gain of the ideal ranking down to the rank of each of ``rows``."""
    judged = batch.judged
    ideal = running_sums(judged.falling_gains(batch.options.gains)[0], judged.starts)
    topic = batch.topic_index[rows.segment]
    depth = np.minimum(rows.ranks, np.diff(judged.starts)[topic])
    best: Floats = ideal[judged.starts[topic] + depth - 1]
    return best


def q_measure_parameter_conflict(params: Mapping[str, Value]) -> str:
    """What is wrong with the parameters."""
    beta = params.get("beta", 1.0)
    return "beta is 0 or more." if isinstance(beta, int | float) and beta < 0 else ""


_RANKED, _JUDGED = (3, 0, 1, None, 2), (3, 2, 2, 1, 0)

Q_MEASURE = MeasureFamily(
    Card(
        name="q_measure",
        title="Q-measure",
        formula="1/R · Σ over retrieved relevant r of (C(r) + β · cg(r)) / (r + β · cg*(r)), "
        "C relevant documents and cg their gain down to rank r, cg* that of the ideal ranking",
        reading="Average precision with graded gain: it falls behind 1 where relevant "
        "documents come late and where they are not the most relevant ones.",
        source="Sakai, NTCIR-4 2004; Sakai, SIGIR 2007. Sakai's Q′ is `list=condensed`.",
        parameters=(_BETA, GAINS),
        edge_cases=(
            "R = 0 counts as 0.",
            "Grades below the relevance level gain nothing, in the ranking and in the ideal.",
            "Unjudged documents count as not relevant, unless the list is condensed.",
            "beta = 0 is average precision.",
        ),
    ),
    q_measure,
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            (4 / 4 + 6 / 10 + 9 / 13) / 4,
            "((1 + 3)/(1 + 3) + (2 + 4)/(3 + 7) + (3 + 6)/(5 + 8)) / 4",
        ),
        WorkedExample(
            _RANKED,
            _JUDGED,
            (4 / 4 + 6 / 10 + 9 / 12) / 4,
            "Q′: ((1 + 3)/(1 + 3) + (2 + 4)/(3 + 7) + (3 + 6)/(4 + 8)) / 4",
            "q_measure(list=condensed)",
        ),
    ),
    spellings=("Q",),
    group="graded",
    conflict=q_measure_parameter_conflict,
)
