"""``poolbench restore``: an empty installation becomes what a backup holds."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.errors import ActionRefused
from workbench.backups import check_backup, restore_backup

NEXT = """Next: poolbench manage migrate, then check what came:
poolbench manage check_store; poolbench manage check_judging; poolbench manage qrels verify"""


class Command(BaseCommand):
    help = "Fill an empty database and store from a backup; check it first, and refuse all else."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, metavar="FILE", help="a file of `backup`")
        parser.add_argument("--check", action="store_true", help="only check that FILE is whole")

    def handle(self, **options: Any) -> None:
        try:
            act = check_backup if options["check"] else restore_backup
            manifest = act(options["source"])
        except (ActionRefused, OSError) as error:
            raise CommandError(str(error)) from error
        origin = f"version {manifest['version']}, {manifest['made_at']}"
        self.stdout.write(f"{len(manifest['files'])} files of {origin}: whole")
        if not options["check"]:
            self.stdout.write(NEXT)
