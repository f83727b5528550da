"""Rule 1: adaptive methods with the choices they made before rule 2.

A frozen pool keeps its rule, so that its log can be replayed. Nothing else uses these players.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from poolbench.pooling.candidates import Ints, Mask, TopicCandidates
from poolbench.pooling.method import AdaptivePlayer, NextDocument, PoolingMethod, Values
from poolbench.pooling.methods import bandits, hedge, rbp
from poolbench.pooling.players import Bandit, RunCounts, best_run, run_tie_hashes


class FixedOrderBandit(Bandit):
    """Ties between runs are broken by one order for the whole topic."""

    @cached_property
    def keys(self) -> Ints:
        return run_tie_hashes(self.candidates)

    def tie_keys(self, runs: Ints, step: int) -> Ints:  # noqa: ARG002
        return self.keys[runs]


def with_fixed_order(method: PoolingMethod) -> PoolingMethod:
    """``method``, whose players are bandits."""
    start = method.player

    def player(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
        bandit = start(candidates, values) if start is not None else None
        if not isinstance(bandit, Bandit):
            raise TypeError(f"{method.name} is not a bandit")
        return FixedOrderBandit(bandit.candidates, bandit.counts, bandit.value)

    return replace(method, player=player)


def start_mmns(candidates: TopicCandidates, values: Values) -> AdaptivePlayer:
    """MM-NS by means equal to 12 digits."""
    counts = RunCounts(candidates, values["update"], values["rate"])
    return Bandit(candidates, counts, lambda seen, _: seen.means())


class RoundedHedge(hedge.Hedge):
    """Votes that are equal to 12 digits, constant parts included, are ties."""

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        votes = self.weights() @ self.gains
        return NextDocument(best_run(votes, available, self.candidates.tie))


class SubtractingRbpC(rbp.RbpC):
    """Residuals are 1 less the weights of judged documents."""

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:
        super().__init__(candidates, values)
        self.residual = np.ones(len(candidates.runs))

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        entries = np.flatnonzero(self.candidates.doc == choice.doc)
        runs, weight = self.candidates.run[entries], self.weight[entries]
        self.residual[runs] -= weight
        self.base[runs] += relevant * weight


METHODS = (
    with_fixed_order(bandits.MAXMEAN),
    with_fixed_order(replace(bandits.MMNS, player=start_mmns)),
    with_fixed_order(bandits.THOMPSON),
    with_fixed_order(bandits.UCB),
    with_fixed_order(bandits.EGREEDY),
    with_fixed_order(bandits.RANDOM),
    replace(hedge.METHOD, player=RoundedHedge),
    replace(rbp.RBP_C, player=SubtractingRbpC),
)
