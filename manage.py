#!/usr/bin/env python
"""Poolbench's command line: ``python manage.py help`` lists the commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    if sys.argv[1:2] == ["evaluate"]:
        # Loading every app takes as long as scoring some twenty runs, and files need none.
        from evaluation.management.commands.evaluate import Command

        Command().run_from_argv(sys.argv)
        return
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
