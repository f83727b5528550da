"""``manage.py load_campaign FOLDER``: create a campaign from a folder and replay it, or from an
archive and restore it.
"""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from poolbench.files.faults import InvalidFile
from poolbench.replay.archive_folder import is_archive, open_campaign_folder
from poolbench.replay.manifest import read_manifest
from replay.archive.loader import load_archive
from replay.services import check_slug_free, get_or_create_organizer, replay_campaign


class Command(BaseCommand):
    help = (
        "Create a campaign from FOLDER/campaign.yaml and replay it: pool, judgments, qrels,"
        " scores, release; or from an archive, as it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="folder with campaign.yaml, or the zip of an archive"
        )
        parser.add_argument(
            "--organizer", default="organizer", help="username of the organizer; created if missing"
        )
        parser.add_argument(
            "--slug", default="", help="of the campaign from an archive (default: that in it)"
        )
        parser.add_argument(
            "--unverified",
            action="store_true",
            help="load an archive without computing its pools, qrels and scores again first",
        )

    def handle(self, **options: Any) -> None:
        start = time.perf_counter()
        try:
            with open_campaign_folder(options["folder"]) as folder:
                actor = get_or_create_organizer(options["organizer"])
                campaign = self.load(actor, folder, options)
        except (InvalidFile, ActionRefused) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{'total':<12} {time.perf_counter() - start:6.1f} s")
        self.stdout.write(f"Campaign {campaign.slug}: {campaign.get_absolute_url()}")

    def load(self, actor: User, folder: Path, options: dict[str, Any]) -> Campaign:
        if is_archive(folder):
            return load_archive(
                actor=actor, folder=folder, slug=options["slug"], verified=not options["unverified"]
            )
        manifest = read_manifest(folder)
        check_slug_free(manifest.slug)
        return replay_campaign(actor=actor, manifest=manifest, write=self.stdout.write)
