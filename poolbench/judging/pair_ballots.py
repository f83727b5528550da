"""All ballots of a campaign at once. Many pairs share few distinct ballots, so a policy decides
each distinct one, not each pair.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolbench.judging.policies import PairBallot, QrelsPolicy, Row, decide_pairs

Pair = tuple[str, str]
Ints = NDArray[np.int64]
Grades = tuple[tuple[str, int], ...]
Key = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class PairBallots:
    """``pairs`` (topic, docno), ascending; ``kinds``: the distinct ballots, without a pair;
    ``kind``: by pair, a place in ``kinds``.
    """

    pairs: Sequence[Pair]
    kinds: Sequence[PairBallot]
    kind: Ints

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def counts(self) -> list[int]:
        """The number of pairs of each kind."""
        counts: list[int] = np.bincount(self.kind, minlength=len(self.kinds)).tolist()
        return counts

    def list_ballots(self) -> list[PairBallot]:
        return self.list_ballots_at(range(len(self.pairs)))

    @cached_property
    def kind_by_pair(self) -> dict[Pair, int]:
        return dict(zip(self.pairs, self.kind.tolist(), strict=True))

    @property
    def extras(self) -> int:
        """The number of judgments beyond the plan."""
        rows = zip(self.kinds, self.counts, strict=True)
        return sum(len(each.extra) * n for each, n in rows if not each.propagated_from)

    @cached_property
    def disagreeing(self) -> list[PairBallot]:
        """The ballots of the pairs whose assessors gave different grades."""
        kinds = np.array([ballot.disagree for ballot in self.kinds], np.bool_)
        return self.list_ballots_at(np.flatnonzero(kinds[self.kind]).tolist())

    def list_ballots_at(self, places: Sequence[int]) -> list[PairBallot]:
        kinds, kind, pairs = self.kinds, self.kind.tolist(), self.pairs
        return [replace_pair(kinds[kind[at]], pairs[at]) for at in places]

    def select_topics(self, topics: Collection[str]) -> "PairBallots":
        """The pairs of ``topics``."""
        names = frozenset(topics)
        return self._select(lambda pair: pair[0] in names)

    def omit_topics(self, topics: Collection[str]) -> "PairBallots":
        """The pairs of the other topics."""
        hidden = frozenset(topics)
        return self._select(lambda pair: pair[0] not in hidden) if hidden else self

    def omit_propagated(self) -> "PairBallots":
        """The pairs that people have judged, without those that others were judged for."""
        judged = np.array([not ballot.propagated_from for ballot in self.kinds], np.bool_)
        if judged.all():
            return self
        places = np.flatnonzero(judged[self.kind]).tolist()
        return PairBallots([self.pairs[at] for at in places], self.kinds, self.kind[places])

    def omit_pairs(self, pairs: Collection[Pair]) -> "PairBallots":
        """The other pairs."""
        return self._select(lambda pair: pair not in pairs) if pairs else self

    def _select(self, is_kept: Callable[[Pair], bool]) -> "PairBallots":
        places = [at for at, pair in enumerate(self.pairs) if is_kept(pair)]
        if len(places) == len(self.pairs):
            return self
        return PairBallots([self.pairs[at] for at in places], self.kinds, self.kind[places])


def collect_pair_ballots(ballots: Iterable[PairBallot]) -> PairBallots:
    """``ballots``, in any order; of several of a pair the last."""
    by_pair = {ballot.pair: ballot for ballot in ballots}
    pairs = sorted(by_pair)
    return PairBallots(pairs, [by_pair[pair] for pair in pairs], np.arange(len(pairs)))


def replace_pair(ballot: PairBallot, pair: Pair) -> PairBallot:
    """The same judgments of another pair."""
    return PairBallot(
        *pair,
        ballot.people,
        ballot.extra,
        ballot.adjudicated,
        ballot.automatic,
        ballot.third,
        ballot.propagated_from,
    )


@dataclass(frozen=True, eq=False)
class BallotsOutcome:
    """The grades of ``ballots`` under a policy that decides pair by pair: by kind of ballot
    ``grades``, None where there is none, and whether it is ``unclear``, that is undecided. ``ties``
    as in ``PolicyOutcome``.
    """

    ballots: PairBallots
    grades: Sequence[int | None]
    unclear: Sequence[bool]
    ties: int | None

    @cached_property
    def rows(self) -> list[Row]:
        """``(topic, docno, grade)``, sorted."""
        grades, pairs = self.grades, self.ballots.pairs
        rows = zip(pairs, self.ballots.kind.tolist(), strict=True)
        return [
            (topic, docno, grade)
            for (topic, docno), at in rows
            if (grade := grades[at]) is not None
        ]

    @cached_property
    def undecided(self) -> list[Pair]:
        """The sorted pairs that the policy leaves undecided."""
        places = np.flatnonzero(np.array(self.unclear, np.bool_)[self.ballots.kind])
        return [self.ballots.pairs[at] for at in places.tolist()]

    @cached_property
    def grade_counts(self) -> dict[int, int]:
        """The number of pairs by grade, ascending."""
        counts: Counter[int] = Counter()
        for grade, count in zip(self.grades, self.ballots.counts, strict=True):
            if grade is not None and count:
                counts[grade] += count
        return dict(sorted(counts.items()))

    def count_differing(self, other: "BallotsOutcome") -> int:
        """The pairs with another grade in ``other``, of the same ballots, or in one of the two."""
        rows = zip(self.grades, other.grades, self.ballots.counts, strict=True)
        return sum(count for grade, another, count in rows if grade != another)


def decide_ballots(policy: QrelsPolicy, ballots: PairBallots) -> BallotsOutcome:
    """As ``decide_pairs``, but each distinct ballot once; not for a rule for all pairs together."""
    outcomes = [decide_pairs(policy, [ballot]) for ballot in ballots.kinds]
    has_ties = decide_pairs(policy, []).ties is not None
    tied = sum((o.ties or 0) * n for o, n in zip(outcomes, ballots.counts, strict=True))
    return BallotsOutcome(
        ballots,
        grades=[outcome.rows[0][2] if outcome.rows else None for outcome in outcomes],
        unclear=[bool(outcome.undecided) for outcome in outcomes],
        ties=tied if has_ties else None,
    )


def build_pair_ballots(
    pairs: Sequence[Pair],
    pair: Ints,
    votes: Ints,
    kinds_of_vote: Mapping[int, tuple[str, int, bool, bool]],
    others: Mapping[Pair, tuple[int | None, Mapping[str, int]]],
) -> PairBallots:
    """``pair`` and ``votes`` are the current human judgments, in any order: a place in ``pairs``,
    which are ascending, and a key of ``kinds_of_vote``: assessor, grade, whether it fills a slot,
    whether it is a third judgment. ``others``: by pair, the grade of its adjudication and those by
    automatic assessors.

    Pairs without any of these are left out.
    """
    order = np.lexsort((votes, pair))
    pair, votes = pair[order], votes[order]
    present, starts, sizes = np.unique(pair, return_index=True, return_counts=True)
    kind = np.zeros(len(present), np.int64)
    kinds: list[PairBallot] = []
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        rows = votes[starts[alike][:, None] + np.arange(size)]
        code = np.zeros(len(rows), np.int64)
        for column in rows.T:
            _, first, code = np.unique(
                code * len(kinds_of_vote) + column, return_index=True, return_inverse=True
            )
        kind[alike] = code + len(kinds)
        kinds += [
            build_ballot_kind([kinds_of_vote[v] for v in row]) for row in rows[first].tolist()
        ]
    listed = [pairs[at] for at in present.tolist()]
    table = PairBallots(listed, kinds, kind)
    return add_other_grades(table, others) if others else table


def build_ballot_kind(votes: Sequence[tuple[str, int, bool, bool]]) -> PairBallot:
    """A ballot without a pair.

    A judgment without a slot counts only if no planned judgment of the pair exists.
    """
    cast = sorted(votes)
    counted = [vote for vote in cast if vote[2]] or cast
    return PairBallot(
        "",
        "",
        people={name: grade for name, grade, *_ in counted},
        third=frozenset(name for name, _, _, third in cast if third),
        extra={vote[0]: vote[1] for vote in cast if vote not in counted},
    )


def add_other_grades(
    table: PairBallots, others: Mapping[Pair, tuple[int | None, Mapping[str, int]]]
) -> PairBallots:
    """``table`` with adjudications and automatic grades, also of pairs without other judgments."""

    def build(base: int | None, adjudicated: int | None, automatic: Grades) -> PairBallot:
        ballot = PairBallot("", "") if base is None else table.kinds[base]
        return replace(ballot, adjudicated=adjudicated, automatic=dict(automatic))

    kinds = table.kind_by_pair
    keys = {
        pair: (kinds.get(pair), adjudicated, tuple(automatic.items()))
        for pair, (adjudicated, automatic) in others.items()
    }
    return put_ballots(table, keys, build)


def add_propagated(table: PairBallots, originals: Mapping[Pair, str]) -> PairBallots:
    """``table`` with the pairs that were not judged themselves: by pair, the document of the topic
    that was judged for it. One that people have judged or adjudicated all the same stands.
    """

    def build(base: int, original: str, own: int | None) -> PairBallot:
        automatic = {} if own is None else table.kinds[own].automatic
        return replace(table.kinds[base], automatic=automatic, propagated_from=original)

    kinds = table.kind_by_pair
    keys = {
        pair: (kinds[pair[0], original], original, kinds.get(pair))
        for pair, original in originals.items()
        if (pair[0], original) in kinds
        and not (pair in kinds and has_human_word(table.kinds[kinds[pair]]))
    }
    return put_ballots(table, keys, build)


def put_ballots(
    table: PairBallots, keys: Mapping[Pair, Key], build: Callable[..., PairBallot]
) -> PairBallots:
    """``table`` in which the pairs of ``keys``, also new ones, have the ballot that ``build`` makes
    of their key: one for all with an equal key.
    """
    numbers = {key: len(table.kinds) + at for at, key in enumerate(dict.fromkeys(keys.values()))}
    kinds = [*table.kinds, *(build(*key) for key in numbers)]
    by_pair = table.kind_by_pair | {pair: numbers[key] for pair, key in keys.items()}
    pairs = sorted(by_pair)
    return PairBallots(pairs, kinds, np.array([by_pair[pair] for pair in pairs], np.int64))


def has_human_word(ballot: PairBallot) -> bool:
    return bool(ballot.people or ballot.extra) or ballot.adjudicated is not None
