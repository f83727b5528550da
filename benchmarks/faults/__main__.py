"""Faults of a whole site at work, each with its outcome.

    python -m benchmarks.faults                      all of them
    python -m benchmarks.faults "broker away" ...    some; --list names them
    python -m benchmarks.faults --broker amqp        RabbitMQ instead of Redis
    python -m benchmarks.faults --store s3           the store is a bucket of moto

In a temporary folder: PostgreSQL with a replica, Redis, gunicorn with two processes, two workers
and a tick. Two teams upload, four assessors judge, a monitor asks ``/health/`` and a page all the
time; then something fails. Afterwards everything that was acknowledged must be there once, every
job done, and the product's own checks content. FAULT_SECONDS (60) is how long a server is away.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.faults.breaks import BREAKS  # noqa: E402
from benchmarks.faults.jobs import JOBS  # noqa: E402
from benchmarks.faults.servers import Servers  # noqa: E402
from benchmarks.faults.site import Site  # noqa: E402
from benchmarks.faults.storm import Outcome, Storm  # noqa: E402

FAILED_OVER = "database failed over"
DISK_BYTES = "1300m"
"""Enough that `/health/` does not call it low, little enough to be filled."""


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--broker", choices=("redis", "amqp"), default="redis")
    parser.add_argument("--store", choices=("folder", "s3"), default="folder")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the log")
    return parser.parse_args()


@contextmanager
def make_site(broker: str, store: str, *, keep: bool) -> Iterator[Site]:
    folder = Path(tempfile.mkdtemp(prefix="poolbench-faults-"))
    folder.chmod(0o755)  # the user postgres has a folder in it
    servers = Servers(folder, broker, bucket=store == "s3")
    site = Site(folder, servers)
    has_disk = mount_small_disk(site.var)
    try:
        yield site
    finally:
        site.stop()
        servers.stop()
        if has_disk:
            os.system(f"umount {site.var}")  # noqa: S605
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def mount_small_disk(folder: Path) -> bool:
    """Whether ``folder`` is now a disk that can be filled; only root may do that."""
    mount = f"mount -t tmpfs -o size={DISK_BYTES} tmpfs {folder}"
    return os.geteuid() == 0 and os.system(mount) == 0  # noqa: S605


def prepare(site: Site) -> dict[str, object]:
    """The database and what is in it; this process reads it as the site does."""
    os.environ.update({name: site.env[name] for name in site.env if name != "PATH"})
    site.manage("migrate", "-v", "0")
    import django

    django.setup()
    from benchmarks.faults.campaign import build_campaigns

    return build_campaigns()


def choose_faults(named: list[str]) -> list[str]:
    known = [*BREAKS, *JOBS]
    if unknown := [name for name in named if name not in known]:
        raise SystemExit(f"no such fault: {', '.join(unknown)}; known: {', '.join(known)}")
    # The last one leaves no replica.
    return sorted(named or known, key=lambda name: name == FAILED_OVER)


def run_break(storm: Storm, name: str) -> Outcome:
    site, fault = storm.site, BREAKS[name]
    if "clock" in name and not shutil.which("cc"):
        return Outcome(name, seen=["not tried: needs cc"])
    if name == "disk full" and not os.path.ismount(site.var):
        return Outcome(name, seen=["not tried: needs root"])
    in_folder, in_bucket = ("store away", "disk full"), ("bucket away",)
    if name in (in_folder if site.servers.store else in_bucket):
        return Outcome(name, seen=["not tried: needs another --store"])
    if name == FAILED_OVER:
        site.servers.add_replica()
    if site.web is None or fault.clock or storm.clock:
        site.stop()
        site.start(clock=fault.clock)
    storm.clock = fault.clock
    site.wait_until_healthy()
    return storm.run(name, fault.begin, fault.end)


def main() -> int:
    options = parse_options()
    faults = choose_faults(options.faults)
    if options.list:
        print("\n".join(faults))
        return 0
    outcomes = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything is stopped
    with make_site(options.broker, options.store, keep=options.keep) as site:
        storm = Storm(site, prepare(site))
        for name in faults:
            outcomes.append(run_break(storm, name) if name in BREAKS else JOBS[name](site))
            print(outcomes[-1].describe(), flush=True)
    wrong = [each.name for each in outcomes if not each.is_right]
    print(f"{len(outcomes) - len(wrong)} of {len(outcomes)} right")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
