"""Q-measure: average precision with graded gain."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.cumulated_gain import GAINS
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.values import Value
from poolbench.evaluation.segments import running_sums

_BETA = Parameter(
    "beta",
    "Weight of gain relative to precision: 0 gives average precision; large values give "
    "cumulated gain relative to the ideal.",
    "1",
    kind="number",
)


def q_measure(
    batch: ScoringBatch, *, beta: float = 1.0, gains: tuple[tuple[int, float], ...] = ()
) -> Floats:
    batch = _levelled(batch, dict(gains) or batch.options.gains)
    rows = batch.select_rows(batch.is_relevant)
    gained = running_sums(rows.gains, rows.starts)
    relevant = rows.running(np.ones(len(rows.ranks), np.bool_))
    blended = (relevant + beta * gained) / (rows.ranks + beta * _best(batch, rows))
    return safe_ratio(sum_by_place(rows.segment, blended, len(rows)), batch.relevant)


def _levelled(batch: ScoringBatch, table: Mapping[int, float] | None) -> ScoringBatch:
    """``batch`` with a gain table in which grades below the relevance level have gain 0."""
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
    """The error message for invalid parameters; empty if there is none."""
    beta = params.get("beta", 1.0)
    return "beta must be at least 0." if isinstance(beta, int | float) and beta < 0 else ""


_worked = partial(WorkedExample, (3, 0, 1, None, 2), (3, 2, 2, 1, 0))

Q_MEASURE = MeasureFamily(
    name="q_measure",
    title="Q-measure",
    formula="1/R · Σ over retrieved relevant r of (C(r) + β · cg(r)) / (r + β · cg*(r)), "
    "C relevant documents and cg their gain down to rank r, cg* that of the ideal ranking",
    reading="Average precision with graded gain: below 1 if relevant documents are ranked "
    "low or less relevant documents are ranked above more relevant ones.",
    source="Sakai, NTCIR-4 2004; Sakai, SIGIR 2007. Sakai's Q′ is `list=condensed`.",
    parameters=(_BETA, GAINS),
    edge_cases=(
        "R = 0: the value is 0.",
        "Grades below the relevance level have gain 0, in the ranking and in the ideal ranking.",
        "Unjudged documents count as non-relevant, unless the list is condensed.",
        "beta = 0 is average precision.",
    ),
    compute=q_measure,
    examples=(
        _worked(
            (4 / 4 + 6 / 10 + 9 / 13) / 4,
            "((1 + 3)/(1 + 3) + (2 + 4)/(3 + 7) + (3 + 6)/(5 + 8)) / 4",
        ),
        _worked(
            (4 / 4 + 6 / 10 + 9 / 12) / 4,
            "Q′: ((1 + 3)/(1 + 3) + (2 + 4)/(3 + 7) + (3 + 6)/(4 + 8)) / 4",
            "q_measure(list=condensed)",
        ),
    ),
    spellings=("Q",),
    group="graded",
    conflict=q_measure_parameter_conflict,
)
