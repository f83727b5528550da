"""The installation of ``scale.py``: web server, workers and, if wanted, an S3 server."""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit, urlunsplit

from benchmarks.processes import Sampler

ROOT = Path(__file__).resolve().parents[1]
SERVER = "postgres://poolbench:poolbench@127.0.0.1:5432/poolbench"
BROKER = "redis://127.0.0.1:6379/5"
PORT = int(os.environ.get("BENCH_PORT", "8195"))
"""Another one for a second campaign at the same time: its database is named by it."""
STORE_PORT = PORT + 1
DATABASE, BUCKET = f"poolbench_scale_{PORT}", "poolbench-scale"


class ScaleSite:
    """Started when it is entered, stopped when it is left; what it has made stays until
    ``remove``.
    """

    def __init__(self, options: argparse.Namespace, sampler: Sampler) -> None:
        self.options, self.sampler, self.folder = options, sampler, options.folder
        self.server = os.environ.get("DATABASE_URL", SERVER)
        self.programs: list[subprocess.Popen[bytes]] = []
        self.port = PORT
        self.env = {
            **os.environ, "DATABASE_URL": self.name_database(),
            "POOLBENCH_VAR": str(self.folder / "var"), "POOLBENCH_BIND": f"127.0.0.1:{PORT}",
            "CELERY_BROKER_URL": os.environ.get("CELERY_BROKER_URL", BROKER),
            "POOLBENCH_QUEUE": DATABASE, "PYTHONPATH": str(ROOT), "POOLBENCH_INLINE": "0",
            "DJANGO_SETTINGS_MODULE": "workbench.settings",
        }  # fmt: skip
        if options.store == "s3":
            self.env |= {
                "POOLBENCH_SECRET_KEY": "the same on every machine",
                "POOLBENCH_STORE": f"s3://{BUCKET}/store", "AWS_ACCESS_KEY_ID": "scale",
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{STORE_PORT}",
                "AWS_SECRET_ACCESS_KEY": "scale", "AWS_DEFAULT_REGION": "us-east-1",
            }  # fmt: skip

    def name_database(self) -> str:
        if self.options.sqlite:
            return f"sqlite:///{self.folder}/scale.sqlite3"
        return urlunsplit(urlsplit(self.server)._replace(path=f"/{DATABASE}"))

    def __enter__(self) -> "ScaleSite":
        try:
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def start(self) -> None:
        (self.folder / "var").mkdir(exist_ok=True)
        if not self.options.sqlite:
            self.create_database()
            self.sampler.add_match(DATABASE, "database")
        if self.options.store == "s3":
            self.start_store()
        command = [sys.executable, "manage.py", "migrate", "-v", "0"]
        subprocess.run(command, cwd=ROOT, env=self.env, check=True)
        self.spawn("web", "gunicorn", "--config", str(ROOT / "deploy/gunicorn.conf.py"))
        for number in range(self.options.workers):
            own = {"POOLBENCH_VAR": str(self.folder / f"worker{number}")}
            self.spawn(
                "worker", "celery", "-A", "workbench.celery", "worker", "--loglevel", "WARNING",
                "--concurrency", "1", "-n", f"w{number}@%h",
                **(own if self.options.store == "s3" else {}),
            )  # fmt: skip
        self.wait_until_up()

    def create_database(self) -> None:
        import psycopg

        with psycopg.connect(self.server, autocommit=True) as connection:
            known = connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
            ).fetchone()
            if not known:
                connection.execute(f"CREATE DATABASE {DATABASE}")

    def start_store(self) -> None:
        """What the bucket holds is in the server's memory: gone with it, so no restart there."""
        if (self.folder / "steps.json").exists():
            raise SystemExit("with --store s3 a run cannot be continued: remove the folder")
        self.spawn("store", "moto.server", "-H", "127.0.0.1", "-p", str(STORE_PORT))
        self.wait_for_port(STORE_PORT)
        connection = HTTPConnection("127.0.0.1", STORE_PORT)
        connection.request("PUT", f"/{BUCKET}", headers={"Authorization": "AWS scale:scale"})
        connection.getresponse().read()

    def spawn(self, group: str, module: str, *args: str, **more: str) -> None:
        with (self.folder / "site.log").open("ab") as log:
            program = subprocess.Popen(
                [sys.executable, "-m", module, *args], cwd=ROOT, env=self.env | more, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip
        self.programs.append(program)
        self.sampler.add(program.pid, group)

    def wait_for_port(self, port: int) -> None:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise SystemExit(f"nothing listens at {port}: see {self.folder}/site.log")

    def wait_until_up(self) -> None:
        end = time.monotonic() + 120
        while True:
            connection = HTTPConnection("127.0.0.1", PORT, timeout=30)
            try:
                connection.request("GET", "/health/")
                if connection.getresponse().status == 200:
                    return
            except (OSError, HTTPException):
                time.sleep(0.2)
            finally:
                connection.close()
            if time.monotonic() > end:
                raise SystemExit(f"the site does not come up: see {self.folder}/site.log")

    def measure_disk(self) -> dict[str, int]:
        """Bytes of the store, of what is cached beside it, and of the database."""
        var = [self.folder / "var", *self.folder.glob("worker*")]
        sizes = {
            name: sum(measure_folder(folder / place) for folder in var)
            for name, place in (("store", "store"), ("cache", "cache"))
        }
        return {name: size for name, size in sizes.items() if size} | {
            "db": self.measure_database()
        }

    def measure_database(self) -> int:
        if self.options.sqlite:
            return sum(path.stat().st_size for path in self.folder.glob("scale.sqlite3*"))
        import psycopg

        with psycopg.connect(self.server) as connection:
            row = connection.execute("SELECT pg_database_size(%s)", [DATABASE]).fetchone()
        return int(row[0]) if row else 0

    def remove(self) -> None:
        """The database; the folder is its caller's."""
        self.stop()
        if not self.options.sqlite:
            import psycopg

            with psycopg.connect(self.server, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")

    def stop(self) -> None:
        for program in self.programs:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGTERM)
        for program in self.programs:
            try:
                program.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
        self.programs = []

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()
        self.sampler.stop()


def measure_folder(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
