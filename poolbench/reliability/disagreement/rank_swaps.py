"""Rank-swap value: how much adjudicating one pair can change the run ranking."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.comparison.paired_values import TIE, Places
from poolbench.evaluation.judgments import Floats, Ints, Mask
from poolbench.reliability.disagreement.ballots import ABSENT, BallotTable, Grades
from poolbench.reliability.disagreement.panel import DisagreementPanel

CELLS = 1 << 21
"""Alternatives × run pairs in memory at once."""


@dataclass(frozen=True)
class RankSwapValue:
    """Effect of adjudicating a pair. ``grades`` are the votes, ascending; ``policy`` is the
    policy's grade, None if undecided.

    With the pair adjudicated as ``grade``, the vote with the largest effect, ``swaps`` run
    pairs change their order (a tie that appears or disappears is half a swap); ``closed`` is
    the largest share of a score gap that closes among the other run pairs, and ``shift`` the
    largest change of a run's score.
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
        """The rank-swap value: swaps plus the closed share of a gap."""
        return self.swaps + self.closed


@dataclass(frozen=True, eq=False)
class AlternativeGrades:
    """Alternative grades for disagreements of one topic: with ``grades[i]`` for the pair in
    ballot row ``rows[i]``, the runs score ``means[i]``.
    """

    topic: int
    rows: Ints
    grades: Ints
    means: Floats


@dataclass(frozen=True, eq=False)
class ScoreGaps:
    """Run pairs, the better run first, with all scores and the sign of each difference."""

    first: Places
    second: Places
    base: Floats
    signs: Floats


def rank_swap_values(
    panel: DisagreementPanel, between: tuple[int, int] | None = None
) -> list[RankSwapValue]:
    """Every disagreement, highest value first, ties by shift.

    ``between``: consider these two runs only, by index in the panel's tags. Empty without a
    disagreement or without two runs that have a score.
    """
    by_topic = panel.by_topic(panel.ballots.policy_grades)
    base = panel.better * panel.means(by_topic)
    gaps = score_gaps(base, between)
    if not len(gaps.first):
        return []
    values = [
        value
        for alternatives in iter_alternative_grades(panel, by_topic)
        for value in _best_values(panel, gaps, alternatives)
    ]
    return sorted(values, key=lambda v: (-v.value, -v.shift, v.topic, v.docno))


def score_gaps(base: Floats, between: tuple[int, int] | None) -> ScoreGaps:
    """All run pairs with scores, or the pair ``between``; higher ``base`` is better."""
    if between is None:
        scored = np.flatnonzero(~np.isnan(base))
        ordered = scored[np.argsort(-base[scored], kind="stable")]
    else:
        ordered = np.array(sorted(between, key=lambda run: -base[run]), np.intp)
        ordered = ordered if not np.isnan(base[ordered]).any() else ordered[:0]
    better, worse = np.triu_indices(len(ordered), 1)
    first, second = ordered[better], ordered[worse]
    return ScoreGaps(first, second, base, order_signs(base[None], first, second)[0])


def order_signs(means: Floats, first: Places, second: Places) -> Floats:
    """1 if the first run is better, -1 if the second is, 0 for a tie; sets × run pairs.

    Scores that differ only by numerical noise are tied, as in ``score_levels``.
    """
    scale = TIE * np.nanmax(np.abs(means), axis=1, initial=0.0)
    rounded = np.round(means / np.where(scale > 0, scale, 1.0)[:, None])
    signs: Floats = np.sign(rounded[:, first] - rounded[:, second])
    return signs


def iter_alternative_grades(
    panel: DisagreementPanel, by_topic: Floats
) -> Iterator[AlternativeGrades]:
    """By topic, every disagreement with each of its grades except the policy's.

    ``by_topic`` are the scores by the policy, topics × runs.
    """
    ballots = panel.ballots
    for at in range(len(ballots.topics)):
        rows = ballots.rows(at)
        alternatives = [
            (row, grade)
            for row in (
                rows.start + np.flatnonzero(select_unresolved_pairs(ballots)[rows])
            ).tolist()
            for grade in np.unique(ballots.votes[row]).tolist()
            if grade not in (ABSENT, ballots.policy_grades[row])
        ]
        if not alternatives:
            continue
        places, grades = np.array(alternatives, np.int64).T
        ways = np.repeat(ballots.policy_grades[None, rows], len(alternatives), axis=0)
        ways[np.arange(len(alternatives)), places - rows.start] = grades
        yield AlternativeGrades(at, places, grades, means_with_grades(panel, by_topic, at, ways))


def select_unresolved_pairs(ballots: BallotTable) -> Mask:
    """Disagreements without an adjudication, even one that the policy ignores."""
    return ballots.disagreements & ~ballots.adjudicated


def means_with_grades(
    panel: DisagreementPanel, by_topic: Floats, topic: int, ways: Grades
) -> Floats:
    """The runs' scores over all topics if ``topic`` has the grades of each of ``ways``."""
    scores = panel.score(topic, ways)
    means = np.empty(scores.shape)
    step = max(1, CELLS // max(1, by_topic.size))
    for start in range(0, len(scores), step):
        part = scores[start : start + step]
        table = np.repeat(by_topic[:, None, :], len(part), axis=1)
        table[topic] = part
        means[start : start + step] = panel.means(table)
    return means


def _best_values(
    panel: DisagreementPanel, gaps: ScoreGaps, alternatives: AlternativeGrades
) -> Iterator[RankSwapValue]:
    """The alternative with the largest effect, by pair."""
    ballots, after = panel.ballots, panel.better * alternatives.means
    swaps, closed = swap_effects(gaps, after)
    runs = np.unique(np.concatenate([gaps.first, gaps.second]))
    shift = np.nanmax(np.abs(after[:, runs] - gaps.base[runs]), axis=1, initial=0.0)
    order = np.lexsort((alternatives.grades, -shift, -(swaps + closed), alternatives.rows))
    best = order[np.unique(alternatives.rows[order], return_index=True)[1]]
    for at in best.tolist():
        row = int(alternatives.rows[at])
        votes = sorted(grade for grade in ballots.votes[row].tolist() if grade != ABSENT)
        policy = int(ballots.policy_grades[row])
        yield RankSwapValue(
            topic=ballots.topics[alternatives.topic],
            docno=ballots.pairs.docnos[row],
            grades=tuple(votes),
            policy=None if policy == ABSENT else policy,
            grade=int(alternatives.grades[at]),
            swaps=float(swaps[at]),
            closed=float(closed[at]),
            shift=float(shift[at]),
        )


def swap_effects(gaps: ScoreGaps, after: Floats) -> tuple[Floats, Floats]:
    """``(swaps, closed)`` of each row of ``after``, alternatives × runs, higher is better."""
    swaps, closed = np.zeros(len(after)), np.zeros(len(after))
    step = max(1, CELLS // len(gaps.first))
    for start in range(0, len(after), step):
        part = slice(start, start + step)
        now = order_signs(after[part], gaps.first, gaps.second)
        swaps[part] = np.nansum(np.abs(now - gaps.signs), axis=1) / 2
        closed[part] = _closed_share(gaps, after[part], now)
    return swaps, closed


def _closed_share(gaps: ScoreGaps, after: Floats, now: Floats) -> Floats:
    """The largest share of a gap that closes, among run pairs that keep their order."""
    before = gaps.base[gaps.first] - gaps.base[gaps.second]
    remaining = after[:, gaps.first] - after[:, gaps.second]
    same = (gaps.signs > 0) & (now == gaps.signs) & ~np.isnan(remaining)
    shares = np.divide(before - remaining, before, out=np.zeros(remaining.shape), where=same)
    closed: Floats = shares.max(axis=1, initial=0.0)
    return closed
