"""``manage.py serve``: run the web server and two Celery workers on this machine."""

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
from campaigns.services.heartbeats import run_tick

SWEEP_SECONDS = 60
FIRST_ORGANIZER = """
No user can create campaigns yet. Create the first organizer in another terminal:

    {installation}{program} make_organizer NAME
"""


def raise_exit(*_: object) -> None:
    raise SystemExit(0)


class Command(BaseCommand):
    help = "Run the web server and the background workers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", help="address:port to listen on")

    def handle(self, **options: Any) -> None:
        # Relative folders are those of this process, wherever its children work.
        environment = os.environ | {"POOLBENCH_VAR": str(settings.VAR_DIR)}
        children = [
            subprocess.Popen(command, env=environment | more)  # noqa: S603 - our own commands
            for command, more in self.commands(options["bind"])
        ]
        signal.signal(signal.SIGTERM, raise_exit)
        if not User.objects.filter(can_create_campaigns=True).exists():
            folder = os.environ.get("POOLBENCH_VAR")
            installation = f"POOLBENCH_VAR={folder} " if folder else ""
            program = "poolbench manage" if settings.IS_INSTALLED else f"{sys.executable} manage.py"
            self.stdout.write(FIRST_ORGANIZER.format(installation=installation, program=program))
        self.stdout.write(f"Poolbench: http://{options['bind']}/ (press Ctrl-C to stop)")
        self.stdout.flush()
        try:
            self.watch(children)
        except KeyboardInterrupt:
            self.stdout.write("Stopping.")
        finally:
            self.end(children)

    def commands(self, bind: str) -> list[tuple[list[str], dict[str, str]]]:
        """The web server and two workers, with what each has in its environment besides."""
        web = ["gunicorn", "--config", str(settings.RESOURCE_DIR / "deploy/gunicorn.conf.py")]
        web += ["--bind", bind, "--chdir", str(settings.BASE_DIR)]
        worker = ["celery", "-A", "workbench.celery", "worker", "--loglevel", "WARNING"]
        worker += ["--concurrency", "1", "--hostname"]
        # One takes any job, the other no long one, so that a page never waits behind it.
        short = {"POOLBENCH_WORKER_QUEUES": "page,ordinary"}
        return [
            ([sys.executable, "-m", *web], {}),
            ([sys.executable, "-m", *worker, "worker@%h"], short),
            ([sys.executable, "-m", *worker, "long@%h"], {}),
        ]

    def watch(self, children: list[subprocess.Popen[bytes]]) -> None:
        """Requeue lost jobs every minute; stop with an error if a child process ends."""
        next_sweep = 0.0  # the clock may count from the start of the machine
        while True:
            if time.monotonic() >= next_sweep:
                run_tick()
                next_sweep = time.monotonic() + SWEEP_SECONDS
            for child in children:
                if child.poll() is not None:
                    command = " ".join(map(str, child.args))  # type: ignore[arg-type]
                    raise CommandError(f"Process ended unexpectedly: {command}")
            time.sleep(0.5)

    def end(self, children: list[subprocess.Popen[bytes]]) -> None:
        for child in children:
            child.terminate()
        for child in children:
            child.wait(timeout=20)
