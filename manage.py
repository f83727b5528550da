#!/usr/bin/env python
"""Poolbench's command line: ``python manage.py help`` lists the commands."""

import gc
import os
import sys
from importlib import import_module

FROM_FILES = {
    "compare_runs": "evaluation",
    "evaluate": "evaluation",
    "pool": "pooling",
    "user_measures": "evaluation",
}
"""Commands that use no app, with the folder of each."""
MANY = 100_000
"""New objects after which these commands search for garbage; Python's own number is 700."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    if (app := FROM_FILES.get("".join(sys.argv[1:2]))) is not None:
        # Loading every app takes as long as scoring some twenty runs, and files need none.
        # What is read lives to the end: to search it for garbage takes a tenth of the time.
        gc.set_threshold(MANY)
        found = import_module(f"{app}.management.commands.{sys.argv[1]}")
        found.Command().run_from_argv(sys.argv)
        return
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
