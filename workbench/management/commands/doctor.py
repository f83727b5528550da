"""``poolbench doctor``: what is wrong with this installation, and what mends it."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.services.health import FAILED, OK
from workbench.doctor import examine_installation


class Command(BaseCommand):
    help = "Say what is wrong with this installation, and what mends it; exit with 1 if it fails."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, **options: Any) -> None:
        findings = examine_installation()
        if options["format"] == "json":
            self.stdout.write(json.dumps([finding._asdict() for finding in findings], indent=2))
        else:
            for finding in findings:
                state = finding.state if finding.state == OK else finding.state.upper()
                self.stdout.write(f"{state:<8} {finding.name:<11} {finding.message}")
                if finding.fix:
                    self.stdout.write(f"{'':<20} Fix: {finding.fix}")
        if failed := [finding.name for finding in findings if finding.state == FAILED]:
            raise CommandError(f"Failed: {', '.join(failed)}")
