"""``manage.py collection_report``: that of ``reliability/cli``."""

from campaigns.management.file_command import FileManagementCommand
from reliability.cli.collection_report import CollectionReportCommand


class Command(FileManagementCommand):
    command = CollectionReportCommand()
