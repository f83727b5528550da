"""Methods A, B and C of rank-biased precision: by weights, residuals and what may still be won."""

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import DIGITS, Floats, Ints, Mask, TopicCandidates
from poolbench.pooling.method import AdaptivePlayer, NextDocument, PoolingMethod, ScoreOrder, Values
from poolbench.pooling.players import best_run

PERSISTENCE = Parameter(
    "p", "Persistence: the share of users who go on to the next rank.", "0.8", kind="share"
)


def rbp_sums(candidates: TopicCandidates, values: Values) -> Floats:
    """By document: the sum of weights without the factor 1 − p."""
    return candidates.sums(np.power(float(values["p"]), candidates.rank - 1.0, dtype=np.float64))


def rbp_places(candidates: TopicCandidates, values: Values) -> Floats:
    """By document: the index of its sum among all distinct sums, ascending, from 0."""
    # Sums span many powers of ten: each is rounded on its own, not relative to the largest.
    mantissa, power = np.frexp(rbp_sums(candidates, values))
    rounded = np.ldexp(np.round(mantissa, DIGITS), power)
    return np.unique(rounded, return_inverse=True)[1].astype(float)


class RbpResiduals:
    """The residual of each run, as a share of its RBP."""

    def __init__(self, candidates: TopicCandidates, p: float, pooled: Mask) -> None:
        # Sums of remaining weights: 1 − Σ of pooled weights would lose the digits of small ones.
        self.left = np.zeros((len(candidates.runs), int(candidates.lengths.max())))
        self.left[candidates.run, candidates.rank - 1] = (1 - p) * p ** (candidates.rank - 1.0)
        # All at once: ``take`` would copy a row per entry.
        self.left[candidates.run[pooled], candidates.rank[pooled] - 1] = 0
        self.unlisted = p ** candidates.lengths.astype(float)
        self.of_run = self.unlisted + self.left.sum(axis=1)

    def take(self, run: Ints, rank: Ints) -> None:
        """Pool the document at ``rank`` of each ``run``; the runs are distinct."""
        self.left[run, rank - 1] = 0
        self.of_run[run] = self.unlisted[run] + self.left[run].sum(axis=1)


def rbp_b_order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:
    """The available documents in the order in which they are pooled."""
    p = float(values["p"])
    is_available = available[candidates.doc]
    residuals = RbpResiduals(candidates, p, ~is_available)
    by_doc = np.argsort(candidates.doc, kind="stable")
    owns = np.split(by_doc, np.cumsum(candidates.run_counts)[:-1])
    run, doc = candidates.run[is_available], candidates.doc[is_available]
    weight = p ** (candidates.rank[is_available] - 1.0)
    removed = np.zeros(len(candidates))
    removed[~available] = np.inf
    order = np.empty(np.count_nonzero(available), np.int64)
    alive = len(doc)
    for at in range(len(order)):
        score = np.bincount(doc, weight * residuals.of_run[run], len(available)) - removed
        best = order[at] = find_highest(score, candidates.tie)
        removed[best] = np.inf
        residuals.take(candidates.run[owns[best]], candidates.rank[owns[best]])
        alive -= len(owns[best])
        if 2 * alive < len(doc):
            active = removed[doc] == 0
            run, doc, weight = run[active], doc[active], weight[active]
    return order


def find_highest(score: Floats, tie: Ints) -> int:
    """The index of the highest ``score``; ties by the lowest ``tie``."""
    equal = np.flatnonzero(score >= score.max() * (1 - 10.0**-DIGITS))
    return int(equal[np.argmin(tie[equal])])


class RbpC(AdaptivePlayer):
    """A player by weight × residual × (midpoint of the score)³."""

    def __init__(self, candidates: TopicCandidates, values: Values) -> None:
        p = values["p"]
        self.candidates = candidates
        self.weight = (1 - p) * p ** (candidates.rank - 1.0)
        self.base = np.zeros(len(candidates.runs))
        self.residuals = RbpResiduals(candidates, p, np.zeros(len(candidates.rank), bool))
        self.residual = self.residuals.of_run  # changed in place

    def choose(self, available: Mask, step: int) -> NextDocument:  # noqa: ARG002
        return NextDocument(best_run(self.values(), available, self.candidates.tie))

    def values(self) -> Floats:
        """By document."""
        factor = self.residual * (self.base + self.residual / 2) ** 3
        return self.candidates.sums(self.weight * factor[self.candidates.run])

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        entries = np.flatnonzero(self.candidates.doc == choice.doc)
        runs = self.candidates.run[entries]
        self.residuals.take(runs, self.candidates.rank[entries])
        self.base[runs] += relevant * self.weight[entries]


RBP_A = PoolingMethod(
    name="rbp_a",
    title="RBPTake-A (geometric ranks)",
    formula="score(d) = Σ over runs r that list d of (1 − p) p^(rank_r(d) − 1)",
    reading="Documents with the largest total weight in the RBP of the runs come first.",
    source="Moffat, Webber and Zobel 2007, method A; Lipani et al. 2017.",
    range="0 to the number of runs",
    parameters=(PERSISTENCE,),
    edge_cases=(
        "The factor 1 − p does not affect the order and is omitted, so that p = 1 is `pp`.",
        "p = 0: the number of runs that rank the document first; all others are tied.",
        "Runs that do not list the document add nothing.",
    ),
    order=ScoreOrder(rbp_places),
)
RBP_B = PoolingMethod(
    name="rbp_b",
    title="RBP-B (geometric ranks, residuals)",
    formula="repeat: argmax over d of Σ over runs r that list d of w_r(d) · resid_r, where "
    "w_r(d) = (1 − p) p^(rank_r(d) − 1) and resid_r = 1 − Σ of w_r over documents pooled so far",
    reading="Like method A, but runs with a small residual count less, so that the residuals of "
    "all runs fall about evenly.",
    source="Moffat, Webber and Zobel 2007, method B.",
    range="0 to the number of runs",
    parameters=(PERSISTENCE,),
    edge_cases=(
        "Needs no judgments: residuals depend on which documents are pooled, not on grades.",
        "Documents pooled by earlier steps reduce the residuals from the start.",
        "The factor 1 − p of w_r(d) does not affect the order and is omitted: p = 1 is `pp`.",
        "p = 0: the number of runs that rank the document first; all others are tied.",
    ),
    order=rbp_b_order,
)
RBP_C = PoolingMethod(
    name="rbp_c",
    title="RBP-C",
    formula="judge argmax over documents d of Σ_r w_r(d) · resid_r · (base_r + resid_r / 2)³, "
    "w_r(d) = (1 − p) p^(rank_r(d) − 1); base_r = Σ w_r of relevant documents, "
    "resid_r = 1 − Σ w_r of judged documents",
    reading="Judge the document that weighs most in the rank-biased precision of runs that score "
    "well and have a large residual.",
    source="Moffat, Webber and Zobel 2007.",
    range="0 to the number of runs",
    parameters=(Parameter("p", "Persistence, from 0 to 1.", "0.8", kind="share"),),
    edge_cases=(
        "Documents that a run does not list have no weight in it; residuals include deeper ranks.",
        "At p = 1 all weights are 0 and documents are ordered by seeded hash.",
        "Residuals are sums of the weights left, so that small ones keep their digits.",
        "Judgments of earlier steps count like any other.",
    ),
    player=RbpC,
)
