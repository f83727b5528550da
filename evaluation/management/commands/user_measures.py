"""``manage.py user_measures``: see ``evaluation/cli/user_measures.py``."""

from campaigns.management.file_command import FileManagementCommand
from evaluation.cli.user_measures import UserMeasuresCommand


class Command(FileManagementCommand):
    command = UserMeasuresCommand()
