"""Grades by pair and assessor, as arrays, and the qrels that follow from them."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.judgments import Ints, Mask
from poolbench.judging.pair_ballots import PairBallots, collect_pair_ballots, decide_ballots
from poolbench.judging.policies import AUTOMATIC, PairBallot, QrelsPolicy
from poolbench.judging.policy_rules import RULES
from poolbench.pooling.run_listing import pack_docnos
from poolbench.reading.reader import DocnoArray
from poolbench.runs.run_matrix import PairArray
from poolbench.runs.tables import UNJUDGED, PairTable, QrelsTable, group_starts

Grades = NDArray[np.int32]
Pair = tuple[str, str]

ABSENT = int(UNJUDGED)
"""The grade of a pair without a line in the qrels."""


class JointPolicyError(ValueError):
    """A policy that decides all pairs together, where grades are resampled pair by pair."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} decides all pairs together and cannot be resampled pair by pair. Choose a "
            "policy that decides each pair by itself, such as majority."
        )


@dataclass(frozen=True, eq=False)
class BallotTable:
    """One row per pair, ordered by topic and docno by code point.

    ``judgments`` is pairs × assessors, ``ABSENT`` where an assessor has none, without third
    judgments: on those pairs an assessor's own qrels would be selected by disagreement.
    ``eligible`` has the judgments that count for a policy: by people, of grade 0 or higher, and
    part of the plan, third ones included. ``policy_grades`` is the grade of each pair by
    ``policy``, ABSENT if undecided.
    ``final`` pairs keep it under resampling; ``adjudicated`` includes pairs whose adjudication
    the policy ignores. ``reference``: grades to compare rankings with instead of the policy's.
    """

    pairs: PairArray
    assessors: tuple[str, ...]
    automatic: frozenset[str]
    judgments: Grades
    eligible: Grades
    policy: QrelsPolicy
    policy_grades: Grades
    adjudicated: Mask
    reference: Grades | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def topics(self) -> tuple[str, ...]:
        return self.pairs.topics

    @property
    def base(self) -> Grades:
        """The grades that all others are compared with."""
        return self.policy_grades if self.reference is None else self.reference

    def rows(self, topic: int) -> slice:
        """The rows of the topic at that index."""
        return slice(int(self.pairs.starts[topic]), int(self.pairs.starts[topic + 1]))

    def has_any(self, rows: Mask) -> Mask:
        """By topic, whether any of its rows is in ``rows``."""
        before = np.concatenate([[0], np.cumsum(rows)])[self.pairs.starts]
        return np.asarray(np.diff(before) > 0)

    @cached_property
    def people(self) -> Ints:
        """The columns of the human assessors with an eligible judgment."""
        has_judged = (self.eligible != ABSENT).any(axis=0)
        return np.flatnonzero(has_judged).astype(np.int64)

    @cached_property
    def votes(self) -> Grades:
        """``eligible`` of the human assessors, pairs × people."""
        return self.eligible[:, self.people]

    @property
    def final(self) -> Mask:
        """Pairs with an adjudication that the policy uses."""
        return self.adjudicated & self.policy.adjudicated

    @cached_property
    def disagreements(self) -> Mask:
        """Pairs with different human grades, except final ones."""
        return (self.highest > self.lowest) & ~self.final

    @cached_property
    def counts(self) -> Ints:
        """The number of people who judged each pair."""
        counts: Ints = (self.votes != ABSENT).sum(axis=1)
        return counts

    @cached_property
    def highest(self) -> Grades:
        """Union: the highest human grade, or the policy's without one."""
        return self._extreme(np.max, ABSENT)

    @cached_property
    def lowest(self) -> Grades:
        """Intersection: the lowest human grade, or the policy's without one."""
        return self._extreme(np.min, np.iinfo(np.int32).max)

    def own(self, assessor: int) -> Grades:
        """The assessor's own qrels, ABSENT for unjudged pairs."""
        return self.judgments[:, assessor]

    def own_or_policy(self, assessor: int) -> Grades:
        """The assessor's grade, or the policy's without one."""
        own = self.judgments[:, assessor]
        filled: Grades = np.where(own != ABSENT, own, self.policy_grades)
        return filled

    def resample_grades(self, multiplicities: Ints, rows: slice) -> Grades:
        """Grades of ``rows`` if each person counts ``multiplicities`` times; draws × rows.

        ``multiplicities`` is draws × people. A pair without disagreement keeps its grade, as
        does a pair that none of the drawn people has judged.
        """
        grades = np.repeat(self.policy_grades[None, rows], len(multiplicities), axis=0)
        moving = np.flatnonzero(self.disagreements[rows])
        votes = self.votes[rows][moving]
        levels = [int(level) for level in np.unique(votes) if level != ABSENT]
        tally = [multiplicities @ (votes == level).T.astype(np.int64) for level in levels]
        if len(moving):
            grades[:, moving] = self._apply_policy(
                np.stack(tally, axis=-1), levels, grades[:, moving]
            )
        return grades

    def _apply_policy(self, tally: Ints, levels: Sequence[int], fallback: Grades) -> Grades:
        """The policy on the votes per grade of ``levels``; ``fallback`` without votes."""
        flat = tally.reshape(-1, len(levels))
        first, kinds = distinct_rows(flat)
        grades = np.array([self._grade(levels, kind) for kind in flat[first].tolist()], np.int64)
        decided: Grades = grades[kinds].reshape(fallback.shape).astype(np.int32)
        return np.where(tally.any(axis=-1), decided, fallback)

    def _grade(self, levels: Sequence[int], times: Sequence[int]) -> int:
        grades = [grade for grade, n in zip(levels, times, strict=True) for _ in range(n)]
        decision = RULES[self.policy.rule].decide(grades) if grades else None
        return ABSENT if decision is None else decision

    def _extreme(self, reduce: Callable[..., Grades], nothing: int) -> Grades:
        if not len(self.people):
            return self.policy_grades
        extremes = reduce(np.where(self.votes == ABSENT, nothing, self.votes), axis=1)
        extreme: Grades = np.where(extremes == nothing, self.policy_grades, extremes).astype(
            np.int32
        )
        return extreme


def distinct_rows(rows: Ints) -> tuple[Ints, Ints]:
    """``(first, kinds)``: the index of one row of each kind, and the kind of each row.

    Computed column by column, which is much faster than comparing rows.
    """
    kinds = np.zeros(len(rows), np.int64)
    first = kinds[:1]
    for column in rows.T:
        _, first, kinds = np.unique(
            kinds * (int(column.max(initial=0)) + 1) + column,
            return_index=True,
            return_inverse=True,
        )
    return first, kinds


def build_ballots(
    ballots: PairBallots | Iterable[PairBallot],
    policy: QrelsPolicy,
    reference: Mapping[Pair, int] | None = None,
) -> BallotTable:
    """``ballots`` has one ballot per pair, in any order. Automatic assessors are named
    ``automatic:NAME``. Unjudged pairs of ``reference`` get rows too. Raises ``JointPolicyError``
    for a policy that decides all pairs together.
    """
    if policy.crowd is not None:
        raise JointPolicyError(policy.name)
    cast = ballots if isinstance(ballots, PairBallots) else collect_pair_ballots(ballots)
    pairs = sorted({*cast.pairs, *reference}) if reference else list(cast.pairs)
    kind = cast.kind
    if reference:
        place = {pair: row for row, pair in enumerate(pairs)}
        # Pairs of the reference alone have an empty ballot.
        kind = np.full(len(pairs), len(cast.kinds), np.int64)
        kind[[place[pair] for pair in cast.pairs]] = cast.kind
    kinds = [*cast.kinds, PairBallot("", "")]
    people = sorted({name for b in kinds for name in (*b.people, *b.extra)})
    automatic = sorted({AUTOMATIC + name for b in kinds for name in b.automatic})
    assessors = (*people, *automatic)
    judgments, eligible = _fill_tables(kinds, assessors)
    grades = decide_ballots(policy, PairBallots(pairs, kinds, kind)).grades
    policy_grades = np.array([ABSENT if grade is None else grade for grade in grades], np.int32)
    adjudicated = np.array([ballot.adjudicated is not None for ballot in kinds], np.bool_)
    return BallotTable(
        pairs=PairArray.from_pairs(pairs),
        assessors=assessors,
        automatic=frozenset(automatic),
        judgments=judgments[kind],
        eligible=eligible[kind],
        policy=policy,
        policy_grades=policy_grades[kind],
        adjudicated=adjudicated[kind],
        reference=None
        if reference is None
        else np.array([reference.get(pair, ABSENT) for pair in pairs], np.int32),
    )


def add_unjudged_pairs(ballots: BallotTable, others: PairTable) -> BallotTable:
    """``ballots`` with rows for ``others``, docnos ascending, where they have none: for draws of
    their grades, for which the policy's are all that is kept of the judgments.
    """
    parts, sources, sizes = list[DocnoArray](), list[Ints](), list[int]()
    topics = sorted({*ballots.topics, *others.topics})
    for topic in topics:
        own, other = _find_rows(ballots.pairs, topic), _find_rows(others, topic)
        docnos = pack_docnos([ballots.pairs.docnos.take(own), others.docnos.take(other)])
        # Of a pair in both the row of ``ballots``, which comes first.
        _, first = np.unique(docnos.ranks(), return_index=True)
        judged = own.stop - own.start
        parts.append(docnos.take(first))
        sources.append(np.where(first < judged, own.start + first, -1))
        sizes.append(len(first))
    source = np.concatenate([np.empty(0, np.int64), *sources])
    judged_rows, nothing = source >= 0, np.empty((len(source), 0), np.int32)
    grades = np.full(len(source), ABSENT, np.int32)
    grades[judged_rows] = ballots.policy_grades[source[judged_rows]]
    adjudicated = np.zeros(len(source), np.bool_)
    adjudicated[judged_rows] = ballots.adjudicated[source[judged_rows]]
    return replace(
        ballots,
        pairs=PairArray(tuple(topics), group_starts(sizes), pack_docnos(parts)),
        assessors=(),
        automatic=frozenset(),
        judgments=nothing,
        eligible=nothing,
        policy_grades=grades,
        adjudicated=adjudicated,
    )


def _find_rows(table: PairTable, topic: str) -> slice:
    """The rows of the topic; none if it has none. Topics ascend."""
    at = bisect_left(table.topics, topic)
    if table.topics[at : at + 1] != (topic,):
        return slice(0, 0)
    return slice(int(table.starts[at]), int(table.starts[at + 1]))


def _fill_tables(ballots: Sequence[PairBallot], assessors: Sequence[str]) -> tuple[Grades, Grades]:
    """``(judgments, eligible)``, both ballots × assessors."""
    column = {name: at for at, name in enumerate(assessors)}
    judgments, eligible = np.full((2, len(ballots), len(assessors)), ABSENT, np.int32)
    for row, ballot in enumerate(ballots):
        for name, grade in (*ballot.extra.items(), *ballot.people.items()):
            if name not in ballot.third:
                judgments[row, column[name]] = grade
        for name, grade in ballot.people.items():
            eligible[row, column[name]] = grade if grade >= 0 else ABSENT
        for name, grade in ballot.automatic.items():
            judgments[row, column[AUTOMATIC + name]] = grade
    return judgments, eligible


def build_ballots_from_qrels(tables: Mapping[str, QrelsTable]) -> list[PairBallot]:
    """One qrels table per assessor, by name."""
    judgments: dict[Pair, dict[str, int]] = {}
    for name, table in tables.items():
        for pair, grade in table.by_pair().items():
            judgments.setdefault(pair, {})[name] = grade
    return [PairBallot(*pair, people=grades) for pair, grades in judgments.items()]
