"""``manage.py pool``: see ``pooling/cli/pool.py``."""

from campaigns.management.file_command import FileManagementCommand
from pooling.cli.pool import Pool


class Command(FileManagementCommand):
    command = Pool()
