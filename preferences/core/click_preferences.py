"""Preferences between documents inferred from clicks, and how well a ranking agrees with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from campaigns.core.cards import Card

Preference = tuple[str, str]
"""``(better, worse)``."""

PREFERENCES = Card(
    name="pairwise_preference",
    title="Proportion of preferences satisfied by a ranking",
    formula="pairs (better, worse) with better above worse / pairs",
    reading="How often a ranking places a clicked document above one that was skipped.",
    source="Joachims, KDD 2002; lecture slides CS276.",
    edge_cases=(
        "Documents below the last click imply no preference, since they may not have been viewed.",
        "A document not in the ranking counts as below all documents in it.",
        "A pair with both documents missing from the ranking is not satisfied.",
        "Do not evaluate a ranking with the clicks on its own list.",
    ),
    undefined="there is no preference.",
    example="Shown a b c d, clicked a and c: c is preferred to b. A ranking c d b satisfies it: 1.",
)


def preferences_from_clicks(displayed: Sequence[str], clicked: Iterable[str]) -> list[Preference]:
    """``(clicked, skipped)`` for each document above a clicked one that was not clicked.

    In display order. Raises ``ValueError`` if a document is shown twice, or clicked but not shown.
    """
    picks = set(clicked)
    if len(set(displayed)) < len(displayed):
        raise ValueError("duplicate document in the list")
    if unknown := sorted(picks - set(displayed)):
        raise ValueError(f"clicked but not shown: {', '.join(unknown)}")
    return [
        (better, worse)
        for rank, better in enumerate(displayed)
        if better in picks
        for worse in displayed[:rank]
        if worse not in picks
    ]


def share_of_preferences_met(
    ranking: Sequence[str], preferences: Iterable[Preference]
) -> float | None:
    """The proportion of ``preferences`` that ``ranking`` satisfies; None without any."""
    ranks = {docno: rank for rank, docno in enumerate(ranking)}
    nowhere = len(ranks)
    right = [
        ranks.get(better, nowhere) < ranks.get(worse, nowhere) for better, worse in preferences
    ]
    return sum(right) / len(right) if right else None
