"""What each assessor has done before alarms can say anything: counts, and nothing concluded."""

from dataclasses import dataclass

import numpy as np

from poolbench.judging.today.situation import Ints, WorkLog


@dataclass(frozen=True)
class AssessorToday:
    """``judged`` documents, ``lowest`` of them with the lowest grade of the scale. ``seconds`` is
    the median time of the ``timed`` ones, None without any. Of ``shared`` comparisons with another
    assessor's grade of the same document, ``same`` agree.
    """

    name: str
    judged: int
    lowest: int
    seconds: float | None
    timed: int
    shared: int
    same: int


def describe_assessors(log: WorkLog) -> tuple[AssessorToday, ...]:
    """By name. Third judgments are left out of comparisons: they exist because others differ."""
    shared, same = count_comparisons(log)
    rows = []
    for at, name in enumerate(log.assessors):
        own = log.assessor == at
        seconds = log.seconds[own]
        timed = seconds[~np.isnan(seconds)]
        rows.append(
            AssessorToday(
                name,
                judged=int(own.sum()),
                lowest=int((log.grade[own] == 0).sum()),
                seconds=float(np.median(timed)) if len(timed) else None,
                timed=len(timed),
                shared=int(shared[own].sum()),
                same=int(same[own].sum()),
            )
        )
    return tuple(sorted((row for row in rows if row.judged), key=lambda row: row.name))


def count_comparisons(log: WorkLog) -> tuple[Ints, Ints]:
    """For each row of ``log``, the other judgments of its pair and those of them with the same
    grade; 0 for third judgments, which are not counted with the others either.
    """
    planned = ~log.third
    pairs, grades = log.pair[planned], log.grade[planned]
    shared, same = np.zeros(len(log), np.int64), np.zeros(len(log), np.int64)
    _, pair, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    graded = np.stack((pair, grades), axis=1)
    _, both, equal = np.unique(graded, axis=0, return_inverse=True, return_counts=True)
    shared[planned], same[planned] = counts[pair] - 1, equal[both.reshape(-1)] - 1
    return shared, same
