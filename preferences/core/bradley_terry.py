"""Bradley–Terry strengths from paired comparisons, by the MM algorithm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card, Parameter
from common.statistics.bootstrap import LEVEL
from common.statistics.estimate import Estimate
from preferences.core.pair_matrix import Floats, PairMatrix

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
    prior: float
    steps: int
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
        return BradleyTerryResult(_rank_items(matrix, nothing, nothing, why), named, prior, 0, True)
    strengths, steps = fit_strengths(matrix.points[None], prior)
    errors = _standard_errors(matrix, strengths[0], prior)
    items = _rank_items(matrix, strengths[0], errors, "")
    return BradleyTerryResult(items, (matrix.items,), prior, steps, steps < MOST_STEPS)


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
