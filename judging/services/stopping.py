"""Stopping rules: set by an organizer, applied after every judgment."""

from collections.abc import Iterable

from django.db import transaction

from campaigns.models import Campaign, Topic, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.models import StoppedTopic, StoppingRule
from judging.queries.exclusions import counting_judgments
from judging.queries.slots import get_stopping_rule, latest_rule
from judging.services.judgment_log import lock_judging
from poolbench.judging.stopping import StoppingCriteria
from pooling.queries.adaptive_pools import first_relevance


def set_stopping_rule(*, actor: User, campaign: Campaign, rule: StoppingCriteria) -> StoppingRule:
    """Apply ``rule`` from now on, also to topics already judged.

    Topics that were complete by an earlier rule, but not by this one, are resumed. Setting the
    current rule again re-applies it, since the relevance level may have changed.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Exclusive: a concurrent judgment would be checked against the previous rule.
        lock_judging(campaign, exclusive=True)
        stop_or_resume_topics(campaign, campaign.topics.values_list("pk", flat=True), rule)
        newest = latest_rule(campaign)
        if newest is not None and newest.rule == rule:
            return newest
        row = StoppingRule.objects.create(campaign=campaign, set_by=actor, **vars(rule))
        events.log_event(
            campaign=campaign,
            actor=actor,
            code="stopping.rule_set",
            subject=rule.in_words(),
            **vars(rule),
        )
    return row


def apply_stopping_rule(campaign: Campaign, topics: Iterable[int]) -> None:
    """Complete or resume each of ``topics`` according to the rule.

    Call it after saving judgments of these topics, in the same transaction.
    """
    if rule := get_stopping_rule(campaign):
        stop_or_resume_topics(campaign, topics, rule)


def stop_or_resume_topics(
    campaign: Campaign, topics: Iterable[int], rule: StoppingCriteria
) -> None:
    """Mark each topic as complete if ``rule`` says so, otherwise as open."""
    # Locked one by one: of two concurrent judgments the second sees the first.
    for topic in Topic.objects.select_for_update(no_key=True).filter(pk__in=topics).order_by("pk"):
        if rule.ends([*first_relevance(campaign, topic, counting_judgments()).values()]):
            StoppedTopic.objects.get_or_create(topic=topic)
        else:
            StoppedTopic.objects.filter(topic=topic).delete()
