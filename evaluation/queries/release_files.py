"""The files of a set of estimates: people's grades, the frame, and the fitted chances.

Only the first is for readers of qrels. The chances are real numbers in JSON Lines, which no reader
of qrels takes.
"""

import json
from collections.abc import Callable, Iterator

import numpy as np

from evaluation.models import EstimateFrame, ScoreSet
from poolbench.estimation.machines import NONE
from poolbench.replay.archived_estimates import FIRST_MACHINE, PEOPLE, PROBABILITY
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.sampled_qrels import write_frame
from poolbench.statistics.estimate import nan_to_none


def iter_frame_rows(frame: EstimateFrame) -> Iterator[tuple[str, str, list[float | None]]]:
    """Topic, document and the numbers of each pair, None where there is none."""
    rows = iter(frame.table.tolist())
    for topic, docnos in frame.pairs:
        for docno in docnos:
            yield topic, docno, [nan_to_none(value) for value in next(rows)]


def list_machines(score_set: ScoreSet) -> list[str]:
    return [each["name"] for each in score_set.conditions["estimate"]["machines"]]


def write_people(score_set: ScoreSet) -> Iterator[str]:
    """Qrels of the pairs of the sample that people judged, and nothing else."""
    for topic, docno, values in iter_frame_rows(score_set.frame):
        grade = values[PEOPLE]
        if grade is not None:
            yield f"{topic} 0 {docno} {int(grade)}\n"


def write_release_frame(score_set: ScoreSet) -> Iterator[str]:
    """All pairs with people's grade and π, as the file ``frame`` of the pool; with machine grades
    once the scores are released, since assessors and teams could learn them before.

    π allows for drawn pairs that have no grade, so that the same estimates come of it.
    """
    names = list_machines(score_set) if score_set.released_at else []
    table = score_set.frame.table
    grades = np.where(np.isnan(table), NONE, table).astype(np.int64)
    pairs = [(topic, docno) for topic, docnos in score_set.frame.pairs for docno in docnos]
    rows = zip(pairs, grades[:, PEOPLE].tolist(), strict=True)
    qrels = qrels_from_rows((*pair, grade) for pair, grade in rows)
    machines = {name: grades[:, FIRST_MACHINE + at].tolist() for at, name in enumerate(names)}
    yield write_frame(qrels, table[:, PROBABILITY], machines).decode()


def write_expected_grades(score_set: ScoreSet) -> Iterator[str]:
    """By pair the chance of grade 1 or more, 2 or more and so on: what the calibration expects of
    people, also for pairs that they judged.
    """
    first = FIRST_MACHINE + len(list_machines(score_set))
    for topic, docno, values in iter_frame_rows(score_set.frame):
        yield json.dumps({"topic": topic, "docno": docno, "at_least": values[first:]}) + "\n"


FILES: dict[str, tuple[str, Callable[[ScoreSet], Iterator[str]]]] = {
    "people": ("qrels.txt", write_people),
    "frame": ("prels", write_release_frame),
    "expected-grades": ("jsonl", write_expected_grades),
}
"""By name: ending, and what writes the lines."""
