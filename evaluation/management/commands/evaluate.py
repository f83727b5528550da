"""``manage.py evaluate``: see ``evaluation/cli/evaluate.py``."""

from campaigns.management.file_command import FileManagementCommand
from evaluation.cli.evaluate import EvaluateCommand


class Command(FileManagementCommand):
    command = EvaluateCommand()
