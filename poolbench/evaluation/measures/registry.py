"""The registry of measures, in print order.

The order is that of trec_eval, with the additional measures inserted.
"""

from collections.abc import Callable, Sequence

from poolbench.evaluation.measures import (
    average_precision,
    bpref,
    counts,
    cumulated_gain,
    err,
    experimental,
    inferred,
    interpolated,
    judged_at_k,
    precision,
    q_measure,
    rbp,
    reciprocal_rank,
    set_measures,
    stat_ap,
    user_models,
)
from poolbench.evaluation.measures.family import MeasureFamily
from poolbench.evaluation.profiles import TREC_EVAL_9, Profile

FAMILIES: dict[str, MeasureFamily] = {
    family.name: family
    for family in (
        counts.NUM_Q,
        counts.NUM_RET,
        counts.NUM_REL,
        counts.NUM_REL_RET,
        average_precision.MAP,
        average_precision.GM_MAP,
        precision.R_PRECISION,
        bpref.BPREF,
        bpref.BPREF_10,
        reciprocal_rank.RECIPROCAL_RANK,
        interpolated.IPREC_AT_RECALL,
        precision.PRECISION,
        counts.RELSTRING,
        precision.RECALL,
        inferred.INFAP,
        bpref.GM_BPREF,
        precision.R_PRECISION_MULTIPLE,
        set_measures.UTILITY,
        interpolated.ELEVEN_POINT,
        experimental.BIN_G,
        experimental.G,
        cumulated_gain.NDCG,
        experimental.NDCG_REL,
        experimental.R_NDCG,
        cumulated_gain.NDCG_CUT,
        cumulated_gain.CG,
        cumulated_gain.DCG,
        cumulated_gain.NCG,
        q_measure.Q_MEASURE,
        err.ERR,
        err.NERR,
        rbp.RBP,
        rbp.RBP_RESID,
        user_models.SDCG,
        user_models.INSQ,
        user_models.INST,
        user_models.CWL,
        user_models.CWL_TOTAL,
        user_models.CWL_ITEMS,
        average_precision.MAP_CUT,
        precision.RELATIVE_PRECISION,
        reciprocal_rank.SUCCESS,
        set_measures.SET_P,
        set_measures.SET_RELATIVE_P,
        set_measures.SET_RECALL,
        set_measures.SET_MAP,
        set_measures.SET_F,
        set_measures.SET_E,
        reciprocal_rank.SEARCH_LENGTH,
        counts.NUM_NONREL_JUDGED_RET,
        inferred.XINFAP,
        inferred.INFNDCG,
        inferred.IP,
        inferred.INUM_REL,
        inferred.INUM_REL_RET,
        stat_ap.STATAP,
        stat_ap.STAT_NUM_REL,
        judged_at_k.UNJUDGED,
        judged_at_k.JUDGED,
    )
}

FOREIGN: dict[tuple[str, str], tuple[str, str]] = {
    ("judged_only", "True"): ("list", "condensed"),
    ("judged_only", "False"): ("list", "full"),
    ("dcg", "log2"): ("dcg", "trec_eval"),
    ("dcg", "exp-log2"): ("dcg", "exponential"),
}
"""Parameters of ir_measures that have another name here."""

ELSEWHERE: dict[tuple[str, str, str], str] = {
    **{(name, "min_rel", "0"): name for name in ("sdcg", "insq", "inst")},
    ("num_ret", "rel", ""): "num_rel_ret",
    ("set_P", "relative", "True"): "set_relative_P",
    ("set_P", "relative", "False"): "set_P",
}
"""Family by family, parameter and value (or any value): the parameter selects another family. A
listed value is dropped from the parameters."""

OF_PROGRAMS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("ERR", "nERR", "err@"), ("max_rel", "4")),
    **dict.fromkeys(("INSQ", "INST"), ("k", "1000")),
}
"""A parameter that is fixed by the program whose name for a measure this is, unless it is given:
gdeval has grades 0 to 4 (``ERR`` of ir_measures, ``err@20`` as it prints), cwl_eval ends at rank
1,000. A name with @ at the end is meant only before a cut-off."""

DEFAULT_NAMES = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "bpref-10"),
    *("recip_rank", "P_5", "P_10", "recall_100", "recall_1000", "ndcg", "ndcg_cut_10", "judged_10"),
)
"""The measures computed if none is requested."""

OFFICIAL = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P"),
)
"""The measures that trec_eval computes if none is requested."""

OF_SETS = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P"),
    *("set_recall", "set_map", "set_F"),
)
"""trec_eval's set of measures that ignore the order."""

ALL_TREC = (
    *(*OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility"),
    *("11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut"),
    *("relative_P", "success", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "num_nonrel_judged_ret",
)
"""Every measure of trec_eval 9 for runs and qrels."""

NEW_IN_10 = ("unj",)


def all_trec_measures(profile: Profile) -> Sequence[str]:
    """All measures of trec_eval; version 10 has more than version 9."""
    return ALL_TREC if profile is TREC_EVAL_9 else (*ALL_TREC, *NEW_IN_10)


SETS: dict[str, Callable[[Profile], Sequence[str]]] = {
    "default": lambda _: DEFAULT_NAMES,
    "official": lambda _: OFFICIAL,
    "set": lambda _: OF_SETS,
    "all_trec": all_trec_measures,
}
"""Names of sets of measures, some of which depend on the profile."""
