"""The estimates of an archive, computed again from their frames, qrels and runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.measures import find_fractional_measure
from poolbench.estimation.report import ScoreEstimates, compute_estimates
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import read_options
from poolbench.files.streams import read_bytes
from poolbench.pooling.methods.influence import InfluencePlan
from poolbench.replay.archive_folder import TABLES, iter_rows
from poolbench.replay.archived_pools import ArchivedPools
from poolbench.replay.archived_runs import ArchivedRuns
from poolbench.replay.archived_scores import SCORES, ArchivedScores, is_same_score
from poolbench.replay.differences import Difference
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable

PROBABILITY, PEOPLE, FIRST_MACHINE = 0, 1, 2
"""Columns of a frame; behind the machines the chances of each grade or more."""
FRAMES = f"{TABLES}/estimate_frames.jsonl"


@dataclass
class ArchivedEstimates:
    """Grades must be those of the qrels, pairs and probabilities those of the pool; values,
    intervals and errors are computed again.
    """

    folder: Path
    runs: ArchivedRuns
    pools: ArchivedPools
    scores: ArchivedScores

    @cached_property
    def frames(self) -> list[dict[str, Any]]:
        has_table = (self.folder / FRAMES).exists()  # older archives have none
        return list(iter_rows(self.folder, "estimate_frames")) if has_table else []

    def iter_differences(self) -> Iterator[Difference]:
        for frame in self.frames:
            score_set = self.scores.sets[frame["score_set"]]
            plan = self.pools.plan_sample(score_set["conditions"]["estimate"]["pool"])
            pairs = [(topic, docno) for topic, docnos in frame["pairs"] for docno in docnos]
            if pairs != list_archived_frame(plan.frame):
                where = f"pairs of score set {score_set['id']}"
                yield Difference(FRAMES, where, "those of the pool", "others")
                continue
            table = unpack_frame(frame, len(pairs))
            yield from compare_sample(plan, score_set, table)
            yield from self.compare_grades(pairs, score_set, table)
            yield from self.compare_scores(plan.frame, score_set, table)

    def compare_grades(
        self, pairs: Sequence[tuple[str, str]], score_set: dict[str, Any], table: Floats
    ) -> Iterator[Difference]:
        file = self.scores.qrels[score_set["qrels"]]["file"]
        known = read_qrels(read_bytes(self.folder / file), file=file).by_pair()
        for pair, grade in zip(pairs, table[:, PEOPLE].tolist(), strict=True):
            if not isnan(grade) and known.get(pair) != int(grade):
                yield Difference(FRAMES, "grade", int(grade), known.get(pair), *pair)

    def compare_scores(
        self, frame: PoolFrame, score_set: dict[str, Any], table: Floats
    ) -> Iterator[Difference]:
        rows = [
            row
            for row in iter_rows(self.folder, "run_scores")
            if row["score_set"] == score_set["id"]
        ]
        rows.sort(key=lambda row: row["run"])
        unknown = np.full(len(table), NONE, np.int32)
        pairs = QrelsTable(frame.topics, frame.starts, frame.docnos, unknown)
        pool = build_pool_frame([self.runs.load(row["run"]) for row in rows], pairs)
        names = [each["name"] for each in score_set["conditions"]["estimate"]["machines"]]
        chances = table[:, FIRST_MACHINE + len(names) :]
        estimates = estimate_again(pool, score_set, table, names, chances.shape[1])
        if not np.allclose(estimates.chances, chances, rtol=1e-9, atol=1e-12):
            where = f"expected grades of score set {score_set['id']}"
            yield Difference(FRAMES, where, "as archived", "others")
        yield from compare_run_estimates(rows, pool.runs, score_set, estimates)


def list_archived_frame(frame: PoolFrame) -> list[tuple[str, str]]:
    topics = (frame.topics[at] for at in frame.topic_index.tolist())
    return list(zip(topics, map(str, frame.docnos), strict=True))


def compare_sample(
    plan: InfluencePlan, score_set: dict[str, Any], table: Floats
) -> Iterator[Difference]:
    """The judged pairs are the first in the order of drawing, and π what the plan says."""
    manifest = score_set["conditions"]["estimate"]
    number = manifest["judged"] + manifest["skipped"]
    graded = manifest["judged"] / max(number, 1)
    expected = plan.compute_probabilities(number) * graded
    where = f"of score set {score_set['id']}"
    other = np.flatnonzero(~np.isclose(table[:, PROBABILITY], expected, rtol=1e-9))
    for at in other[:1].tolist():
        before, after = float(table[at, PROBABILITY]), float(expected[at])
        pair = list_archived_frame(plan.frame)[at]
        yield Difference(FRAMES, f"probability {where}", before, after, *pair)
    judged = np.flatnonzero(~np.isnan(table[:, PEOPLE]))
    if len(judged) != manifest["judged"] or not np.isin(judged, plan.order[:number]).all():
        yield Difference(FRAMES, f"sample {where}", "in the order of drawing", "another")


def estimate_again(
    frame: PoolFrame, score_set: dict[str, Any], table: Floats, names: Sequence[str], top: int
) -> ScoreEstimates:
    conditions = score_set["conditions"]
    manifest, options = conditions["estimate"], read_options(conditions)
    people = unpack_grades(table[:, PEOPLE])
    judged = np.flatnonzero(people > NONE)
    steps = (people[judged][:, None] >= np.arange(1, top + 1)).astype(float)
    sample = JudgedSample(frame, judged, steps, table[:, PROBABILITY], None, manifest["skipped"])
    machines = [
        MachineInput(name, unpack_grades(table[:, FIRST_MACHINE + at]))
        for at, name in enumerate(names)
    ]
    measures = {
        measure.name: find_fractional_measure(measure, options, top)
        for measure in parse_measures(score_set["measures"])
    }
    return compute_estimates(sample, machines, measures, manifest["seed"], manifest["drawn_for"])


def unpack_frame(frame: dict[str, Any], size: int) -> Floats:
    values = [np.nan if value is None else value for value in frame["packed"]]
    table: Floats = np.array(values, np.float64).reshape(size, -1)
    return table


def unpack_grades(column: Floats) -> Ints:
    grades: Ints = np.where(np.isnan(column), NONE, column).astype(np.int64)
    return grades


def compare_run_estimates(
    rows: Sequence[dict[str, Any]],
    tags: Sequence[str],
    score_set: dict[str, Any],
    estimates: ScoreEstimates,
) -> Iterator[Difference]:
    """What differs by run and measure. ``rows`` and ``tags`` are in the order of the frame."""
    width, size = len(score_set["measures"]), len(rows)
    again = {
        each.measure: {one.run: one.estimate for one in each.runs}
        for each in estimates.report.measures
    }
    for at, (row, tag) in enumerate(zip(rows, tags, strict=True)):
        for column, name in enumerate(score_set["measures"]):
            where = f"{name} of {tag} in score set {score_set['id']}"
            one, known = estimates.measures[name], row["intervals"][name]["estimate"]
            ends = again[name][tag]
            errors = row["difference_errors"][column * size : (column + 1) * size]
            yield from compare_lists(where, row["packed"][column::width], one.topics[at].tolist())
            yield from compare_lists(f"mean {where}", [row["means"][name]], [float(one.means[at])])
            yield from compare_lists(
                f"interval {where}", [known.get("low"), known.get("high")], [ends.low, ends.high]
            )
            yield from compare_lists(
                f"errors of differences, {where}", errors, one.difference_errors[at].tolist()
            )


def compare_lists(
    where: str, before: Sequence[float | None], after: Sequence[float | None]
) -> Iterator[Difference]:
    """The first number that differs, or the lengths."""
    if len(before) != len(after):
        yield Difference(SCORES, where, len(before), len(after))
        return
    for old, new in zip(before, after, strict=True):
        if not is_same_score(old, new):
            yield Difference(SCORES, where, old, new)
            return
