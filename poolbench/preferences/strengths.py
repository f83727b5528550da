"""Bradley–Terry strengths by the MM algorithm, and cycles of preferences, by topic."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card, Parameter
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.preferences.preference_pairs import (
    Floats,
    PairMatrix,
    PreferenceRecord,
    build_pair_matrix,
    group_preferences,
)
from poolbench.statistics.bootstrap import LEVEL
from poolbench.statistics.estimate import Estimate

BRADLEY_TERRY = Card(
    name="bradley_terry",
    title="Bradley–Terry strength",
    formula="P(i preferred to j) = exp(s_i) / (exp(s_i) + exp(s_j)), Σ s_i = 0\n"
    "MM step: γ_i = W_i / Σ_j n_ij / (γ_i + γ_j), γ_i = exp(s_i); W_i = wins + ½ ties, n_ij = "
    "comparisons of i and j\ninterval: s_i ± z · se_i, se from the pseudo-inverse of the observed "
    "information n_ij p_ij p_ji",
    reading="How strong an item is against the average one: a difference of 1.1 between two "
    "strengths means that the stronger is preferred 3 times of 4.",
    source="Bradley & Terry, Biometrika 1952; Ford, AMM 1957 (existence); Hunter, Annals of "
    "Statistics 2004 (MM).",
    range="any number; the mean over the items of a topic is 0",
    parameters=(
        Parameter(
            "prior",
            "Wins and losses of each item against an item of strength 0, added to the data; "
            "strengths are then always defined and shrunk towards 0.",
            default="0",
            kind="number",
        ),
    ),
    edge_cases=(
        (
            "A tie counts as half a win for both; the standard errors treat it as a comparison "
            "like any other, which makes them a little too large."
        ),
        "Strengths are those of a topic: items of different topics are not compared.",
        "Comparisons by one judge depend on each other; then intervals are too narrow.",
    ),
    undefined="the items fall apart into groups such that no item of one was ever preferred to "
    "an item of another (the comparisons are not strongly connected), and there is no prior.",
    example="a preferred to b 3 of 4 times: γ_a/γ_b = 3, so s_a = ½ ln 3 = 0.549 and "
    "s_b = −0.549; the information of s_a − s_b is 4 · ¾ · ¼ = ¾, its standard error "
    "1.155, and that of s_a half of it: 0.577.",
)
TOLERANCE = 1e-10
MOST_STEPS = 20_000


@dataclass(frozen=True)
class ItemStrength:
    """``strength`` has its interval; ``n`` of it are the comparisons of the item. The rank is
    None where the strength is undefined.
    """

    item: str
    rank: int | None
    strength: Estimate
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class BradleyTerryResult:
    """Strengths from the strongest; without them ``groups`` that are not connected, the group
    that is never beaten by later ones first.
    """

    items: tuple[ItemStrength, ...]
    groups: tuple[tuple[str, ...], ...]
    converged: bool

    @property
    def is_defined(self) -> bool:
        return bool(self.items) and self.items[0].strength.value is not None


def fit_bradley_terry(matrix: PairMatrix, prior: float = 0.0) -> BradleyTerryResult:
    """The strengths of all items of ``matrix``.

    Raises ``ValueError`` for a negative ``prior``.
    """
    if prior < 0:
        raise ValueError("the prior must not be negative")
    groups = list_groups(matrix.points)
    if len(groups) > 1 and not prior:
        named = tuple(tuple(matrix.items[at] for at in group) for group in groups)
        why = f"the comparisons are not strongly connected: {len(groups):,} groups"
        nothing = np.full(len(matrix.items), np.nan)
        return BradleyTerryResult(_rank_items(matrix, nothing, nothing, why), named, True)
    strengths, steps = fit_strengths(matrix.points[None], prior)
    errors = _standard_errors(matrix, strengths[0], prior)
    items = _rank_items(matrix, strengths[0], errors, "")
    return BradleyTerryResult(items, (matrix.items,), steps < MOST_STEPS)


def fit_strengths(points: Floats, prior: float = 0.0) -> tuple[Floats, int]:
    """Strengths (cases × items) from ``points`` (cases × items × items, ties half), and the steps
    taken. Without ``prior`` each case must be strongly connected.
    """
    compared = points + points.swapaxes(1, 2)
    won = points.sum(axis=2) + prior
    gamma = np.ones(won.shape)
    steps = 0
    for steps in range(1, MOST_STEPS + 1):  # noqa: B007 -- it is the result
        met = (compared / (gamma[:, :, None] + gamma[:, None, :])).sum(axis=2)
        new = won / (met + 2 * prior / (gamma + 1))
        if not prior:
            new /= np.exp(np.log(new).mean(axis=1, keepdims=True))
        change = np.abs(np.log(new / gamma)).max(initial=0.0)
        gamma = new
        if change < TOLERANCE:
            break
    strengths: Floats = np.log(gamma)
    return strengths - strengths.mean(axis=1, keepdims=True), steps


def list_groups(points: Floats) -> list[list[int]]:
    """The strongly connected groups of items, those first that no later one has beaten."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    edges = points > 0
    count, labels = connected_components(csr_matrix(edges), directed=True, connection="strong")
    between = np.zeros((count, count), bool)
    np.logical_or.at(between, (labels[:, None], labels[None, :]), edges)
    np.fill_diagonal(between, False)
    waiting, order = list(range(count)), []
    while waiting:
        top = next(group for group in waiting if not between[waiting, group].any())
        waiting.remove(top)
        order.append(np.flatnonzero(labels == top).tolist())
    return order


def _standard_errors(matrix: PairMatrix, strengths: Floats, prior: float) -> Floats:
    """From the observed information at ``strengths``, whose mean is 0."""
    ahead = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    weights = (matrix.points + matrix.points.T) * ahead * (1 - ahead)
    information = np.diag(weights.sum(axis=1)) - weights
    if prior:
        alone = 1 / (1 + np.exp(-strengths))
        information += np.diag(2 * prior * alone * (1 - alone))
    covariance = np.linalg.pinv(information, hermitian=True)
    errors: Floats = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return errors


def _rank_items(
    matrix: PairMatrix, strengths: Floats, errors: Floats, why: str
) -> tuple[ItemStrength, ...]:
    """The items from the strongest; equal strengths share the better rank."""
    from scipy.special import ndtri

    z = float(ndtri((1 + LEVEL) / 2))
    rounded = np.round(strengths, 9)
    order = sorted(
        range(len(strengths)), key=lambda at: (-rounded[at] if not why else 0.0, matrix.items[at])
    )
    ranked = []
    for at in order:
        wins, losses = int(matrix.wins[at].sum()), int(matrix.wins[:, at].sum())
        ties, value = int(matrix.ties[at].sum()), float(strengths[at])
        n = wins + losses + ties
        if why:
            estimate = Estimate(None, n, why=why)
        else:
            half = z * float(errors[at])
            estimate = Estimate(value, n, value - half, value + half, LEVEL)
        rank = None if why else 1 + int(np.count_nonzero(rounded > rounded[at]))
        ranked.append(ItemStrength(matrix.items[at], rank, estimate, wins, losses, ties))
    return tuple(ranked)


CYCLES = Card(
    name="cycles",
    title="Circular triads and coefficient of consistence",
    formula="d = circular triads among the triads whose three pairs are all decided by majority\n"
    "share = d / those triads\nζ = 1 − 24 d / (n³ − n) for odd n, 1 − 24 d / (n³ − 4 n) for even n",
    reading="Whether one ranking can agree with all majorities: 0 circular triads and ζ = 1 if it "
    "can.",
    source="Kendall & Babington Smith, Biometrika 1940.",
    range="share 0 to 1; ζ 0 to 1",
    edge_cases=(
        (
            "A pair with as many preferences for one document as for the other is undecided; its "
            "triads are not counted."
        ),
        "A pair that was never compared is undecided too.",
        "Of random majorities a quarter of the triads is circular.",
    ),
    undefined="the share: no triad is decided; ζ: fewer than three documents, or a pair that is "
    "undecided.",
    example="a ≻ b, b ≻ c, c ≻ a, and a, b, c ≻ d: n = 4, of 4 triads a b c is circular; share "
    "1/4, ζ = 1 − 24/(64 − 16) = 1/2.",
)
MOST_CYCLES = 100
"""Cycles listed of a topic."""


@dataclass(frozen=True)
class CycleReport:
    """``circular`` of ``triads`` decided triads, ζ or None, and the shortest ``cycles``: each
    item is preferred to the next one, the last to the first.
    """

    circular: int
    triads: int
    zeta: float | None
    cycles: tuple[tuple[str, ...], ...]


def examine_cycles(matrix: PairMatrix) -> CycleReport:
    """Circular triads of the majorities, and a shortest cycle through each item in one."""
    ahead = matrix.majority
    circular, triads = count_circular_triads(ahead)
    shortest: dict[tuple[int, ...], None] = {}
    for group in list_groups(ahead.astype(np.float64)):
        for start in group if len(group) > 1 else ():
            if len(shortest) < MOST_CYCLES:
                shortest.setdefault(_rotate(_find_shortest_cycle(ahead, start)))
    listed = sorted(shortest, key=lambda cycle: (len(cycle), cycle))
    cycles = tuple(tuple(matrix.items[at] for at in cycle) for cycle in listed)
    return CycleReport(circular, triads, compute_consistence(ahead), cycles)


def count_circular_triads(ahead: NDArray[np.bool_]) -> tuple[int, int]:
    """Circular triads, and all triads with three decided pairs."""
    won = ahead.astype(np.float64)
    decided = won + won.T
    circular = np.einsum("ij,ji->", won @ won, won) / 3
    triads = np.einsum("ij,ji->", decided @ decided, decided) / 6
    return round(float(circular)), round(float(triads))


def compute_consistence(ahead: NDArray[np.bool_]) -> float | None:
    """ζ; None for fewer than three items or an undecided pair."""
    n = len(ahead)
    if n < 3 or np.count_nonzero(ahead) < n * (n - 1) // 2:
        return None
    circular, _ = count_circular_triads(ahead)
    return 1 - 24 * circular / (n**3 - n if n % 2 else n**3 - 4 * n)


def _find_shortest_cycle(ahead: NDArray[np.bool_], start: int) -> tuple[int, ...]:
    """The shortest cycle through ``start``, which is in one; breadth first."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for following in np.flatnonzero(ahead[at]).tolist():
            if following == start:
                path = [at]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return tuple(reversed(path))
            if following not in before:
                before[following] = at
                waiting.append(following)
    raise ValueError("the item is in no cycle")


def _rotate(cycle: Sequence[int]) -> tuple[int, ...]:
    """The same cycle, its least item first."""
    least = cycle.index(min(cycle))
    return (*cycle[least:], *cycle[:least])


@dataclass(frozen=True)
class TopicStrengths:
    """Strengths and cycles of the documents of a topic."""

    topic: str
    result: BradleyTerryResult
    cycles: CycleReport


@dataclass(frozen=True)
class StrengthReport(ResultTable):
    """All topics, in the order of the preferences."""

    topics: tuple[TopicStrengths, ...]
    prior: float

    @property
    def undefined(self) -> int:
        return sum(not topic.result.is_defined for topic in self.topics)

    @property
    def circular(self) -> tuple[int, int]:
        """Circular triads and decided triads over all topics."""
        cycles = [topic.cycles for topic in self.topics]
        return sum(each.circular for each in cycles), sum(each.triads for each in cycles)

    def to_frame(self) -> Frame:
        """A row per topic and document: topic, rank, docno, strength, low, high."""
        return make_frame(
            [
                (topic.topic, item.rank, item.item, s.value, s.low, s.high)
                for topic in self.topics
                for item in topic.result.items
                for s in [item.strength]
            ],
            columns=["topic", "rank", "docno", "strength", "low", "high"],
        )


def compute_strengths(records: Iterable[PreferenceRecord], prior: float = 0.0) -> StrengthReport:
    """Raises ``ValueError`` for a topic of too many documents, named in the message."""
    topics = []
    for topic, listed in group_preferences(records).items():
        try:
            matrix = build_pair_matrix(listed)
        except ValueError as error:
            raise ValueError(f"topic {topic}: {error}") from error
        result = fit_bradley_terry(matrix, prior)
        topics.append(TopicStrengths(topic, result, examine_cycles(matrix)))
    return StrengthReport(tuple(topics), prior)
