"""Play the logs of pools that grow again, and compare."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from pooling.core.session import LogMismatch
from pooling.services.adaptive_pools import verify_pool_log


class Command(BaseCommand):
    help = "Check that the log of each growing pool of a campaign gives the documents it holds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG")

    def handle(self, **given: Any) -> None:
        campaign = Campaign.objects.filter(slug=given["slug"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {given['slug']}.")
        bad = 0
        for pool in campaign.pools.order_by("version"):
            if not pool.grows:
                self.stdout.write(f"{pool}: does not grow")
                continue
            try:
                self.stdout.write(
                    f"{pool}: {verify_pool_log(pool):,} documents, as its log gives them"
                )
            except (LogMismatch, ActionRefused) as fault:
                bad += 1
                self.stderr.write(f"{pool}: {fault}")
        if bad:
            raise CommandError(f"{bad} pools differ from their logs.")
