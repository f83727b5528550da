"""The measures of C/W/L: expected utility, expected total utility and expected depth of a user
model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures import cwl
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.values import Value
from poolbench.evaluation.scale import GAIN, MAX_REL

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
    tuple(cwl.USER_MODELS),
)
_EDGES = (
    "Unjudged documents, and ranks below the end of the ranking, have gain 0.",
    "R is not used: `user=ap` divides by the relevant documents retrieved.",
    "cwl_eval stops after rank 1,000: its values correspond to `_1000` here.",
)
_DEPTH = "cwl_eval stops after rank 1,000: `{0}`, as in ir_measures, denotes `{1}_1000`."
_SMALL_T = "T below 1/2: the user stops where C would be the square of a negative number."
UserModelValue = Callable[[cwl.GainingRanks, cwl.Walk], Floats]


def user_model_value(
    batch: ScoringBatch, *, take: UserModelValue, user: str = "rbp", **parameters: Any
) -> Floats:
    """One value of the user model ``user``, given the parameters of ``cwl.user_walk``."""
    if "T" in parameters:
        parameters["t"] = parameters.pop("T")
    return take(*cwl.user_walk(batch, user, **parameters))


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
    take=cwl.expected_utility,
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
    take=cwl.expected_utility,
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
    take=cwl.expected_utility,
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
    take=cwl.expected_utility,
)

CWL_TOTAL = _of_any_user(
    name="cwl_total",
    title="Expected total utility of a user model (C/W/L)",
    formula="Σ L(i) · gain down to rank i = expected utility · documents read",
    reading="Expected total gain when the user stops.",
    range="0 and up",
    examples=(_worked_101(1.64, "1 + 0.8^2"),),
    take=cwl.expected_total,
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
    take=cwl.expected_items,
    better="neither",
)
