"""C/W/L: measures as models of a user who scans down the ranking.

C(i) is the probability of continuing from rank i, W(i) the proportion of attention paid to rank i,
L(i) the probability that rank i is the last one viewed. All follow from the probability of reaching
each rank, V(i) = Π of C above i: W = V / Σ V. A user is described by V at the ranks with gain and
by the sum of V over all ranks, in which the ranks without gain have a closed form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, defined_ratio, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.values import Value
from poolbench.evaluation.scale import GAIN, MAX_REL, gain_shares
from poolbench.evaluation.segments import running_products, running_sums, shift_down, shift_up

Walk = tuple[Floats, Floats]
"""V of each row, and Σ V by segment: the expected number of documents viewed. The sum is infinite
if the user may never stop, NaN if no such user exists."""


@dataclass(frozen=True, eq=False)
class GainingRanks:
    """The ranks with gain, in rank order: ``place`` is their segment, ``gains`` are from 0 to 1.

    ``starts`` by segment, and the parameters of the user models: every user stops after rank ``k``
    (infinite: no limit), persistence ``p``, target gain ``t``.
    """

    place: Ints
    ranks: Floats
    gains: Floats
    starts: Ints
    k: float
    p: float
    t: float

    def total(self, weights: Floats) -> Floats:
        """Sum of ``weights`` by segment."""
        return sum_by_place(self.place, weights, len(self.starts) - 1)

    def fill(self, value: float) -> Floats:
        return np.full(len(self.starts) - 1, value)

    def first(self) -> Ints:
        """The first row of each segment that has any."""
        return self.starts[:-1][np.diff(self.starts) > 0]


def precision_user(at: GainingRanks) -> Walk:
    return np.ones(len(at.ranks)), at.fill(at.k)


def scaled_dcg_user(at: GainingRanks) -> Walk:
    items = (1 / np.log2(np.arange(2, at.k + 2))).sum() if np.isfinite(at.k) else np.inf
    return 1 / np.log2(1 + at.ranks), at.fill(items)


def rank_biased_user(at: GainingRanks) -> Walk:
    if at.p == 1:
        return precision_user(at)
    return at.p ** (at.ranks - 1), at.fill((1 - at.p**at.k) / (1 - at.p))


def reciprocal_rank_user(at: GainingRanks) -> Walk:
    """The user model of reciprocal rank stops at the first gain."""
    reach, items = np.zeros(len(at.ranks)), at.fill(at.k)
    reach[at.first()] = 1.0
    items[at.place[at.first()]] = at.ranks[at.first()]
    return reach, items


def average_precision_user(at: GainingRanks) -> Walk:
    """The user model of average precision: V(i) = Σ of gain/rank from rank i on, normalized."""
    weights = at.gains / at.ranks
    every = at.total(weights)
    down_to = running_sums(weights, at.starts)
    items = defined_ratio(at.total(at.gains), every)
    return (every[at.place] - down_to + weights) / every[at.place], items


def insq_user(at: GainingRanks) -> Walk:
    """INSQ: C(i) = ((i + 2T − 1) / (i + 2T))²."""
    wanted = 2 * at.t
    items = wanted**2 * _between(at.fill(wanted), at.fill(at.k + wanted))
    return (wanted / (at.ranks - 1 + wanted)) ** 2, items


def inst_user(at: GainingRanks) -> Walk:
    """INST: C(i) = ((i + c − 1) / (i + c))² with c = 2T − cumulated gain at i, 0 if negative.

    c is constant between two gains, so the product of C telescopes.
    """
    wanted = 2 * at.t
    left = wanted - running_sums(at.gains, at.starts)
    stop = np.maximum(at.ranks + left - 1, 0.0)
    into = shift_down(stop, at.starts, wanted) / (
        at.ranks - 1 + shift_down(left, at.starts, wanted)
    )
    reach = running_products(into**2, at.starts)
    end = at.fill(at.k)
    end[at.place[at.first()]] = at.ranks[at.first()]
    before = wanted**2 * _between(at.fill(wanted), end + wanted)
    after = _between(at.ranks + left, shift_up(at.ranks, at.starts, at.k) + left)
    return reach, before + at.total(reach * stop**2 * after)


def _between(start: Floats, end: Floats) -> Floats:
    """Σ 1/x² over x = start, start + 1, … below ``end``, which may be infinite."""
    return trigamma(start) - trigamma(end)


def trigamma(x: Floats) -> Floats:
    """Σ 1/(x + n)² over n = 0, 1, …, for x above 0: 15 terms, then the asymptotic series."""
    tail = x + 15.0
    terms = (1 / (x[:, None] + np.arange(15)) ** 2).sum(axis=1)
    square = 1 / tail**2
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))
    return np.asarray(terms + 1 / tail + square / 2 + square / tail * series)


USER_MODELS: dict[str, Callable[[GainingRanks], Walk]] = {
    "precision": precision_user,
    "sdcg": scaled_dcg_user,
    "rbp": rank_biased_user,
    "rr": reciprocal_rank_user,
    "ap": average_precision_user,
    "insq": insq_user,
    "inst": inst_user,
}


def user_walk(
    batch: ScoringBatch,
    user: str,
    k: int | None = None,
    p: float = 0.8,
    t: float = 1.0,
    gain: str = "graded",
    max_rel: int | None = None,
) -> tuple[GainingRanks, Walk]:
    """The ranks with gain, and how the user model ``user`` walks over them."""
    gains = gain_shares(batch, gain, max_rel)
    rows = gains > 0
    if k is not None:
        rows &= batch.ranks <= k
    gaining, end = batch.select_rows(rows), np.inf if k is None else float(k)
    ranks = gaining.ranks.astype(np.float64)
    at = GainingRanks(gaining.segment, ranks, gains[rows], gaining.starts, end, p, t)
    return at, USER_MODELS[user](at)


def expected_utility(at: GainingRanks, walk: Walk) -> Floats:
    """Σ W · gain: expected gain per document viewed."""
    reach, items = walk
    return safe_ratio(at.total(reach * at.gains), np.where(np.isnan(items), np.inf, items))


def expected_total(at: GainingRanks, walk: Walk) -> Floats:
    """Σ V · gain: expected total gain."""
    return at.total(walk[0] * at.gains)


def expected_items(_: GainingRanks, walk: Walk) -> Floats:
    """1 / W(1): expected number of documents viewed; NaN if infinite."""
    items = walk[1]
    return np.where(np.isfinite(items), items, np.nan)


MAX_DEPTH = 1_000_000
MAX_TARGET = 1_000_000
"""Beyond it, sums over ranks would be differences of nearly equal numbers."""
_SOURCE = "Moffat, Bailey, Scholer and Thomas, ACM TOIS 35(3), 2017; {own}the program cwl_eval"
_GAIN = replace(GAIN, default="graded")
_K = Parameter("k", "Rank cut-off, at which every user stops; default: none.", kind="rank")
_T = Parameter("T", "Target gain of the user, in units of the highest grade.", "1", kind="positive")
_P = Parameter("p", "Persistence of the user model rbp.", "0.8", kind="share")
_USER = Parameter(
    "user",
    "User model: `precision` and `sdcg` view the first k ranks, with equal weights or weights "
    "1/log2(1 + rank); `rbp` continues with probability p; `rr` stops at the first gain; `ap` "
    "stops at one of the relevant documents retrieved; `insq` and `inst` are more likely to "
    "continue the larger the target gain T and, for inst, the smaller the gain so far.",
    "rbp",
    tuple(USER_MODELS),
)
_EDGES = (
    "Unjudged documents, and ranks below the end of the ranking, have gain 0.",
    "R is not used: `user=ap` divides by the relevant documents retrieved.",
    "cwl_eval stops after rank 1,000: its values correspond to `_1000` here.",
)
_DEPTH = "cwl_eval stops after rank 1,000: `{0}`, as in ir_measures, denotes `{1}_1000`."
_SMALL_T = "T below 1/2: the user stops where C would be the square of a negative number."
UserModelValue = Callable[[GainingRanks, Walk], Floats]


def user_model_value(
    batch: ScoringBatch, *, take: UserModelValue, user: str = "rbp", **parameters: Any
) -> Floats:
    """One value of the user model ``user``, given the parameters of ``user_walk``."""
    if "T" in parameters:
        parameters["t"] = parameters.pop("T")
    return take(*user_walk(batch, user, **parameters))


def user_model_parameter_conflict(params: Mapping[str, Value], user: str = "rbp") -> str:
    """The error message for parameters that cannot be combined; empty if there is none."""
    user, k, wanted = str(params.get("user", user)), params.get("k"), params.get("T")
    if user in ("precision", "sdcg") and k is None:
        return f"user={user} requires a cut-off, for example _10."
    if isinstance(k, int) and k > MAX_DEPTH:
        return f"the cut-off of a user model must be at most {MAX_DEPTH:,}."
    if wanted is not None and user not in ("insq", "inst"):
        return "T requires user=insq or user=inst."
    if isinstance(wanted, float) and wanted > MAX_TARGET:
        return f"T must be at most {MAX_TARGET:,}."
    return "p requires user=rbp." if "p" in params and user != "rbp" else ""


def _family(*, take: UserModelValue, user: str = "rbp", **own: Any) -> MeasureFamily:
    """A family that computes ``take`` of the user model ``user``, unless a name has another."""
    return MeasureFamily(
        compute=partial(user_model_value, take=take, user=user),
        suffix="k",
        group="users",
        conflict=partial(user_model_parameter_conflict, user=user),
        **own,
    )


_worked = partial(WorkedExample, (2, 0, 1), (2, 1, 1, 0))

SDCG = _family(
    name="sdcg",
    title="Scaled discounted cumulated gain",
    formula="Σ over the first k of gain(rank) / log2(1 + rank) / Σ of 1 / log2(1 + rank)",
    reading="DCG relative to k documents of the highest grade, whether or not the topic has "
    "that many.",
    source=_SOURCE.format(own="Moffat and Zobel, ACM TOIS 27(1), 2008; "),
    parameters=(replace(_K, meaning="Rank cut-off."), _GAIN, MAX_REL),
    edge_cases=_EDGES[:1],
    examples=(
        _worked(
            (1 + 1 / 2 / 2) / (1 + 0.6309297535714575 + 1 / 2),
            "(1 + 1/2 / log2 4) / (1 + 1/log2 3 + 1/log2 4)",
            "sdcg_3(max_rel=2)",
        ),
    ),
    take=expected_utility,
    user="sdcg",
    cut_spellings=("SDCG",),
    bare=(10,),
)

INSQ = _family(
    name="insq",
    title="INSQ: inverse squares, static user model",
    formula="Σ W(rank) · gain(rank), W in proportion to (2T / (rank − 1 + 2T))²",
    reading="Expected gain per document viewed by a user who goes deeper for a larger "
    "target gain T.",
    source=_SOURCE.format(own="Moffat, Scholer and Thomas, ADCS 2012; "),
    parameters=(_T, _K, _GAIN, MAX_REL),
    edge_cases=(_EDGES[0], _DEPTH.format("INSQ", "insq")),
    examples=(
        _worked(
            (1 + 1 / 2 / 4) / (1 + 4 / 9 + 1 / 4),
            "(1 + (2/4)^2 · 1/2) / (1 + (2/3)^2 + (2/4)^2)",
            "insq_3(max_rel=2)",
        ),
    ),
    take=expected_utility,
    user="insq",
    spellings=("INSQ",),
    cut_spellings=("INSQ",),
)

INST = _family(
    name="inst",
    title="INST: inverse squares, adaptive user model",
    formula="Σ W(rank) · gain(rank), C(i) = ((i + 2T − cg(i) − 1) / (i + 2T − cg(i)))², "
    "cg the gain down to rank i",
    reading="Expected gain per document viewed by a user who goes deeper the more of the "
    "target gain T is still missing.",
    source=_SOURCE.format(own="Moffat, Bailey, Scholer and Thomas, ADCS 2015; "),
    parameters=(_T, _K, _GAIN, MAX_REL),
    edge_cases=(_EDGES[0], _DEPTH.format("INST", "inst"), _SMALL_T),
    examples=(
        _worked(
            (1 + 1 / 9 / 2) / (1 + 1 / 4 + 1 / 9),
            "C = 1/4, 4/9: (1 + 1/4 · 4/9 · 1/2) / (1 + 1/4 + 1/4 · 4/9)",
            "inst_3(max_rel=2)",
        ),
    ),
    take=expected_utility,
    user="inst",
    spellings=("INST",),
    cut_spellings=("INST",),
)

_of_any_user = partial(
    _family,
    source=_SOURCE.format(own=""),
    parameters=(_USER, _P, _T, _K, _GAIN, MAX_REL),
    edge_cases=(*_EDGES, _SMALL_T),
)

_worked_011 = partial(WorkedExample, (0, 1, 1), (1, 1, 0))
_worked_101 = partial(WorkedExample, (1, 0, 1), (1, 1, 0))
CWL = _of_any_user(
    name="cwl",
    title="Expected utility of a user model (C/W/L)",
    formula="Σ W(rank) · gain(rank)",
    reading="Expected gain per document viewed.",
    examples=(
        _worked_101(0.2 * (1 + 0.8**2), "0.2 · (1 + 0.8^2)"),
        _worked_101((1 + 2 / 3) / 2, "(1/1 + 2/3) / 2", "cwl(user=ap)"),
        _worked_011(1 / 2, "first relevant document at rank 2", "cwl(user=rr)"),
        _worked_011(2 / 5, "2 of 5", "cwl_5(user=precision)"),
    ),
    take=expected_utility,
)

CWL_TOTAL = _of_any_user(
    name="cwl_total",
    title="Expected total utility of a user model (C/W/L)",
    formula="Σ L(i) · gain down to rank i = expected utility · documents read",
    reading="Expected total gain when the user stops.",
    range="0 and up",
    examples=(_worked_101(1.64, "1 + 0.8^2"),),
    take=expected_total,
)

CWL_ITEMS = _of_any_user(
    name="cwl_items",
    title="Expected number of documents viewed (C/W/L)",
    formula="1 / W(1)",
    reading="How deep the user goes into the ranking, on average.",
    range="1 and up",
    undefined="the user never stops (user=rr, or user=rbp with p = 1, without a cut-off k and with "
    "no gain retrieved), or the user model is undefined (user=ap with no gain retrieved).",
    examples=(
        _worked_101(5.0, "1 / (1 − 0.8)"),
        _worked_011(2.0, "stops at rank 2", "cwl_items(user=rr)"),
    ),
    take=expected_items,
    better="neither",
)
