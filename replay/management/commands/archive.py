"""``manage.py archive CAMPAIGN FILE``: write a campaign to one zip."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.models import Campaign
from poolbench.replay.archive_folder import hash_file
from replay.archive.writer import ArchiveOptions, write_archive


class Command(BaseCommand):
    help = "Write a campaign to one zip, which another installation loads and anybody verifies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="slug of the campaign")
        parser.add_argument("file", type=Path, help="the zip to write")
        parser.add_argument(
            "--docnos-only",
            action="store_true",
            help="only the IDs of documents, for collections that may not be passed on",
        )
        parser.add_argument(
            "--comments", action="store_true", help="with the comments of assessors"
        )

    def handle(self, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"Unknown campaign: {options['campaign']}.")
        chosen = ArchiveOptions(not options["docnos_only"], options["comments"])
        try:
            write_archive(campaign, options["file"], chosen)
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}.") from error
        self.stdout.write(f"{hash_file(options['file'])}  {options['file']}")
