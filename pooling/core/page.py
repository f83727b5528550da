"""The methods as a part of docs/pooling.md, made from their cards."""

from __future__ import annotations

from campaigns.core.cards import card_section
from pooling.core.method import Method
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


def by_kind() -> list[tuple[str, str, str, list[Method]]]:
    """The groups that have methods, each with them."""
    found = [(*group, [m for m in LISTED if m.kind == group[0]]) for group in GROUPS]
    return [group for group in found if group[3]]


def methods_text() -> str:
    """All methods in Markdown."""
    parts = []
    for _, title, about, methods in by_kind():
        parts.append(f"### {title}\n\n{about}\n")
        parts += [card_section(method.card, level=4) for method in methods]
    return "\n".join(parts)
