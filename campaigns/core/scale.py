"""A grade scale: its grades, and the checks of a valid scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

RESERVED_KEYS = frozenset("usc")
"""Undo, skip and comment on the judging screen."""


@dataclass(frozen=True)
class GradeSpec:
    """One grade of a scale; ``key`` is the single character that assigns it."""

    value: int
    label: str
    key: str
    gain: float
    meaning: str = ""


def list_scale_faults(scale: Sequence[GradeSpec], relevance_level: int) -> list[str]:
    """The errors of ``scale``, one sentence each; empty if it is valid."""
    values, keys = [step.value for step in scale], [step.key.lower() for step in scale]
    wrong = []
    if len(values) < 2:
        wrong.append("The scale needs at least 2 grades.")
    if len(set(values)) < len(values):
        wrong.append("Grade values must be unique.")
    if len(set(keys)) < len(keys):
        wrong.append("Keys must be unique.")
    if any(len(key) != 1 or not key.isalnum() for key in keys):
        wrong.append("A key must be one letter or digit.")
    if RESERVED_KEYS & set(keys):
        wrong.append("The keys u, s and c are reserved for the judging screen.")
    if any(not step.label.strip() for step in scale):
        wrong.append("Every grade needs a label.")
    if not all(0 <= step.gain < float("inf") for step in scale):
        wrong.append("The gain must be 0 or more.")
    if relevance_level not in values:
        wrong.append(f"The relevance level {relevance_level} is not a grade of the scale.")
    return wrong
