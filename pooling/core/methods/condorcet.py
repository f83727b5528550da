"""CondorcetTake: documents by how many others they beat in a majority of runs."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, Ints, TopicCandidates
from pooling.core.method import Values, score_based_method

CONDORCET = Card(
    name="condorcet",
    title="CondorcetTake (pairwise majorities)",
    formula="score(d) = number of documents e for which more runs prefer d to e than e to d; "
    "a run prefers d to e if it lists d and ranks e lower or not at all",
    reading="How many others a document would beat if the runs voted on each pair; "
    "a Copeland count.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="0 to the number of documents − 1",
    edge_cases=(
        "A run that lists neither of two documents has no vote on them.",
        "As many votes on either side: neither beats the other, and neither gains.",
        "A majority is one of the votes cast, not of all runs.",
        "Work grows with the square of the cut-off: of a thousand ranks it takes minutes.",
    ),
)
CELLS = 1 << 20
"""Pairs of documents looked at in one go: what the processor holds near."""


def condorcet_scores(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001 -- none
    """By document: how many others it beats."""
    beaten = np.zeros(len(candidates))
    height = max(1, CELLS // max(1, len(candidates)))
    for first in range(0, len(candidates), height):
        rows = slice(first, min(first + height, len(candidates)))
        # Runs that list one of two documents alone: listed less both. Both is the same for both.
        needed = candidates.listed - candidates.listed[rows, None]
        beaten[rows] = (condorcet_lead(candidates, rows) > needed).sum(axis=1)
    return beaten


def condorcet_lead(candidates: TopicCandidates, rows: slice) -> Ints:
    """Documents ``rows`` × all: of the runs that list both, how many more rank the one of the
    row first than that of the column.
    """
    table = np.zeros((rows.stop - rows.start, len(candidates)), np.int64)
    for run in range(len(candidates.runs)):
        listed = candidates.list_of(run)
        place = np.flatnonzero((rows.start <= listed) & (listed < rows.stop))
        row = listed[place] - rows.start
        table[row[:, None], listed] += np.sign(np.arange(len(listed)) - place[:, None])
    return table


METHOD = score_based_method(CONDORCET, condorcet_scores)
