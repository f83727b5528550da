"""``manage.py register_collection SLUG FILE...``: documents that stay in their files."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import get_campaign
from campaigns.management.import_command import get_organizer
from campaigns.services.registration import register_collection
from poolbench.commands.files import format_fault_lines
from poolbench.commands.progress import ProgressBar
from poolbench.files.faults import FaultReport, InvalidFile


class Command(BaseCommand):
    help = (
        "Register the files of a collection of millions: runs are checked against their docnos,"
        " and only documents that are pooled enter the database. All files together, or none."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name of the campaign")
        parser.add_argument(
            "files", nargs="+", type=Path, metavar="FILE",
            help="TREC SGML, JSON Lines, TSV or SMART, plain, gzip or zstandard; or Parquet",
        )  # fmt: skip
        parser.add_argument(
            "--as", dest="username", help="act as this organizer (default: the first one)"
        )

    def handle(self, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        report = FaultReport()
        try:
            collection = register_collection(
                actor=get_organizer(campaign, options["username"]),
                campaign=campaign,
                paths=options["files"],
                report=report,
                progress=ProgressBar(),
            )
        except (InvalidFile, ActionRefused) as error:
            raise CommandError(str(error)) from error
        for line in format_fault_lines(report):
            self.stderr.write(line)
        for file in collection.files:
            self.stdout.write(f"{file['name']}: {file['documents']:,} documents, {file['sha256']}")
        self.stdout.write(f"{campaign.slug}: {collection.documents:,} documents registered")
