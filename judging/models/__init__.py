"""Judging: plans, slots, the judgment log, qrels versions."""

from judging.models.judgments import Exclusion, Judgment, TrainingPair
from judging.models.machines import AutomaticAssessor, ModelAnswer, PromptCard, PromptCardRelease
from judging.models.notebook import TopicNote
from judging.models.plans import (
    Assignment,
    Audience,
    LeasedSlot,
    Plan,
    PropagatedPair,
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
    "Exclusion",
    "Judgment",
    "LeasedSlot",
    "ModelAnswer",
    "Plan",
    "PromptCard",
    "PromptCardRelease",
    "PropagatedPair",
    "Purpose",
    "Qrels",
    "ReviewRequest",
    "Slot",
    "StoppedTopic",
    "StoppingRule",
    "TopicNote",
    "TrainingPair",
]
