"""Agreement between assessors' qrels files, without a database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.qrels import read_qrels
from campaigns.management.files import FileReader, stem
from judging.core.agreement.formats import FORMATS
from judging.core.agreement.labels import labels_from_qrels
from judging.core.agreement.report import agreement_report


class Command(BaseCommand):
    help = "How far assessors agree: one qrels file an assessor, named after the file."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("qrels", metavar="QRELS", nargs="+", help="one file an assessor (plain or gzip)")
        add("-l", dest="level", type=int, default=1, help="lowest relevant grade (default 1)")
        add("--format", choices=tuple(FORMATS), default="table")

    def handle(self, **given: Any) -> None:
        if len(given["qrels"]) < 2:
            raise CommandError("Agreement needs the files of two assessors or more.")
        if given["level"] < 1:
            raise CommandError("The relevance level is a grade of 1 or more.")
        names = [stem(path) for path in given["qrels"]]
        if again := sorted({name for name in names if names.count(name) > 1}):
            raise CommandError(f"Two files name the same assessor: {', '.join(again)}. Rename one.")
        reader = FileReader(self)
        tables = reader.read_all(given["qrels"], read_qrels)
        reader.stop_if_refused("nothing was compared")
        labels = labels_from_qrels({stem(path): table for path, table in tables.items()})
        report = agreement_report(labels, given["level"])
        self.stdout.write(FORMATS[given["format"]](report), ending="")
