"""Preferences: comparisons, the slots of their judges, the preference log, click logs."""

from preferences.models.click_logs import ClickLog, ClickPreference
from preferences.models.comparisons import Comparison, ComparisonPlan, ComparisonSlot, Preference

__all__ = [
    "ClickLog",
    "ClickPreference",
    "Comparison",
    "ComparisonPlan",
    "ComparisonSlot",
    "Preference",
]
