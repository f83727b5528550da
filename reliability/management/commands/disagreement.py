"""``manage.py disagreement``: the effect of disagreement from files, and for a campaign."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from campaigns.cli.command import CliError, Output
from campaigns.errors import ActionRefused
from campaigns.management.file_command import FileManagementCommand
from campaigns.models import Campaign
from campaigns.services.verdicts import compute_campaign_verdict
from common.verdicts import Verdict
from reliability.cli.disagreement import DisagreementCommand
from reliability.core.disagreement.panel import DisagreementPanel
from reliability.queries.disagreement_studies import load_panel_unchecked


class CampaignDisagreement(DisagreementCommand):
    """Disagreement from files, or of a campaign."""

    def add_campaign(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "campaign",
            nargs="?",
            help="short name of the campaign, instead of --runs and --qrels",
        )

    def build_panel(self, options: Mapping[str, Any], out: Output) -> DisagreementPanel:
        files = bool(options["runs"] or options["qrels"] or options["reference"])
        if files == bool(options["campaign"]):
            raise CliError("Specify either a campaign, or --runs and --qrels.")
        if files:
            return super().build_panel(options, out)
        if options["max_rel"] is not None:
            raise CliError("A campaign has a scale of its own: omit --max-rel.")
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CliError(f"Unknown campaign: {options['campaign']}.")
        try:
            return load_panel_unchecked(campaign, options["policy"], options["measure"] or "")
        except ActionRefused as refused:
            raise CliError(str(refused)) from refused

    def judge_campaign(self, options: Mapping[str, Any]) -> Verdict | None:
        if not options["campaign"] or "csv" in options["format"]:
            return None
        campaign = Campaign.objects.get(slug=options["campaign"])
        return compute_campaign_verdict(campaign, "agreement").verdict


class Command(FileManagementCommand):
    command = CampaignDisagreement()
