"""The methods by kind, and the block of docs/pooling.md that has their cards."""

from __future__ import annotations

from campaigns.core.cards import render_cards
from pooling.core.method import PoolingMethod
from pooling.core.registry import LISTED

GROUPS = (
    ("static", "Static methods", "The selection is known before judging starts."),
    (
        "adaptive",
        "Adaptive methods",
        "Each document is selected using the judgments made so far.",
    ),
    (
        "sampled",
        "Sampling methods",
        "Documents are drawn with known inclusion probabilities, so measures can be estimated.",
    ),
)
"""Kind, title, and what its methods have in common."""


def methods_by_kind() -> list[tuple[str, str, str, list[PoolingMethod]]]:
    """The groups that have methods, each with its methods."""
    groups = [(*group, [m for m in LISTED if m.kind == group[0]]) for group in GROUPS]
    return [group for group in groups if group[3]]


def _methods() -> str:
    return "\n".join(
        f"### {title}\n\n{about}\n\n{render_cards((m.card for m in methods), level=4)}"
        for _, title, about, methods in methods_by_kind()
    )


BLOCKS = {"pooling.methods": _methods}
