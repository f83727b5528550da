"""``manage.py agreement``: the agreement of a campaign's assessors."""

from collections.abc import Mapping
from typing import Any

from campaigns.management.campaign_command import CampaignCommand
from campaigns.services.snapshots import compute_report
from judging.queries.quality import load_judging_record
from poolbench.commands.agreement import AgreementCommand
from poolbench.commands.command import Output
from poolbench.judging.quality.report import JudgingRecord
from poolbench.verdicts import Verdict


class CampaignAgreement(AgreementCommand):
    help = "Compute the inter-assessor agreement of a campaign."

    def read_record(self, options: Mapping[str, Any], _out: Output) -> tuple[JudgingRecord, int]:
        campaign = options["campaign"]
        record = load_judging_record(campaign, third=options["with_third_judgments"])
        return record, campaign.relevance_level

    def judge_campaign(self, options: Mapping[str, Any]) -> Verdict | None:
        return compute_report(options["campaign"], "agreement").verdict


class Command(CampaignCommand):
    command = CampaignAgreement()
