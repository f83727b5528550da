"""CondorcetTake: documents by the number of others they beat in a majority of runs."""

from __future__ import annotations

import numpy as np

from poolbench.cards import Card
from poolbench.pooling.candidates import Floats, Ints, TopicCandidates
from poolbench.pooling.method import Values, score_based_method

CONDORCET = Card(
    name="condorcet",
    title="CondorcetTake (pairwise majorities)",
    formula="score(d) = number of documents e for which more runs prefer d to e than e to d; "
    "a run prefers d to e if it lists d and ranks e lower or not at all",
    reading="Documents that would beat the most others in pairwise votes of the runs come first "
    "(Copeland score).",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="0 to the number of documents − 1",
    edge_cases=(
        "A run that lists neither of two documents does not vote on them.",
        "A tied vote counts for neither document.",
        "A majority is a majority of the votes cast, not of all runs.",
        "Running time grows with the square of the cut-off: 1,000 ranks take minutes.",
    ),
)
CELLS = 1 << 20
"""Document pairs compared per block: small enough for the processor cache."""


def condorcet_scores(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001
    """By document: the number of others it beats."""
    beaten = np.zeros(len(candidates))
    height = max(1, CELLS // max(1, len(candidates)))
    for first in range(0, len(candidates), height):
        rows = slice(first, min(first + height, len(candidates)))
        # Runs that list exactly one of two documents: run count less those that list both.
        needed = candidates.run_counts - candidates.run_counts[rows, None]
        beaten[rows] = (condorcet_lead(candidates, rows) > needed).sum(axis=1)
    return beaten


def condorcet_lead(candidates: TopicCandidates, rows: slice) -> Ints:
    """Documents ``rows`` × all: runs that rank the row's document higher than the column's, minus
    those that rank it lower; only runs that list both count.
    """
    table = np.zeros((rows.stop - rows.start, len(candidates)), np.int64)
    for run in range(len(candidates.runs)):
        listed = candidates.ranking(run)
        place = np.flatnonzero((rows.start <= listed) & (listed < rows.stop))
        row = listed[place] - rows.start
        table[row[:, None], listed] += np.sign(np.arange(len(listed)) - place[:, None])
    return table


METHOD = score_based_method(CONDORCET, condorcet_scores)
