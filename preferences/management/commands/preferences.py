"""``manage.py preferences``: see ``preferences/cli/preferences.py``."""

from campaigns.management.file_command import FileManagementCommand
from preferences.cli.preferences import PreferencesCommand


class Command(FileManagementCommand):
    command = PreferencesCommand()
