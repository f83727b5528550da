"""The measures of C/W/L: expected utility, total and length of a reader's walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch
from evaluation.core.judgments import Floats
from evaluation.core.measures import cwl
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.values import Value
from evaluation.core.scale import GAIN, MAX_REL

MAX_DEPTH = 1_000_000
MOST_WANTED = 1_000_000
"""Beyond it, sums down to a rank would be differences of numbers that are nearly equal."""
_SOURCE = "Moffat, Bailey, Scholer and Thomas, ACM TOIS 35(3), 2017; {own}the program cwl_eval"
_GAIN = replace(GAIN, default="graded")
_K = Parameter("k", "Rank after which every reader stops; without it none has to.", kind="rank")
_T = Parameter("T", "The gain that the reader wants, in highest grades.", "1", kind="positive")
_P = Parameter("p", "Persistence of the reader of rbp.", "0.8", kind="share")
_USER = Parameter(
    "user",
    "Who reads: `precision` and `sdcg` down to rank k, evenly or less by 1/log2(1 + rank); "
    "`rbp` goes on with chance p; `rr` stops at the first gain; `ap` stops at one of the "
    "relevant documents retrieved; `insq` and `inst` go on the more likely, the more they want "
    "(T) and, inst, the less they have.",
    "rbp",
    tuple(cwl.READERS),
)
_EDGES = (
    "Unjudged documents, and what is below the end of the ranking, gain nothing.",
    "R is not used: `user=ap` divides by the relevant documents retrieved.",
    "cwl_eval stops after rank 1,000: it prints what `_1000` gives here.",
)
_SMALL_T = "T below 1/2: where C would be the square of a negative number the reader stops."
Figure = Callable[[cwl.GainingRanks, cwl.Walk], Floats]


def user_model_value(
    batch: ScoringBatch, *, take: Figure, user: str = "rbp", **given: Any
) -> Floats:
    """One figure of the walk of ``user``, given the parameters of ``cwl.walk``."""
    if "T" in given:
        given["t"] = given.pop("T")
    return take(*cwl.user_walk(batch, user, **given))


def user_model_parameter_conflict(params: Mapping[str, Value], user: str = "rbp") -> str:
    """What is wrong with parameters that do not go together."""
    user, k, wanted = str(params.get("user", user)), params.get("k"), params.get("T")
    if user in ("precision", "sdcg") and k is None:
        return f"user={user} reads down to a rank: write it, for example _10."
    if isinstance(k, int) and k > MAX_DEPTH:
        return f"readers come to rank {MAX_DEPTH:,} at most."
    if wanted is not None and user not in ("insq", "inst"):
        return "T is what the readers insq and inst want."
    if isinstance(wanted, float) and wanted > MOST_WANTED:
        return f"T is {MOST_WANTED:,} at most."
    return "p belongs to user=rbp only." if "p" in params and user != "rbp" else ""


def _family(
    card: Card, examples: tuple[WorkedExample, ...], take: Figure, **own: Any
) -> MeasureFamily:
    """A family that computes ``take``; of one reader where ``user`` is given."""
    user = {"user": own.pop("user")} if "user" in own else {}
    return MeasureFamily(
        card,
        partial(user_model_value, take=take, **user),
        examples,
        suffix="k",
        group="users",
        conflict=partial(user_model_parameter_conflict, **user),
        **own,
    )


_RANKED, _JUDGED = (2, 0, 1), (2, 1, 1, 0)

SDCG = _family(
    Card(
        name="sdcg",
        title="Scaled discounted cumulated gain",
        formula="Σ over the first k of gain(rank) / log2(1 + rank) / Σ of 1 / log2(1 + rank)",
        reading="DCG as a share of what k documents of the highest grade give, had the topic "
        "that many or not.",
        source=_SOURCE.format(own="Moffat and Zobel, ACM TOIS 27(1), 2008; "),
        parameters=(replace(_K, meaning="Ranks read."), _GAIN, MAX_REL),
        edge_cases=_EDGES[:1],
    ),
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            (1 + 1 / 2 / 2) / (1 + 0.6309297535714575 + 1 / 2),
            "(1 + 1/2 / log2 4) / (1 + 1/log2 3 + 1/log2 4)",
            "sdcg_3(max_rel=2)",
        ),
    ),
    cwl.expected_utility,
    user="sdcg",
    cut_spellings=("SDCG",),
    bare=(10,),
)

INSQ = _family(
    Card(
        name="insq",
        title="INSQ: a reader who wants T and does not count",
        formula="Σ W(rank) · gain(rank), W in proportion to (2T / (rank − 1 + 2T))²",
        reading="What a reader gains by document who goes deeper the more is wanted.",
        source=_SOURCE.format(own="Moffat, Scholer and Thomas, ADCS 2012; "),
        parameters=(_T, _K, _GAIN, MAX_REL),
        edge_cases=(_EDGES[0], _EDGES[2]),
    ),
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            (1 + 1 / 2 / 4) / (1 + 4 / 9 + 1 / 4),
            "(1 + (2/4)^2 · 1/2) / (1 + (2/3)^2 + (2/4)^2)",
            "insq_3(max_rel=2)",
        ),
    ),
    cwl.expected_utility,
    user="insq",
    spellings=("INSQ",),
    cut_spellings=("INSQ",),
)

INST = _family(
    Card(
        name="inst",
        title="INST: a reader who wants T and counts",
        formula="Σ W(rank) · gain(rank), C(i) = ((i + 2T − cg(i) − 1) / (i + 2T − cg(i)))², "
        "cg the gain down to rank i",
        reading="What a reader gains by document who goes deeper the more is still wanted.",
        source=_SOURCE.format(own="Moffat, Bailey, Scholer and Thomas, ADCS 2015; "),
        parameters=(_T, _K, _GAIN, MAX_REL),
        edge_cases=(_EDGES[0], _EDGES[2], _SMALL_T),
    ),
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            (1 + 1 / 9 / 2) / (1 + 1 / 4 + 1 / 9),
            "C = 1/4, 4/9: (1 + 1/4 · 4/9 · 1/2) / (1 + 1/4 + 1/4 · 4/9)",
            "inst_3(max_rel=2)",
        ),
    ),
    cwl.expected_utility,
    user="inst",
    spellings=("INST",),
    cut_spellings=("INST",),
)

_ALL = (_USER, _P, _T, _K, _GAIN, MAX_REL)

CWL = _family(
    Card(
        name="cwl",
        title="Expected utility of a reader (C/W/L)",
        formula="Σ W(rank) · gain(rank)",
        reading="What the reader gains by document.",
        source=_SOURCE.format(own=""),
        parameters=_ALL,
        edge_cases=(*_EDGES, _SMALL_T),
    ),
    (
        WorkedExample((1, 0, 1), (1, 1, 0), 0.2 * (1 + 0.8**2), "0.2 · (1 + 0.8^2)"),
        WorkedExample((1, 0, 1), (1, 1, 0), (1 + 2 / 3) / 2, "(1/1 + 2/3) / 2", "cwl(user=ap)"),
        WorkedExample((0, 1, 1), (1, 1, 0), 1 / 2, "the first is at rank 2", "cwl(user=rr)"),
        WorkedExample((0, 1, 1), (1, 1, 0), 2 / 5, "2 of 5", "cwl_5(user=precision)"),
    ),
    cwl.expected_utility,
)

CWL_TOTAL = _family(
    Card(
        name="cwl_total",
        title="Expected total utility of a reader (C/W/L)",
        formula="Σ L(i) · gain down to rank i = expected utility · documents read",
        reading="What the reader has gained in the end.",
        source=_SOURCE.format(own=""),
        range="0 and up",
        parameters=_ALL,
        edge_cases=(*_EDGES, _SMALL_T),
    ),
    (WorkedExample((1, 0, 1), (1, 1, 0), 1.64, "1 + 0.8^2"),),
    cwl.expected_total,
)

CWL_ITEMS = _family(
    Card(
        name="cwl_items",
        title="Documents that a reader sees (C/W/L)",
        formula="1 / W(1)",
        reading="How far down the ranking the reader goes on average.",
        source=_SOURCE.format(own=""),
        range="1 and up",
        parameters=_ALL,
        edge_cases=(*_EDGES, _SMALL_T),
        undefined="the reader never stops (user=rr, or user=rbp with p = 1, without a last rank "
        "k and with nothing found), or there is none (user=ap with nothing found).",
    ),
    (
        WorkedExample((1, 0, 1), (1, 1, 0), 5.0, "1 / (1 − 0.8)"),
        WorkedExample((0, 1, 1), (1, 1, 0), 2.0, "stops at rank 2", "cwl_items(user=rr)"),
    ),
    cwl.expected_items,
    better="neither",
)
