"""``manage.py compare_runs``: see ``evaluation/cli/compare_runs.py``."""

from campaigns.management.file_command import FileManagementCommand
from evaluation.cli.compare_runs import CompareRunsCommand


class Command(FileManagementCommand):
    command = CompareRunsCommand()
