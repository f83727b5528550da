"""Cumulated gain: plain, discounted and normalized."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.means import MEANS, sum_over_topics
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.values import Value

HIGHEST_POWER = 1000
"""2 to the power of a higher grade, summed, exceeds the range of 64-bit floats."""
UNDEFINED = "dcg=exponential with a grade above 1,000: 2^grade exceeds 64-bit numbers."

NAN = float("nan")
RATIO_OF_MEANS = "ratio_of_means"


@dataclass(frozen=True)
class GainVariant:
    """How gain is cumulated; fields are named as the parameters of the measures.

    ``gains`` are pairs of grade and gain that replace the gain table of the options.
    """

    gains: tuple[tuple[int, float], ...] = ()
    dcg: str = "trec_eval"
    b: float = 2.0
    ideal: str = "judged"
    level: str = "ignored"
    mean: str = "arithmetic"

    def divisor(self, ranks: Ints) -> Floats:
        if self.dcg == "none":
            return np.ones(len(ranks))
        if self.dcg == "jarvelin":
            divisor: Floats = np.maximum(1.0, np.log(ranks) / np.log(self.b))
            return divisor
        return np.log2(1 + ranks)

    def apply(self, batch: ScoringBatch) -> ScoringBatch:
        """``batch`` with the gain table of this variant."""
        table = self._table(batch)
        if table is batch.options.gains:
            return batch
        return replace(batch, options=replace(batch.options, gains=table))

    def _table(self, batch: ScoringBatch) -> Mapping[int, float] | None:
        table = dict(self.gains) or batch.options.gains
        if self.dcg != "exponential" and self.level == "ignored":
            return table
        grades = [int(grade) for grade in np.unique(batch.judged.grades) if grade >= 0]
        if self.dcg == "exponential":
            # Topics with a higher grade are undefined, whatever its gain here.
            table = {grade: 2.0 ** min(grade, HIGHEST_POWER) - 1 for grade in grades}
        level = batch.options.level if self.level == "applied" else 0
        own = {grade: float(grade) for grade in grades} | dict(table or {})
        return {grade: gain if grade >= level else 0.0 for grade, gain in own.items()}


def cumulate_gain(batch: ScoringBatch, *, k: int | None = None, **form: Any) -> Floats:
    """The (discounted) cumulated gain of each ranking, or of its first ``k`` documents, in the
    ``form`` of a ``GainVariant``.
    """
    variant = GainVariant(**form)
    batch = variant.apply(batch)
    rows = _gaining(batch.gains, batch.ranks, k)
    gained = batch.sums(batch.gains[rows] / variant.divisor(batch.ranks[rows]), rows)
    if variant.dcg == "exponential":
        gained[batch.judged.count(batch.judged.grades > HIGHEST_POWER)[batch.topic_index] > 0] = NAN
    return gained


def ideal_gain(batch: ScoringBatch, variant: GainVariant, k: int | None = None) -> Floats:
    """The gain of the ideal ranking: the documents of ``variant.ideal`` by descending gain."""
    batch = variant.apply(batch)
    if variant.ideal == "retrieved":
        order = np.lexsort((-batch.gains, batch.segment))
        gains, place = batch.gains[order], batch.segment
        ranks = np.arange(1, len(order) + 1) - batch.starts[place]
        return _discounted(gains, place, ranks, len(batch), variant, k)
    judged, table = batch.judged, batch.options.gains
    key = variant, k, tuple(sorted((table or {}).items()))
    if key not in judged.ideal_gains:
        falling = judged.falling_gains(table)
        judged.ideal_gains[key] = _discounted(*falling, len(judged.topics), variant, k)
    return judged.ideal_gains[key][batch.topic_index]


def _discounted(
    gains: Floats, place: Ints, ranks: Ints, places: int, variant: GainVariant, k: int | None
) -> Floats:
    rows = _gaining(gains, ranks, k)
    return sum_by_place(place[rows], gains[rows] / variant.divisor(ranks[rows]), places)


def _gaining(gains: Floats, ranks: Ints, k: int | None) -> Ints:
    rows = np.flatnonzero(gains > 0)
    return rows if k is None else rows[ranks[rows] <= k]


def normalize_gain(batch: ScoringBatch, *, k: int | None = None, **form: Any) -> Floats:
    """The gain of each ranking relative to the ideal; 0 if no document has gain."""
    gained = cumulate_gain(batch, k=k, **form)
    ideal = ideal_gain(batch, GainVariant(**form), k)
    return np.where(np.isnan(gained), NAN, safe_ratio(gained, ideal))


def mean_ratio(batch: ScoringBatch, *, k: int | None = None, **form: Any) -> float | None:
    """Mean gain over mean ideal gain if ``form`` has the mean ``ratio_of_means``, else None."""
    variant = GainVariant(**form)
    if variant.mean != RATIO_OF_MEANS:
        return None
    gained = cumulate_gain(batch, k=k, **form)
    defined = ~np.isnan(gained)
    if not defined.any():
        return None
    most = sum_over_topics(ideal_gain(batch, variant, k)[defined])
    return sum_over_topics(gained[defined]) / most if most else 0.0


def gain_parameter_conflict(params: Mapping[str, Value]) -> str:
    """The error message for parameters that cannot be combined; empty if there is none."""
    if "b" in params and params.get("dcg") != "jarvelin":
        return "b requires dcg=jarvelin."
    if "gains" in params and params.get("dcg") == "exponential":
        return "dcg=exponential computes the gains from the grades: remove gains."
    if "rel" in params and params.get("level") != "applied":
        return "the gain does not depend on the relevance level; add level=applied to use rel."
    return ""


K = Parameter("k", "Rank cut-off; default: no cut-off.", kind="rank")
GAINS = Parameter(
    "gains",
    "Gain by grade, as in trec_eval's `ndcg.1=3,2=9`; grades not listed have their own "
    "value as gain. Default: the gain table of the campaign.",
    kind="gains",
)
DCG_FORM = Parameter(
    "dcg",
    "Discount: the gain at a rank is divided by log2(1 + rank) (`trec_eval`), or by max(1, "
    "log_b rank), so that the first b ranks are not discounted (`jarvelin`); `exponential` "
    "divides by log2(1 + rank) and uses gains 2^grade − 1, whatever the gain table.",
    "trec_eval",
    ("trec_eval", "jarvelin", "exponential"),
)
BASE = Parameter(
    "b",
    "Base of the logarithm of `dcg=jarvelin`, above 1: 2 models an impatient user, 10 a "
    "patient one.",
    "2",
    kind="base",
)
IDEAL = Parameter(
    "ideal",
    "Documents of the ideal ranking: all documents `judged`, or only those `retrieved`.",
    "judged",
    ("judged", "retrieved"),
)
LEVEL = Parameter(
    "level",
    "`applied`: grades below the relevance level have gain 0.",
    "ignored",
    ("ignored", "applied"),
)
MEAN = Parameter(
    "mean",
    "How topics are averaged. `ratio_of_means`: the mean gain divided by the mean ideal "
    "gain, so that topics with more gain weigh more.",
    "arithmetic",
    ("arithmetic", *MEANS, RATIO_OF_MEANS),
)
EDGES = (
    (
        "Without `level=applied` every grade above 0 has gain, whatever the relevance "
        "level, as in trec_eval."
    ),
    "Unjudged documents and grades below 0 have gain 0.",
)
_JARVELIN = "Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; Modern Information Retrieval, chapter 4"
_G1 = (1, 0, 1, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3)
_JUDGED1 = (3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

_worked_g1 = partial(WorkedExample, _G1, _JUDGED1)
_cumulated = partial(MeasureFamily, suffix="k", group="graded", conflict=gain_parameter_conflict)
CG = _cumulated(
    name="cg",
    title="Cumulated gain",
    formula="Σ gain of the retrieved documents, or of the first k (cg_10)",
    reading="Total gain of the documents seen, regardless of their ranks.",
    source=f"{_JARVELIN}.",
    range="0 and up",
    parameters=(K, GAINS, LEVEL),
    edge_cases=EDGES,
    compute=partial(cumulate_gain, dcg="none"),
    examples=(_worked_g1(5.0, "1 + 1 + 3", "cg_8"),),
    spellings=("CG",),
    cut_spellings=("CG",),
)

_worked_of_four = partial(WorkedExample, (2, 1, 2, 0), (2, 2, 1, 0))
DCG = _cumulated(
    name="dcg",
    title="Discounted cumulated gain",
    formula="Σ gain(rank) / divisor(rank), over all ranks or the first k (dcg_10)",
    reading="Total gain of the documents seen, discounted by rank.",
    source=f"{_JARVELIN}; dcg=exponential: Burges and others, ICML 2005.",
    range="0 and up",
    parameters=(K, DCG_FORM, BASE, GAINS, LEVEL),
    edge_cases=EDGES,
    undefined=UNDEFINED,
    compute=cumulate_gain,
    examples=(
        _worked_of_four(3.6309297535714578, "2 + 1/log2 3 + 2/log2 4"),
        _worked_of_four(4.261859507142915, "2 + 1/1 + 2/log2 3", "dcg(dcg=jarvelin)"),
        _worked_of_four(5.130929753571458, "3 + 1/log2 3 + 3/log2 4", "dcg(dcg=exponential)"),
    ),
    spellings=("DCG",),
    cut_spellings=("DCG",),
)

NCG = _cumulated(
    name="ncg",
    title="Normalized cumulated gain",
    formula="CG / ideal CG; at k (ncg_10) both of the first k",
    reading="Gain of the first k documents relative to the maximum possible.",
    source=f"{_JARVELIN} (there with ideal=retrieved, mean=ratio_of_means).",
    parameters=(K, GAINS, IDEAL, LEVEL, MEAN),
    edge_cases=(*EDGES, "A topic without any gain: the value is 0."),
    compute=partial(normalize_gain, dcg="none"),
    examples=(
        _worked_g1(5 / 17, "(1 + 1 + 3) / (3·3 + 3·2 + 2·1)", "ncg_8"),
        _worked_g1(5 / 10, "5 / (3 + 3 + 2 + 1 + 1)", "ncg_8(ideal=retrieved)"),
    ),
    spellings=("NCG",),
    cut_spellings=("NCG",),
    modifiers=("rel", "list", "unjudged"),
    overall=partial(mean_ratio, dcg="none"),
)

_NORMALIZED_EDGES = (
    *EDGES,
    "A topic without any gain: the value is 0.",
    (
        "-M cuts the ranking but not the ideal; with `ideal=retrieved` the ideal contains "
        "the documents that remain."
    ),
)
_SOURCE = (
    "Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with the discount of trec_eval {name}. "
    "dcg=exponential: Burges and others, ICML 2005 (ir_measures' dcg='exp-log2'). "
    "ideal=retrieved with mean=ratio_of_means: Modern Information Retrieval, chapter 4."
)
_FORMS = (DCG_FORM, BASE, IDEAL, LEVEL, MEAN)

_normalized = partial(
    _cumulated, undefined=UNDEFINED, modifiers=("rel", "list", "unjudged"), overall=mean_ratio
)
NDCG = _normalized(
    name="ndcg",
    title="Normalized discounted cumulated gain",
    formula="DCG / ideal DCG, DCG = Σ gain(rank) / log2(1 + rank); the ideal ranks all "
    "judged documents by gain",
    reading="Quality of the ranking relative to the ideal ranking of all judged documents; "
    "top ranks weigh most.",
    source=_SOURCE.format(name="ndcg"),
    parameters=(GAINS, *_FORMS),
    edge_cases=_NORMALIZED_EDGES,
    compute=normalize_gain,
    examples=(
        _worked_of_four(0.9651954696014428, "(2 + 1/log2 3 + 2/2) / (2 + 2/log2 3 + 1/2)"),
        _worked_of_four(
            0.9203032077642922, "(2 + 1/1 + 2/log2 3) / (2 + 2/1 + 1/log2 3)", "ndcg(dcg=jarvelin)"
        ),
        _worked_of_four(
            0.9514426589871553, "(3 + 1/log2 3 + 3/2) / (3 + 3/log2 3 + 1/2)", "ndcg_1=1,2=3"
        ),
        WorkedExample(
            (1, 0, 2),
            (2, 2, 1, 0),
            0.7601875334318685,
            "(1 + 2/2) / (2 + 1/log2 3)",
            "ndcg(ideal=retrieved)",
        ),
    ),
    spellings=("nDCG", "NDCG"),
    suffix="gains",
    together=True,
)

NDCG_CUT = _normalized(
    name="ndcg_cut",
    title="Normalized discounted cumulated gain at cut-off k",
    formula="DCG of the first k / ideal DCG of the first k",
    reading="Quality of the first k documents relative to the first k of the ideal ranking.",
    source=_SOURCE.format(name="ndcg_cut"),
    parameters=(Parameter("k", "Rank cut-off.", kind="rank"), GAINS, *_FORMS),
    edge_cases=(
        *_NORMALIZED_EDGES,
        "A run that retrieves fewer than k documents is still compared with the ideal first k.",
    ),
    compute=normalize_gain,
    examples=(
        _worked_of_four(0.8065735963827293, "(2 + 1/log2 3) / (2 + 2/log2 3)", "ndcg_cut_2"),
        _worked_of_four(3 / 4, "(2 + 1/1) / (2 + 2/1)", "ndcg_cut_2(dcg=jarvelin)"),
    ),
    cut_spellings=("nDCG", "NDCG", "ndcg"),
    bare=(5, 10, 15, 20, 30, 100, 200, 500, 1000),
)
