"""The methods as a part of docs/pooling.md, made from their cards."""

from __future__ import annotations

from campaigns.core.cards import render_card_markdown
from pooling.core.method import PoolingMethod
from pooling.core.registry import LISTED

GROUPS = (
    ("static", "From the runs alone", "What they choose is known before anybody judges."),
    (
        "adaptive",
        "Learning from judgments",
        "Each document is chosen by what was said of those before it.",
    ),
    (
        "sampled",
        "Drawn by chance",
        "Each document has a known probability, so that what was not judged can be estimated.",
    ),
)
"""Kind, title, and what its methods have in common."""


def methods_by_kind() -> list[tuple[str, str, str, list[PoolingMethod]]]:
    """The groups that have methods, each with them."""
    found = [(*group, [m for m in LISTED if m.kind == group[0]]) for group in GROUPS]
    return [group for group in found if group[3]]


def render_methods_docs() -> str:
    """All methods in Markdown."""
    parts = []
    for _, title, about, methods in methods_by_kind():
        parts.append(f"### {title}\n\n{about}\n")
        parts += [render_card_markdown(method.card, level=4) for method in methods]
    return "\n".join(parts)
