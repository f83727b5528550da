"""Topics that have ended by the campaign's rule, and the rule itself."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from campaigns.models import Campaign, Topic
from judging.core.stopping import StoppingCriteria
from judging.models import StoppedTopic, StoppingRule


def latest_rule(campaign: Campaign) -> StoppingRule | None:
    """What was set last, be it that nothing ends a topic."""
    return campaign.stopping_rules.first()


def get_stopping_rule(campaign: Campaign) -> StoppingCriteria:
    """The rule that holds; one that never ends a topic if none was set."""
    newest = latest_rule(campaign)
    return newest.rule if newest else StoppingCriteria()


def stopped_topics(campaign: Campaign) -> QuerySet[StoppedTopic]:
    return StoppedTopic.objects.filter(topic__campaign=campaign)


def is_stopped(topic: Topic) -> bool:
    return StoppedTopic.objects.filter(topic=topic).exists()


def open_topic_filter() -> Q:
    """Within a query of slots or assignments: the topic has not ended."""
    # Not by ``Exists``: PostgreSQL would join, and sort a whole topic for its first few slots.
    return ~Q(topic__in=StoppedTopic.objects.values("topic"))
