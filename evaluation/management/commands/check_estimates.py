"""Compute score sets of estimates again and compare."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import get_campaign
from evaluation.models import ScoreSet
from evaluation.services.estimating import verify_estimates


class Command(BaseCommand):
    help = "Check that every set of estimates of a campaign follows from its judgments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="short name of the campaign")

    def handle(self, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        bad = 0
        for score_set in campaign.score_sets.filter(kind=ScoreSet.Kind.ESTIMATE).order_by("pk"):
            try:
                is_same = verify_estimates(score_set)
            except ActionRefused as refused:
                is_same = False
                self.stderr.write(f"{score_set}: {refused}")
            bad += not is_same
            self.stdout.write(f"{score_set}: {'the same' if is_same else 'differs'}")
        if bad:
            raise CommandError(f"Sets of estimates that do not come out again: {bad}.")
