"""The estimates of an archive, computed again from their frames, qrels and runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from poolbench.estimation.design import CountedPart
from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.machines import NONE, MachineInput, match_chances
from poolbench.estimation.measures import find_fractional_measure
from poolbench.estimation.report import ScoreEstimates, compute_estimates
from poolbench.estimation.sample import build_sample
from poolbench.estimation.text_scores import TextInput, build_text_input
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import read_options
from poolbench.files.streams import read_bytes
from poolbench.pooling.document_texts import document_text
from poolbench.pooling.methods.influence import InfluencePlan
from poolbench.replay.archive_folder import TABLES, iter_rows
from poolbench.replay.archived_judgments import ArchivedJudgments
from poolbench.replay.archived_pools import ArchivedPools
from poolbench.replay.archived_runs import ArchivedRuns
from poolbench.replay.archived_scores import SCORES, ArchivedScores, is_same_score
from poolbench.replay.differences import Difference
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable

PROBABILITY, PEOPLE, FIRST_MACHINE = 0, 1, 2
"""Columns of a frame; behind the machines the chances of each grade or more."""
FRAMES = f"{TABLES}/estimate_frames.jsonl"


class ArchivedInputs(NamedTuple):
    """What the calibration read besides grades: texts, and chances by machine."""

    texts: TextInput | None
    chances: Mapping[str, Floats | None]


@dataclass
class ArchivedEstimates:
    """Grades must be those of the qrels, pairs and probabilities those of the pool; values,
    intervals and errors are computed again.
    """

    folder: Path
    runs: ArchivedRuns
    pools: ArchivedPools
    scores: ArchivedScores
    notes: list[str] = field(default_factory=list)

    @cached_property
    def frames(self) -> list[dict[str, Any]]:
        has_table = (self.folder / FRAMES).exists()  # older archives have none
        return list(iter_rows(self.folder, "estimate_frames")) if has_table else []

    def iter_differences(self) -> Iterator[Difference]:
        """Also ``notes`` of what could not be computed again."""
        for frame in self.frames:
            score_set = self.scores.sets[frame["score_set"]]
            plan = self.pools.plan_sample(score_set["conditions"]["estimate"]["pool"])
            pairs = [(topic, docno) for topic, docnos in frame["pairs"] for docno in docnos]
            if pairs != list_archived_frame(plan.frame):
                where = f"pairs of score set {score_set['id']}"
                yield Difference(FRAMES, where, "those of the pool", "others")
                continue
            table = unpack_frame(frame, len(pairs))
            part = count_archived_part(plan, score_set)
            yield from compare_sample(plan, part, score_set, table)
            yield from self.compare_grades(pairs, score_set, table)
            yield from self.compare_scores(plan.frame, part, score_set, table)

    def compare_grades(
        self, pairs: Sequence[tuple[str, str]], score_set: dict[str, Any], table: Floats
    ) -> Iterator[Difference]:
        file = self.scores.qrels[score_set["qrels"]]["file"]
        known = read_qrels(read_bytes(self.folder / file), file=file).by_pair()
        for pair, grade in zip(pairs, table[:, PEOPLE].tolist(), strict=True):
            if not isnan(grade) and known.get(pair) != int(grade):
                yield Difference(FRAMES, "grade", int(grade), known.get(pair), *pair)

    def compare_scores(
        self, frame: PoolFrame, part: CountedPart, score_set: dict[str, Any], table: Floats
    ) -> Iterator[Difference]:
        manifest = score_set["conditions"]["estimate"]
        texts: TextInput | None = None
        if known := manifest.get("texts"):
            if not self.pools.documents:
                name = f"Estimates of score set {score_set['id']}"
                self.notes.append(f"{name} were not computed again: the archive has no texts")
                return
            texts = self.load_texts(frame)
            if texts.sha256 != known["sha256"]:
                where = f"texts of score set {score_set['id']}"
                yield Difference(SCORES, where, known["sha256"], texts.sha256)
                return
        rows = [
            row
            for row in iter_rows(self.folder, "run_scores")
            if row["score_set"] == score_set["id"]
        ]
        rows.sort(key=lambda row: row["run"])
        unknown = np.full(len(table), NONE, np.int32)
        pairs = QrelsTable(frame.topics, frame.starts, frame.docnos, unknown)
        pool = build_pool_frame([self.runs.load(row["run"]) for row in rows], pairs)
        chances = table[:, FIRST_MACHINE + len(manifest["machines"]) :]
        # Teams count by their numbers, as what they are called does not.
        teams = {self.runs.rows[row["run"]]["tag"]: str(self.runs.rows[row["run"]]["team"])
                 for row in rows}  # fmt: skip
        if "order" not in manifest:  # made before teams counted
            teams = {}
        read = ArchivedInputs(texts, self.load_chances(manifest, pool))
        estimates = estimate_again(pool, part, score_set, table, teams, read)
        if not np.allclose(estimates.chances, chances, rtol=1e-9, atol=1e-12):
            where = f"expected grades of score set {score_set['id']}"
            yield Difference(FRAMES, where, "as archived", "others")
        yield from compare_run_estimates(rows, pool.runs, score_set, estimates)

    def load_chances(self, manifest: dict[str, Any], frame: PoolFrame) -> dict[str, Floats | None]:
        """Of the machines that gave any, which the frame of the set does not keep."""
        log = ArchivedJudgments(self.folder)
        return {
            each["name"]: match_chances(
                frame, log.list_machine_judgments(each["name"], each["rows"])
            )
            for each in manifest["machines"]
            if each.get("has_chances")
        }

    def load_texts(self, frame: PoolFrame) -> TextInput:
        texts = {docno: document_text(self.pools.get_document(docno))
                 for docno in map(str, frame.docnos) if docno in self.pools.documents}  # fmt: skip
        return build_text_input(frame, self.pools.queries, texts)


def count_archived_part(plan: InfluencePlan, score_set: dict[str, Any]) -> CountedPart:
    manifest = score_set["conditions"]["estimate"]
    number = manifest.get("used", manifest["judged"] + manifest["skipped"])
    return plan.count_part(number, manifest.get("ended", {}))


def list_archived_frame(frame: PoolFrame) -> list[tuple[str, str]]:
    topics = (frame.topics[at] for at in frame.topic_index.tolist())
    return list(zip(topics, map(str, frame.docnos), strict=True))


def compare_sample(
    plan: InfluencePlan, part: CountedPart, score_set: dict[str, Any], table: Floats
) -> Iterator[Difference]:
    """The judged pairs are the first in the order of drawing, and π what the plan says."""
    people = unpack_grades(table[:, PEOPLE])
    expected = build_sample(plan.frame, people, part.pairs, part.pi, 1, part.strata)
    where = f"of score set {score_set['id']}"
    other = np.flatnonzero(~np.isclose(table[:, PROBABILITY], expected.pi, rtol=1e-9))
    for at in other[:1].tolist():
        before, after = float(table[at, PROBABILITY]), float(expected.pi[at])
        pair = list_archived_frame(plan.frame)[at]
        yield Difference(FRAMES, f"probability {where}", before, after, *pair)
    judged = np.flatnonzero(people > NONE)
    number = score_set["conditions"]["estimate"]["judged"]
    if len(judged) != number or not np.isin(judged, part.pairs).all():
        yield Difference(FRAMES, f"sample {where}", "in the order of drawing", "another")


def estimate_again(
    frame: PoolFrame,
    part: CountedPart,
    score_set: dict[str, Any],
    table: Floats,
    teams: Mapping[str, str],
    read: ArchivedInputs,
) -> ScoreEstimates:
    conditions = score_set["conditions"]
    manifest, options = conditions["estimate"], read_options(conditions)
    names = [each["name"] for each in manifest["machines"]]
    top = table.shape[1] - FIRST_MACHINE - len(names)
    people = unpack_grades(table[:, PEOPLE])
    sample = replace(
        build_sample(frame, people, part.pairs, part.pi, top, part.strata),
        ended_by_grades=manifest.get("ended_by_grades", 0),
    )
    machines = [
        MachineInput(name, unpack_grades(table[:, FIRST_MACHINE + at]), read.chances.get(name))
        for at, name in enumerate(names)
    ]
    measures = {
        measure.name: find_fractional_measure(measure, options, top)
        for measure in parse_measures(score_set["measures"])
    }
    return compute_estimates(
        sample,
        machines,
        measures,
        manifest["seed"],
        manifest["drawn_for"],
        teams=teams,
        texts=None if read.texts is None else read.texts.scores,
    )


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
        each.measure: {one.run: one for one in each.runs} for each in estimates.report.measures
    }
    for at, (row, tag) in enumerate(zip(rows, tags, strict=True)):
        for column, name in enumerate(score_set["measures"]):
            where = f"{name} of {tag} in score set {score_set['id']}"
            one, known = estimates.measures[name], row["intervals"][name]
            own = again[name][tag]
            errors = row["difference_errors"][column * size : (column + 1) * size]
            yield from compare_lists(where, row["packed"][column::width], one.topics[at].tolist())
            yield from compare_lists(f"mean {where}", [row["means"][name]], [float(one.means[at])])
            for kind, ends in (("estimate", own.estimate), ("over_topics", own.over_topics)):
                what = "interval" if kind == "estimate" else "interval over topics,"
                before = [known[kind].get("low"), known[kind].get("high")]
                yield from compare_lists(f"{what} {where}", before, [ends.low, ends.high])
            if "order" in score_set["conditions"]["estimate"]:
                yield from compare_lists(f"place {where}", [known["place"]], [own.place])
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
