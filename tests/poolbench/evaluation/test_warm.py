"""Runs in memory: the same scores as from tables, of all topics or of one."""

import numpy as np
import pytest

from poolbench.evaluation import JudgmentTable, ScoringOptions, as_judged, evaluate
from poolbench.evaluation.evaluate import score_batch, select_measures
from poolbench.evaluation.in_memory import WarmRuns, score_topic
from poolbench.evaluation.matching import batch_from_table
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.run_matrix import PairDictionary
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import QrelsTable
from tests.poolbench.evaluation.warm_scoring import score_all_runs

MEASURES = select_measures(["map", "bpref", "bpref-10", "ndcg", "P_2", "recip_rank", "num_ret"])
RUNS = [
    run_from_rows("a", [("1", "d1", 3.0), ("1", "d2", 2.0), ("1", "d3", 1.0), ("2", "d1", 1.0)]),
    run_from_rows("b", [("2", "d2", 3.0), ("2", "d1", 2.0), ("9", "d1", 1.0)]),
    run_from_rows("c", [("1", "d3", 3.0), ("1", "d4", 2.0), ("1", "d1", 1.0)]),
]
QRELS = [("1", "d1", 2), ("1", "d3", 0), ("1", "d9", 1), ("2", "d1", 1), ("2", "d2", -1)]


def warm() -> tuple[WarmRuns, PairDictionary]:
    known = PairDictionary()
    for run in RUNS:
        known.extend(known.missing(run))
    return WarmRuns([known.encode(run) for run in RUNS]), known


def judged_at(known: PairDictionary, table: QrelsTable) -> tuple[JudgmentTable, PairPlaces]:
    places = known.places(table)
    return JudgmentTable.from_arrays(table.topics, table.starts, table.grades), places


@pytest.mark.parametrize(
    "options", [ScoringOptions(), ScoringOptions(judged_only=True), ScoringOptions(max_per_topic=2)]
)
def test_all_runs_score_as_their_tables_do(options: ScoringOptions) -> None:
    runs, known = warm()
    table = qrels_from_rows(QRELS)
    values = score_all_runs(runs, *judged_at(known, table), MEASURES, options)
    for run, found in zip(RUNS, values, strict=True):
        assert np.array_equal(found, evaluate(run, table, MEASURES, options).values)


def test_one_topic_scores_as_it_does_among_all() -> None:
    runs, known = warm()
    for topic in ("1", "2"):
        table = qrels_from_rows([row for row in QRELS if row[0] == topic])
        values = score_topic(runs, *judged_at(known, table), MEASURES, ScoringOptions())
        for run, found in zip(RUNS, values, strict=True):
            batch = batch_from_table(run, as_judged(table), ScoringOptions())
            assert np.array_equal(found, score_batch(batch, MEASURES, "").values[0])


def test_a_topic_that_no_run_answers_scores_as_unanswered() -> None:
    runs, known = warm()
    table = qrels_from_rows([("7", "d1", 1)])
    values = score_topic(
        runs, *judged_at(known, table), select_measures(["map", "num_ret"]), ScoringOptions()
    )
    assert values.tolist() == [[0.0, 0.0]] * 3
