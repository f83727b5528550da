"""ir_measures' names: all of its registry is taken or told, and what is taken has its values."""

from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context

import ir_measures
import pytest
from ir_measures import measures as theirs

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measures

_SUBTOPICS = "needs judgments of subtopics, which qrels of four columns do not have"
NOT_TAKEN = {
    **dict.fromkeys(("AP_IA", "MAP_IA", "ERR_IA", "nERR_IA", "P_IA", "StRecall"), _SUBTOPICS),
    **dict.fromkeys(("NRBP", "nNRBP", "alpha_DCG", "alpha_nDCG", "α_DCG", "α_nDCG"), _SUBTOPICS),
    "BPM": "the bejewelled player, whose reader has a budget of effort",
    **dict.fromkeys(("NERR8", "NERR9", "NERR10", "NERR11"), "its ERR as readers of C/W/L; see err"),
    "Accuracy": "the chance that a relevant document stands before another; see bpref",
    "Compat": "compares with an ideal ranking by overlap, not with judgments",
}
"""Measures of ir_measures that we do not have, and why."""

TAKEN = {
    "AP": "map", "AP@10": "map_cut_10", "AP(rel=2)": "map(rel=2)",
    "AP(rel=2)@100": "map_cut_100(rel=2)", "AP(judged_only=True)": "map(list=condensed)",
    "AP(judged_only=False)@5": "map_cut_5", "Bpref": "bpref", "Bpref(rel=2)": "bpref(rel=2)",
    "infAP": "infAP", "IPrec@0.1": "iprec_at_recall_0.10",
    "IPrec(rel=2)@0.25": "iprec_at_recall_0.25(rel=2)", "Judged@10": "judged_10", "nDCG": "ndcg",
    "nDCG@20": "ndcg_cut_20", "nDCG(judged_only=True)@10": "ndcg_cut_10(list=condensed)",
    "NumQ": "num_q", "NumRel": "num_rel", "NumRet": "num_ret",
    "NumRet(rel=2)": "num_rel_ret(rel=2)", "P@5": "P_5", "P(rel=2)@10": "P_10(rel=2)",
    "P(judged_only=True, rel=2)@10": "P_10(list=condensed, rel=2)", "R@1000": "recall_1000",
    "R(rel=2)@50": "recall_50(rel=2)", "Rprec": "Rprec", "Rprec(rel=2)": "Rprec(rel=2)",
    "RR": "recip_rank", "RR(rel=2)": "recip_rank(rel=2)", "RR@10": "recip_rank_10",
    "SetAP": "set_map", "SetF": "set_F", "SetF(beta=2.0)": "set_F_2", "SetP": "set_P",
    "SetP(relative=True)": "set_relative_P", "SetR": "set_recall",
    "SetR(rel=2)": "set_recall(rel=2)", "Success@5": "success_5",
    "Success(rel=2)@1": "success_1(rel=2)",
}  # fmt: skip
"""How names of ir_measures are printed by us, those whose values trec_eval computes."""

COMPUTED_ELSEWHERE = {
    "ERR@20": "err_20(max_rel=4)", "INSQ(max_rel=3)": "insq_1000(max_rel=3)",
    "INST(T=2.0, max_rel=3)": "inst_1000(T=2, max_rel=3)", "RBP(rel=1)": "rbp(rel=1)",
    "RBP(rel=2, p=0.5)": "rbp(p=0.5, rel=2)", "SDCG(min_rel=0, max_rel=3)@10": "sdcg_10(max_rel=3)",
    "nDCG(dcg='exp-log2')@20": "ndcg_cut_20(dcg=exponential)",
}  # fmt: skip
"""Names of measures that other programs than trec_eval compute for ir_measures."""
LEFT_OPEN = {
    "ERR": "err(max_rel=4)", "INSQ": "insq_1000", "INST": "inst_1000", "RBP": "rbp",
    "RBP(p=0.5)": "rbp(p=0.5)", "SDCG@10": "sdcg_10",
    "nDCG(dcg='exp-log2')": "ndcg(dcg=exponential)",
}  # fmt: skip
"""Names that ir_measures has, and refuses to compute since they lack a parameter."""
ALIASES = {
    "MAP": "map", "BPref": "bpref", "NDCG": "ndcg", "MRR": "recip_rank", "RPrec": "Rprec",
    "NumRelRet": "num_rel_ret", "SetRelP": "set_relative_P", "Precision@10": "P_10",
    "Recall@10": "recall_10",
}  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "printed"),
    [*TAKEN.items(), *COMPUTED_ELSEWHERE.items(), *LEFT_OPEN.items(), *ALIASES.items()],
)
def test_names_are_taken(typed: str, printed: str) -> None:
    assert [measure.name for measure in parse_measures([typed])] == [printed]


def test_every_measure_of_ir_measures_is_taken_or_told() -> None:
    taken = {name.split("@")[0].split("(")[0] for name in (*TAKEN, *COMPUTED_ELSEWHERE, *ALIASES)}
    assert taken | set(NOT_TAKEN) == set(theirs.registry)
    assert not taken & set(NOT_TAKEN)


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_what_is_not_taken_is_refused(name: str) -> None:
    with pytest.raises(UnknownMeasureError):
        parse_measures([name])


RANKED = {
    "1": "d9:9 d8:8 d7:8 d6:8 d5:5 d4:4 d3:3 d2:3 d1:1", "2": "d3:1 d2:1 d1:1",
    "3": "d7:3 d5:2 d1:1", "4": "d2:2 d1:1",
}  # fmt: skip
JUDGED = {
    "1": {"d9": 0, "d8": 2, "d7": 1, "d6": 0, "d4": 1, "d3": 0, "d2": 2, "x1": 2, "x2": 0},
    "2": {"d3": 1, "d2": 0, "d1": 2, "x1": 1},
    "3": {"d7": 0, "d5": 0, "x1": 1},
    "4": {"d2": 0, "d1": 0},
}
"""A collection graded 0 to 3 in which no document got 3, with ties; documents that tie are in
descending order, since cwl_eval keeps the order of the file."""
CHOICES = {
    "rel": (1, 2, 3), "judged_only": (True,), "relative": (True,), "beta": (0.5, 2.0),
    "p": (0.5, 0.95), "T": (0.5, 2.0), "dcg": ("'exp-log2'",), "gains": ("{1: 3, 2: 10}",),
    "min_rel": (0,), "max_rel": (2, 3, 4), "recall": (0.0, 0.3, 1.0),
}  # fmt: skip
CUTS = ("", "@1", "@3", "@20")


def spell_names() -> list[str]:
    """Names of all measures that are taken, with each choice of each pair of parameters."""
    names = []
    for name, measure in theirs.registry.items():
        if name in NOT_TAKEN:
            continue
        known = [p for p in measure.SUPPORTED_PARAMS if p in CHOICES and p != "recall"]
        inside = [""]
        for at, first in enumerate(known):
            inside += [f"{first}={value}" for value in CHOICES[first]]
            for second in known[at + 1 :]:
                pairs = product(CHOICES[first], CHOICES[second])
                inside += [f"{first}={one}, {second}={other}" for one, other in pairs]
        cuts = CUTS if "cutoff" in measure.SUPPORTED_PARAMS else ("",)
        if "recall" in measure.SUPPORTED_PARAMS:
            cuts = tuple(f"@{level}" for level in CHOICES["recall"])
        names += [f"{name}({part}){cut}" if part else name + cut for part in inside for cut in cuts]
    return names


def is_taken(name: str) -> bool:
    try:
        return len(parse_measures([name])) == 1
    except UnknownMeasureError:
        return False


def their_values(names: list[str]) -> dict[str, dict[str, float] | None]:
    """By name and topic; None for a name that ir_measures refuses. In a process of its own."""
    found: dict[str, dict[str, float] | None] = {}
    for number, name in enumerate(names):
        # gdeval takes numbers only. Its provider keeps what it made of the last topic and takes it
        # for the next of the same name: no two questions may share the name of a topic.
        run = [
            ir_measures.ScoredDoc(f"{number}0{topic}", docno, score)
            for topic, scores in read_ranked().items()
            for docno, score in scores.items()
        ]
        qrels = [
            ir_measures.Qrel(f"{number}0{topic}", docno, grade)
            for topic, grades in JUDGED.items()
            for docno, grade in grades.items()
        ]
        try:
            told = list(ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run))
        except (ValueError, AssertionError, TypeError):
            found[name] = None
            continue
        found[name] = {each.query_id[-1]: each.value for each in told}
    return found


def read_ranked(*, ascending: bool = False) -> dict[str, dict[str, float]]:
    """The run; with ``ascending`` docnos of documents that tie."""
    pairs = {topic: [p.split(":") for p in line.split()] for topic, line in RANKED.items()}
    if not ascending:
        return {topic: {d: float(score) for d, score in row} for topic, row in pairs.items()}
    ordered = {t: sorted(row, key=lambda p: (-float(p[1]), p[0])) for t, row in pairs.items()}
    return {t: {p[0]: -float(rank) for rank, p in enumerate(row)} for t, row in ordered.items()}


def test_every_name_that_is_taken_has_the_value_of_ir_measures() -> None:
    names = [name for name in spell_names() if is_taken(name)]
    assert len(names) > 300
    # What other tests have asked of the C library behind it changes its answers.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own:
        told = own.submit(their_values, names).result()
    compared = set()
    for name, wanted in told.items():
        if wanted is None:
            continue
        by_ms_marco = name.startswith(("RR", "MRR")) and "@" in name
        scores = evaluate(read_ranked(ascending=by_ms_marco), JUDGED, [name])
        ours = scores.by_topic(scores.names[0])
        within = 6e-6 if "ERR" in name or "exp-log2" in name else 1e-9  # gdeval prints 5 decimals
        for topic, value in wanted.items():
            found = ours[topic]
            assert (found or 0.0) == pytest.approx(value, abs=within), (name, topic)
        compared.add(name.split("@")[0].split("(")[0])
    assert compared == {n.split("@")[0].split("(")[0] for n in names}
    assert all(told[name] is None for name in LEFT_OPEN if name in told)
