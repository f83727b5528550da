"""``manage.py verdicts``: what the pages say first, on the command line."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import get_campaign
from campaigns.services.snapshots import compute_report, list_verdict_subjects
from poolbench.verdicts import Verdict, verdict_to_data


class Command(BaseCommand):
    help = "Print the verdicts of a campaign, as its pages show them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = [subject.name for subject in list_verdict_subjects()]
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--only", choices=names, help="This verdict only.")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = get_campaign(options["campaign"])
        names = (
            [options["only"]]
            if options["only"]
            else [subject.name for subject in list_verdict_subjects()]
        )
        try:
            verdicts = [compute_report(campaign, name).verdict for name in names]
        except ActionRefused as refused:
            raise CommandError(str(refused)) from refused
        if options["format"] == "json":
            text = json.dumps([verdict_to_data(each) for each in verdicts], indent=2)
        else:
            text = "\n\n".join(map(format_verdict, verdicts))
        self.stdout.write(text)


def format_verdict(verdict: Verdict) -> str:
    """Name and state, the sentence, the reason, figures and acts, a line each."""
    figures = [f"  {f.text}  {f.label}{f' ({f.note})' if f.note else ''}" for f in verdict.figures]
    acts = [f"  → {act.label}" for act in verdict.acts]
    head = f"{verdict.name}: {verdict.state.value}"
    return "\n".join([head, verdict.sentence, verdict.reason, *figures, *acts])
