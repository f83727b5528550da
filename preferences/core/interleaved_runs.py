"""Two runs interleaved topic by topic, and the credit of clicks on these lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.statistics.draws import ResamplingOptions
from preferences.core.click_log import ClickSession
from preferences.core.credit_outcome import InterleavingOutcome, compare_credits
from preferences.core.interleaving import InterleavedList
from preferences.core.interleaving_methods import METHODS, interleave_by_method, topic_rng
from preferences.core.preference_score import Rankings

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class InterleavedRuns:
    """A list by topic of runs ``tag_a`` and ``tag_b``; ``a`` and ``b`` are their rankings."""

    tag_a: str
    tag_b: str
    method: str
    seed: int
    depth: int | None
    lists: dict[str, InterleavedList]
    a: Rankings
    b: Rankings

    def to_frame(self) -> DataFrame:
        """A row per topic and position: topic, position, docno, run."""
        from pandas import DataFrame

        return DataFrame(list(self.rows()), columns=["topic", "position", "docno", "run"])

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
            "win_share": vars(result.share),
            "delta": vars(result.delta),
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
