"""The base of commands that check invariants of a campaign; exit with 1 on a violation."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.management.campaign_command import get_campaign
from campaigns.models import Campaign
from judging.queries.invariants import Invariant, list_violations


class InvariantCommand(BaseCommand, ABC):
    invariants: ClassVar[Sequence[Invariant]]

    @abstractmethod
    def count_rows(self, campaign: Campaign) -> Mapping[str, int]:
        """The number of slots, and of the log's rows by their name."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name of the campaign")
        parser.add_argument("--format", choices=("table", "json"), default="table")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        violations = list_violations(campaign, self.invariants)
        counts = self.count_rows(campaign)
        if options["format"] == "json":
            breaches = {invariant.name: count for invariant, count in violations}
            self.stdout.write(json.dumps({**counts, "breaches": breaches}, indent=2))
        else:
            words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
            self.stdout.write(f"{words} in the log")
            for invariant, count in violations:
                self.stdout.write(f"{count:>8,}  {invariant.description}")
        broken = sum(count > 0 for _, count in violations)
        if broken:
            raise CommandError(f"{broken} of {len(violations)} invariants violated.")
