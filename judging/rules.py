"""Skip reasons, designs, flags and limits of judging."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

SKIP_REASONS = {
    "broken": _("broken or empty"),
    "language": _("in a language I cannot judge"),
    "undecided": _("cannot decide"),
    "other": _("another reason"),
}

DESIGN_NAMES = {
    "topic-owner": _("Topic-owner"),
    "overlap": _("Overlap n"),
    "share": _("Overlap by share"),
    "round-robin": _("Round-robin"),
    "blocks": _("Balanced blocks"),
}
"""The titles of the design cards, translated."""

FLAGS = {
    "broken": _("broken or cut off"),
    "language": _("in another language"),
    "duplicate": _("a duplicate of another document"),
}
"""Flags of a document, in addition to its grade."""
MAX_PASSAGES, MAX_PASSAGE = 50, 5_000

THIRD_K = 100
"""The ``k`` of a third slot: above every planned one, so that a pair has at most one."""
