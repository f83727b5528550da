"""A grade scale: its grades, and the checks of a valid scale."""

from collections.abc import Sequence
from dataclasses import dataclass

SCREEN_KEYS = {
    "u": "undo",
    "z": "undo",
    "s": "skip",
    "c": "comment",
    "f": "flags",
    "b": "flag, or skip as, unreadable",
    "l": "flag, or skip as, in another language",
    "d": "flag as duplicate",
    "x": "skip as undecided",
    "o": "skip for another reason",
    "p": "highlight a passage",
    "n": "next topic term",
    "h": "highlight topic terms",
    "t": "fold or unfold the topic",
    "g": "guidelines",
    "w": "text as written or wrapped, pictures and pages whole or wide",
    "+": "larger",
    "-": "smaller",
    "j": "go on without a change or a decision",
    "/": "find",
    "?": "keyboard shortcuts",
    "k": "original, translation or both",
    "v": "two nearly same documents side by side",
    "q": "unsure of the grade",
    "e": "typical of its grade",
    ".": "notebook",
}
"""The keys of the judging screen, in lower case. A test compares them with its pages and scripts.
No grade may use them; in a scale that was saved before they were reserved, the grade wins, and the
screen's own function is reached by its button.
"""


@dataclass(frozen=True)
class GradeSpec:
    """One grade of a scale; ``key`` is the single character that assigns it."""

    value: int
    label: str
    key: str
    gain: float
    meaning: str = ""


def list_taken_keys(scale: Sequence[GradeSpec]) -> list[str]:
    """The keys of ``scale`` that belong to the judging screen."""
    return sorted({step.key.lower() for step in scale} & SCREEN_KEYS.keys())


def describe_taken_keys(keys: Sequence[str]) -> str:
    """One sentence about grade keys that belong to the judging screen, with all of its keys."""
    verb = "belong" if len(keys) > 1 else "belongs"
    uses = " ".join(SCREEN_KEYS)
    return f"Key {', '.join(keys)} {verb} to the judging screen, which uses {uses}."


def list_scale_faults(
    scale: Sequence[GradeSpec], relevance_level: int, former: Sequence[GradeSpec] = ()
) -> list[str]:
    """The errors of ``scale``, one sentence each; empty if it is valid.

    A key of the judging screen that ``former``, the scale so far, has already may stay.
    """
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
    if taken := sorted({*list_taken_keys(scale)} - {*list_taken_keys(former)}):
        wrong.append(describe_taken_keys(taken))
    if any(not step.label.strip() for step in scale):
        wrong.append("Every grade needs a label.")
    if not all(0 <= step.gain < float("inf") for step in scale):
        wrong.append("The gain must be 0 or more.")
    if relevance_level not in values:
        wrong.append(f"The relevance level {relevance_level} is not a grade of the scale.")
    return wrong
