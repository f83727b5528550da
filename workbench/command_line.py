"""The command lines of an installation: ``manage.py`` in a checkout, ``poolbench`` installed."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from importlib import import_module

FROM_FILES = {
    "compare_runs": "evaluation",
    "evaluate": "evaluation",
    "pool": "pooling",
    "user_measures": "evaluation",
}
"""Commands that work on files only, with the app of each."""
MANY = 100_000
"""New objects before these commands collect garbage; Python's default is 700."""


def run_management_command(words: Sequence[str]) -> None:
    """Run ``words``, of which the first is how the user calls the program."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    if (app := FROM_FILES.get("".join(words[1:2]))) is not None:
        # Loading every app takes as long as scoring about 20 runs, and these commands need none.
        # The data live to the end: garbage collection would take a tenth of the time.
        gc.set_threshold(MANY)
        module = import_module(f"{app}.management.commands.{words[1]}")
        module.Command().run_from_argv(list(words))
        return
    from django.core.management import execute_from_command_line

    execute_from_command_line(list(words))


def run_installed_command(name: str, words: Sequence[str]) -> None:
    """Run ``poolbench serve``, ``poolbench demo`` or ``poolbench manage``."""
    if name == "manage":
        run_management_command(["poolbench manage", *words])
        return
    if name == "demo":
        # Apart from the data of an installation in the same folder.
        os.environ.setdefault("POOLBENCH_VAR", "var/demo")
    if name == "serve" and not {"-h", "--help"} & set(words):
        run_management_command(["poolbench manage", "migrate", "-v", "0"])
    run_management_command(["poolbench", name, *words])
