"""The table of measures: the order here is the order in which they are printed.

It is trec_eval's order, with our own measures put in.
"""

from __future__ import annotations

from evaluation.core.measures import counts, judged, ndcg, precision
from evaluation.core.measures.average_precision import MAP
from evaluation.core.measures.bpref import BPREF, BPREF_10
from evaluation.core.measures.family import Family
from evaluation.core.measures.reciprocal_rank import RECIPROCAL_RANK

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        counts.NUM_Q,
        counts.NUM_RET,
        counts.NUM_REL,
        counts.NUM_REL_RET,
        MAP,
        precision.R_PRECISION,
        BPREF,
        BPREF_10,
        RECIPROCAL_RANK,
        precision.PRECISION,
        precision.RECALL,
        ndcg.NDCG,
        ndcg.NDCG_CUT,
        judged.JUDGED,
    )
}

DEFAULT_NAMES = (
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "Rprec",
    "bpref",
    "bpref-10",
    "recip_rank",
    "P_5",
    "P_10",
    "recall_100",
    "recall_1000",
    "ndcg",
    "ndcg_cut_10",
    "judged_10",
)
"""What is computed when nobody names a measure."""
