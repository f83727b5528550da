"""Measure names in the writing of the field: ``nDCG@10``, ``AP``, ``RBP(p=.8)``.

Pages show these titles. Files, the API and addresses have the printed name (``ndcg_cut_10``), which
is trec_eval's where trec_eval has the measure; ``format_measure_hint`` says it beside the title.
"""

from dataclasses import dataclass
from functools import lru_cache

from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import find_measures
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.measures.values import KINDS


@dataclass(frozen=True)
class MeasureWriting:
    """``title`` of one topic's value, ``mean_title`` of the mean over topics where it has a name.

    ``cut`` joins the suffix parameter to the title. ``always`` is a parameter that is written even
    with its default value, since the title alone would not say which measure it is; ``plain``:
    the suffix's value that is written although the name leaves it out.
    """

    title: str
    mean_title: str = ""
    cut: str = "@"
    always: str = ""
    plain: str = ""


WRITINGS: dict[str, MeasureWriting] = {
    "num_q": MeasureWriting("Topics"),
    "num_ret": MeasureWriting("Retrieved"),
    "num_rel": MeasureWriting("Relevant"),
    "num_rel_ret": MeasureWriting("Relevant retrieved"),
    "map": MeasureWriting("AP", "MAP"),
    "gm_map": MeasureWriting("GMAP"),
    "Rprec": MeasureWriting("R-prec"),
    "bpref": MeasureWriting("bpref"),
    "bpref-10": MeasureWriting("bpref-10"),
    "recip_rank": MeasureWriting("RR", "MRR"),
    "iprec_at_recall": MeasureWriting("IPrec"),
    "P": MeasureWriting("P"),
    "relstring": MeasureWriting("Grades", plain="10"),
    "recall": MeasureWriting("Recall"),
    "infAP": MeasureWriting("infAP"),
    "gm_bpref": MeasureWriting("GM bpref"),
    "Rprec_mult": MeasureWriting("R-prec", cut=" × "),
    "utility": MeasureWriting("Utility", cut=" "),
    "11pt_avg": MeasureWriting("11-pt AP", "11-pt MAP", cut=" "),
    "binG": MeasureWriting("binary G"),
    "G": MeasureWriting("G", cut=" "),
    "ndcg": MeasureWriting("nDCG", cut=" "),
    "ndcg_rel": MeasureWriting("nDCG-rel", cut=" "),
    "Rndcg": MeasureWriting("R-nDCG", cut=" "),
    "ndcg_cut": MeasureWriting("nDCG"),
    "cg": MeasureWriting("CG"),
    "dcg": MeasureWriting("DCG"),
    "ncg": MeasureWriting("nCG"),
    "q_measure": MeasureWriting("Q-measure"),
    "err": MeasureWriting("ERR"),
    "nerr": MeasureWriting("nERR"),
    "rbp": MeasureWriting("RBP", always="p"),
    "rbp_resid": MeasureWriting("RBP residual", always="p"),
    "sdcg": MeasureWriting("SDCG"),
    "insq": MeasureWriting("INSQ", always="T"),
    "inst": MeasureWriting("INST", always="T"),
    "cwl": MeasureWriting("C/W/L EU", always="user"),
    "cwl_total": MeasureWriting("C/W/L ETU", always="user"),
    "cwl_items": MeasureWriting("C/W/L ED", always="user"),
    "map_cut": MeasureWriting("AP", "MAP"),
    "relative_P": MeasureWriting("Relative P"),
    "success": MeasureWriting("Success"),
    "set_P": MeasureWriting("Set P"),
    "set_relative_P": MeasureWriting("Relative set P"),
    "set_recall": MeasureWriting("Set recall"),
    "set_map": MeasureWriting("Set AP", "Set MAP"),
    "set_F": MeasureWriting("Set F", cut="", plain="1"),
    "set_E": MeasureWriting("Set E"),
    "search_length": MeasureWriting("Search length"),
    "num_nonrel_judged_ret": MeasureWriting("Judged non-relevant retrieved"),
    "xinfAP": MeasureWriting("xinfAP"),
    "infNDCG": MeasureWriting("infNDCG"),
    "iP": MeasureWriting("infP"),
    "inum_rel": MeasureWriting("Inferred relevant"),
    "inum_rel_ret": MeasureWriting("Inferred relevant retrieved"),
    "statAP": MeasureWriting("statAP"),
    "stat_num_rel": MeasureWriting("Estimated relevant"),
    "unj": MeasureWriting("Unjudged"),
    "judged": MeasureWriting("Judged"),
}
"""The one table of titles, by family. The writing is that of the paper in each card's source, or of
ir_measures and the TREC overviews where the paper has none."""

_FORMS = {
    family.name: parameter.default
    for family in FAMILIES.values()
    for parameter in family.parameters
    if parameter.name == "form"
}
_MODIFIED = {
    ("list", "condensed"): "condensed",
    ("mean", "geometric"): "geometric mean",
    ("mean", "harmonic"): "harmonic mean",
    ("mean", "median"): "median",
    ("mean", "ratio_of_means"): "ratio of means",
}


@lru_cache(maxsize=4096)
def format_measure_title(name: str, *, over_topics: bool = False) -> str:
    """``nDCG@10`` for ``ndcg_cut_10``; with ``over_topics`` MAP and MRR instead of AP and RR.

    A name that denotes several measures has the title without a cut-off (``P`` for ``P``), one that
    is not a measure is returned as it is, so that a page never fails for an old name.
    """
    measures = find_measures(name)
    if not measures:
        return name
    writing = WRITINGS[measures[0].family.name]
    title = writing.mean_title if over_topics and writing.mean_title else writing.title
    if len(measures) > 1:
        return title
    measure = measures[0]
    if over_topics and "mean" in dict(measure.params):
        title = writing.title
    texts = _parameter_texts(measure)
    cut = texts.pop(measure.family.suffix, "") or writing.plain
    title += f"{writing.cut}{cut}" if cut else ""
    own = [
        f"{key}={_bare(text) if key == 'p' else text}"
        for key, text in texts.items()
        if not _is_modifier(measure, key)
    ]
    title += f"({', '.join(own)})" if own else ""
    changed = [_modifier(key, text) for key, text in texts.items() if _is_modifier(measure, key)]
    return f"{title} ({', '.join(changed)})" if changed else title


def get_default_form(name: str) -> str:
    """The default form of a measure with several forms, if its name gives none; else empty."""
    return _FORMS.get(name, "")


def format_full_title(name: str, *, over_topics: bool = False) -> str:
    """The title with its default form, since ``bpref`` alone has several definitions."""
    title, form = format_measure_title(name, over_topics=over_topics), get_default_form(name)
    return f"{title} ({form})" if form else title


def format_measure_hint(name: str) -> str:
    """The hint at a title: the full title, then the name in files, with the default form where the
    family has several (``Binary preference; bpref (form: trec_eval) in files and commands``).
    """
    measures = find_measures(name)
    if not measures:
        return name
    family = measures[0].family
    title = measures[0].title if len(measures) == 1 else family.title
    cut = dict(measures[0].params).get("k") if len(measures) == 1 else None
    if cut is not None:
        title = f"{title.removesuffix(' at cut-off k')} at cut-off {cut}"
    stated = {"form"} & {key for measure in measures for key, _ in measure.params}
    default = get_default_form(family.name)
    form = f" (form: {default})" if default and not stated else ""
    return f"{title}; {name}{form} in files and commands"


def _parameter_texts(measure: Measure) -> dict[str, str]:
    parameters = measure.family.all_parameters()
    texts = {key: KINDS[parameters[key].kind].show(value) for key, value in measure.params}
    always = WRITINGS[measure.family.name].always
    return {always: parameters[always].default, **texts} if always else texts


def _is_modifier(measure: Measure, key: str) -> bool:
    return key in measure.family.modifiers or key == "mean"


def _modifier(key: str, text: str) -> str:
    if key == "unjudged":
        return f"unjudged as {text}" if not text.isdecimal() else f"unjudged as grade {text}"
    return _MODIFIED.get((key, text), f"{key}={text}")


def _bare(share: str) -> str:
    """A share without its leading zero, as the literature has RBP(p=.8)."""
    return share.removeprefix("0") if share.startswith("0.") else share
