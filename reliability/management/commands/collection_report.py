"""``manage.py collection_report``: that of ``reliability/cli``, and as an HTML file."""

from campaigns.management.file_command import FileManagementCommand
from reliability.cli.collection_report import CollectionReportCommand
from reliability.reusability_html import reusability_to_html


class CollectionReportWithHtml(CollectionReportCommand):
    formats = {**CollectionReportCommand.formats, "html": reusability_to_html}


class Command(FileManagementCommand):
    command = CollectionReportWithHtml()
