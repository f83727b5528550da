"""Skip reasons, designs, flags and limits of judging."""

from collections.abc import Collection

from django.utils.translation import gettext_lazy as _

from campaigns.errors import ActionRefused

SKIP_REASONS = {
    "broken": _("unreadable or empty"),
    "language": _("in a language I cannot judge"),
    "undecided": _("cannot decide"),
    "other": _("another reason"),
}

PASSED_ON = ("undecided",)
"""Reasons that are the assessor's, not the document's: another assessor gets it by itself."""
EXPLAINED = ("other",)
"""Reasons that need a comment."""

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
    "unsure": _("unsure of the grade"),
    "typical": _("typical of its grade"),
}
"""Flags that an assessor may set on a document, in addition to the grade."""
KEY_HELP = {
    ("u", "z"): _("undo the last judgment; repeat for earlier ones"),
    ("s",): _("skip with a reason"),
    ("f",): _("flags"),
    ("p",): _("highlight the selected passage; without one, select by arrows"),
    ("c",): _("comment; Enter or Esc leaves the field"),
    ("n", "N"): _("next and previous topic term"),
    ("h",): _("highlight topic terms on or off"),
    ("t",): _("fold or unfold the topic"),
    ("g",): _("open or close the guidelines"),
    (".",): _("write in the notebook of the topic"),
    ("w",): _("text as written or wrapped; a picture or a page whole or wide"),
    ("+", "-"): _("text, picture or page larger or smaller; arrows scroll"),
    ("k",): _("original, translation or both"),
    ("v",): _("a document with the same or nearly the same text side by side"),
    ("/",): _("find in the document; Enter for the next match"),
    ("?",): _("this help"),
}
"""What the help of the screen says of its keys, in its order. Skip reasons and flags have their
own keys; ``SCREEN_KEYS`` lists all.
"""
MAX_PASSAGES, MAX_PASSAGE = 50, 5_000

THIRD_K = 100
"""The ``k`` of a slot for a third judgment: above every planned one, so one per pair."""


def choose_policy(name: str, names: Collection[str], usual: str) -> str:
    """``name``, ``usual`` for none; refused ("no-policy") unless it is one of ``names``."""
    if name and name not in names:
        fix = f"Choose one of: {', '.join(names)}."
        raise ActionRefused("no-policy", f"{name[:80]} is no policy of this page.", fix)
    return name or usual
