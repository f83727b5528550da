"""The command lines of an installation: ``manage.py`` in a checkout, ``poolbench`` installed."""

import os
from collections.abc import Sequence

from workbench.memory import set_collector_thresholds


def run_management_command(words: Sequence[str]) -> None:
    """Run ``words``, of which the first is how the user calls the program."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    from django.core.management import execute_from_command_line

    set_collector_thresholds()
    execute_from_command_line(list(words))


def run_installed_command(name: str, words: Sequence[str]) -> None:
    """Run ``poolbench serve``, or another command that needs no ``manage``."""
    if name == "manage":
        run_management_command(["poolbench manage", *words])
        return
    if name == "demo":
        # Apart from the data of an installation in the same folder.
        os.environ.setdefault("POOLBENCH_VAR", "var/demo")
    if name == "serve" and not {"-h", "--help"} & set(words):
        run_management_command(["poolbench manage", "migrate", "-v", "0"])
    run_management_command(["poolbench", name, *words])
