"""What each team, or each run, brought into the pool, and what nobody else did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.judgments import Ints, Mask

CARD = Card(
    name="contributors",
    title="Contributors and what they alone brought",
    formula="contributors(d) = groups with a pooled run that has d among its first k, k the "
    "depth of the pool; alone(g) = judged d with contributors(d) = {g}; rate = relevant among "
    "alone(g) / alone(g)",
    reading="How much of what is known to be relevant hangs on one team: had it stayed away, "
    "nobody had judged these documents.",
    source="Zobel, SIGIR 1998; the table of unique documents by group of TREC's overviews.",
    range="counts; rate and share: 0 to 1",
    edge_cases=(
        "A group is a team; by run the same is told of each pooled run by itself.",
        "Two runs of one team with the same document: the team alone brought it, no run did.",
        "Grades below 0 are no judgments.",
        (
            "Judged documents that no pooled run has within the depth are counted apart: they "
            "came from elsewhere, or the depth is not that of the pool."
        ),
    ),
    undefined="rate: the group brought no judged document alone; share: nothing is relevant.",
)


@dataclass(frozen=True)
class Contributor:
    """``judged`` and ``relevant`` documents within the depth; ``alone`` and
    ``relevant_alone`` of them that no other group brought. ``share`` is ``relevant_alone``
    of all relevant documents of the qrels.
    """

    name: str
    runs: int
    judged: int
    relevant: int
    alone: int
    relevant_alone: int
    rate: float | None
    share: float | None


@dataclass(frozen=True)
class Contributors:
    """Those that brought most relevant documents alone come first. ``from_elsewhere`` are the
    judged documents that nobody brought.
    """

    by_team: tuple[Contributor, ...]
    by_run: tuple[Contributor, ...]
    from_elsewhere: int
    relevant_from_elsewhere: int


def count_contributions(found: PooledCollection) -> Contributors:
    """By team and by pooled run."""
    runs = np.arange(len(found.tags))
    count, _ = found.pool.brought_by(runs)
    elsewhere = found.is_judged & (count == 0)
    return Contributors(
        by_team=_of(found, found.names, found.by_team),
        by_run=_of(found, found.tags, runs),
        from_elsewhere=_count(elsewhere),
        relevant_from_elsewhere=_count(elsewhere & found.is_relevant),
    )


def _of(found: PooledCollection, names: Sequence[str], groups: Ints) -> tuple[Contributor, ...]:
    _, alone = found.pool.brought_by(groups)
    runs = np.bincount(groups[found.pool.runs], minlength=len(names)).tolist()
    rows = [
        _contributor(found, name, runs[at], found.pool.brings(groups, at), alone == at)
        for at, name in enumerate(names)
        if runs[at]
    ]
    return tuple(sorted(rows, key=lambda row: (-row.relevant_alone, -row.alone, row.name)))


def _contributor(
    found: PooledCollection, name: str, runs: int, brings: Mask, alone: Mask
) -> Contributor:
    judged, relevant = found.is_judged, found.is_relevant
    only, good = _count(alone & judged), _count(alone & relevant)
    all_relevant = _count(relevant)
    return Contributor(
        name=name,
        runs=runs,
        judged=_count(brings & judged),
        relevant=_count(brings & relevant),
        alone=only,
        relevant_alone=good,
        rate=good / only if only else None,
        share=good / all_relevant if all_relevant else None,
    )


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))
