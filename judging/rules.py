"""What judging allows, in words."""

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
"""As the cards of the designs say it."""

FLAGS = {
    "broken": _("broken or cut off"),
    "language": _("in another language"),
    "duplicate": _("a duplicate of another document"),
}
"""What may be marked on a document beside its grade."""
MAX_PASSAGES, MAX_PASSAGE = 50, 5_000

THIRD_K = 100
"""The ``k`` of a slot that disagreement adds: above every planned one, so there is one a pair."""
