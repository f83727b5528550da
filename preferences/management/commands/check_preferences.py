"""Check the invariants of a campaign's comparisons; exit with 1 on a violation."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.models import Campaign
from preferences.models import Preference
from preferences.queries.invariants import comparison_slots, list_comparison_violations


class Command(BaseCommand):
    help = "Check the invariants of a campaign's comparisons and count violations."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name of the campaign")
        parser.add_argument("--format", choices=("table", "json"), default="table")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["slug"]).first()
        if campaign is None:
            raise CommandError(f"Unknown campaign: {options['slug']}.")
        violations = list_comparison_violations(campaign)
        slots = comparison_slots(campaign).count()
        answers = Preference.objects.filter(campaign=campaign).count()
        if options["format"] == "json":
            breaches = {rule.name: count for rule, count in violations}
            counts = {"slots": slots, "answers": answers, "breaches": breaches}
            self.stdout.write(json.dumps(counts, indent=2))
        else:
            self.stdout.write(f"{slots:,} slots, {answers:,} answers in the log")
            for rule, count in violations:
                self.stdout.write(f"{count:>8,}  {rule.description}")
        broken = sum(count > 0 for _, count in violations)
        if broken:
            raise CommandError(f"{broken} of {len(violations)} invariants violated.")
