"""Judging: plans, slots, the judgment log, the crowd, qrels versions."""

from judging.models.crowd import CrowdWorker, Exclusion, GoldPair, WorkUnit
from judging.models.judgments import AutomaticAssessor, Judgment, TrainingPair
from judging.models.plans import (
    Assignment,
    Audience,
    LeasedSlot,
    Plan,
    Purpose,
    Slot,
    StoppedTopic,
    StoppingRule,
)
from judging.models.qrels import Qrels
from judging.models.today import AlarmDismissal, ReviewRequest

__all__ = [
    "AlarmDismissal",
    "Assignment",
    "Audience",
    "AutomaticAssessor",
    "CrowdWorker",
    "Exclusion",
    "GoldPair",
    "Judgment",
    "LeasedSlot",
    "Plan",
    "Purpose",
    "Qrels",
    "ReviewRequest",
    "Slot",
    "StoppedTopic",
    "StoppingRule",
    "TrainingPair",
    "WorkUnit",
]
