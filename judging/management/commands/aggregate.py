"""``manage.py aggregate``: labels to one grade per pair, from files and for a campaign."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from campaigns.cli.command import CliError, Output
from campaigns.management.file_command import FileManagementCommand
from campaigns.models import Campaign
from judging.cli.aggregate import AggregateCommand
from judging.core.aggregation.base import GoldCounts, LabelMatrix
from judging.queries.aggregation import load_label_matrix
from judging.queries.gold_answers import count_gold_answers


class CampaignAggregation(AggregateCommand):
    """Aggregation of files, or with ``--campaign`` of the judgments of a campaign."""

    how_many = "*"

    def add_campaign(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--campaign", metavar="SLUG", help="use the judgments of a campaign instead of files"
        )

    def read_labels(
        self, options: Mapping[str, Any], out: Output
    ) -> tuple[LabelMatrix, GoldCounts]:
        if bool(options["files"]) == bool(options["campaign"]):
            raise CliError("Specify either files of labels or --campaign.")
        if options["files"]:
            return super().read_labels(options, out)
        if options["gold"]:
            raise CliError("A campaign has gold of its own: omit --gold.")
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CliError(f"Unknown campaign: {options['campaign']}.")
        return load_label_matrix(campaign), count_gold_answers(campaign)


class Command(FileManagementCommand):
    command = CampaignAggregation()
