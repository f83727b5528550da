"""Check the judging invariants of a campaign; exit with 1 on a violation."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.models import Campaign
from judging.models import Judgment, Slot
from judging.queries.invariants import list_violations


class Command(BaseCommand):
    help = "Check the judging invariants of a campaign and count violations."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name of the campaign")
        parser.add_argument("--format", choices=("table", "json"), default="table")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["slug"]).first()
        if campaign is None:
            raise CommandError(f"Unknown campaign: {options['slug']}.")
        violations = list_violations(campaign)
        slots = Slot.objects.filter(plan__campaign=campaign).count()
        judgments = Judgment.objects.filter(campaign=campaign).count()
        if options["format"] == "json":
            breaches = {invariant.name: count for invariant, count in violations}
            counts = {"slots": slots, "judgments": judgments, "breaches": breaches}
            self.stdout.write(json.dumps(counts, indent=2))
        else:
            self.stdout.write(f"{slots:,} slots, {judgments:,} judgments in the log")
            for invariant, count in violations:
                self.stdout.write(f"{count:>8,}  {invariant.description}")
        broken = sum(count > 0 for _, count in violations)
        if broken:
            raise CommandError(f"{broken} of {len(violations)} invariants violated.")
