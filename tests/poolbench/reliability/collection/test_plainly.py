"""The same numbers as sets and dicts give, on small random campaigns."""

from collections import defaultdict

import numpy as np
import pytest

from poolbench.evaluation import evaluate
from poolbench.evaluation.measures.names import parse_measures
from poolbench.reliability.collection.contributors import count_contributions
from poolbench.reliability.collection.depths import count_new_by_depth
from poolbench.reliability.collection.inputs import CollectionSource, build_collection
from poolbench.reliability.collection.leave_one_group_out import leave_groups_out
from poolbench.runs.qrels import qrels_from_rows
from tests.poolbench.reliability.disagreement.drawn import DOCNOS, TOPICS, drawn_runs

MEASURES = tuple(parse_measures(["map", "ndcg", "bpref", "err_5"]))
TEAMS = {"run-0": "a", "run-1": "a", "run-2": "b", "run-3": "c", "run-4": "b"}
POOLED = ("run-0", "run-1", "run-2", "run-3")


class Plain:
    """One random campaign by sets of (topic, docno)."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.runs = drawn_runs(rng)
        self.depth = int(rng.integers(1, 5))
        pairs = [(topic, docno) for topic in TOPICS for docno in DOCNOS]
        self.grades = {pair: int(rng.integers(-1, 4)) for pair in pairs if rng.random() < 0.7}
        self.brought = defaultdict(set)
        self.best: dict[tuple[str, str], int] = {}
        for run in self.runs:
            for at, topic in enumerate(run.topics):
                head = run.docnos[run.rows(at)][: self.depth] if run.tag in POOLED else []
                for rank, docno in enumerate(head, 1):
                    pair = topic, docno
                    self.brought[pair].add(TEAMS[run.tag])
                    self.best[pair] = min(rank, self.best.get(pair, rank))

    def alone(self, team: str) -> set[tuple[str, str]]:
        return {pair for pair in self.grades if self.brought[pair] == {team}}

    def qrels(self, without: set[tuple[str, str]]):
        kept = [(*pair, grade) for pair, grade in self.grades.items() if pair not in without]
        return qrels_from_rows(kept)

    def collection(self):
        source = CollectionSource(teams=TEAMS, pooled=POOLED, depth=self.depth)
        return build_collection(self.runs, self.qrels(set()), source)


@pytest.mark.parametrize("seed", range(20))
def test_uniques_and_depths(seed):
    plain = Plain(seed)
    found = plain.collection()
    for row in count_contributions(found).by_team:
        alone = [plain.grades[pair] for pair in plain.alone(row.name)]
        judged = [grade for grade in alone if grade >= 0]
        assert (row.alone, row.relevant_alone) == (len(judged), sum(g > 0 for g in judged))
    for row in count_new_by_depth(found):
        new = [plain.grades.get(pair, -1) for pair, best in plain.best.items() if best == row.depth]
        told = (row.new, row.judged, row.relevant)
        assert told == (len(new), sum(g >= 0 for g in new), sum(g > 0 for g in new))


@pytest.mark.parametrize("seed", range(20))
def test_scores_without_a_team_are_those_of_evaluate(seed):
    plain = Plain(seed)
    found = plain.collection()
    by_measure = leave_groups_out(found, MEASURES)
    for run in plain.runs:
        table = plain.qrels(plain.alone(TEAMS[run.tag]))
        if set(table.topics) != set(found.judged.topics):
            continue  # evaluate would average over fewer topics
        told = evaluate(run, table, MEASURES, found.options)
        for measure, row in zip(MEASURES, by_measure, strict=True):
            (left,) = (left for left in row.runs if left.run == run.tag)
            assert left.without == told.mean(measure.name)
