"""Measures of trec_eval and scikit-learn on random campaigns: ties, grades below 0, short and long
rankings, of judged documents only too.
"""

from math import exp, isnan

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score

from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import PROFILES, TREC_EVAL_9
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import QrelsTable, RunTable
from tests.examples import examples

SEEDS = st.integers(0, 2**32 - 1)
LEAST = 1e-5


def campaign(seed: int) -> tuple[RunTable, QrelsTable]:
    """A run and qrels of up to five topics that share some documents and some topics."""
    chance = np.random.default_rng(seed)
    run, qrels = [], []
    for topic in map(str, range(int(chance.integers(1, 6)))):
        documents = [f"d{i:02}" for i in range(60)]
        ranked = chance.permutation(documents)[: max(0, int(chance.integers(-30, 61)))]
        run += [(topic, str(d), float(chance.integers(0, 12))) for d in ranked]
        judged = chance.permutation(documents)[: chance.integers(1, 61)]
        low, high = int(chance.integers(-2, 1)), int(chance.integers(1, 5))
        grades = chance.integers(low, high, len(judged))
        qrels += [(topic, str(d), int(g)) for d, g in zip(judged, grades, strict=True)]
    return run_from_rows("made", run), qrels_from_rows(qrels)


def nested(table: RunTable | QrelsTable) -> dict[str, dict[str, float]]:
    values = (table.scores if isinstance(table, RunTable) else table.grades).tolist()
    return {
        topic: dict(zip(table.docnos[table.rows(i)], values[table.rows(i)], strict=True))
        for i, topic in enumerate(table.topics)
    }


def wanted(
    run: RunTable, qrels: QrelsTable, level: int, judged_only: bool
) -> dict[str, dict[str, float]]:
    """What pytrec_eval says of the topics in which trec_eval can go right."""
    sound = {t: grades for t, grades in nested(qrels).items() if max(grades.values()) >= 0}
    if not sound or not len(run):
        return {}
    names = pytrec_eval.supported_measures - {"runid", "relstring"}
    peer = pytrec_eval.RelevanceEvaluator(
        sound, names, relevance_level=level, judged_docs_only_flag=judged_only
    )
    return peer.evaluate(nested(run))


@examples(200)
@given(SEEDS, st.sampled_from([1, 2]), st.booleans())
def test_every_value_is_that_of_pytrec_eval(seed: int, level: int, judged_only: bool) -> None:
    run, qrels = campaign(seed)
    options = ScoringOptions(
        profile=TREC_EVAL_9, topics="common", level=level, judged_only=judged_only
    )
    scores = evaluate(run, qrels, ["all_trec"], options)
    ours = {measure.name: scores.by_topic(measure.name) for measure in scores.measures}
    for topic, values in wanted(run, qrels, level, judged_only).items():
        for name, value in values.items():
            if judged_only and isnan(value):
                continue  # where no judged document is retrieved
            if name.startswith("gm_"):
                assert max(ours[name][topic] or 0, LEAST) == pytest.approx(exp(value), abs=1e-12)
            else:
                assert ours[name][topic] == pytest.approx(value, abs=1e-12), (name, topic)


@examples(60)
@given(SEEDS, st.sampled_from([1, 3]), st.booleans(), st.sampled_from([*PROFILES]))
def test_nothing_is_ever_undefined(seed: int, level: int, judged_only: bool, profile: str) -> None:
    run, qrels = campaign(seed)
    options = ScoringOptions(
        profile=PROFILES[profile], topics="judged", level=level, judged_only=judged_only
    )
    scores = evaluate(run, qrels, ["all_trec"], options)
    numbers = [i for i, measure in enumerate(scores.measures) if not measure.family.text]
    assert np.isfinite(scores.values[:, numbers]).all()
    assert all(scores.overall[i] is not None for i in numbers)
    assert set(scores.topics) == set(qrels.topics)


@examples(60)
@given(SEEDS)
def test_the_retrieved_as_a_set_are_scored_as_by_scikit_learn(seed: int) -> None:
    run, qrels = campaign(seed)
    names = ["map(over=seen)", "ndcg(ideal=retrieved)", "ndcg_cut_5(ideal=retrieved)"]
    names = [measure.name for measure in parse_measures(names)]
    scores = evaluate(run, qrels, names, ScoringOptions(topics="common"))
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
