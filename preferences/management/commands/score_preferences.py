"""``manage.py score_preferences``: see ``preferences/cli/score_preferences.py``."""

from campaigns.management.file_command import FileManagementCommand
from preferences.cli.score_preferences import ScorePreferencesCommand


class Command(FileManagementCommand):
    command = ScorePreferencesCommand()
