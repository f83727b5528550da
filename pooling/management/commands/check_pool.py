"""Replay the logs of adaptive pools and compare."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import get_campaign
from poolbench.pooling.session import LogMismatch
from pooling.services.adaptive_pools import verify_pool_log


class Command(BaseCommand):
    help = "Check that every adaptive pool of a campaign matches its log."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="short name of the campaign")

    def handle(self, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        bad = 0
        for pool in campaign.pools.order_by("version"):
            if not pool.is_adaptive:
                self.stdout.write(f"{pool}: not adaptive")
                continue
            try:
                self.stdout.write(f"{pool}: {verify_pool_log(pool):,} documents, as in its log")
            except (LogMismatch, ActionRefused) as fault:
                bad += 1
                self.stderr.write(f"{pool}: {fault}")
        if bad:
            raise CommandError(f"Pools that do not match their log: {bad}.")
