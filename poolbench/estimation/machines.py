"""What machines say of the pairs: a grade each, or a chance for each grade."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.calibration import PairFeatures, standardize_columns
from poolbench.estimation.frame import PoolFrame
from poolbench.evaluation.judgments import Floats, Ints, Mask
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.qrels import qrels_from_rows

NONE = -1
"""In place of a grade: the machine gave none. It is never taken for grade 0."""
ONE_PENALTY, SEVERAL_PENALTY = 0.3, 2.0
LEAST_CHANCE = 0.01


@dataclass(frozen=True, eq=False)
class MachineInput:
    """One machine. ``grades`` by pair of the frame, ``NONE`` where it gave none; or ``chances``,
    (pairs, G + 1), of which the rows of pairs without any are NaN.
    """

    name: str
    grades: Ints
    chances: Floats | None = None

    @property
    def coverage(self) -> float:
        """The share of the pairs with a grade."""
        return float((self.grades != NONE).mean()) if len(self.grades) else 1.0


def place_pair_grades(frame: PoolFrame, rows: Sequence[tuple[str, str, int]]) -> Ints:
    """The grade of each pair of the frame in ``rows``; ``NONE`` without one."""
    table = qrels_from_rows(rows)
    at = PairIndex.from_table(table).find(frame)
    grades = np.full(len(at), NONE)
    known = at >= 0
    grades[known] = np.maximum(table.grades[at[known]], NONE)
    return grades


def match_chances(
    frame: PoolFrame, rows: Sequence[tuple[str, str, int | None, list[float] | None]]
) -> Floats | None:
    """The chances of each pair of the frame, NaN without any; None where the machine has grades
    alone. A grade without chances, among others that have them, is certain.
    """
    graded = [row for row in rows if row[2] is not None and row[2] >= 0]
    if not any(row[3] for row in graded):
        return None
    width = max(max(len(row[3] or ()), (row[2] or 0) + 1) for row in graded)
    own_chances = {
        (topic, docno): own or np.eye(width)[grade or 0] for topic, docno, grade, own in graded
    }
    chances = np.full((len(frame.topic_index), width), np.nan)
    for place, (at, docno) in enumerate(zip(frame.topic_index, frame.docnos, strict=True)):
        chances[place] = own_chances.get((frame.topics[at], docno), np.nan)
    return chances


def build_machine_features(machines: Sequence[MachineInput]) -> PairFeatures | None:
    """Dummies of grades, or log odds of the steps' chances and the expected grade, of each machine;
    of several also the mean of their grades. None without machines.
    """
    if not machines:
        return None
    one = find_grade_penalty(len(machines))
    columns, penalties = list[Floats](), list[float]()
    for machine in machines:
        own = _list_columns(machine)
        columns += own
        penalties += [ONE_PENALTY if machine.chances is not None else one] * len(own)
    if len(machines) > 1:
        columns.append(_average_grades(machines))
        penalties.append(one)
    return PairFeatures(np.column_stack(columns), np.array(penalties))


def find_grade_penalty(number: int) -> float:
    """The ridge penalty of the grades of each of ``number`` machines."""
    return ONE_PENALTY if number == 1 else SEVERAL_PENALTY


def _list_columns(machine: MachineInput) -> list[Floats]:
    if machine.chances is not None:
        return _list_odds(machine.chances)
    values, counts = np.unique(machine.grades, return_counts=True)
    usual = values[counts.argmax()]
    return [(machine.grades == value).astype(float) for value in values if value != usual]


def _list_odds(chances: Floats) -> list[Floats]:
    missing: Mask = np.asarray(np.isnan(chances).any(axis=1), bool)
    known = np.where(missing[:, None], np.nanmean(chances, axis=0), chances)
    steps = np.cumsum(known[:, :0:-1], axis=1)[:, ::-1]
    bounded = np.clip(steps, LEAST_CHANCE, 1 - LEAST_CHANCE)
    odds = np.column_stack([np.log(bounded / (1 - bounded)), steps.sum(axis=1)])
    columns = list(standardize_columns(odds).T)
    return [*columns, missing.astype(float)] if missing.any() else columns


def _average_grades(machines: Sequence[MachineInput]) -> Floats:
    grades = np.array([machine.grades for machine in machines], np.float64)
    known: Mask = grades > NONE
    mean = np.where(known, grades, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    average: Floats = standardize_columns(mean[:, None])[:, 0]
    return average
