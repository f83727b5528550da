"""Rules of a study's options: what is possible at all, and what may change after the start."""

from typing import Any

from campaigns.errors import ActionRefused
from poolbench.crowd.options import StudyOptions

FIXED = {
    "provider": "provider",
    "currency": "currency",
    "unit_size": "unit size",
    "one_topic": "topics of a unit",
    "gold_per_unit": "gold per unit",
    "repeats_per_unit": "repeats per unit",
    "unit_minutes": "minutes of a unit",
    "practice_pass": "practice pass mark",
}
"""Fields, with their names for messages, that never change after the start."""
ONLY_UP = {
    "pay_per_unit": "pay per unit",
    "screen_out_pay": "pay for practice",
    "hourly_minimum": "hourly minimum",
    "units_per_worker": "units per worker",
    "max_units": "units in all",
    "max_screened": "workers paid for practice alone",
    "extra_budget": "extra budget",
    "retention_until": "retention date",
}
"""Fields that workers may rely on: after the start they only rise. None in ``LIMITS`` is no
limit."""
LIMITS = ("max_units", "max_screened")
LEAST = {
    "unit_size": 1,
    "unit_minutes": 1,
    "units_per_worker": 1,
    "max_units": 1,
    "max_screened": 0,
    "gold_per_unit": 0,
    "repeats_per_unit": 0,
    "practice_pass": 0,
    "stop_after": 3,
    "floor_seconds": 0,
    "floor_per_1000": 0,
    "extra_budget": 0,
    "pay_per_unit": 0,
    "screen_out_pay": 0,
    "hourly_minimum": 0,
}
MOST_IN_UNIT = 200


def check_study_options(options: StudyOptions) -> None:
    """Refuse options that no study can have."""
    for name, least in LEAST.items():
        value = getattr(options, name)
        if value is not None and value < least:
            label = name.replace("_", " ")
            raise ActionRefused(
                "bad-study", f"Invalid {label}: {value}.", f"Enter at least {least}."
            )
    documents = options.unit_size + options.gold_per_unit + options.repeats_per_unit
    if documents > MOST_IN_UNIT:
        raise ActionRefused(
            "bad-study",
            f"A unit of {documents} documents is too long.",
            f"Use at most {MOST_IN_UNIT} documents, gold and repeats included.",
        )
    if not 0 <= options.stop_below < 1:
        raise ActionRefused(
            "bad-study",
            f"Invalid accuracy for the stop rule: {options.stop_below:g}.",
            "Enter a share from 0 (never stop) to below 1, e.g. 0.6.",
        )
    if not (
        len(options.currency) == 3 and options.currency.isascii() and options.currency.isupper()
    ):
        raise ActionRefused(
            "bad-study",
            f"Invalid currency: {options.currency}.",
            "Use the three letters of ISO 4217, e.g. EUR.",
        )


def check_changes(before: StudyOptions, after: StudyOptions) -> None:
    """Refuse changes that a started study does not allow."""
    for name, label in FIXED.items():
        if getattr(before, name) != getattr(after, name):
            raise ActionRefused(
                "study-fixed",
                f"The {label} cannot change: the study has started.",
                "Stop this study and create another one with the pairs that remain.",
            )
    for name, label in ONLY_UP.items():
        old, new = getattr(before, name), getattr(after, name)
        if not is_raised(name, old, new):
            raise ActionRefused(
                "study-only-up",
                f"The {label} can only rise: the study has started.",
                "Leave it without a limit." if old is None else f"Enter {old} or more.",
            )


def is_raised(name: str, old: Any, new: Any) -> bool:
    """Whether ``new`` is not below ``old``. None is no limit, and no date yet."""
    if old == new:
        return True
    if name in LIMITS and None in (old, new):
        return new is None
    return old is None or (new is not None and new >= old)
