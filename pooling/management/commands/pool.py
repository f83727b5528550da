"""``manage.py pool``: see ``pooling/cli/pool.py``."""

from campaigns.management.file_command import FileManagementCommand
from pooling.cli.pool import PoolCommand


class Command(FileManagementCommand):
    command = PoolCommand()
