"""The practice set of a campaign: training pairs for crowd workers."""

from __future__ import annotations

from campaigns.models import Campaign
from judging.models import Audience, TrainingPair


def count_practice_pairs(campaign: Campaign) -> int:
    return TrainingPair.objects.filter(campaign=campaign, audience=Audience.CROWD).count()
