"""From runs to estimates: what is drawn, written, read and scored is near all judgments' word."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.files.streams import read_bytes
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.formats import FRAME_FORMATS, SamplingFrame, build_frame, fill_frame_grades
from poolbench.pooling.pool_builder import start_sessions
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.session import PoolStep
from poolbench.runs.qrels import qrels_from_rows, read_qrels
from poolbench.runs.runs import read_run
from poolbench.runs.sampled_qrels import READERS, SampledQrels
from poolbench.runs.tables import QrelsTable, RunTable
from tests.examples import ALL
from tests.poolbench.pooling.toy import step


@dataclass(frozen=True)
class World:
    """A pool that can be judged throughout, and the runs that are scored."""

    listing: RunListing
    qrels: QrelsTable
    runs: Sequence[RunTable]
    seeds: int

    def judged(self, steps: Sequence[PoolStep], fmt: str, seed: int) -> JudgmentTable:
        """A sample of this world as ``evaluate`` reads it."""
        frame = self.frame(steps, seed)
        sampled = READERS[fmt](FRAME_FORMATS[fmt](frame).encode())
        assert isinstance(sampled, SampledQrels)
        return JudgmentTable.from_sampled(sampled)

    def frame(self, steps: Sequence[PoolStep], seed: int) -> SamplingFrame:
        return fill_frame_grades(
            build_frame(start_sessions(replace(self.listing, seed=seed), steps)), self.qrels
        )

    @cached_property
    def complete(self) -> JudgmentTable:
        """Plain qrels of the whole pool."""
        return JudgmentTable.from_table(self.qrels)

    def scores(self, judged: JudgmentTable, measure: str) -> np.ndarray:
        """By run: the mean over topics, or the sum of a count."""
        (found,) = parse_measure(measure)
        values = [found(batch_from_table(run, judged, ScoringOptions())) for run in self.runs]
        return np.array([np.sum(v) if "num" in measure else np.mean(v) for v in values])


def pooled_qrels(listing: RunListing, grades: dict[tuple[str, str], int]) -> QrelsTable:
    """Grades of all documents of ``listing``; what nobody judged is not relevant."""
    pairs = [(candidates.topic, docno) for candidates in listing for docno in candidates.docnos]
    return qrels_from_rows((*pair, max(grades.get(pair, 0), 0)) for pair in pairs)


@pytest.fixture(scope="module")
def covid(data_dir: Path) -> World:
    """Six topics of TREC-COVID round 1: of the 6,959 documents of its depth-7 pool 6,953 were
    judged.
    """
    folder = data_dir / "trec-covid-r1"
    with (folder / "leaderboard.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["contributed judgments"] == "yes"]
    paths = [folder / "runs-top50" / f"{row['run']}.gz" for row in rows]
    runs = [read_run(read_bytes(path), lenient=True) for path in paths]
    qrels = read_qrels((folder / "qrels-covid-round1.txt").read_bytes())
    topics = np.repeat(np.array(qrels.topics, object), np.diff(qrels.starts)).tolist()
    grades = dict(zip(zip(topics, qrels.docnos, strict=True), qrels.grades.tolist(), strict=True))
    listing = build_listing(runs, 7, 0, qrels.topics[::5])
    return World(listing, pooled_qrels(listing, grades), runs[::14], 20 if ALL else 12)


class Estimate(NamedTuple):
    """``bias`` is what the estimator itself leans by, at the most; that of a count does not."""

    name: str
    truth: str
    bias: float = 0.0


class Design(NamedTuple):
    fmt: str
    steps: Sequence[PoolStep]
    estimates: Sequence[Estimate]


COUNT = Estimate("stat_num_rel", "num_rel")
STATAP, XINFAP = Estimate("statAP", "map", 0.003), Estimate("xinfAP", "map", 0.006)
INFNDCG, INFAP = Estimate("infNDCG", "ndcg", 0.01), Estimate("infAP", "map", 0.01)
TOP = step("depth", k=1)
DEEP: dict[str, list[Any]] = {"windows": ["1-2", "3-30"], "sample": ["all", 0.4]}
EVEN: dict[str, list[Any]] = {"windows": ["1-30"]}
DESIGNS = {
    "strata": Design("strata", [step("strata", **DEEP)], [COUNT, STATAP, XINFAP, INFNDCG]),
    "depth, then a sample": Design("strata", [TOP, step("strata", 40, **EVEN)], [COUNT, STATAP]),
    "one rate": Design("strata", [step("strata", **EVEN, sample=[0.5])], [COUNT, INFAP]),
    "statap": Design("prels", [step("statap", 60)], [COUNT, STATAP]),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_estimates_are_those_of_all_judgments_but_for_chance(covid: World, name: str) -> None:
    fmt, steps, estimates = DESIGNS[name]
    samples = [covid.judged(steps, fmt, seed) for seed in range(covid.seeds)]
    for estimate in estimates:
        truth = covid.scores(covid.complete, estimate.truth)
        found = np.array([covid.scores(sample, estimate.name) for sample in samples])
        off, error = np.abs(found.mean(axis=0) - truth), found.std(axis=0, ddof=1)
        assert (off < estimate.bias + 4 * error / np.sqrt(covid.seeds)).all(), estimate
        # A single sample misses by more than the mean of many does.
        assert (off < error).all(), estimate


@pytest.mark.parametrize("fmt", ["strata", "prels"])
def test_a_sample_of_everything_is_plain_qrels(covid: World, fmt: str) -> None:
    judged = covid.judged([step("strata", windows=["1-30"])], fmt, 0)
    for estimate, truth in (("statAP", "map"), ("map", "map"), ("stat_num_rel", "num_rel")):
        plain = covid.scores(covid.complete, truth)
        assert covid.scores(judged, estimate) == pytest.approx(plain)


def test_probabilities_that_are_read_are_those_that_were_drawn_with(covid: World) -> None:
    for _, steps, _ in DESIGNS.values():
        frame = covid.frame(steps, 1)
        by_fmt = {"strata": frame.sampled} if frame.has_strata else {}
        for fmt, rows in (by_fmt | {"prels": np.ones(frame.sampled.sum(), bool)}).items():
            read = covid.judged(steps, fmt, 1)
            assert read.inclusion is not None
            assert read.inclusion[rows] == pytest.approx(frame.probability[frame.sampled])
            assert np.isnan(read.inclusion[~rows]).all()
            assert (read.grades[~rows] == -1).all()
