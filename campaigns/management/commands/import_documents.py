"""``manage.py import_documents SLUG FILE... [--files FOLDER|ZIP...]``: documents of a campaign."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.management.import_command import ImportCommand
from campaigns.services.collection import import_document_files, import_documents


class Command(ImportCommand):
    help = (
        "Import documents into a campaign. Each file, folder or zip is imported completely or not"
        " at all."
    )
    import_data = staticmethod(import_documents)
    noun = "documents"
    how_many = "*"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--files",
            dest="folders",
            nargs="+",
            type=Path,
            default=[],
            metavar="FOLDER|ZIP",
            help="import all text, HTML, PDF and image files in it, named by docno",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        options["files"] += options["folders"]
        if not options["files"]:
            raise CommandError("Specify at least one file, or a folder or zip with --files.")
        super().handle(*args, **options)

    def count(self, path: Path, **options: Any) -> int:
        if not path.is_dir():
            return super().count(path, **options)
        arguments = {name: options[name] for name in ("actor", "campaign", "report")}
        return import_document_files(folder=path, **arguments)
