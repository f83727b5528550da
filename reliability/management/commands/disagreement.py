"""``manage.py disagreement``: the effect of disagreement on the runs of a campaign."""

from collections.abc import Mapping
from typing import Any

from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import CampaignCommand
from campaigns.services.snapshots import compute_report
from poolbench.commands.command import CliError, Output
from poolbench.commands.disagreement import DisagreementCommand
from poolbench.reliability.disagreement.panel import DisagreementPanel
from poolbench.verdicts import Verdict
from reliability.queries.disagreement_studies import load_panel_unchecked


class CampaignDisagreement(DisagreementCommand):
    def build_panel(self, options: Mapping[str, Any], _out: Output) -> DisagreementPanel:
        measure = options["measure"] or ""
        try:
            return load_panel_unchecked(options["campaign"], options["policy"], measure)
        except ActionRefused as refused:
            raise CliError(str(refused)) from refused

    def judge_campaign(self, options: Mapping[str, Any]) -> Verdict | None:
        if "csv" in options["format"]:
            return None
        return compute_report(options["campaign"], "agreement").verdict


class Command(CampaignCommand):
    command = CampaignDisagreement()
