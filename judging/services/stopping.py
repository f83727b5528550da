"""Topics that end by a rule: set by an organizer, followed as judgments come in."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from campaigns.models import Campaign, Topic, User
from campaigns.rules import require
from campaigns.services import events
from judging.core.stopping import Rule
from judging.models import StoppedTopic, StoppingRule
from judging.queries.stopping import newest_rule, rule_of
from judging.services.log import lock
from pooling.queries import first_grades


def set_rule(*, actor: User, campaign: Campaign, rule: Rule) -> StoppingRule:
    """Have ``rule`` hold from now on, for what was judged already too.

    Topics that an earlier rule had ended, and this one does not, go on. The rule that holds
    already is returned as it is, and looked at anew: the relevance level may have changed.
    """
    require(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Alone: a judgment that is being written would be judged by the rule before.
        lock(campaign, alone=True)
        follow(campaign, campaign.topics.values_list("pk", flat=True), rule)
        newest = newest_rule(campaign)
        if newest is not None and newest.rule == rule:
            return newest
        row = StoppingRule.objects.create(campaign=campaign, set_by=actor, **vars(rule))
        events.record(
            campaign=campaign,
            actor=actor,
            verb="set when topics end",
            subject=rule.in_words(),
            **vars(rule),
        )
    return row


def follow_rule(campaign: Campaign, topics: Iterable[int]) -> None:
    """End those of ``topics`` that the rule ends by now, and have the others go on.

    Call it in the transaction that wrote judgments of them, after these.
    """
    if rule := rule_of(campaign):
        follow(campaign, topics, rule)


def follow(campaign: Campaign, topics: Iterable[int], rule: Rule) -> None:
    # Locked one after the other: of two judgments at once the second sees the first.
    for topic in Topic.objects.select_for_update(no_key=True).filter(pk__in=topics).order_by("pk"):
        if rule.ends([*first_grades(campaign, topic).values()]):
            StoppedTopic.objects.get_or_create(topic=topic)
        else:
            StoppedTopic.objects.filter(topic=topic).delete()
