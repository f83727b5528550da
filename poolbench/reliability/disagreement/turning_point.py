"""Turning point: the disagreements whose adjudication would reverse the order of two runs."""

from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.judgments import Floats
from poolbench.reliability.disagreement.ballots import Grades
from poolbench.reliability.disagreement.panel import DisagreementPanel
from poolbench.reliability.disagreement.rank_swaps import (
    AlternativeGrades,
    iter_alternative_grades,
    order_signs,
)

NO_SCORE = "one of the two runs has no score"
NO_DISAGREEMENT = "there is no unresolved disagreement"


@dataclass(frozen=True)
class TurningStep:
    """A pair and the grade that helps the worse run most; ``gap`` is the remaining gap (better
    minus worse) after this and all previous steps.
    """

    topic: str
    docno: str
    grade: int
    gap: float


@dataclass(frozen=True)
class TurningPoint:
    """``better`` leads ``worse`` by ``gap`` under the policy. ``needed``: the number of
    ``steps`` that reverse the order; None if all of them do not.
    """

    better: str
    worse: str
    gap: float | None
    steps: tuple[TurningStep, ...]
    needed: int | None
    reason: str | None = None


def find_turning_point(panel: DisagreementPanel, between: tuple[int, int]) -> TurningPoint:
    """Adjudicate disagreements in favor of the worse run, most helpful first.

    The resulting number is sufficient: the runs are rescored with those grades. It is not
    necessarily minimal, since pairs of one topic may have a larger effect together.
    """
    by_topic = panel.by_topic(panel.ballots.policy_grades)
    means = panel.better * panel.means(by_topic)
    first, second = sorted(between, key=lambda run: -means[run])
    tags = panel.tags[first], panel.tags[second]
    if np.isnan(means[[first, second]]).any():
        return TurningPoint(*tags, None, (), None, NO_SCORE)
    gap = float(means[first] - means[second])
    order = _sort_by_gain(panel, by_topic, first, second, gap)
    if not len(order):
        return TurningPoint(*tags, gap, (), None, NO_DISAGREEMENT)
    after = panel.better * _cumulate_shifts(panel, by_topic, order)
    signs = order_signs(after, np.array([first]), np.array([second]))[:, 0]
    turned = np.flatnonzero(signs < 0)
    gaps = after[:, first] - after[:, second]
    topics, docnos = panel.ballots.topics, panel.ballots.pairs.docnos
    steps = tuple(
        TurningStep(topics[topic], docnos[row], grade, rest)
        for (topic, row, grade), rest in zip(order, gaps.tolist(), strict=True)
    )
    return TurningPoint(*tags, gap, steps, int(turned[0]) + 1 if len(turned) else None)


def _sort_by_gain(
    panel: DisagreementPanel, by_topic: Floats, first: int, second: int, gap: float
) -> list[tuple[int, int, int]]:
    """``(topic, row, grade)`` of each pair that helps the worse run, most helpful first."""
    candidates: list[tuple[float, int, int, int]] = []
    for each in iter_alternative_grades(panel, by_topic):
        means = panel.better * each.means
        helped = gap - (means[:, first] - means[:, second])
        candidates += _best(each, helped)
    return [row[1:] for row in sorted(candidates, key=lambda row: (-row[0], *row[1:]))]


def _best(alternatives: AlternativeGrades, helped: Floats) -> list[tuple[float, int, int, int]]:
    order = np.lexsort((alternatives.grades, -helped, alternatives.rows))
    best = order[np.unique(alternatives.rows[order], return_index=True)[1]]
    return [
        (
            float(helped[at]),
            alternatives.topic,
            int(alternatives.rows[at]),
            int(alternatives.grades[at]),
        )
        for at in best.tolist()
        if helped[at] > 0
    ]


def _cumulate_shifts(
    panel: DisagreementPanel, by_topic: Floats, order: list[tuple[int, int, int]]
) -> Floats:
    """The runs' scores after the first one, two, … steps of ``order``; steps × runs."""
    table = np.repeat(by_topic[:, None, :], len(order), axis=1)
    topics = np.array([topic for topic, _, _ in order], np.int64)
    for topic in np.unique(topics).tolist():
        mine = np.flatnonzero(topics == topic)
        scores = panel.score(topic, _ways(panel, topic, [order[at] for at in mine.tolist()]))
        applied = np.searchsorted(mine, np.arange(len(order)), side="right")
        for step in range(int(mine[0]), len(order)):
            table[topic, step] = scores[applied[step] - 1]
    return panel.means(table)


def _ways(panel: DisagreementPanel, topic: int, steps: list[tuple[int, int, int]]) -> Grades:
    """Grades of the topic after its first one, two, … ``steps``."""
    rows = panel.ballots.rows(topic)
    ways = np.repeat(panel.ballots.policy_grades[None, rows], len(steps), axis=0)
    for at, (_, row, grade) in enumerate(steps):
        ways[at:, row - rows.start] = grade
    return ways
