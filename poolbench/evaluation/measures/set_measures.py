"""Set-based measures: quality of the retrieved set, regardless of order."""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample

_SET = (
    "The set contains all documents of the run for the topic, after -M and -J.",
    "R = 0, or nothing retrieved: the value is 0.",
)
_worked = partial(WorkedExample, (1, 0, 1, None), (1, 1, 1, 1, 1, 0))


def _relevant_retrieved(batch: ScoringBatch) -> Ints:
    return batch.count(batch.is_relevant)


def set_precision(batch: ScoringBatch) -> Floats:
    return safe_ratio(_relevant_retrieved(batch), batch.lengths)


def set_recall(batch: ScoringBatch) -> Floats:
    return safe_ratio(_relevant_retrieved(batch), batch.relevant)


def set_average_precision(batch: ScoringBatch) -> Floats:
    hits = _relevant_retrieved(batch).astype(np.float64)
    return safe_ratio(hits * hits, batch.lengths.astype(np.float64) * batch.relevant)


def set_f(batch: ScoringBatch, *, beta: float = 1.0) -> Floats:
    precision, recall = set_precision(batch), set_recall(batch)
    return safe_ratio((beta + 1.0) * precision * recall, beta * precision + recall)


def set_e(batch: ScoringBatch, *, b: float = 1.0) -> Floats:
    # b²/r + 1/P, numerator and denominator times the relevant documents retrieved.
    relevant = batch.count(batch.is_relevant).astype(np.float64)
    weighed = b * b * batch.relevant.astype(np.float64) + batch.lengths
    return 1.0 - safe_ratio((1 + b * b) * relevant, weighed)


def utility(
    batch: ScoringBatch, *, coefficients: tuple[float, ...] = (1.0, -1.0, 0.0, 0.0)
) -> Floats:
    hits, retrieved, relevant = _relevant_retrieved(batch), batch.lengths, batch.relevant
    left = batch.options.collection_size + hits - retrieved - relevant
    table = (hits, retrieved - hits, relevant - hits, left)
    worth = sum(worth * count for worth, count in zip(coefficients, table, strict=True))
    if batch.options.profile.zero_for_none:
        worth = np.where(batch.answered, worth, 0.0)
    return np.asarray(worth, np.float64)


_of_set = partial(MeasureFamily, edge_cases=_SET, group="sets")
SET_P = _of_set(
    name="set_P",
    title="Set precision",
    formula="relevant documents retrieved / documents retrieved",
    reading="The proportion of the retrieved documents that are relevant.",
    source="Cleverdon 1966; trec_eval set_P.",
    compute=set_precision,
    examples=(_worked(1 / 2, "2 of 4"),),
    spellings=("SetP",),
)

SET_RELATIVE_P = _of_set(
    name="set_relative_P",
    title="Relative set precision",
    formula="relevant documents retrieved / min(documents retrieved, R)",
    reading="Set precision relative to the maximum possible for a set of this size.",
    source="trec_eval set_relative_P.",
    compute=lambda batch: safe_ratio(
        _relevant_retrieved(batch), np.minimum(batch.lengths, batch.relevant)
    ),
    examples=(_worked(1 / 2, "2 of min(4, 5)"),),
    spellings=("SetRelP",),
)

SET_RECALL = _of_set(
    name="set_recall",
    title="Set recall",
    formula="relevant documents retrieved / R",
    reading="The proportion of the known relevant documents that are retrieved.",
    source="Cleverdon 1966; trec_eval set_recall.",
    compute=set_recall,
    examples=(_worked(2 / 5, "2 of 5"),),
    spellings=("SetR",),
)

SET_MAP = _of_set(
    name="set_map",
    title="Set average precision",
    formula="set_P · set_recall",
    reading="Average precision of an unordered set: each relevant document retrieved has "
    "the precision of the set.",
    source="trec_eval set_map (exact_unranked_avg_prec of its early versions).",
    compute=set_average_precision,
    examples=(_worked(1 / 5, "1/2 · 2/5"),),
    spellings=("SetAP",),
)

SET_F = MeasureFamily(
    name="set_F",
    title="Set F measure",
    formula="(β + 1) · P · R / (R + β · P), P = set_P and R = set_recall",
    reading="Weighted harmonic mean of the precision and recall of the set.",
    source="After van Rijsbergen 1979; trec_eval set_F.",
    parameters=(
        Parameter(
            "beta",
            "Weight of recall relative to precision. It is not squared, as in "
            "trec_eval: the usual F with β = 2 is `set_F_4`.",
            "1",
            kind="positive",
        ),
    ),
    edge_cases=(*_SET, "No relevant document retrieved: the value is 0."),
    compute=set_f,
    examples=(
        _worked(4 / 9, "2 · 1/2 · 2/5 / (2/5 + 1/2)"),
        _worked(6 / 13, "1.5 · 1/2 · 2/5 / (2/5 + 0.5 · 1/2)", "set_F_0.5"),
    ),
    spellings=("SetF",),
    suffix="beta",
    group="sets",
)

UTILITY = MeasureFamily(
    name="utility",
    title="Set utility",
    formula="a · relevant retrieved + b · other retrieved + c · relevant not retrieved + "
    "d · other not retrieved",
    reading="Utility of the set for a user who gains from each relevant document and pays "
    "for each other one.",
    source="trec_eval utility; the linear utility of the TREC filtering tracks.",
    range="any number",
    parameters=(
        Parameter(
            "coefficients",
            "a, b, c and d, as in trec_eval's `utility.2,-1,0,0`.",
            "1,-1,0,0",
            kind="coefficients",
        ),
    ),
    edge_cases=(
        "Other documents are all documents that are not relevant, judged or not.",
        "d needs the number of documents in the collection (-N); without -N it is taken as 0.",
        "The value over all topics is the mean, not the sum.",
        (
            "A topic without documents in the run: c · R + d · (the other documents); 0 "
            "in trec_eval 9."
        ),
    ),
    compute=utility,
    examples=(_worked(0.0, "2 − 2"), _worked(0.5, "2 · 2 − 2 − 0.5 · 3", "utility_2,-1,-0.5,0")),
    suffix="coefficients",
    together=True,
    group="sets",
)


_worked_of_six = partial(WorkedExample, (1, 0, 1, 0, 0, 0), (1, 1, 1, 0, 0, 0, 0))
SET_E = MeasureFamily(
    name="set_E",
    title="E measure of the retrieved set",
    formula="1 − (1 + b²) / (b²/r + 1/P), r recall and P precision of all that was retrieved",
    reading="Error of the retrieved set, with recall and precision weighted by b: 0 is perfect.",
    source="van Rijsbergen, Information Retrieval, 1979; Modern Information Retrieval, chapter 4.",
    parameters=(
        Parameter(
            "b",
            "b > 1 gives recall more weight, b < 1 precision, as follows from the "
            "formula (the slides of the textbook say the reverse).",
            "1",
            kind="positive",
        ),
    ),
    edge_cases=(
        "Lower is better.",
        "b = 1: the value is 1 − F; in general it is 1 − set_F with the parameter b².",
        "No relevant document retrieved: the value is 1.",
    ),
    compute=set_e,
    examples=(
        _worked_of_six(5 / 9, "P = 2/6, r = 2/3: 1 − 2 / (3/2 + 3)"),
        _worked_of_six(4 / 9, "1 − 5 / (4 · 3/2 + 3)", "set_E(b=2)"),
    ),
    group="sets",
    better="lower",
)
