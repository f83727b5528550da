"""Measure the way of one run from uploaded bytes to stored columns.

    python benchmarks/upload.py [--topics N] [--against FOLDER] [--rounds N]

Runs of N topics × 1,000 lines (default: 2,000 and 7,000). In CPU seconds: the steps in a process
without Django, with the peak of its memory after each; the request through gunicorn, by API and
by the page; the check by a worker, with the peak of its memory. ``--against`` measures another
checkout as well, in turn. ``BENCH_DIR`` is the folder of the files.
"""

import argparse
import http.client
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from generate import large_run

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("BENCH_DIR") or Path(tempfile.gettempdir()) / "poolbench-bench")
PORT = int(os.environ.get("BENCH_PORT", "8631"))
BOUNDARY = "poolbench-upload"
BUILD = """
from poolbench.judging.scale import GradeSpec
from campaigns.models import User
from campaigns.services import campaigns, collection, people
from campaigns.services.tokens import create_token
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
actor = User.objects.create_user("o", can_create_campaigns=True)
scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
fields = dict(title="C", slug="c", max_runs_per_team=None)
campaign = campaigns.create_campaign(actor=actor, scale=scale, **fields)
topics = "".join(f"{number}\\ttopic\\n" for number in range(1, TOPICS + 1))
collection.import_topics(actor=actor, campaign=campaign, data=topics.encode())
team = people.get_or_create_team(actor=actor, campaign=campaign, name="T")
session = SessionStore()
session[SESSION_KEY], session[HASH_SESSION_KEY] = str(actor.pk), actor.get_session_auth_hash()
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session.save()
print(create_token(actor), session.session_key, team.pk)
"""
CHECK = """
import resource
from campaigns.models import Run
from campaigns.services import jobs
from campaigns.services.runs import latest_check_job
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
run = Run.objects.order_by("pk").first()
jobs.load_tasks()
begin = cpu()
jobs.run_here(latest_check_job(run))
run.refresh_from_db()
status = open("/proc/self/status").read()
peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
print(run.state, cpu() - begin, peak, run.normalised_hash)
"""


def run_steps(root: Path, file: Path) -> None:
    """Print each step of the library with its CPU seconds and the peak of memory so far, in MB."""
    sys.path.insert(0, str(root))
    from poolbench.files import streams
    from poolbench.runs.run_checks import RunRules, check_run_file
    from poolbench.runs.run_matrix import PairDictionary, read_pairs, write_matrix, write_pairs

    pairs, is_mapped = PairDictionary(), hasattr(streams, "map_text")
    rules = RunRules(topics=frozenset(map(str, range(1, 10_000))), max_bytes=1 << 30)
    result: Any = None

    def check() -> None:
        nonlocal result
        result = check_run_file(file if is_mapped else file.read_bytes(), rules)

    def add_pairs() -> None:
        pairs.extend(read_pairs(write_pairs(pairs.missing(result.table))))

    def encode() -> None:
        write_matrix(pairs.encode(result.table))

    for name, step in (("check", check), ("new pairs", add_pairs), ("codes", encode)):
        begin = cpu_seconds()
        step()
        print(json.dumps([name, cpu_seconds() - begin, peak_megabytes()]))


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_megabytes() -> float:
    """Not ``ru_maxrss``, which begins with that of the process that started this one."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def print_steps(root: Path, file: Path) -> float:
    """Run the steps in a process of their own; the CPU seconds of all."""
    command = [sys.executable, __file__, "steps", str(root), str(file)]
    printed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    steps = [json.loads(line) for line in printed.splitlines()]
    print("  " + ", ".join(f"{name} {cpu:.2f} s (peak {mb:.0f} MB)" for name, cpu, mb in steps))
    return sum(cpu for _, cpu, _ in steps)


class Site:
    """An installation of the checkout ``root`` in ``folder``, with one web process."""

    def __init__(self, root: Path, folder: Path, topics: int) -> None:
        self.root = root
        self.env = os.environ | {
            "POOLBENCH_VAR": str(folder / "var"),
            "POOLBENCH_MAX_UPLOAD_BYTES": str(1 << 30),
            "PYTHONPATH": str(root),
        }
        self.manage("migrate", "-v", "0")
        code = BUILD.replace("TOPICS", str(topics))
        self.token, self.session, self.team = self.shell(code).split()

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=self.root, env=self.env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        return done.stdout

    def shell(self, code: str) -> str:
        return self.manage("shell", "-v", "0", "-c", code)

    @contextmanager
    def serve(self) -> Iterator[int]:
        """The number of gunicorn's master process."""
        command = [sys.executable, "-m", "gunicorn", "workbench.wsgi", "--threads", "4"]
        command += ["--bind", f"127.0.0.1:{PORT}", "--timeout", "600", "--no-control-socket"]
        process = subprocess.Popen(command, cwd=self.root, env=self.env)
        try:
            for _ in range(600):
                with suppress(OSError):
                    self.request("GET", "/health/")
                    break
                time.sleep(0.1)
            yield process.pid
        finally:
            process.terminate()
            process.wait(30)

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=600)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")

    def send_by_api(self, data: bytes) -> None:
        body = make_form({"campaign": "c", "team": "T"}, data)
        status, text = self.request(
            "POST", "/api/runs/", body, Content_Type=FORM, Authorization=f"Bearer {self.token}"
        )
        if status != 201:
            raise SystemExit(f"{status}: {text[:500]}")

    def send_by_page(self, data: bytes) -> None:
        cookie = f"sessionid={self.session}; csrftoken={'x' * 32}"
        fields = {"csrfmiddlewaretoken": "x" * 32, "team": self.team, "kind": "automatic"}
        body = make_form(fields | {"priority": "1"}, data)
        status, text = self.request(
            "POST", "/c/c/runs/upload/", body, Content_Type=FORM, Cookie=cookie
        )
        if status != 302:
            raise SystemExit(f"{status}: " + re.sub(r"(<[^>]*>|\s)+", " ", text)[-1500:])


FORM = f"multipart/form-data; boundary={BOUNDARY}"


def make_form(fields: dict[str, str], data: bytes) -> bytes:
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name="
    parts = [f'{head}"{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    parts.append(f'{head}"file"; filename="run.txt"\r\n\r\n')
    return "".join(parts).encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()


def read_cpu(master: int) -> float:
    """The CPU seconds of gunicorn's processes, by the kernel's count."""
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    ticks = 0
    for pid in (str(master), *children):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure_request(master: int, send: Callable[[bytes], None], data: bytes, rounds: int) -> float:
    """The least CPU seconds of a request."""
    seconds = []
    for _ in range(rounds):
        begin = read_cpu(master)
        send(data)
        seconds.append(read_cpu(master) - begin)
    return min(seconds)


def print_site(root: Path, file: Path, topics: int, rounds: int) -> float:
    """Upload the run and check it; the CPU seconds of one request by API and the check."""
    data = file.read_bytes()
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        site = Site(root, Path(folder), topics)
        with site.serve() as master:
            # The first large file goes to another road than a small one, and warms it up.
            site.send_by_api(data)
            web = measure_request(master, site.send_by_api, data, rounds)
            page = measure_request(master, site.send_by_page, data, rounds)
        state, cpu, peak, digest = site.shell(CHECK).split()
    print(
        f"  request by API {web:.2f} s, by page {page:.2f} s; check by a worker {float(cpu):.2f} s"
    )
    print(f"  peak of the worker {float(peak):.0f} MB; {state}, ranking {digest[:12]}", flush=True)
    return web + float(cpu)


def main() -> None:
    if sys.argv[1:2] == ["steps"]:
        return run_steps(*map(Path, sys.argv[2:]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, action="append")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for topics in options.topics or (2_000, 7_000):
        file = large_run(FOLDER / "upload", topics)
        for root in filter(None, (options.against and options.against.resolve(), ROOT)):
            print(f"{root.name}: {topics * 1000:,} lines, {file.stat().st_size / 1e6:.0f} MB")
            print_steps(root, file)
            total = print_site(root, file, topics, options.rounds)
            print(f"  {topics * 1000 / total:,.0f} lines a CPU second", flush=True)
    return None


if __name__ == "__main__":
    main()
