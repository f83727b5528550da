"""Normalized discounted cumulated gain."""

from __future__ import annotations

from functools import partial

from poolbench.cards import Parameter
from poolbench.evaluation.measures import cumulated_gain as gain
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample

_EDGES = (
    *gain.EDGES,
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
_FORMS = (gain.DCG_FORM, gain.BASE, gain.IDEAL, gain.LEVEL, gain.MEAN)


_worked = partial(WorkedExample, (2, 1, 2, 0), (2, 2, 1, 0))

_normalized = partial(
    MeasureFamily,
    undefined=gain.UNDEFINED,
    modifiers=("rel", "list", "unjudged"),
    group="graded",
    conflict=gain.gain_parameter_conflict,
    overall=gain.mean_ratio,
)
NDCG = _normalized(
    name="ndcg",
    title="Normalized discounted cumulated gain",
    formula="DCG / ideal DCG, DCG = Σ gain(rank) / log2(1 + rank); the ideal ranks all "
    "judged documents by gain",
    reading="Quality of the ranking relative to the ideal ranking of all judged documents; "
    "top ranks weigh most.",
    source=_SOURCE.format(name="ndcg"),
    parameters=(gain.GAINS, *_FORMS),
    edge_cases=_EDGES,
    compute=gain.normalize_gain,
    examples=(
        _worked(0.9651954696014428, "(2 + 1/log2 3 + 2/2) / (2 + 2/log2 3 + 1/2)"),
        _worked(
            0.9203032077642922, "(2 + 1/1 + 2/log2 3) / (2 + 2/1 + 1/log2 3)", "ndcg(dcg=jarvelin)"
        ),
        _worked(0.9514426589871553, "(3 + 1/log2 3 + 3/2) / (3 + 3/log2 3 + 1/2)", "ndcg_1=1,2=3"),
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
    parameters=(Parameter("k", "Rank cut-off.", kind="rank"), gain.GAINS, *_FORMS),
    edge_cases=(
        *_EDGES,
        "A run that retrieves fewer than k documents is still compared with the ideal first k.",
    ),
    compute=gain.normalize_gain,
    examples=(
        _worked(0.8065735963827293, "(2 + 1/log2 3) / (2 + 2/log2 3)", "ndcg_cut_2"),
        _worked(3 / 4, "(2 + 1/1) / (2 + 2/1)", "ndcg_cut_2(dcg=jarvelin)"),
    ),
    cut_spellings=("nDCG", "NDCG", "ndcg"),
    suffix="k",
    bare=(5, 10, 15, 20, 30, 100, 200, 500, 1000),
)
