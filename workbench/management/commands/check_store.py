"""``manage.py check_store``: is every file that a row names in the store, with its content?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.errors import ActionRefused
from campaigns.services.store_marker import FIX, find_store_fault, require_own_store
from workbench.stored_files import CLEAN_AFTER_HOURS, check_stored_files, remove_unnamed_files

MOST_NAMES = 20


class Command(BaseCommand):
    help = "Check that every file named by a database row is in the store with its hash."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--clean", action="store_true", help="remove files that no row names, and *.part"
        )
        parser.add_argument(
            "--older-than",
            type=float,
            default=CLEAN_AFTER_HOURS,
            metavar="HOURS",
            help="--clean leaves younger files alone (default: %(default)s)",
        )

    def handle(self, **options: Any) -> None:
        if options["clean"]:
            self.require_own_store()
        report = check_stored_files()
        for name, row in report.missing:
            self.stdout.write(f"missing: {name}, named by {row}")
        for name, row in report.damaged:
            self.stdout.write(f"damaged: {name}, named by {row}")
        self.list_unnamed(report.unnamed)
        if options["clean"]:
            removed = remove_unnamed_files(report.unnamed, hours=options["older_than"])
            self.stdout.write(f"Files removed: {removed}")
        self.stdout.write(
            f"Files named by rows: {report.named}; missing: {len(report.missing)}; "
            f"damaged: {len(report.damaged)}; not named by any row: {len(report.unnamed)}"
        )
        if fault := find_store_fault():
            raise CommandError(f"{fault} {FIX}")
        if not report.is_whole:
            raise CommandError("Restore the missing and damaged files from a backup of the store.")

    def require_own_store(self) -> None:
        try:
            require_own_store()
        except ActionRefused as refused:
            raise CommandError(str(refused)) from refused

    def list_unnamed(self, names: tuple[str, ...]) -> None:
        for name in names[:MOST_NAMES]:
            self.stdout.write(f"not named by any row: {name}")
        if len(names) > MOST_NAMES:
            self.stdout.write(f"… and {len(names) - MOST_NAMES} more")
