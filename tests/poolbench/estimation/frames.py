"""Tiny frames, and measures of them."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.measures import FractionalMeasure, find_fractional_measure
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows


def make_frame(
    runs: Mapping[str, Mapping[str, Sequence[str]]], pairs: Mapping[str, Iterable[str]]
) -> PoolFrame:
    """Runs by tag: topics with docnos, best first; the docnos of the frame by topic."""
    tables = [
        run_from_rows(
            tag,
            [
                (topic, docno, -float(at))
                for topic, own in topics.items()
                for at, docno in enumerate(own)
            ],
        )
        for tag, topics in runs.items()
    ]
    rows = [(topic, docno, 0) for topic, own in pairs.items() for docno in own]
    return build_pool_frame(tables, qrels_from_rows(rows))


def one_topic(ranking: str, pairs: str = "") -> PoolFrame:
    """One run over one topic, a letter a docno; all of ``pairs`` and ``ranking`` are framed."""
    return make_frame({"a": {"1": list(ranking)}}, {"1": sorted(set(ranking + pairs))})


def random_frame(rng: np.random.Generator, topics: int = 4, runs: int = 3) -> PoolFrame:
    """Runs of 0 to 12 of the documents of each topic, of which two are not in the frame."""
    rankings: dict[str, dict[str, list[str]]] = {f"r{run}": {} for run in range(runs)}
    pairs = dict[str, list[str]]()
    for at in range(topics):
        docnos = [f"d{each:02}" for each in range(int(rng.integers(3, 15)))]
        pairs[f"t{at}"] = docnos
        for own in rankings.values():
            shuffled = rng.permutation([*docnos, "x1", "x2"])[: int(rng.integers(0, 13))]
            own[f"t{at}"] = [str(docno) for docno in shuffled]
    return make_frame(rankings, pairs)


def random_steps(rng: np.random.Generator, pairs: int, top: int) -> np.ndarray:
    """Chances of each step, non-increasing."""
    return -np.sort(-rng.uniform(0.05, 0.95, (pairs, top)), axis=1)


def to_steps(grades: Sequence[int], top: int) -> np.ndarray:
    return (np.asarray(grades)[:, None] >= np.arange(1, top + 1)).astype(float)


def take(
    frame: PoolFrame, grades: Mapping[int, int], pi: Sequence[float], top: int = 1
) -> JudgedSample:
    """The sample of ``grades`` by pair."""
    judged = np.array(sorted(grades), np.int64)
    steps = to_steps([grades[pair] for pair in judged.tolist()], top)
    return JudgedSample(frame, judged, steps.reshape(-1, top), np.array(pi, float))


def find(name: str, top: int = 1, level: int = 1) -> FractionalMeasure:
    (measure,) = parse_measures([name])
    return find_fractional_measure(measure, ScoringOptions(level=level), top)
