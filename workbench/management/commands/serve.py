"""``manage.py serve``: the web server and a Celery worker together, on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from campaigns.models import User
from campaigns.services.jobs import requeue_lost_jobs

SWEEP_SECONDS = 60
FIRST_ORGANIZER = """
Nobody can create a campaign here yet. Make the first organizer, in another terminal:

    {installation}{python} manage.py make_organizer NAME
"""


def raise_exit(*_: object) -> None:
    raise SystemExit(0)


class Command(BaseCommand):
    help = "Serve the pages and work off background jobs until interrupted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", help="address:port")

    def handle(self, **options: Any) -> None:
        children = [subprocess.Popen(command) for command in self.commands(options["bind"])]  # noqa: S603 - our own commands
        signal.signal(signal.SIGTERM, raise_exit)
        if not User.objects.filter(can_create_campaigns=True).exists():
            chosen = os.environ.get("POOLBENCH_VAR")
            installation = f"POOLBENCH_VAR={chosen} " if chosen else ""
            self.stdout.write(
                FIRST_ORGANIZER.format(installation=installation, python=sys.executable)
            )
        self.stdout.write(f"Poolbench: http://{options['bind']}/ (Ctrl-C ends it)")
        self.stdout.flush()
        try:
            self.watch(children)
        except KeyboardInterrupt:
            self.stdout.write("Ending.")
        finally:
            self.end(children)

    def commands(self, bind: str) -> list[list[str]]:
        web = ["gunicorn", "workbench.wsgi", "--bind", bind, "--workers", "2", "--threads", "4"]
        # A preview names its runs in the address: room for some eight hundred.
        web += ["--limit-request-line", "8190", "--no-control-socket"]
        worker = ["celery", "-A", "workbench.celery", "worker", "--loglevel", "WARNING"]
        return [
            [sys.executable, "-m", *web, "--chdir", str(settings.BASE_DIR)],
            [sys.executable, "-m", *worker, "--concurrency", "1"],
        ]

    def watch(self, children: list[subprocess.Popen[bytes]]) -> None:
        """Sweep lost jobs each minute; end with an error when a child ends."""
        swept = 0.0
        while True:
            if time.monotonic() - swept > SWEEP_SECONDS:
                requeue_lost_jobs()
                swept = time.monotonic()
            for child in children:
                if child.poll() is not None:
                    raise CommandError(f"ended by itself: {' '.join(map(str, child.args))}")  # type: ignore[arg-type]
            time.sleep(0.5)

    def end(self, children: list[subprocess.Popen[bytes]]) -> None:
        for child in children:
            child.terminate()
        for child in children:
            child.wait(timeout=20)
