"""One large campaign from its runs to its reports: time, CPU, disk and peak memory at each step.

    python benchmarks/scale.py                       150 runs x 600 topics x 1,000: 90 million lines
    python benchmarks/scale.py --part 0.05           a twentieth: fewer runs, topics and judgments
    python benchmarks/scale.py --store s3 --workers 2
                  workers with folders of their own on an S3 server (moto's)
    python benchmarks/scale.py --sqlite              instead of PostgreSQL (DATABASE_URL)

Runs are uploaded over HTTP to gunicorn and checked by Celery workers; evaluation and reports are
their jobs; pool, plan and import are one process each, with the services that pages call. Each
step prints a line as it ends. Called again with the same ``--folder`` after an interruption, it
goes on with the first step that has not ended; at the end everything is removed, unless ``--keep``.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import scale_steps  # noqa: E402
from benchmarks.processes import Sampler  # noqa: E402
from benchmarks.scale_site import ScaleSite  # noqa: E402

GROUPS = ("web", "worker", "step", "database", "store")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--part", type=float, default=1.0, help="scales runs and topics by its root, judgments too")
    add("--runs", type=int, default=150)
    add("--topics", type=int, default=600)
    add("--depth", type=int, default=1_000, help="lines of a topic in a run")
    add("--pool-depth", type=int, default=100)
    add("--slots", type=int, default=300_000)
    add("--folder", type=Path, default=Path("/tmp/poolbench-scale"))  # noqa: S108
    add("--sqlite", action="store_true")
    add("--store", choices=("folder", "s3"), default="folder")
    add("--workers", type=int, default=1)
    add("--uploads", type=int, default=2, help="at the same time")
    add("--until", default="", help="the last step")
    add("--keep", action="store_true")
    add("--step", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = options.part**0.5
    options.runs = max(4, round(options.runs * root))
    options.topics = max(4, round(options.topics * root))
    options.slots = max(200, round(options.slots * options.part))
    return options


class Table:
    """The rows of the steps that have ended, kept in a file beside what they made."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.file = folder / "steps.json"
        kept = json.loads(self.file.read_text()) if self.file.exists() else {}
        if kept and kept["settings"] != settings:
            raise SystemExit(f"{folder} has another campaign: remove it, or name another --folder")
        self.settings, self.rows = settings, dict(kept.get("rows", {}))

    def add(self, name: str, row: dict[str, Any]) -> None:
        self.rows[name] = row
        self.file.write_text(json.dumps({"settings": self.settings, "rows": self.rows}))
        print(format_row(name, row), flush=True)

    def show_head(self) -> None:
        groups = "".join(f" {group} CPU s (MB, anon) |" for group in GROUPS)
        print(f"| step | what | wall s |{groups} disk MB |")
        print("|---|---|--:|" + "--:|" * (len(GROUPS) + 1))
        for name, row in self.rows.items():
            print(format_row(name, row))


def format_row(name: str, row: dict[str, Any]) -> str:
    cells = []
    for group in GROUPS:
        used = row["groups"].get(group)
        memory = f" ({used['peak'] / 1e6:,.0f}, {used['anon'] / 1e6:,.0f})" if used else ""
        cells.append(f"{used['cpu']:,.1f}{memory}" if used else "")
    disk = ", ".join(f"{what} {size / 1e6:,.0f}" for what, size in row["disk"].items())
    return f"| {name} | {row['what']} | {row['wall']:,.1f} | {' | '.join(cells)} | {disk} |"


def run_step(site: ScaleSite, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The row of a step. It runs in this process if it waits for others, else in one of its own."""
    before, started = site.sampler.take(), time.perf_counter()
    in_here: Callable[..., str] | None = scale_steps.WAITING.get(name)
    what = in_here(site, options) if in_here else run_apart(site, name)
    after = site.sampler.take()
    groups = {
        group: {
            "cpu": used["cpu"] - before.get(group, {"cpu": 0.0})["cpu"],
            "peak": used.get("peak", 0), "anon": used.get("anon", 0),
        }
        for group, used in after.items()
    }  # fmt: skip
    groups = {group: used for group, used in groups.items() if used["cpu"] >= 0.05}
    wall = time.perf_counter() - started
    return {"what": what, "wall": wall, "groups": groups, "disk": site.measure_disk()}


def run_apart(site: ScaleSite, name: str) -> str:
    command = [sys.executable, __file__, *sys.argv[1:], "--step", name]
    child = subprocess.Popen(command, env=site.env, stdout=subprocess.PIPE, text=True)
    site.sampler.add(child.pid, "step")
    said, _ = child.communicate()
    if child.returncode:
        raise SystemExit(f"the step {name} failed")
    return said.strip().rpartition("\n")[2]


def perform_step(name: str, options: argparse.Namespace) -> None:
    import django

    django.setup()
    print(scale_steps.APART[name](options))


def main() -> int:
    options = parse_options()
    if options.step:
        perform_step(options.step, options)
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    names = ("runs", "topics", "depth", "pool_depth", "slots", "sqlite", "store", "workers")
    table = Table(options.folder, {name: getattr(options, name) for name in names})
    lines = options.runs * options.topics * options.depth
    print(f"{options.runs} runs x {options.topics} topics x {options.depth}: {lines:,} lines")
    table.show_head()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything is stopped
    with ScaleSite(options, Sampler()) as site:
        for name in scale_steps.STEPS:
            if name not in table.rows:
                table.add(name, run_step(site, name, options))
            if name == options.until:
                break
        if not options.keep and not options.until:
            site.remove()
    if not options.keep and not options.until:
        shutil.rmtree(options.folder)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    sys.exit(main())
