"""Other programs on random campaigns with ties, grades below 0 and topics that miss on a side.

Beside test_random_campaigns (trec_eval's measures by pytrec_eval): trec_eval -J, cwl_eval,
gdeval, the MS MARCO scorer and scikit-learn.
"""

from __future__ import annotations

from math import exp, isnan
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from sklearn.metrics import average_precision_score, ndcg_score

from campaigns.core.tables import QrelsTable, RunTable
from evaluation.core.evaluate import ScoredRun, evaluate
from evaluation.core.measures.names import parse_measures
from evaluation.core.options import ScoringOptions
from evaluation.core.profiles import TREC_EVAL_9
from tests.core.evaluation.test_random_campaigns import LEAST, SEEDS, campaign, nested
from tests.examples import examples

CWL = {
    "P(rel=1)@5": "P_5",
    "P(rel=2)@20": "cwl_20(gain=binary, rel=2, user=precision)",
    "RR(rel=2)": "recip_rank(rel=2)",
    "RBP(rel=1,p=0.8)": "rbp",
    "RBP(rel=2,p=0.5)": "rbp(p=0.5, rel=2)",
    "INST(T=1.0,min_rel=0,max_rel=4)": "inst_1000(max_rel=4)",
    "INST(T=2.5,min_rel=0,max_rel=2)": "inst_1000(T=2.5, max_rel=2)",
    "INSQ(T=2.0,min_rel=0,max_rel=4)": "insq_1000(T=2, max_rel=4)",
    "SDCG(cutoff=10,min_rel=0,max_rel=4)": "sdcg_10(max_rel=4)",
}
GDEVAL = {"ERR@5": "err_5(max_rel=4)", "ERR@20": "err_20(max_rel=4)"} | {
    f"nDCG(dcg='exp-log2')@{k}": f"ndcg_cut_{k}(dcg=exponential)" for k in (5, 20)
}
MSMARCO = {"RR@10": "recip_rank_10", "RR(rel=2)@3": "recip_rank_3(rel=2)"}
SETTLED = ScoringOptions(topics="common")


def as_lists(run: RunTable, qrels: QrelsTable) -> tuple[list[Any], list[Any]]:
    """Runs and qrels as ir_measures takes them, in trec_eval's order and so with its ties."""
    scored = [
        ir_measures.ScoredDoc(topic, docno, float(-rank))
        for topic, documents in nested(run).items()
        for rank, docno in enumerate(documents)
    ]
    judged = [
        ir_measures.Qrel(topic, docno, int(grade))
        for topic, grades in nested(qrels).items()
        for docno, grade in grades.items()
    ]
    return scored, judged


def compare(provider: Any, names: dict[str, str], seed: int, within: float) -> None:
    run, qrels = campaign(seed)
    scored, judged = as_lists(run, qrels)
    if not scored:
        return
    ours = by_name(evaluate(run, qrels, names.values(), SETTLED))
    told = {str(ir_measures.parse_measure(name)): printed for name, printed in names.items()}
    measures = [ir_measures.parse_measure(name) for name in names]
    for value in provider.iter_calc(measures, judged, scored):
        name = next(m.name for m in parse_measures([told[str(value.measure)]]))
        # Topics on one side only are 0 to them, and not there with us.
        found = ours[name].get(value.query_id, 0.0)
        assert found == pytest.approx(value.value, abs=within), (name, value)


def by_name(scores: ScoredRun) -> dict[str, dict[str, float | None]]:
    return {measure.name: scores.by_topic(measure.name) for measure in scores.measures}


@examples(60)
@given(SEEDS)
def test_readers_are_those_of_cwl_eval(seed: int) -> None:
    pytest.importorskip("cwl")
    compare(ir_measures.cwl_eval, CWL, seed, 1e-12)


@examples(8)
@given(SEEDS)
def test_gains_are_those_of_gdeval(seed: int) -> None:
    compare(ir_measures.gdeval, GDEVAL, seed, 6e-6)


@examples(40)
@given(SEEDS)
def test_reciprocal_ranks_are_those_of_ms_marco(seed: int) -> None:
    compare(ir_measures.msmarco, MSMARCO, seed, 1e-12)


@examples(100)
@given(SEEDS)
def test_condensed_lists_are_those_of_trec_eval(seed: int) -> None:
    run, qrels = campaign(seed)
    judged = {t: {d: int(g) for d, g in grades.items()} for t, grades in nested(qrels).items()}
    sound = {topic: grades for topic, grades in judged.items() if max(grades.values()) >= 0}
    names = pytrec_eval.supported_measures - {"runid", "relstring", "relative_P"}
    if not sound or not len(run):
        return
    peer = pytrec_eval.RelevanceEvaluator(sound, names, judged_docs_only_flag=True)
    only = ScoringOptions(profile=TREC_EVAL_9, topics="common", judged_only=True)
    ours = by_name(evaluate(run, qrels, ["all_trec"], only))
    for topic, values in peer.evaluate(nested(run)).items():
        for name, value in values.items():
            if isnan(value):
                continue  # where no judged document is retrieved
            found = ours[name][topic]
            if name.startswith("gm_"):
                assert max(found or 0, LEAST) == pytest.approx(exp(value), abs=1e-12)
            else:
                assert found == pytest.approx(value, abs=1e-12), (name, topic)


@examples(60)
@given(SEEDS)
def test_the_retrieved_as_a_set_are_scored_as_by_scikit_learn(seed: int) -> None:
    run, qrels = campaign(seed)
    names = ["map(over=seen)", "ndcg(ideal=retrieved)", "ndcg_cut_5(ideal=retrieved)"]
    names = [measure.name for measure in parse_measures(names)]
    scores = evaluate(run, qrels, names, SETTLED)
    grades = nested(qrels)
    for topic, documents in nested(run).items():
        if topic not in grades or len(documents) < 2:
            continue
        gains = np.array([max(grades[topic].get(docno, 0), 0) for docno in documents])
        falling = np.arange(len(gains), 0, -1.0)
        wanted = {
            "map(over=seen)": average_precision_score(gains > 0, falling) if gains.any() else 0.0,
            "ndcg(ideal=retrieved)": ndcg_score([gains], [falling]),
            "ndcg_cut_5(ideal=retrieved)": ndcg_score([gains], [falling], k=5),
        }
        found = {name: scores.by_topic(name)[topic] for name in names}
        assert found == pytest.approx(wanted, abs=1e-12)
