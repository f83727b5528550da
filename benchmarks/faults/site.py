"""A site of gunicorn, two workers and a tick, whose processes can be killed."""

import json
import os
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from benchmarks.faults.servers import Servers, find_free_port

ROOT = Path(__file__).resolve().parents[2]
TICK = """
import time
from campaigns.services.heartbeats import run_tick
from django.db import DatabaseError, connection
while True:
    try:
        run_tick()
    except DatabaseError:
        connection.close()
    time.sleep({seconds})
"""
CLOCKS = ("web", "worker", "database")


class Site:
    """Processes over ``servers``; ``store`` can be on a disk of its own."""

    def __init__(self, folder: Path, servers: Servers) -> None:
        self.folder, self.servers, self.var = folder, servers, folder / "var"
        self.var.mkdir(exist_ok=True)
        self.port = find_free_port()
        self.log = folder / "site.log"
        self.clocks = {name: folder / f"clock-{name}" for name in CLOCKS}
        self.env = {
            **os.environ, "POOLBENCH_VAR": str(self.var), "DATABASE_URL": servers.database_url,
            "CELERY_BROKER_URL": servers.broker_url, "POOLBENCH_QUEUE": f"faults-{os.getpid()}",
            "POOLBENCH_INLINE": "0", "POOLBENCH_BIND": f"127.0.0.1:{self.port}",
            "POOLBENCH_WEB_PROCESSES": "2", "POOLBENCH_API_RATE": "", "POOLBENCH_UPLOAD_RATE": "",
            "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "workbench.settings",
            "POOLBENCH_CHECK_AT_ONCE_BYTES": "0", **servers.store_env,
        }  # fmt: skip
        self.web: subprocess.Popen[bytes] | None = None
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.ticks: list[subprocess.Popen[bytes]] = []
        self.notes: list[str] = []

    def manage(self, *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *args]
        done = subprocess.run(
            command, cwd=ROOT, env=self.env, capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise SystemExit(f"{' '.join(args[:2])}: {done.stdout}{done.stderr}")
        return done

    def spawn(self, *args: str, clock: str = "") -> subprocess.Popen[bytes]:
        """A process in a group of its own. With ``clock`` its time is that of the file."""
        env = self.env | (shift_clock(self.clocks[clock]) if clock else {})
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *args], cwd=ROOT, env=env, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def start(self, clock: str = "") -> None:
        self.start_web(clock="web" if clock == "web" else "")
        for number in (1, 2):
            self.start_worker(f"w{number}", clock="worker" if clock == "worker" else "")
        self.start_tick()

    def start_web(self, clock: str = "") -> None:
        config = str(ROOT / "deploy/gunicorn.conf.py")
        self.web = self.spawn("-m", "gunicorn", "--config", config, clock=clock)

    def start_worker(self, name: str, clock: str = "") -> None:
        self.workers[name] = self.spawn(
            "-m", "celery", "-A", "workbench.celery", "worker", "--loglevel", "WARNING",
            "--concurrency", "1", "-n", f"{name}@%h", clock=clock,
        )  # fmt: skip

    def start_tick(self, seconds: int = 10) -> None:
        script = TICK.format(seconds=seconds)
        self.ticks.append(self.spawn("manage.py", "shell", "-v", "0", "-c", script))

    def restart_ended_workers(self) -> None:
        """As systemd does: a worker ends by itself where its store becomes another."""
        for name in [name for name, worker in self.workers.items() if worker.poll() is not None]:
            self.start_worker(name)

    def kill_worker(self, name: str) -> None:
        """The worker and its child process, as a machine that loses power."""
        kill_group(self.workers.pop(name))

    def kill_web_processes(self, most: int) -> None:
        """So many of the processes that answer; gunicorn starts others."""
        if self.web is not None:
            children = Path(f"/proc/{self.web.pid}/task/{self.web.pid}/children").read_text()
            for pid in children.split()[:most]:
                os.kill(int(pid), signal.SIGKILL)

    def stop(self) -> None:
        groups = [*self.workers.values(), *self.ticks]
        for each in [*groups, *([self.web] if self.web else [])]:
            if each.poll() is None:
                kill_group(each)
        self.workers, self.ticks, self.web = {}, [], None

    def ask_health(self) -> dict[str, object]:
        """What ``/health/`` says, with its HTTP status as ``code``; 0 if nothing answers."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", "/health/")
            answer = connection.getresponse()
            return {"code": answer.status, **json.loads(answer.read())}
        except (OSError, HTTPException, ValueError):
            return {"code": 0, "status": "no answer"}
        finally:
            connection.close()

    def wait_until_healthy(self, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while (seen := self.ask_health())["status"] not in ("ok", "degraded"):
            if time.monotonic() > end:
                raise SystemExit(f"the site does not come up: {seen}, see {self.log}")
            time.sleep(0.2)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)


def build_clock(folder: Path) -> Path:
    """``clock.c`` as a library."""
    library = folder / "clock.so"
    if not library.exists():
        source = str(Path(__file__).with_name("clock.c"))
        command = ["cc", "-shared", "-fPIC", "-O2", "-o", str(library), source, "-ldl"]
        subprocess.run(command, check=True)
    return library


def shift_clock(file: Path) -> dict[str, str]:
    """The environment of a process whose clock is ahead by the seconds in ``file``."""
    file.write_text(file.read_text() if file.exists() else "0")
    return {"LD_PRELOAD": str(build_clock(file.parent)), "CLOCK_FILE": str(file)}
