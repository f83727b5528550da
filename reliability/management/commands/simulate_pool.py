"""``manage.py simulate_pool``: that of ``reliability/cli``, and as an HTML file."""

from campaigns.management.file_command import FileManagementCommand
from reliability.cli.simulate_pool import SimulatePoolCommand
from reliability.simulation_html import simulation_to_html


class SimulatePoolWithHtml(SimulatePoolCommand):
    formats = {**SimulatePoolCommand.formats, "html": simulation_to_html}


class Command(FileManagementCommand):
    command = SimulatePoolWithHtml()
