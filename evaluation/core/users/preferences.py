"""Preferences between documents, read from clicks, and how well a ranking keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from campaigns.core.cards import Card

Preference = tuple[str, str]
"""``(better, worse)``."""

PREFERENCES = Card(
    name="pairwise_preference",
    title="Share of the preferences that a ranking keeps",
    formula="pairs (better, worse) with better above worse / pairs",
    reading="How often a ranking puts what was picked above what was passed over.",
    source="Joachims, KDD 2002; lecture slides CS276.",
    edge_cases=(
        "Nothing is said of the documents below the last pick, which may not have been read.",
        "A document that the ranking does not hold stands below all that it holds.",
        "A pair of which the ranking holds neither is not kept.",
        "A ranking should not be measured by the picks from its own list.",
    ),
    undefined="there is no preference.",
    example="Shown a b c d, picked a and c: c is preferred to b. A ranking c d b keeps it: 1.",
)


def preferences_from_clicks(shown: Sequence[str], clicked: Iterable[str]) -> list[Preference]:
    """``(clicked, passed over)`` for each document above a clicked one that was not clicked.

    In the order shown. Raises ``ValueError`` where a document is shown twice, or clicked
    and not shown.
    """
    picks = set(clicked)
    if len(set(shown)) < len(shown):
        raise ValueError("a list shows each document once")
    if unknown := sorted(picks - set(shown)):
        raise ValueError(f"clicked but not shown: {', '.join(unknown)}")
    return [
        (better, worse)
        for rank, better in enumerate(shown)
        if better in picks
        for worse in shown[:rank]
        if worse not in picks
    ]


def share_of_preferences_met(
    ranking: Sequence[str], preferences: Iterable[Preference]
) -> float | None:
    """The share of ``preferences`` that ``ranking`` has in order; None without any."""
    ranks = {docno: rank for rank, docno in enumerate(ranking)}
    nowhere = len(ranks)
    right = [
        ranks.get(better, nowhere) < ranks.get(worse, nowhere) for better, worse in preferences
    ]
    return sum(right) / len(right) if right else None
