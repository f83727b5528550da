"""Two runs interleaved topic by topic, the credit of clicks on these lists, and its outcome."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poolbench.cards import Card
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.preferences.click_log import ClickSession
from poolbench.preferences.interleaving import (
    METHODS,
    InterleavedList,
    interleave_by_method,
    topic_rng,
)
from poolbench.preferences.preference_score import Rankings
from poolbench.statistics.bootstrap import bootstrap_values, percentile_estimates
from poolbench.statistics.draws import ResamplingOptions, resample_counts
from poolbench.statistics.estimate import Estimate, estimate_to_dict
from poolbench.statistics.proportions import sign_test_probability, wilson_estimate

OUTCOME = Card(
    name="interleaving_outcome",
    title="Outcome of interleaved lists",
    formula="a list is won by the ranking with more credit\n"
    "win share = wins(A) / (wins(A) + wins(B)), with Wilson's interval\n"
    "p = min(1, 2 · P(X ≤ min(wins))), X binomial with wins(A) + wins(B) lists and "
    "probability ½\nΔAB = (wins(A) + ½ ties) / (wins(A) + wins(B) + ties) − ½",
    reading="Whether users prefer ranking A to ranking B: above 0 for A, below 0 for B.",
    source="Joachims 2003 (sign test); Chapelle, Joachims, Radlinski & Yue, ACM TOIS 2012 (ΔAB); "
    "Wilson, JASA 1927.",
    range="ΔAB −½ to ½",
    edge_cases=(
        (
            "Equal credits are a tie, also 0 and 0; ties count in ΔAB but neither in the sign test "
            "nor in the win share."
        ),
        (
            "Wilson's interval and the sign test take lists as independent. Several lists of a "
            "topic or a judge are not; the interval of ΔAB resamples topics."
        ),
    ),
    undefined="no list was shown; the win share: every list was a tie.",
    example="Credits 3:1, 1:0, 0:2, 1:1: A wins 2, B wins 1, 1 tie. Win share 2/3; "
    "p = min(1, 2 · (1 + 3)/8) = 1; ΔAB = (2 + ½)/4 − ½ = 1/8.",
)


@dataclass(frozen=True)
class InterleavingOutcome:
    """``share`` is A's part of the lists that were won, ``delta`` the ΔAB over topics."""

    wins_a: int
    wins_b: int
    ties: int
    p_value: float | None
    share: Estimate
    delta: Estimate


def compare_credits(
    credits_by_topic: Mapping[str, Iterable[tuple[float, float]]],
    sampling: ResamplingOptions | None = None,
) -> InterleavingOutcome:
    """The outcome of lists with the credits of A and B, by topic.

    A judge's choice is the credit (1, 0), (0, 1) or, for a tie, (1, 1).
    """
    signs = [[(a > b) - (a < b) for a, b in pairs] for pairs in credits_by_topic.values()]
    counted = [[row.count(sign) for sign in (1, -1, 0)] for row in signs if row]
    table = np.array(counted, np.float64).reshape(-1, 3)
    wins_a, wins_b, ties = (int(total) for total in table.sum(axis=0))
    decided = wins_a + wins_b
    probability = sign_test_probability(np.array([float(wins_a)]), np.array([decided]))
    return InterleavingOutcome(
        wins_a,
        wins_b,
        ties,
        float(probability[0]) if decided else None,
        wilson_estimate(wins_a, decided),
        _estimate_delta(table, sampling or ResamplingOptions()),
    )


def _estimate_delta(table: np.ndarray, sampling: ResamplingOptions) -> Estimate:
    """ΔAB of wins of A, wins of B and ties by topic, with an interval over topics."""
    if not len(table):
        return Estimate(None, 0, why="no list was shown")

    def compute(counts: np.ndarray) -> np.ndarray:
        sums = counts @ table
        delta: np.ndarray = (sums[:, 0] + sums[:, 2] / 2) / sums.sum(axis=1) - 0.5
        return delta

    value = compute(np.ones((1, len(table))))
    draws = bootstrap_values(compute, resample_counts(len(table), sampling))
    return percentile_estimates(value, draws[None], np.array([len(table)]))[0]


@dataclass(frozen=True)
class InterleavedRuns(ResultTable):
    """A list by topic of runs ``tag_a`` and ``tag_b``; ``a`` and ``b`` are their rankings."""

    tag_a: str
    tag_b: str
    method: str
    seed: int
    depth: int | None
    lists: dict[str, InterleavedList]
    a: Rankings
    b: Rankings

    def to_frame(self) -> Frame:
        """A row per topic and position: topic, position, docno, run."""
        return make_frame(list(self.rows()), columns=["topic", "position", "docno", "run"])

    def rows(self) -> Iterable[tuple[str, int, str, str]]:
        tags = {"A": self.tag_a, "B": self.tag_b}
        for topic, merged in self.lists.items():
            pairs = zip(merged.documents, merged.by, strict=True)
            for position, (docno, side) in enumerate(pairs, 1):
                yield topic, position, docno, tags[side]


@dataclass(frozen=True)
class CreditedClicks:
    """The outcome of clicks on the lists, and the sessions with other lists."""

    outcome: InterleavingOutcome
    others: int

    def to_dict(self, tag_a: str, tag_b: str) -> dict[str, Any]:
        result = self.outcome
        return {
            "run_a": tag_a,
            "run_b": tag_b,
            "wins_a": result.wins_a,
            "wins_b": result.wins_b,
            "ties": result.ties,
            "p_value": result.p_value,
            "win_share": estimate_to_dict(result.share),
            "delta": estimate_to_dict(result.delta),
            "sessions_with_other_lists": self.others,
        }


def interleave_runs(
    a: tuple[str, Rankings],
    b: tuple[str, Rankings],
    *,
    method: str = "team-draft",
    seed: int = 0,
    depth: int | None = 10,
) -> InterleavedRuns:
    """The lists of the topics that both runs have, in their order in the first.

    Raises ``ValueError`` for an unknown method or a depth below 1.
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method}; known: {', '.join(METHODS)}")
    if depth is not None and depth < 1:
        raise ValueError("the depth must be at least 1")
    lists = {
        topic: interleave_by_method(method, ranking, b[1][topic], topic_rng(seed, topic), depth)
        for topic, ranking in a[1].items()
        if topic in b[1]
    }
    return InterleavedRuns(a[0], b[0], method, seed, depth, lists, a[1], b[1])


def credit_sessions(
    runs: InterleavedRuns,
    sessions: Iterable[ClickSession],
    sampling: ResamplingOptions | None = None,
) -> CreditedClicks:
    """The credit of the clicks of each session whose list is that of its topic, or the top of it;
    sessions with other lists are counted only.
    """
    credit = METHODS[runs.method].credit
    credits_by_topic: dict[str, list[tuple[float, float]]] = defaultdict(list)
    others = 0
    for session in sessions:
        merged = runs.lists.get(session.topic)
        if not merged or merged.documents[: len(session.documents)] != session.documents:
            others += 1
            continue
        topic = session.topic
        won = credit(runs.a[topic], runs.b[topic], merged, session.clicks)
        credits_by_topic[topic].append((won["A"], won["B"]))
    return CreditedClicks(compare_credits(credits_by_topic, sampling), others)
