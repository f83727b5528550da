"""``manage.py import_judgments SLUG FILE...``: bring judgments into a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.core.faults import FaultReport, format_count
from campaigns.management.files import format_fault_lines
from campaigns.management.import_command import ImportCommand
from campaigns.models import Campaign, Role, User
from judging.core.exchange.duplicates import RULES
from judging.core.exchange.registry import FORMATS
from judging.models import AutomaticAssessor
from judging.services.bulk import ImportCounts
from judging.services.imports import ImportOptions, ImportPreview, import_file, preview_file


class Command(ImportCommand):
    help = "Import judgments into a campaign, each file as a whole or not at all."
    noun = "judgments"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        who = parser.add_mutually_exclusive_group()
        who.add_argument("--assessor", help="user name of whoever judged; else the file says it")
        who.add_argument("--by-file", action="store_true", help="the file's name is the assessor's")
        who.add_argument("--automatic", help="name of the automatic assessor that judged")
        add("--map", action="append", default=[], metavar="LABEL=GRADE", help="or LABEL=- for none")
        add("--person", action="append", default=[], metavar="NAME=USER", help="who a name is")
        add("--duplicates", choices=tuple(RULES), default="refuse", help="of one pair's labels")
        add("--dry-run", action="store_true", help="tell what would be written, and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        self.options = options
        if options["format"] not in ("", *FORMATS):
            raise CommandError(f"--format is one of: {', '.join(FORMATS)}.")
        super().handle(*args, **options)

    def count(self, path: Path, **context: Any) -> int:
        """Bring in, or only look at, what is at ``path``; return how many are written."""
        campaign, report = context["campaign"], context["report"]
        file: dict[str, Any] = {"data": path.read_bytes(), "file": path.name}
        file |= {"actor": context["actor"], "campaign": campaign}
        file["options"] = self.chosen(campaign)
        if self.options["dry_run"]:
            self.tell(preview_file(**file), report)
            return 0
        counts = import_file(**file, report=report)
        self.stdout.write(f"{path}: {format_counts(counts)}")
        return counts.written

    def chosen(self, campaign: Campaign) -> ImportOptions:
        options = self.options
        return ImportOptions(
            file_format=options["format"],
            assessor=find_assessor(campaign, options["assessor"]),
            automatic=find_automatic_assessor(campaign, options["automatic"]),
            by_file=options["by_file"],
            labels=parse_mappings(options["map"], "--map"),
            people=parse_mappings(options["person"], "--person"),
            duplicates=options["duplicates"],
        )

    def tell(self, preview: ImportPreview, report: FaultReport) -> None:
        """What a dry run found: format, mapping, people, pairs labelled twice, faults, counts."""
        write, settled = self.stdout.write, preview.settled
        write(f"format: {preview.reading.format or 'unknown'}")
        for name, names in preview.reading.taken.told():
            write(f"taken as {name}: {names}")
        for label in settled.labels:
            doubt = f"; {label.doubt}" if label.doubt else ""
            write(f"label {label.label!r} ({label.count:,}): {label.value or 'no grade'}{doubt}")
        for name, count, account in settled.people:
            write(f"by {name or '(not said)'} ({count:,}): {account or 'nobody known'}")
        for twice in settled.twice:
            pairs = format_count(twice.pairs, "pair")
            write(f"{twice.assessor} labelled {pairs} again: {twice.same:,} the same")
        write(f"would be written: {format_counts(preview.counts)}")
        if preview.report.has_errors:
            for line in format_fault_lines(preview.report):
                self.stderr.write(line)
            raise CommandError("The file would be refused.")
        report.faults, report.counts = preview.report.faults, preview.report.counts


def format_counts(counts: ImportCounts) -> str:
    return (
        f"{counts.new:,} new, {counts.revised:,} revised, {counts.unchanged:,} unchanged, "
        f"{counts.without_slot:,} without a slot"
    )


def parse_mappings(pairs: list[str], option: str) -> dict[str, str]:
    """``LEFT=RIGHT`` each; a label may hold the sign itself, so the last one counts."""
    mappings = {}
    for pair in pairs:
        left, sign, right = pair.rpartition("=")
        if not sign or not left:
            raise CommandError(f"{option} {pair}: write it as LEFT=RIGHT.")
        mappings[left] = right
    return mappings


def find_assessor(campaign: Campaign, name: str | None) -> User | None:
    if not name:
        return None
    members = campaign.members.filter(role=Role.ASSESSOR, user__username=name)
    member = members.select_related("user").first()
    if member is None:
        raise CommandError(f"{name} is no assessor of {campaign.slug}.")
    return member.user


def find_automatic_assessor(campaign: Campaign, name: str | None) -> AutomaticAssessor | None:
    if not name:
        return None
    automatic = campaign.automatic_assessors.select_related("user").filter(name=name).first()
    if automatic is None:
        raise CommandError(f"{campaign.slug} has no automatic assessor {name}.")
    return automatic
