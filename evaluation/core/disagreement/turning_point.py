"""Which disputed pairs, settled one way, would put the worse of two runs above the better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.core.disagreement.ballots import Grades
from evaluation.core.disagreement.panel import DisagreementPanel
from evaluation.core.disagreement.rank_swaps import (
    AlternativeGrades,
    iter_alternative_grades,
    order_signs,
)
from evaluation.core.judgments import Floats

NO_SCORE = "one of the two runs has no score"
NO_DISPUTE = "no pair has different grades that nobody has settled"


@dataclass(frozen=True)
class TurningStep:
    """A pair and the grade that helps the worse run most; ``gap`` is what is left of the gap
    (better minus worse) when it and all before it are settled so.
    """

    topic: str
    docno: str
    grade: int
    gap: float


@dataclass(frozen=True)
class TurningPoint:
    """``better`` leads ``worse`` by ``gap`` under the policy. ``needed``: after how many of
    ``steps`` the order has turned; None where it does not turn with all of them.
    """

    better: str
    worse: str
    gap: float | None
    steps: tuple[TurningStep, ...]
    needed: int | None
    reason: str | None = None


def find_turning_point(panel: DisagreementPanel, between: tuple[int, int]) -> TurningPoint:
    """Settle disputed pairs for the worse run, those first that help it most by themselves.

    A number found does suffice: the runs are scored again with those grades. No smaller
    one is promised, since pairs of one topic may do more together than each alone.
    """
    by_topic = panel.by_topic(panel.ballots.made)
    means = panel.better * panel.means(by_topic)
    first, second = sorted(between, key=lambda run: -means[run])
    tags = panel.tags[first], panel.tags[second]
    if np.isnan(means[[first, second]]).any():
        return TurningPoint(*tags, None, (), None, NO_SCORE)
    gap = float(means[first] - means[second])
    order = _sort_by_gain(panel, by_topic, first, second, gap)
    if not len(order):
        return TurningPoint(*tags, gap, (), None, NO_DISPUTE)
    after = panel.better * _cumulate_shifts(panel, by_topic, order)
    apart = order_signs(after, np.array([first]), np.array([second]))[:, 0]
    turned = np.flatnonzero(apart < 0)
    gaps = after[:, first] - after[:, second]
    steps = tuple(_step(panel, *row, left) for row, left in zip(order, gaps.tolist(), strict=True))
    return TurningPoint(*tags, gap, steps, int(turned[0]) + 1 if len(turned) else None)


def _sort_by_gain(
    panel: DisagreementPanel, by_topic: Floats, first: int, second: int, gap: float
) -> list[tuple[int, int, int]]:
    """``(topic, row, grade)`` of each pair that helps the worse run, most helpful first."""
    found: list[tuple[float, int, int, int]] = []
    for each in iter_alternative_grades(panel, by_topic):
        means = panel.better * each.means
        helped = gap - (means[:, first] - means[:, second])
        found += _best(each, helped)
    return [row[1:] for row in sorted(found, key=lambda row: (-row[0], *row[1:]))]


def _best(found: AlternativeGrades, helped: Floats) -> list[tuple[float, int, int, int]]:
    order = np.lexsort((found.grades, -helped, found.rows))
    kept = order[np.unique(found.rows[order], return_index=True)[1]]
    return [
        (float(helped[at]), found.topic, int(found.rows[at]), int(found.grades[at]))
        for at in kept.tolist()
        if helped[at] > 0
    ]


def _cumulate_shifts(
    panel: DisagreementPanel, by_topic: Floats, order: list[tuple[int, int, int]]
) -> Floats:
    """The runs' figures after the first one, two, … of ``order``; steps × runs."""
    table = np.repeat(by_topic[:, None, :], len(order), axis=1)
    of_step = np.array([topic for topic, _, _ in order], np.int64)
    for topic in np.unique(of_step).tolist():
        mine = np.flatnonzero(of_step == topic)
        scores = panel.score(topic, _ways(panel, topic, [order[at] for at in mine.tolist()]))
        settled = np.searchsorted(mine, np.arange(len(order)), side="right")
        for step in range(int(mine[0]), len(order)):
            table[topic, step] = scores[settled[step] - 1]
    return panel.means(table)


def _ways(panel: DisagreementPanel, topic: int, steps: list[tuple[int, int, int]]) -> Grades:
    """Grades of the topic after its first one, two, … of ``steps``."""
    rows = panel.ballots.rows(topic)
    ways = np.repeat(panel.ballots.made[None, rows], len(steps), axis=0)
    for at, (_, row, grade) in enumerate(steps):
        ways[at:, row - rows.start] = grade
    return ways


def _step(panel: DisagreementPanel, topic: int, row: int, grade: int, gap: float) -> TurningStep:
    ballots = panel.ballots
    return TurningStep(ballots.topics[topic], ballots.pairs.docnos[row], grade, gap)
