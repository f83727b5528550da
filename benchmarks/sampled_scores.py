"""Estimates from simulated samples of collections that are judged completely, and how far off.

Used by ``estimates.py`` and by tests/poolbench/estimation/test_targets.py.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from poolbench.estimation.design import (
    compute_influence_sizes,
    divide_prior,
    draw_order,
    estimate_prior_by_grades,
    estimate_prior_by_ranks,
)
from poolbench.estimation.estimates import MeasureEstimate
from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.measures import FractionalMeasure, find_fractional_measure
from poolbench.estimation.report import ScoreEstimates, compute_estimates
from poolbench.estimation.sample import build_sample
from poolbench.estimation.text_scores import TextScores, build_text_scores
from poolbench.evaluation.comparison.rankings import tau
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.names import parse_measure, parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import qrels_from_rows, read_qrels
from poolbench.runs.runs import read_run
from poolbench.runs.sampled_qrels import build_strata_sample
from poolbench.runs.tables import QrelsTable, RunTable
from poolbench.statistics.inclusion import inclusion_probabilities

MEASURES = ("ndcg_cut_10", "map", "bpref", "P_10")
QUANTILE = 1.96


@dataclass(frozen=True, eq=False)
class JudgedCollection:
    """``qrels`` has people's grades of all pairs of ``frame``; ``top`` the highest grade of the
    scale, ``level`` the lowest relevant one.
    """

    runs: Sequence[RunTable]
    qrels: QrelsTable
    frame: PoolFrame
    top: int
    level: int

    @cached_property
    def measures(self) -> dict[str, FractionalMeasure]:
        options = ScoringOptions(level=self.level)
        return {
            measure.name: find_fractional_measure(measure, options, self.top)
            for measure in parse_measures(MEASURES)
        }

    @cached_property
    def grades(self) -> np.ndarray:
        return np.maximum(self.qrels.grades, 0).astype(np.int64)

    @cached_property
    def truth(self) -> dict[str, np.ndarray]:
        """By measure, the mean of each run by full judging."""
        steps = (self.grades[:, None] >= np.arange(1, self.top + 1)).astype(float)
        return {
            name: measure.compute(self.frame, steps).values.mean(axis=1)
            for name, measure in self.measures.items()
        }


def load_dl19(data: Path) -> JudgedCollection:
    folder = data / "trec-dl19-passage"
    return _load(folder / "qrels.dl19-passage.txt", folder / "runs-top100", 3, 2)


def load_trec_covid(data: Path) -> JudgedCollection:
    folder = data / "trec-covid-r1"
    return _load(folder / "qrels-covid-round1.txt", folder / "runs-top50", 2, 1)


def _load(qrels: Path, runs: Path, top: int, level: int) -> JudgedCollection:
    table = read_qrels(read_bytes(qrels))
    read = [read_run(read_bytes(path)) for path in sorted(runs.iterdir())]
    return JudgedCollection(read, table, build_pool_frame(read, table), top, level)


def load_machine(data: Path, collection: JudgedCollection, name: str) -> MachineInput:
    """One of the seven machines of DL19, by the end of its file name."""
    (path,) = (data / "llm-judges-dl19").glob(f"*{name}.txt.gz")
    given = read_qrels(gzip.decompress(path.read_bytes())).by_pair()
    grades = [given.get(pair, NONE) for pair in collection.qrels.by_pair()]
    return MachineInput(name, np.array(grades))


def load_text_scores(data: Path, collection: JudgedCollection) -> TextScores:
    """The text classifier for the passages of DL19."""
    folder = data / "trec-dl19-passage"
    lines = gzip.decompress((folder / "passages.jsonl.gz").read_bytes()).splitlines()
    passages = {row["docid"]: row["doc"] for row in map(json.loads, lines)}
    topics = (folder / "topics.tsv").read_text().splitlines()
    queries = dict(line.split("\t", 1) for line in topics)
    frame = collection.frame
    texts = [passages.get(docno, "") for _, docno in collection.qrels.by_pair()]
    return build_text_scores(frame, [queries[topic] for topic in frame.topics], texts)


def shuffle_machine(machine: MachineInput, seed: int = 7) -> MachineInput:
    """A useless machine: its grades, each at the place of another pair."""
    return MachineInput("shuffled", np.random.default_rng(seed).permutation(machine.grades))


def copy_run(collection: JudgedCollection, tag: str) -> MachineInput:
    """A machine that repeats a run: its ranks 1 to 5, 6 to 20, 21 to 100 as grades 3, 2, 1."""
    frame = collection.frame
    own = frame.segment // len(frame.topics) == frame.runs.index(tag)
    grades = np.zeros(len(frame.topic_index), np.int64)
    grades[frame.pair[own]] = 3 - np.searchsorted([5, 20, 100], frame.rank[own])
    return MachineInput(tag, np.minimum(np.maximum(grades, 0), collection.top))


def simulate_machine(collection: JudgedCollection, kappa: float, seed: int = 7) -> MachineInput:
    """People's grade with a probability, else a grade as frequent as people give it: so that
    Cohen's kappa is ``kappa`` in expectation.
    """
    rng, grades = np.random.default_rng(seed), collection.grades
    is_own = rng.random(len(grades)) < kappa
    return MachineInput(f"kappa {kappa}", np.where(is_own, grades, rng.permutation(grades)))


def share_votes(machines: Sequence[MachineInput], top: int) -> MachineInput:
    """Chances of grades by the votes of ``machines``, with half a vote more for each grade."""
    votes = np.full((len(machines[0].grades), top + 1), 0.5)
    for machine in machines:
        given = np.flatnonzero(machine.grades != NONE)
        votes[given, np.minimum(machine.grades[given], top)] += 1
    chances = votes / votes.sum(axis=1, keepdims=True)
    return MachineInput("votes", chances.argmax(axis=1), chances)


def choose_topics(
    collection: JudgedCollection, topics: Sequence[str]
) -> tuple[JudgedCollection, np.ndarray]:
    """``collection`` with only these topics, and which of its pairs they have."""
    qrels = collection.qrels
    rows = [(*pair, grade) for pair, grade in qrels.by_pair().items() if pair[0] in topics]
    part = qrels_from_rows(rows)
    frame = build_pool_frame(collection.runs, part)
    kept = np.isin(np.array(qrels.topics), topics)[collection.frame.topic_index]
    return JudgedCollection(collection.runs, part, frame, collection.top, collection.level), kept


@dataclass(frozen=True, eq=False)
class SampledScores:
    """Of one measure, by sample and run: ``errors`` of estimates, whether the interval ``covers``,
    ``half_widths``; by sample: ``differences``, the share of pairs of runs whose difference is
    covered, ``tau`` with full judging, and ``drawn_tau`` of the order drawn in, with its
    ``drawn_errors``.
    """

    errors: np.ndarray
    covers: np.ndarray
    half_widths: np.ndarray
    differences: np.ndarray
    tau: np.ndarray
    drawn_tau: np.ndarray
    drawn_errors: np.ndarray

    @property
    def rmse(self) -> float:
        return float(np.sqrt((self.errors**2).mean()))

    @property
    def drawn_rmse(self) -> float:
        return float(np.sqrt((self.drawn_errors**2).mean()))

    @property
    def bias(self) -> float:
        return float(self.errors.mean())

    @property
    def coverage(self) -> float:
        return float(self.covers.mean())

    @property
    def half_width(self) -> float:
        return float(self.half_widths.mean())


def size_pairs(
    collection: JudgedCollection,
    machines: Sequence[MachineInput],
    designed: Sequence[str] = MEASURES,
) -> np.ndarray:
    """z of the pairs: with a first machine that grades, its grades are the prior."""
    top, level = collection.top, collection.level
    if machines and machines[0].chances is None:
        prior = estimate_prior_by_grades(machines[0].grades, top)
    else:
        prior = estimate_prior_by_ranks(collection.frame)
    measures = [collection.measures[name] for name in designed]
    steps = divide_prior(prior, top, level)
    return compute_influence_sizes(collection.frame, prior, steps, measures)


def draw_estimates(
    collection: JudgedCollection,
    machines: Sequence[MachineInput],
    share: float,
    samples: int,
    sizes: np.ndarray | None = None,
    texts: TextScores | None = None,
    first_seed: int = 0,
) -> Iterator[ScoreEstimates]:
    """Estimates from as many ``samples`` of a ``share`` of the pairs."""
    z = size_pairs(collection, machines) if sizes is None else sizes
    number = round(share * len(z))
    pi = inclusion_probabilities(z, number)
    for seed in range(first_seed, first_seed + samples):
        counted = draw_order(collection.frame, z, seed)[:number]
        sample = build_sample(collection.frame, collection.grades, counted, pi, collection.top)
        yield compute_estimates(sample, machines, collection.measures, seed, texts=texts)


def simulate_samples(
    collection: JudgedCollection,
    machines: Sequence[MachineInput],
    share: float,
    samples: int,
    sizes: np.ndarray | None = None,
    texts: TextScores | None = None,
) -> dict[str, SampledScores]:
    """By measure, what comes of ``samples``."""
    rows: dict[str, list[tuple]] = {name: [] for name in collection.measures}
    for drawn in draw_estimates(collection, machines, share, samples, sizes, texts):
        values = {report.measure: _order_values(report.runs) for report in drawn.report.measures}
        for name, estimate in drawn.measures.items():
            ordering = np.array([values[name][run] for run in collection.frame.runs])
            rows[name].append(_compare(estimate, ordering, collection.truth[name]))
    return {
        name: SampledScores(*(np.array(column) for column in zip(*own, strict=True)))
        for name, own in rows.items()
    }


def _order_values(runs: Sequence) -> Mapping[str, float]:
    return {row.run: row.estimate.value if row.drawn_in is None else row.drawn_in for row in runs}


def _compare(estimate: MeasureEstimate, ordering: np.ndarray, truth: np.ndarray) -> tuple:
    low, high = estimate.limits(QUANTILE)
    gaps = estimate.means - truth
    between = abs(gaps[:, None] - gaps[None, :]) <= QUANTILE * estimate.difference_errors
    pairs = np.triu_indices(len(truth), 1)
    taus = [tau(own.tolist(), truth.tolist()) for own in (estimate.means, ordering)]
    return (
        gaps,
        (low <= truth) & (truth <= high),
        QUANTILE * estimate.errors,
        between[pairs].mean(),
        *taus,
        ordering - truth,
    )


TABLE = ("measure", "RMSE", "bias", "coverage", "differences", "half-width", "tau", "drawn tau")


def list_rows(scores: Mapping[str, SampledScores]) -> list[tuple[str, ...]]:
    """The columns of ``TABLE``, by measure."""
    return [
        (
            name,
            f"{own.rmse:.4f}",
            f"{own.bias:+.4f}",
            f"{own.coverage:.3f}",
            f"{own.differences.mean():.3f}",
            f"{own.half_width:.4f}",
            f"{own.tau.mean():.3f}",
            f"{own.drawn_tau.mean():.3f}",
        )
        for name, own in scores.items()
    ]


INFERRED = {"xinfAP": "map", "infNDCG": "ndcg", "iP_10": "P_10"}
WINDOWS, RATES = (3, 10, 30), (8.0, 4.0, 2.0, 1.0)
"""Strata by the best rank of a pair: to 3, to 10, to 30, beyond; in proportion to which they are
sampled.
"""


def simulate_strata(
    collection: JudgedCollection, share: float, samples: int
) -> dict[str, np.ndarray]:
    """By measure of ``INFERRED``, errors by sample and run from stratified samples of a ``share``
    of the pairs.
    """
    frame, pairs = collection.frame, list(collection.qrels.by_pair())
    best = np.full(len(pairs), frame.rank.max() + 1)
    np.minimum.at(best, frame.pair, frame.rank)
    window = np.searchsorted(WINDOWS, best)
    pi = inclusion_probabilities(np.array(RATES)[window], round(share * len(pairs)))
    stratum = frame.topic_index * len(RATES) + window
    numbers = np.bincount(stratum, pi)
    truth = _score_inferred(collection, INFERRED.values(), _judge(pairs, window, collection.grades))
    errors = []
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        place = np.empty(len(pairs))
        order = np.lexsort((rng.random(len(pairs)), stratum))
        place[order] = np.arange(len(pairs)) - np.searchsorted(stratum[order], stratum[order])
        # A stratum has one judged pair at least, and on average as many as its share.
        drawn = place < np.maximum(1, np.floor(numbers + rng.random(len(numbers))))[stratum]
        grades = np.where(drawn, collection.grades, -1)
        errors.append(_score_inferred(collection, INFERRED, _judge(pairs, window, grades)) - truth)
    return dict(zip(INFERRED, np.array(errors).transpose(1, 0, 2), strict=True))


def _judge(
    pairs: Sequence[tuple[str, str]], window: np.ndarray, grades: np.ndarray
) -> JudgmentTable:
    rows = zip(pairs, window.tolist(), grades.tolist(), strict=True)
    sample = build_strata_sample((*pair, str(own), grade) for pair, own, grade in rows)
    return JudgmentTable.from_sampled(sample)


def _score_inferred(
    collection: JudgedCollection, names: Iterable[str], judged: JudgmentTable
) -> np.ndarray:
    """Means by measure and run."""
    options = ScoringOptions(level=collection.level)
    measures = [parse_measure(name)[0] for name in names]
    means = []
    for run in collection.runs:
        batch = batch_from_table(run, judged, options)
        means.append([np.nansum(own(batch)) / len(judged.topics) for own in measures])
    return np.array(means).T
