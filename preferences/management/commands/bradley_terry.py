"""``manage.py bradley_terry``: see ``preferences/cli/bradley_terry.py``."""

from campaigns.management.file_command import FileManagementCommand
from preferences.cli.bradley_terry import BradleyTerryCommand


class Command(FileManagementCommand):
    command = BradleyTerryCommand()
