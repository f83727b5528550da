"""Documents that each team and each run contributed to the pool, and the unique ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.judgments import Ints, Mask
from poolbench.reliability.collection.inputs import PooledCollection

CARD = Card(
    name="contributors",
    title="Contributed and unique documents",
    formula="contributors(d) = groups with a contributing run that has d in its top k, k the pool "
    "depth; unique(g) = judged d with contributors(d) = {g}; rate = relevant in unique(g) / "
    "unique(g)",
    reading="How many of the known relevant documents depend on one team: without its runs, its "
    "unique documents would not have been judged.",
    source="Zobel, SIGIR 1998; the table of unique documents by group in TREC overviews.",
    range="counts; rate and share: 0 to 1",
    edge_cases=(
        "A group is a team; the table by run gives the same for each contributing run.",
        "A document in two runs of one team is unique to the team, but to neither run.",
        "Grades below 0 do not count as judgments.",
        (
            "Judged documents that no contributing run has within the pool depth are counted "
            "separately: they came from another source, or the depth is wrong."
        ),
    ),
    undefined="rate: the group has no unique judged document; share: no document is relevant.",
)


@dataclass(frozen=True)
class Contributor:
    """``judged`` and ``relevant`` documents within the pool depth; ``alone`` and
    ``relevant_alone`` of them are unique to the group. ``share`` is ``relevant_alone``
    divided by all relevant documents of the qrels.
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
    """Most unique relevant documents first. ``from_elsewhere`` counts the judged documents
    that no contributing run has within the pool depth.
    """

    by_team: tuple[Contributor, ...]
    by_run: tuple[Contributor, ...]
    from_elsewhere: int
    relevant_from_elsewhere: int


def count_contributions(collection: PooledCollection) -> Contributors:
    """By team and by contributing run."""
    runs = np.arange(len(collection.tags))
    count, _ = collection.pool.contributors(runs)
    elsewhere = collection.is_judged & (count == 0)
    return Contributors(
        by_team=_count_by_group(collection, collection.names, collection.by_team),
        by_run=_count_by_group(collection, collection.tags, runs),
        from_elsewhere=_count(elsewhere),
        relevant_from_elsewhere=_count(elsewhere & collection.is_relevant),
    )


def _count_by_group(
    collection: PooledCollection, names: Sequence[str], groups: Ints
) -> tuple[Contributor, ...]:
    pool, judged, relevant = collection.pool, collection.is_judged, collection.is_relevant
    _, sole = pool.contributors(groups)
    runs = np.bincount(groups[pool.runs], minlength=len(names)).tolist()
    all_relevant = _count(relevant)
    rows = []
    for at, name in enumerate(names):
        if runs[at]:
            contributed, alone = pool.contributed_by(groups, at), sole == at
            unique, unique_relevant = _count(alone & judged), _count(alone & relevant)
            rows.append(
                Contributor(
                    name=name,
                    runs=runs[at],
                    judged=_count(contributed & judged),
                    relevant=_count(contributed & relevant),
                    alone=unique,
                    relevant_alone=unique_relevant,
                    rate=unique_relevant / unique if unique else None,
                    share=unique_relevant / all_relevant if all_relevant else None,
                )
            )
    return tuple(sorted(rows, key=lambda row: (-row.relevant_alone, -row.alone, row.name)))


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))
