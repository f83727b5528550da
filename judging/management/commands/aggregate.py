"""``manage.py aggregate``: the labels of a campaign to one grade per pair."""

from collections.abc import Mapping
from typing import Any

from campaigns.management.campaign_command import CampaignCommand
from judging.queries.aggregation import count_gold_answers, load_label_matrix
from poolbench.commands.aggregate import AggregateCommand
from poolbench.commands.command import Output
from poolbench.judging.aggregation.base import GoldCounts, LabelMatrix


class CampaignAggregation(AggregateCommand):
    help = "Aggregate the judgments of a campaign to one grade per pair, with its uncertainty."

    def read_labels(
        self, options: Mapping[str, Any], _out: Output
    ) -> tuple[LabelMatrix, GoldCounts]:
        campaign = options["campaign"]
        return load_label_matrix(campaign), count_gold_answers(campaign)


class Command(CampaignCommand):
    command = CampaignAggregation()
