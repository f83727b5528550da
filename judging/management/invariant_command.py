"""The base of commands that check invariants of a campaign; exit with 1 on a violation."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.management.campaign_command import list_named_campaigns
from campaigns.models import Campaign
from judging.queries.invariants import Invariant, list_violations


class InvariantCommand(BaseCommand, ABC):
    invariants: ClassVar[Sequence[Invariant]]

    @abstractmethod
    def count_rows(self, campaign: Campaign) -> Mapping[str, int]:
        """The number of slots, and of the log's rows by their name."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "slug", nargs="?", help="short name of the campaign (default: all campaigns)"
        )
        parser.add_argument("--format", choices=("table", "json"), default="table")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaigns = list_named_campaigns(options["slug"])
        checks = [
            (campaign.slug, self.count_rows(campaign), list_violations(campaign, self.invariants))
            for campaign in campaigns
        ]
        if options["format"] == "json":
            answers = {
                slug: list_counts_and_breaches(counts, broken) for slug, counts, broken in checks
            }
            only = answers.get(options["slug"])
            self.stdout.write(json.dumps(answers if only is None else only, indent=2))
        else:
            for slug, counts, violations in checks:
                words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
                begin = "" if options["slug"] else f"{slug}: "
                self.stdout.write(f"{begin}{words} in the log")
                for invariant, count in violations:
                    self.stdout.write(f"{count:>8,}  {invariant.description}")
        broken = sum(count > 0 for _, _, violations in checks for _, count in violations)
        if broken:
            checked = len(self.invariants) * len(checks)
            raise CommandError(f"{broken} of {checked} invariants violated.")


def list_counts_and_breaches(
    counts: Mapping[str, int], violations: Sequence[tuple[Invariant, int]]
) -> dict[str, Any]:
    return {**counts, "breaches": {invariant.name: count for invariant, count in violations}}
