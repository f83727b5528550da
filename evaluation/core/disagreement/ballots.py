"""Who gave which grade to which pair, as arrays, and the qrels that can be made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.core.run_matrix import PairArray
from campaigns.core.tables import UNJUDGED, QrelsTable
from evaluation.core.judgments import Ints, Mask
from judging.core.policies import AUTOMATIC, RULES, PairBallot, QrelsPolicy, apply_policy

Grades = NDArray[np.int32]
Pair = tuple[str, str]

ABSENT = int(UNJUDGED)
"""Stands where a pair has no line in the qrels."""


@dataclass(frozen=True, eq=False)
class BallotTable:
    """One row a pair, in the order of topics and docnos by code point.

    ``given`` is pairs × assessors: what each said, ``ABSENT`` where nothing. ``heard`` is
    the same of those judgments alone that count for a policy: of people, 0 or more, and
    wanted by the plan. ``made`` is the grade of each pair by ``policy``, ABSENT where it has
    none. Rows of ``settled`` keep it whatever is resampled; ``adjudicated`` have been settled
    whether the policy hears it or not. ``reference``: grades that rankings are compared with
    instead of the policy's.
    """

    pairs: PairArray
    assessors: tuple[str, ...]
    machines: frozenset[str]
    given: Grades
    heard: Grades
    policy: QrelsPolicy
    made: Grades
    adjudicated: Mask
    reference: Grades | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def topics(self) -> tuple[str, ...]:
        return self.pairs.topics

    @property
    def base(self) -> Grades:
        """The grades that everything is compared with."""
        return self.made if self.reference is None else self.reference

    def rows(self, topic: int) -> slice:
        """The rows of the topic at that index."""
        return slice(int(self.pairs.starts[topic]), int(self.pairs.starts[topic + 1]))

    @cached_property
    def people(self) -> Ints:
        """The columns of the assessors that are people, and that a policy can hear."""
        heard = (self.heard != ABSENT).any(axis=0)
        return np.flatnonzero(heard).astype(np.int64)

    @cached_property
    def votes(self) -> Grades:
        """``heard`` of the people, pairs × people."""
        return self.heard[:, self.people]

    @property
    def settled(self) -> Mask:
        """Pairs with an adjudication that the policy hears."""
        return self.adjudicated & self.policy.adjudicated

    @cached_property
    def disputed(self) -> Mask:
        """Pairs that people gave different grades, but for those settled."""
        return (self.highest > self.lowest) & ~self.settled

    @cached_property
    def counts(self) -> Ints:
        """How many people judged each pair."""
        found: Ints = (self.votes != ABSENT).sum(axis=1)
        return found

    @cached_property
    def highest(self) -> Grades:
        """Union: the highest grade that a person gave, the policy's where none did."""
        return self._extreme(np.max, ABSENT)

    @cached_property
    def lowest(self) -> Grades:
        """Intersection: the lowest grade that a person gave, the policy's where none did."""
        return self._extreme(np.min, np.iinfo(np.int32).max)

    def own(self, assessor: int) -> Grades:
        """The assessor's own qrels: what they did not judge is not listed."""
        return self.given[:, assessor]

    def own_else(self, assessor: int) -> Grades:
        """The assessor's grade where there is one, else the policy's."""
        own = self.given[:, assessor]
        filled: Grades = np.where(own != ABSENT, own, self.made)
        return filled

    def resampled(self, drawn: Ints, rows: slice) -> Grades:
        """Grades of ``rows`` when each person counts ``drawn`` times; draws × rows.

        ``drawn`` is draws × people. A pair that is not disputed keeps its grade, and so does
        one that nobody drawn has judged.
        """
        grades = np.repeat(self.made[None, rows], len(drawn), axis=0)
        moving = np.flatnonzero(self.disputed[rows])
        votes = self.votes[rows][moving]
        levels = [int(level) for level in np.unique(votes) if level != ABSENT]
        tally = [drawn @ (votes == level).T.astype(np.int64) for level in levels]
        if len(moving):
            grades[:, moving] = self._decided(np.stack(tally, axis=-1), levels, grades[:, moving])
        return grades

    def _decided(self, tally: Ints, levels: Sequence[int], kept: Grades) -> Grades:
        """The policy on how often each of ``levels`` was given; ``kept`` where never any."""
        flat = tally.reshape(-1, len(levels))
        first, of = distinct_rows(flat)
        found = np.array([self._grade(levels, kind) for kind in flat[first].tolist()], np.int64)
        decided: Grades = found[of].reshape(kept.shape).astype(np.int32)
        return np.where(tally.any(axis=-1), decided, kept)

    def _grade(self, levels: Sequence[int], times: Sequence[int]) -> int:
        grades = [grade for grade, n in zip(levels, times, strict=True) for _ in range(n)]
        found = RULES[self.policy.rule].decide(grades) if grades else None
        return ABSENT if found is None else found

    def _extreme(self, of: Callable[..., Grades], nothing: int) -> Grades:
        if not len(self.people):
            return self.made
        found = of(np.where(self.votes == ABSENT, nothing, self.votes), axis=1)
        extreme: Grades = np.where(found == nothing, self.made, found).astype(np.int32)
        return extreme


def distinct_rows(rows: Ints) -> tuple[Ints, Ints]:
    """``(first, of)``: a row of each kind, and which kind each row is. Column by column, which
    is far quicker than comparing rows.
    """
    of = np.zeros(len(rows), np.int64)
    first = of[:1]
    for column in rows.T:
        _, first, of = np.unique(
            of * (int(column.max(initial=0)) + 1) + column, return_index=True, return_inverse=True
        )
    return first, of


def build_ballots(
    said: Iterable[PairBallot], policy: QrelsPolicy, reference: Mapping[Pair, int] | None = None
) -> BallotTable:
    """``said`` has one ballot a pair, in any order. Automatic assessors are named
    ``automatic:NAME``. Pairs of ``reference`` that nobody judged are rows too.
    """
    by_pair = {ballot.pair: ballot for ballot in said}
    pairs = sorted({*by_pair, *(reference or ())})
    place = {pair: row for row, pair in enumerate(pairs)}
    people = sorted({name for b in by_pair.values() for name in (*b.people, *b.extra)})
    machines = sorted({AUTOMATIC + name for b in by_pair.values() for name in b.automatic})
    assessors = (*people, *machines)
    given, heard = _tables(by_pair, place, assessors)
    made = np.full(len(pairs), ABSENT, np.int32)
    for topic, docno, grade in apply_policy(policy, by_pair.values())[0]:
        made[place[topic, docno]] = grade
    adjudicated = np.zeros(len(pairs), np.bool_)
    adjudicated[[place[p] for p, b in by_pair.items() if b.adjudicated is not None]] = True
    return BallotTable(
        pairs=PairArray.from_pairs(pairs),
        assessors=assessors,
        machines=frozenset(machines),
        given=given,
        heard=heard,
        policy=policy,
        made=made,
        adjudicated=adjudicated,
        reference=None
        if reference is None
        else np.array([reference.get(pair, ABSENT) for pair in pairs], np.int32),
    )


def _tables(
    by_pair: Mapping[Pair, PairBallot], place: Mapping[Pair, int], assessors: Sequence[str]
) -> tuple[Grades, Grades]:
    """``(given, heard)``."""
    column = {name: at for at, name in enumerate(assessors)}
    given, heard = np.full((2, len(place), len(assessors)), ABSENT, np.int32)
    for pair, ballot in by_pair.items():
        row = place[pair]
        for name, grade in (*ballot.extra.items(), *ballot.people.items()):
            given[row, column[name]] = grade
        for name, grade in ballot.people.items():
            heard[row, column[name]] = grade if grade >= 0 else ABSENT
        for name, grade in ballot.automatic.items():
            given[row, column[AUTOMATIC + name]] = grade
    return given, heard


def build_ballots_from_qrels(tables: Mapping[str, QrelsTable]) -> list[PairBallot]:
    """One qrels table an assessor, by name."""
    said: dict[Pair, dict[str, int]] = {}
    for name, table in tables.items():
        for pair, grade in qrels_to_grades(table).items():
            said.setdefault(pair, {})[name] = grade
    return [PairBallot(*pair, people=grades) for pair, grades in said.items()]


def qrels_to_grades(table: QrelsTable) -> dict[Pair, int]:
    """The grade of each pair of ``table``."""
    return {
        (topic, docno): grade
        for at, topic in enumerate(table.topics)
        for docno, grade in zip(
            table.docnos[table.rows(at)], table.grades[table.rows(at)].tolist(), strict=True
        )
    }
