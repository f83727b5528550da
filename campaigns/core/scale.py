"""A grade scale: its steps, and what makes a scale that nobody could judge with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

RESERVED_KEYS = frozenset("usc")
"""Undo, skip and comment on the judging screen."""


@dataclass(frozen=True)
class GradeSpec:
    """One step of a grade scale; ``key`` is the single character that gives the grade."""

    value: int
    label: str
    key: str
    gain: float
    meaning: str = ""


def list_scale_faults(scale: Sequence[GradeSpec], relevance_level: int) -> list[str]:
    """Everything that is wrong with ``scale``, a sentence each; nothing for a good one."""
    values, keys = [step.value for step in scale], [step.key.lower() for step in scale]
    wrong = []
    if len(values) < 2:
        wrong.append("A scale has at least two grades.")
    if len(set(values)) < len(values):
        wrong.append("Two grades have the same value.")
    if len(set(keys)) < len(keys):
        wrong.append("Two grades have the same key.")
    if any(len(key) != 1 or not key.isalnum() for key in keys):
        wrong.append("A key is one letter or digit.")
    if RESERVED_KEYS & set(keys):
        wrong.append("The keys u, s and c belong to the judging screen.")
    if any(not step.label.strip() for step in scale):
        wrong.append("Every grade needs a label.")
    if not all(0 <= step.gain < float("inf") for step in scale):
        wrong.append("A gain is a number from 0.")
    if relevance_level not in values:
        wrong.append(f"The relevance level {relevance_level} is not a grade of the scale.")
    return wrong
