"""What judging allows, in words."""

from __future__ import annotations

SKIP_REASONS = {
    "broken": "broken or empty",
    "language": "in a language I cannot judge",
    "undecided": "cannot decide",
    "other": "another reason",
}
