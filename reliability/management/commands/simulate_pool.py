"""``manage.py simulate_pool``: that of ``reliability/cli``."""

from campaigns.management.file_command import FileManagementCommand
from reliability.cli.simulate_pool import SimulatePoolCommand


class Command(FileManagementCommand):
    command = SimulatePoolCommand()
