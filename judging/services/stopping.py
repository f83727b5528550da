"""Topics that end by a rule: set by an organizer, followed as judgments come in."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from campaigns.models import Campaign, Topic, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.core.stopping import StoppingCriteria
from judging.models import StoppedTopic, StoppingRule
from judging.queries.stopping import get_stopping_rule, latest_rule
from judging.services.judgment_log import lock_judging
from pooling.queries import first_relevance


def set_stopping_rule(*, actor: User, campaign: Campaign, rule: StoppingCriteria) -> StoppingRule:
    """Have ``rule`` hold from now on, for what was judged already too.

    Topics that an earlier rule had ended, and this one does not, go on. The rule that holds
    already is returned as it is, and looked at anew: the relevance level may have changed.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Alone: a judgment that is being written would be judged by the rule before.
        lock_judging(campaign, alone=True)
        stop_or_resume_topic(campaign, campaign.topics.values_list("pk", flat=True), rule)
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
    """End those of ``topics`` that the rule ends by now, and have the others go on.

    Call it in the transaction that wrote judgments of them, after these.
    """
    if rule := get_stopping_rule(campaign):
        stop_or_resume_topic(campaign, topics, rule)


def stop_or_resume_topic(campaign: Campaign, topics: Iterable[int], rule: StoppingCriteria) -> None:
    # Locked one after the other: of two judgments at once the second sees the first.
    for topic in Topic.objects.select_for_update(no_key=True).filter(pk__in=topics).order_by("pk"):
        if rule.ends([*first_relevance(campaign, topic).values()]):
            StoppedTopic.objects.get_or_create(topic=topic)
        else:
            StoppedTopic.objects.filter(topic=topic).delete()
