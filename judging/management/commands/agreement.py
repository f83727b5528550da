"""Inter-assessor agreement for a campaign, or for qrels files without a database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.management.files import FileReader, file_stem
from judging.core.agreement.formats import agreement_to_json, agreement_to_table
from judging.core.agreement.labels import labels_from_qrels
from judging.core.agreement.panel import agreement_report
from judging.core.quality.formats import quality_to_table as quality_text
from judging.core.quality.report import JudgingRecord, quality_report, record_from_labels

FORMATS = ("table", "json")


class Command(BaseCommand):
    help = "Compute inter-assessor agreement for a campaign, or for one qrels file per assessor."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", nargs="*", help="one file per assessor (plain or gzip)")
        add("--campaign", metavar="SLUG", help="use the judgments of a campaign instead of files")
        add(
            "-l",
            dest="level",
            type=int,
            help="lowest relevant grade (default: 1, or the campaign's)",
        )
        add(
            "--binary", action="store_true", help="first reduce grades to relevant and non-relevant"
        )
        add(
            "--with-third-judgments",
            action="store_true",
            help="count third judgments, which exist only where two assessors disagreed",
        )
        add("--format", choices=FORMATS, default="table")

    def handle(self, **options: Any) -> None:
        if bool(options["qrels"]) == bool(options["campaign"]):
            raise CommandError("Specify either qrels files, one per assessor, or --campaign.")
        if options["level"] is not None and options["level"] < 1:
            raise CommandError(
                f"The relevance level must be an integer of at least 1, not {options['level']}."
            )
        if options["campaign"]:
            record, level = self.load_campaign(options["campaign"])
        else:
            record, level = self.read_files(options["qrels"]), 1
        level = options["level"] or level
        report = agreement_report(record.people, level, binary=options["binary"])
        quality = quality_report(record, level)
        if options["format"] == "json":
            self.stdout.write(agreement_to_json(report, quality.as_dict()), ending="")
        else:
            self.stdout.write(f"{agreement_to_table(report)}\n{quality_text(quality)}", ending="")

    def load_campaign(self, slug: str) -> tuple[JudgingRecord, int]:
        from campaigns.models import Campaign
        from judging.queries.quality import load_judging_record

        campaign = Campaign.objects.filter(slug=slug).first()
        if campaign is None:
            raise CommandError(f"Unknown campaign: {slug}.")
        return load_judging_record(campaign), campaign.relevance_level

    def read_files(self, paths: list[str]) -> JudgingRecord:
        if len(paths) < 2:
            raise CommandError("Specify the qrels files of at least two assessors.")
        names = [file_stem(path) for path in paths]
        if again := sorted({name for name in names if names.count(name) > 1}):
            raise CommandError(f"Duplicate assessor names: {', '.join(again)}. Rename a file.")
        reader = FileReader(self)
        tables = reader.read_all(paths, read_qrels)
        reader.raise_if_rejected("no output written")
        return record_from_labels(
            labels_from_qrels({file_stem(path): table for path, table in tables.items()})
        )
