"""The part of docs/pooling.md on the methods, made from their cards."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown
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


def render_methods_docs() -> str:
    """All methods in Markdown."""
    parts = []
    for _, title, about, methods in methods_by_kind():
        parts.append(f"### {title}\n\n{about}\n")
        parts += [render_card_markdown(method.card, level=4) for method in methods]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(render_methods_docs())
