"""Skip reasons, designs, flags and limits of judging."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

SKIP_REASONS = {
    "broken": _("unreadable or empty"),
    "language": _("in a language I cannot judge"),
    "undecided": _("cannot decide"),
    "other": _("another reason"),
}

DESIGN_NAMES = {
    "topic-owner": _("One assessor per topic"),
    "overlap": _("n judgments per document"),
    "share": _("Partial overlap"),
    "round-robin": _("Round-robin"),
    "blocks": _("Balanced blocks"),
}
"""The titles of the design cards, translated."""

FLAGS = {
    "broken": _("unreadable or truncated"),
    "language": _("in another language"),
    "duplicate": _("duplicate of another document"),
}
"""Flags of a document, in addition to its grade."""
MAX_PASSAGES, MAX_PASSAGE = 50, 5_000

THIRD_K = 100
"""The ``k`` of a third slot: above every planned one, so that a pair has at most one."""
