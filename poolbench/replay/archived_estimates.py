"""The estimates of an archive, computed again from their frames, qrels and runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from poolbench.estimation.frame import build_pool_frame
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.measures import find_fractional_measure
from poolbench.estimation.report import ScoreEstimates, compute_estimates
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import read_options
from poolbench.files.streams import read_bytes
from poolbench.replay.archive_folder import TABLES, iter_rows
from poolbench.replay.archived_runs import ArchivedRuns
from poolbench.replay.archived_scores import SCORES, ArchivedScores, is_same_score
from poolbench.replay.differences import Difference
from poolbench.runs.qrels import qrels_from_rows, read_qrels

FRAMES = f"{TABLES}/estimate_frames.jsonl"


@dataclass
class ArchivedEstimates:
    """Grades must be those of the qrels and probabilities those of the pool's plan, by its hash;
    values, intervals and errors are computed again.
    """

    folder: Path
    runs: ArchivedRuns
    scores: ArchivedScores

    @cached_property
    def frames(self) -> list[dict[str, Any]]:
        has_table = (self.folder / FRAMES).exists()  # older archives have none
        return list(iter_rows(self.folder, "estimate_frames")) if has_table else []

    def iter_differences(self) -> Iterator[Difference]:
        for frame in self.frames:
            score_set = self.scores.sets[frame["score_set"]]
            rows = [
                row
                for row in iter_rows(self.folder, "run_scores")
                if row["score_set"] == score_set["id"]
            ]
            rows.sort(key=lambda row: row["run"])
            table = unpack_frame(frame)
            yield from self.compare_grades(frame, score_set, table)
            estimates, chances = self.compute(frame, score_set, rows, table)
            if not np.allclose(estimates.chances, chances, rtol=1e-9, equal_nan=True):
                where = f"expected grades of score set {score_set['id']}"
                yield Difference(FRAMES, where, "as archived", "others")
            yield from compare_estimates(rows, score_set, estimates)

    def compare_grades(
        self, frame: dict[str, Any], score_set: dict[str, Any], table: Floats
    ) -> Iterator[Difference]:
        manifest = score_set["conditions"]["estimate"]
        pairs = [(topic, docno) for topic, docnos in frame["pairs"] for docno in docnos]
        digest = hashlib.sha256("\n".join(map(" ".join, pairs)).encode()).hexdigest()
        if digest != manifest["frame_sha256"]:
            yield Difference(FRAMES, "SHA-256", manifest["frame_sha256"], digest)
        file = self.scores.qrels[score_set["qrels"]]["file"]
        known = read_qrels(read_bytes(self.folder / file), file=file).by_pair()
        for pair, grade in zip(pairs, table[:, 1].tolist(), strict=True):
            if not isnan(grade) and known.get(pair) != int(grade):
                yield Difference(FRAMES, "grade", int(grade), known.get(pair), *pair)

    def compute(
        self,
        frame: dict[str, Any],
        score_set: dict[str, Any],
        rows: Sequence[dict[str, Any]],
        table: Floats,
    ) -> tuple[ScoreEstimates, Floats]:
        """Again, and the chances as archived."""
        conditions = score_set["conditions"]
        manifest, options = conditions["estimate"], read_options(conditions)
        names = [machine["name"] for machine in manifest["machines"]]
        chances = table[:, 2 + len(names) :]
        top = chances.shape[1]
        pairs = ((topic, docno, 0) for topic, docnos in frame["pairs"] for docno in docnos)
        pool = build_pool_frame(
            [self.runs.load(row["run"]) for row in rows], qrels_from_rows(pairs)
        )
        people = place_grades(table[:, 1])
        judged = np.flatnonzero(people > NONE)
        steps = (people[judged][:, None] >= np.arange(1, top + 1)).astype(float)
        sample = JudgedSample(pool, judged, steps, table[:, 0], None, manifest["skipped"])
        machines = [
            MachineInput(name, place_grades(table[:, 2 + at])) for at, name in enumerate(names)
        ]
        measures = {
            measure.name: find_fractional_measure(measure, options, top)
            for measure in parse_measures(score_set["measures"])
        }
        drawn_for = manifest["drawn_for"]
        return compute_estimates(sample, machines, measures, manifest["seed"], drawn_for), chances


def unpack_frame(frame: dict[str, Any]) -> Floats:
    values = [np.nan if value is None else value for value in frame["packed"]]
    size = sum(len(docnos) for _, docnos in frame["pairs"])
    table: Floats = np.array(values, np.float64).reshape(size, -1)
    return table


def place_grades(column: Floats) -> Ints:
    grades: Ints = np.where(np.isnan(column), NONE, column).astype(np.int64)
    return grades


def compare_estimates(
    rows: Sequence[dict[str, Any]], score_set: dict[str, Any], estimates: ScoreEstimates
) -> Iterator[Difference]:
    """Values by topic, means, intervals and errors of differences that differ. ``rows`` are in the
    order of the runs of the frame.
    """
    measures = score_set["measures"]
    for at, row in enumerate(rows):
        where = f"of run {row['run']} in score set {score_set['id']}"
        for column, name in enumerate(measures):
            again = estimates.measures[name]
            before = row["packed"][column :: len(measures)]
            yield from compare_lists(f"{name} {where}", before, again.topics[at].tolist())
            yield from compare_lists(
                f"mean {name} {where}", [row["means"][name]], [float(again.means[at])]
            )
            size = len(rows)
            errors = row["difference_errors"][column * size : (column + 1) * size]
            yield from compare_lists(
                f"errors of differences, {name} {where}",
                errors,
                again.difference_errors[at].tolist(),
            )
    ends = {
        each.measure: {one.run: one.estimate for one in each.runs}
        for each in estimates.report.measures
    }
    yield from compare_ends(rows, ends, score_set)


def compare_ends(
    rows: Sequence[dict[str, Any]], ends: Mapping[str, Mapping[str, Any]], score_set: dict[str, Any]
) -> Iterator[Difference]:
    for name, by_run in ends.items():
        again = list(by_run.values())
        stored = [row["intervals"][name]["estimate"] for row in rows]
        for end in ("low", "high"):
            # The report is by place, the rows by run.
            before = sorted(each[end] for each in stored if each.get(end) is not None)
            after = sorted(v for each in again if (v := getattr(each, end)) is not None)
            where = f"{end} ends, {name} in score set {score_set['id']}"
            yield from compare_lists(where, before, after)


def compare_lists(
    where: str, before: Sequence[float | None], after: Sequence[float]
) -> Iterator[Difference]:
    if len(before) != len(after):
        yield Difference(SCORES, where, len(before), len(after))
        return
    for old, new in zip(before, after, strict=True):
        if not is_same_score(old, new):
            yield Difference(SCORES, where, old, new)
            return
