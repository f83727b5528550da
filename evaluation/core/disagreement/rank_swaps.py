"""Rank-swap value: how far settling one pair can move the ranking of the runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluation.core.comparison.estimate import TIE, Places
from evaluation.core.disagreement.ballots import ABSENT, BallotTable, Grades
from evaluation.core.disagreement.panel import DisagreementPanel
from evaluation.core.judgments import Floats, Ints, Mask

CELLS = 1 << 21
"""Alternatives × pairs of runs held at once."""


@dataclass(frozen=True)
class RankSwapValue:
    """What settling a pair can do. ``grades`` are those given, ascending; ``policy`` the
    grade by the policy, None where it cannot decide.

    ``swaps`` pairs of runs change their order (a tie that comes or goes is half a swap) and
    ``closed`` is the largest share of a gap between two runs that goes, of those that keep
    their order, when the pair is settled with ``grade``: the one of the grades given that
    does most. ``shift`` is the largest change of any run's score then.
    """

    topic: str
    docno: str
    grades: tuple[int, ...]
    policy: int | None
    grade: int
    swaps: float
    closed: float
    shift: float

    @property
    def value(self) -> float:
        """The rank-swap value: swaps, and the share of a gap as a fraction of one more."""
        return self.swaps + self.closed


@dataclass(frozen=True, eq=False)
class AlternativeGrades:
    """Other grades of disputed pairs of one topic, one a row: pair ``rows[i]`` of the ballots
    gets ``grades[i]``, and then the runs have ``means[i]``.
    """

    topic: int
    rows: Ints
    grades: Ints
    means: Floats


@dataclass(frozen=True, eq=False)
class ScoreGaps:
    """The pairs of runs that are looked at, the better one first, and how far they are apart."""

    first: Places
    second: Places
    base: Floats
    apart: Floats


def rank_swap_values(
    panel: DisagreementPanel, between: tuple[int, int] | None = None
) -> list[RankSwapValue]:
    """Every disputed pair, the most valuable first; of equal value those that shift more.

    ``between``: look at these two runs only, by their places in the panel's tags. Empty
    where there is no dispute or no two runs with a score.
    """
    by_topic = panel.by_topic(panel.ballots.made)
    base = panel.better * panel.means(by_topic)
    gaps = score_gaps(base, between)
    if not len(gaps.first):
        return []
    found = [
        value
        for alternatives in iter_alternative_grades(panel, by_topic)
        for value in _valued(panel, gaps, alternatives)
    ]
    return sorted(found, key=lambda v: (-v.value, -v.shift, v.topic, v.docno))


def score_gaps(base: Floats, between: tuple[int, int] | None) -> ScoreGaps:
    """All pairs of runs with a score, or the two of ``between``; ``base``: higher is better."""
    if between is None:
        known = np.flatnonzero(~np.isnan(base))
        ordered = known[np.argsort(-base[known], kind="stable")]
    else:
        ordered = np.array(sorted(between, key=lambda run: -base[run]), np.intp)
        ordered = ordered if not np.isnan(base[ordered]).any() else ordered[:0]
    one, two = np.triu_indices(len(ordered), 1)
    first, second = ordered[one], ordered[two]
    return ScoreGaps(first, second, base, order_signs(base[None], first, second)[0])


def order_signs(means: Floats, first: Places, second: Places) -> Floats:
    """1 where the first run is better, -1 where the second is, 0 for a tie; sets × pairs.

    Scores apart by noise alone are tied, as in ``rank_correlation.levels``.
    """
    scale = TIE * np.nanmax(np.abs(means), axis=1, initial=0.0)
    rounded = np.round(means / np.where(scale > 0, scale, 1.0)[:, None])
    apart: Floats = np.sign(rounded[:, first] - rounded[:, second])
    return apart


def iter_alternative_grades(
    panel: DisagreementPanel, by_topic: Floats
) -> Iterator[AlternativeGrades]:
    """By topic every disputed pair with each grade given that is not the policy's.

    ``by_topic`` are the scores by the policy, topics × runs.
    """
    ballots = panel.ballots
    for at in range(len(ballots.topics)):
        rows = ballots.rows(at)
        asked = [
            (row, grade)
            for row in (
                rows.start + np.flatnonzero(select_unresolved_pairs(ballots)[rows])
            ).tolist()
            for grade in np.unique(ballots.votes[row]).tolist()
            if grade not in (ABSENT, ballots.made[row])
        ]
        if not asked:
            continue
        places, grades = np.array(asked, np.int64).T
        ways = np.repeat(ballots.made[None, rows], len(asked), axis=0)
        ways[np.arange(len(asked)), places - rows.start] = grades
        yield AlternativeGrades(at, places, grades, means_with_grades(panel, by_topic, at, ways))


def select_unresolved_pairs(ballots: BallotTable) -> Mask:
    """Disputed pairs without an adjudication, whether the policy would hear it or not."""
    return ballots.disputed & ~ballots.adjudicated


def means_with_grades(
    panel: DisagreementPanel, by_topic: Floats, topic: int, ways: Grades
) -> Floats:
    """The runs' figures over all topics when ``topic`` has the grades of each of ``ways``."""
    scores = panel.score(topic, ways)
    means = np.empty(scores.shape)
    step = max(1, CELLS // max(1, by_topic.size))
    for start in range(0, len(scores), step):
        part = scores[start : start + step]
        table = np.repeat(by_topic[:, None, :], len(part), axis=1)
        table[topic] = part
        means[start : start + step] = panel.means(table)
    return means


def _valued(
    panel: DisagreementPanel, gaps: ScoreGaps, found: AlternativeGrades
) -> Iterator[RankSwapValue]:
    """The best alternative of each pair."""
    after = panel.better * found.means
    swaps, closed = swap_effects(gaps, after)
    runs = np.unique(np.concatenate([gaps.first, gaps.second]))
    shift = np.nanmax(np.abs(after[:, runs] - gaps.base[runs]), axis=1, initial=0.0)
    order = np.lexsort((found.grades, -shift, -(swaps + closed), found.rows))
    kept = order[np.unique(found.rows[order], return_index=True)[1]]
    for at in kept.tolist():
        yield _pair_value(panel, found, at, (swaps[at], closed[at], shift[at]))


def _pair_value(
    panel: DisagreementPanel, found: AlternativeGrades, at: int, did: tuple[float, float, float]
) -> RankSwapValue:
    ballots, row = panel.ballots, int(found.rows[at])
    votes = sorted(grade for grade in ballots.votes[row].tolist() if grade != ABSENT)
    policy = int(ballots.made[row])
    return RankSwapValue(
        topic=ballots.topics[found.topic],
        docno=ballots.pairs.docnos[row],
        grades=tuple(votes),
        policy=None if policy == ABSENT else policy,
        grade=int(found.grades[at]),
        swaps=float(did[0]),
        closed=float(did[1]),
        shift=float(did[2]),
    )


def swap_effects(gaps: ScoreGaps, after: Floats) -> tuple[Floats, Floats]:
    """``(swaps, closed)`` of each row of ``after``, alternatives × runs, higher is better."""
    swaps, closed = np.zeros(len(after)), np.zeros(len(after))
    step = max(1, CELLS // len(gaps.first))
    for start in range(0, len(after), step):
        part = slice(start, start + step)
        now = order_signs(after[part], gaps.first, gaps.second)
        swaps[part] = np.nansum(np.abs(now - gaps.apart), axis=1) / 2
        closed[part] = _closed(gaps, after[part], now)
    return swaps, closed


def _closed(gaps: ScoreGaps, after: Floats, now: Floats) -> Floats:
    """The largest share of a gap that is gone, among pairs of runs in the order they had."""
    before = gaps.base[gaps.first] - gaps.base[gaps.second]
    left = after[:, gaps.first] - after[:, gaps.second]
    same = (gaps.apart > 0) & (now == gaps.apart) & ~np.isnan(left)
    shares = np.divide(before - left, before, out=np.zeros(left.shape), where=same)
    closed: Floats = shares.max(axis=1, initial=0.0)
    return closed
