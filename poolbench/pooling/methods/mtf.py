"""Move-to-front: stay with a run while its documents are relevant."""

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import Mask, TopicCandidates
from poolbench.pooling.method import EARLIER, AdaptivePlayer, NextDocument, PoolingMethod, Values
from poolbench.pooling.players import best_run, next_open_document, playable_runs, run_tie_hashes


class MoveToFront(AdaptivePlayer):
    """A player by priorities. A run stays at the front without further bookkeeping: priorities
    never rise, and ties are always broken in the same order.
    """

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:  # noqa: ARG002
        self.candidates = candidates
        self.priority = np.zeros(len(candidates.runs))
        self.tie = run_tie_hashes(candidates)

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        run = best_run(self.priority, playable_runs(self.candidates, available), self.tie)
        return NextDocument(next_open_document(self.candidates, run, available), run)

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        if choice.run != EARLIER and not relevant:
            self.priority[choice.run] -= 1

    def urgency(self, available: Mask) -> float:
        """The priority of the run at the front."""
        return float(self.priority[playable_runs(self.candidates, available)].max())


METHOD = PoolingMethod(
    name="mtf",
    title="Move-to-front (MTF)",
    formula="play argmax over runs r of priority_r; priority_r = −(number of non-relevant "
    "documents that r played)",
    reading="Judge the next document of the run at the front; a run stays there while its "
    "documents are relevant and falls back by one for each that is not.",
    source="Cormack, Palmer and Clarke 1998; global queue from memory of the paper.",
    range="−documents to 0",
    parameters=(
        Parameter(
            "scope",
            "`local`: each topic has its own queue of runs and its share of the budget; `global`: "
            "one queue over all topics spends a total budget where most is relevant.",
            "local",
            ("local", "global"),
        ),
    ),
    edge_cases=(
        "A document that is judged or checked out is skipped and changes no priority.",
        "Judgments of earlier steps change no priority: every run begins at 0.",
        (
            "Ties between runs are broken by seeded hash, in one order for the whole topic: a run "
            "whose document is relevant has to stay at the front."
        ),
    ),
    player=MoveToFront,
)
