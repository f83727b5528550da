"""``manage.py interleave``: see ``preferences/cli/interleave.py``."""

from campaigns.management.file_command import FileManagementCommand
from preferences.cli.interleave import InterleaveCommand


class Command(FileManagementCommand):
    command = InterleaveCommand()
