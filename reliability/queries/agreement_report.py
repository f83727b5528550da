"""The report on agreement in a campaign, with the effect on the ranking of its runs."""

from __future__ import annotations

from dataclasses import replace

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from judging.queries.agreement import MOST_ASSESSORS, load_labels
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.report import AgreementReport, RankingEffect
from poolbench.reliability.verdicts.agreement import measure_effect
from pooling.queries.judgment_log import read_judgment_log
from reliability.queries.campaign_state import compute_median_seconds, load_campaign_state


def load_agreement_report(campaign: Campaign) -> AgreementReport:
    """Third judgments are left out: they exist where two assessors disagreed."""
    last = read_judgment_log(campaign).last
    labels = load_labels(campaign, last=last)
    try:
        effect = measure_effect(load_campaign_state(campaign), labels)
    except ActionRefused as refused:
        effect = RankingEffect(reason=refused.message)
    report = agreement_report(labels, campaign.relevance_level, most_assessors=MOST_ASSESSORS)
    seconds = compute_median_seconds(campaign)
    return replace(report, last=last, effect=effect, seconds_each=seconds)
