"""``manage.py import_judgments SLUG FILE...``: import judgments into a campaign."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.management.import_command import ImportCommand
from campaigns.models import Campaign, Role, User
from judging.models import AutomaticAssessor
from judging.services.bulk import ImportCounts
from judging.services.chances import FORMAT as CHANCES
from judging.services.chances import import_chances
from judging.services.imports import ImportOptions, ImportPreview, import_file, preview_file
from poolbench.commands.files import format_fault_lines
from poolbench.commands.options import parse_mappings
from poolbench.files.faults import FaultReport, format_count
from poolbench.judging.exchange.duplicates import RULES
from poolbench.judging.exchange.reader import FORMATS


class Command(ImportCommand):
    help = "Import judgments into a campaign. Each file is imported completely or not at all."
    noun = "judgments"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        who = parser.add_mutually_exclusive_group()
        who.add_argument("--assessor", help="username of the assessor (default: as in the file)")
        who.add_argument(
            "--by-file", action="store_true", help="take the assessor from the file name"
        )
        who.add_argument("--automatic", help="name of the automatic assessor")
        add(
            "--map",
            action="append",
            default=[],
            metavar="LABEL=GRADE",
            help="map a label to a grade; LABEL=- ignores it",
        )
        add(
            "--person",
            action="append",
            default=[],
            metavar="NAME=USER",
            help="map a name in the file to a username",
        )
        add(
            "--duplicates",
            choices=tuple(RULES),
            default="refuse",
            help="different labels by one assessor for a pair (default: reject the file)",
        )
        add("--dry-run", action="store_true", help="show what would be imported; import nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        self.options = options
        if options["format"] not in ("", *FORMATS, CHANCES):
            raise CommandError(f"--format must be one of: {', '.join((*FORMATS, CHANCES))}.")
        if options["format"] == CHANCES and (options["dry_run"] or not options["automatic"]):
            raise CommandError("Chances are imported with --automatic, without --dry-run.")
        super().handle(*args, **options)

    def count(self, path: Path, **context: Any) -> int:
        """Import or, in a dry run, preview the file at ``path``; return the number imported."""
        campaign, report = context["campaign"], context["report"]
        file: dict[str, Any] = {"data": path.read_bytes(), "file": path.name}
        file |= {"actor": context["actor"], "campaign": campaign}
        automatic = find_automatic_assessor(campaign, self.options["automatic"])
        if automatic is not None and self.options["format"] == CHANCES:
            counts = import_chances(**file, automatic=automatic, report=report)
            self.stdout.write(f"{path}: {format_counts(counts)}")
            return counts.appended
        file["options"] = self.build_options(campaign)
        if self.options["dry_run"]:
            self.write_preview(preview_file(**file), report)
            return 0
        counts = import_file(**file, report=report)
        self.stdout.write(f"{path}: {format_counts(counts)}")
        return counts.appended

    def build_options(self, campaign: Campaign) -> ImportOptions:
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

    def write_preview(self, preview: ImportPreview, report: FaultReport) -> None:
        """Write the format, mappings, assessors, duplicates, counts and faults of a dry run."""
        write, resolution = self.stdout.write, preview.resolution
        write(f"format: {preview.reading.format or 'unknown'}")
        for name, names in preview.reading.matched.list_matches():
            write(f"read as {name}: {names}")
        for label in resolution.labels:
            doubt = f"; {label.doubt}" if label.doubt else ""
            write(f"label {label.label!r} ({label.count:,}): {label.value or 'no grade'}{doubt}")
        for name, count, account in resolution.people:
            write(f"assessor {name or '(no name)'} ({count:,}): {account or 'unknown'}")
        for duplicates in resolution.duplicates:
            pairs = format_count(duplicates.pairs, "pair")
            write(f"{duplicates.assessor} labeled {pairs} again: {duplicates.same:,} equal")
        write(f"would be imported: {format_counts(preview.counts)}")
        if preview.report.has_errors:
            for line in format_fault_lines(preview.report):
                self.stderr.write(line)
            raise CommandError("The file has errors and would not be imported.")
        report.faults, report.counts = preview.report.faults, preview.report.counts


def format_counts(counts: ImportCounts) -> str:
    return (
        f"{counts.new:,} new, {counts.revised:,} revised, {counts.unchanged:,} unchanged, "
        f"{counts.without_slot:,} beyond the plan"
    )


def find_assessor(campaign: Campaign, name: str | None) -> User | None:
    if not name:
        return None
    members = campaign.members.filter(role=Role.ASSESSOR, user__username=name)
    member = members.select_related("user").first()
    if member is None:
        raise CommandError(f"{name} is not an assessor of {campaign.slug}.")
    return member.user


def find_automatic_assessor(campaign: Campaign, name: str | None) -> AutomaticAssessor | None:
    if not name:
        return None
    automatic = campaign.automatic_assessors.select_related("user").filter(name=name).first()
    if automatic is None:
        raise CommandError(f"Unknown automatic assessor of {campaign.slug}: {name}.")
    return automatic
