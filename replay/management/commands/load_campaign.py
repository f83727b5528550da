"""``manage.py load_campaign FOLDER``: create a campaign from a folder and replay it."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.errors import ActionRefused
from poolbench.files.faults import InvalidFile
from poolbench.replay.manifest import read_manifest
from replay.services import check_slug_free, get_or_create_organizer, replay_campaign


class Command(BaseCommand):
    help = (
        "Create a campaign from FOLDER/campaign.yaml and replay it: pool, judgments, qrels,"
        " scores, release."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder with campaign.yaml")
        parser.add_argument(
            "--organizer", default="organizer", help="username of the organizer; created if missing"
        )

    def handle(self, **options: Any) -> None:
        start = time.perf_counter()
        try:
            manifest = read_manifest(options["folder"])
            check_slug_free(manifest.slug)
            actor = get_or_create_organizer(options["organizer"])
            campaign = replay_campaign(actor=actor, manifest=manifest, write=self.stdout.write)
        except InvalidFile as bad:
            raise CommandError(str(bad)) from bad
        except ActionRefused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{'total':<12} {time.perf_counter() - start:6.1f} s")
        self.stdout.write(f"Campaign {campaign.slug}: {campaign.get_absolute_url()}")
