#!/usr/bin/env python
"""Poolbench's command line: ``python manage.py help`` lists the commands."""

import sys

from workbench.command_line import run_management_command

if __name__ == "__main__":
    run_management_command(sys.argv)
