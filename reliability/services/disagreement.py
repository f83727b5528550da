"""Adjudication rounds of the pairs with the highest rank-swap value."""

from collections.abc import Sequence

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from judging.models import Plan
from judging.queries.adjudication import adjudication_states
from judging.services.adjudication import open_round
from reliability.queries.disagreement_studies import DisagreementQuery, study_disagreement

ORDER = "value"
"""The order of these rounds, as pages and the log name it."""


def open_round_by_value(
    *,
    actor: User,
    campaign: Campaign,
    query: DisagreementQuery,
    most: int,
    adjudicators: Sequence[User],
    blind: bool = True,
) -> Plan:
    """Open an adjudication round with at most ``most`` disagreements that are in no round,
    highest rank-swap value first, without those of value 0.
    """
    require_permission(actor, "campaigns.manage", campaign)
    if most < 1:
        raise ActionRefused("no-pairs", "Select at least one pair.")
    study = study_disagreement(actor=actor, campaign=campaign, query=query)
    number = dict(campaign.topics.values_list("number", "pk"))
    in_round = {pair for pair, state in adjudication_states(campaign).items() if state == "round"}
    candidates = [
        (number[value.topic], value.docno, value.value)
        for value in study.report.values
        if (value.topic, value.docno) not in in_round and value.value > 0
    ]
    if not candidates:
        message = "No disagreement outside of rounds can change the ranking."
        raise ActionRefused("nothing-to-settle", message)
    pairs = candidates[:most]
    return open_round(
        actor=actor,
        campaign=campaign,
        pairs=pairs,
        adjudicators=adjudicators,
        blind=blind,
        order=ORDER,
    )
