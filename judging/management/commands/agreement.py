"""``manage.py agreement``: agreement from files, and for a campaign."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from campaigns.cli.command import CliError, Output
from campaigns.management.file_command import FileManagementCommand
from campaigns.models import Campaign
from campaigns.services.verdicts import compute_campaign_verdict
from common.verdicts import Verdict
from judging.cli.agreement import AgreementCommand
from judging.core.quality.report import JudgingRecord
from judging.queries.quality import load_judging_record


class CampaignAgreement(AgreementCommand):
    """Agreement from files, or with ``--campaign`` from the judgments of a campaign."""

    how_many = "*"
    help = (
        "Compute inter-assessor agreement for a campaign, for one qrels file per assessor, or for "
        "tables with many assessors."
    )

    def add_campaign(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--campaign", metavar="SLUG", help="use the judgments of a campaign instead of files"
        )

    def read_record(self, options: Mapping[str, Any], out: Output) -> tuple[JudgingRecord, int]:
        if bool(options["files"]) == bool(options["campaign"]):
            raise CliError("Specify either files of judgments or --campaign.")
        if options["files"]:
            return super().read_record(options, out)
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CliError(f"Unknown campaign: {options['campaign']}.")
        record = load_judging_record(campaign, third=options["with_third_judgments"])
        return record, campaign.relevance_level

    def judge_campaign(self, options: Mapping[str, Any]) -> Verdict | None:
        if not options["campaign"]:
            return None
        campaign = Campaign.objects.get(slug=options["campaign"])
        return compute_campaign_verdict(campaign, "agreement").verdict


class Command(FileManagementCommand):
    command = CampaignAgreement()
