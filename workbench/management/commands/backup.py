"""``poolbench backup``: database, store and secret key in one file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.errors import ActionRefused
from workbench.backups import SUFFIX, write_backup


class Command(BaseCommand):
    help = "Write database, store and secret key to one file, while the site is running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", type=Path, metavar="TARGET", help="a file, or a folder")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="of the backups in the folder, keep the newest N"
        )

    def handle(self, **options: Any) -> None:
        target: Path = options["target"]
        if target.is_file():
            raise CommandError(f"{target} is there already.")
        try:
            manifest = write_backup(target)
        except (ActionRefused, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{manifest['file']}: {len(manifest['files'])} files")
        if (keep := options["keep"]) and target.is_dir():
            for old in sorted(target.glob(f"poolbench-*{SUFFIX}"))[:-keep]:
                old.unlink()
                self.stdout.write(f"{old.name}: removed")
