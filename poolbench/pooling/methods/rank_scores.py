"""Methods that take documents by a score of their ranks in all runs, the highest first."""

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import Floats, Ints, TopicCandidates
from poolbench.pooling.method import PoolingMethod, ScoreOrder, Values

CELLS = 1 << 20
"""Document pairs compared per block: small enough for the processor cache."""


def sum_ranks(candidates: TopicCandidates, values: Values) -> Floats:  # noqa: ARG001
    """By document: minus the sum of ranks."""
    unlisted = (candidates.lengths + 1 + len(candidates)) / 2
    return candidates.sums(unlisted[candidates.run] - candidates.rank) - float(unlisted.sum())


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


TAKE = PoolingMethod(
    name="take",
    title="Take@N (FairTake@N)",
    formula="score(d) = −min over runs r of rank_r(d)",
    reading="The depth-k pool within a budget: all first ranks, then all second ranks, and so on.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="−cut-off to −1",
    edge_cases=(
        "Documents with the same best rank are ordered by seeded hash, as in FairTake.",
        "`fairtake` is an alias. No variant favors the runs listed first.",
    ),
    order=ScoreOrder(lambda candidates, _: -candidates.min_rank.astype(float)),
)
PP = PoolingMethod(
    name="pp",
    title="PPTake (number of runs)",
    formula="score(d) = number of runs r with d within the cut-off",
    reading="Documents that most runs list come first, at any rank.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="1 to the number of runs",
    edge_cases=(
        "Ties are frequent, such as all documents unique to one run; seeded hash breaks them.",
        "The cut-off of the spec matters, since all ranks within it count equally.",
    ),
    order=ScoreOrder(lambda candidates, _: candidates.run_counts.astype(float)),
)
DCG = PoolingMethod(
    name="dcg",
    title="DCGTake (log-discounted ranks)",
    formula="score(d) = Σ over runs r that list d of 1 / log2(rank_r(d) + 1)",
    reading="Every run that lists a document adds to its score; rank 3 adds half as much as "
    "rank 1.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="above 0, to the number of runs",
    edge_cases=("Runs that do not list the document add nothing.",),
    order=ScoreOrder(lambda candidates, _: candidates.sums(1 / np.log2(candidates.rank + 1))),
)
RRF = PoolingMethod(
    name="rrf",
    title="RRFTake (reciprocal ranks)",
    formula="score(d) = Σ over runs r that list d of 1 / (k + rank_r(d))",
    reading="Every run that lists a document adds to its score, top ranks more than others: a "
    "large k counts runs, a small k counts first ranks.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="above 0, to the number of runs / (k + 1)",
    parameters=(Parameter("k", "Added to every rank.", "60", kind="whole"),),
    edge_cases=(
        "Runs that do not list the document add nothing.",
        "`k` is not a pool depth: the cut-off of the spec limits the ranks that count.",
    ),
    order=ScoreOrder(lambda c, values: c.sums(1 / (float(values["k"]) + c.rank))),
)
BORDA = PoolingMethod(
    name="borda",
    title="BordaTake (sum of ranks)",
    formula="score(d) = −Σ over runs r of (rank_r(d) if r lists d, else (L_r + 1 + n) / 2), "
    "where r lists L_r of the n documents listed by any run",
    reading="Documents with the lowest sum of ranks come first; a document that a run does not "
    "list counts with the mean of the run's unused ranks.",
    source="Lipani et al. 2017; Lipani, Losada, Zuccon and Lupu 2019.",
    range="−number of runs · n to −number of runs",
    edge_cases=(
        "n counts the topic's documents within the cut-off, not those of the collection.",
        "A run without documents for the topic adds −(n + 1) / 2 to every score: no change.",
    ),
    order=ScoreOrder(sum_ranks),
)
CONDORCET = PoolingMethod(
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
    order=ScoreOrder(condorcet_scores),
)
