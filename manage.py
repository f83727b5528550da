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
"""Commands that work on files only, with the app of each."""
MANY = 100_000
"""New objects before these commands collect garbage; Python's default is 700."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    if (app := FROM_FILES.get("".join(sys.argv[1:2]))) is not None:
        # Loading every app takes as long as scoring about 20 runs, and these commands need none.
        # The data live to the end: garbage collection would take a tenth of the time.
        gc.set_threshold(MANY)
        module = import_module(f"{app}.management.commands.{sys.argv[1]}")
        module.Command().run_from_argv(sys.argv)
        return
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
