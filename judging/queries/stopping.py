"""The campaign's stopping rule, and the topics that are complete by it."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from campaigns.models import Campaign, Topic
from judging.core.stopping import StoppingCriteria
from judging.models import StoppedTopic, StoppingRule


def latest_rule(campaign: Campaign) -> StoppingRule | None:
    """The rule that was set last, also if it never completes a topic."""
    return campaign.stopping_rules.first()


def get_stopping_rule(campaign: Campaign) -> StoppingCriteria:
    """The rule that applies; if none was set, one that never completes a topic."""
    newest = latest_rule(campaign)
    return newest.rule if newest else StoppingCriteria()


def stopped_topics(campaign: Campaign) -> QuerySet[StoppedTopic]:
    return StoppedTopic.objects.filter(topic__campaign=campaign)


def is_stopped(topic: Topic) -> bool:
    return StoppedTopic.objects.filter(topic=topic).exists()


def open_topic_filter() -> Q:
    """Within a query of slots or assignments: the topic is not complete."""
    return Q(~Exists(StoppedTopic.objects.filter(topic=OuterRef("topic"))))
