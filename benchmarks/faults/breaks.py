"""The faults that come over a site at work: by name, how each begins, and how it ends."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.faults.site import Site, shift_clock

AWAY_SECONDS = float(os.environ.get("FAULT_SECONDS", "60"))


GROWING = """
SELECT 1 FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()
AND query ~ 'INSERT INTO "(pooling_poolevent|pooling_poolitem|judging_slot)"' LIMIT 1
"""
LINGER = """
CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
CREATE TRIGGER linger AFTER INSERT ON pooling_poolitem
  FOR EACH STATEMENT EXECUTE FUNCTION linger()
"""
"""Half a second in the middle of the transaction, which is over in milliseconds otherwise."""
HURRY = "DROP TRIGGER linger ON pooling_poolitem; DROP FUNCTION linger()"
KILLS = 4


class NotTriedError(Exception):
    """The fault did not come about: what it would have done is not known."""


class Break(NamedTuple):
    begin: Callable[[Site], None]
    end: Callable[[Site], None] = lambda _site: None
    clock: str = ""


def rest(seconds: float = AWAY_SECONDS) -> None:
    time.sleep(seconds)


def kill_worker(site: Site) -> None:
    for _ in range(3):
        site.kill_worker("w1")
        rest(3)
        site.start_worker("w1")
        rest(6)


def kill_web(site: Site) -> None:
    for _ in range(6):
        site.kill_web_processes(1)
        rest(4)


def kill_web_as_pools_grow(site: Site) -> None:
    """Both processes, each time in a transaction that adds to an adaptive pool."""
    import psycopg

    primary, killed = site.servers.primary, 0
    address = f"host=127.0.0.1 port={primary.port} user=poolbench dbname=faults"
    end = time.monotonic() + max(180, AWAY_SECONDS)
    with psycopg.connect(address, autocommit=True) as watching:
        watching.execute(LINGER)
        while killed < KILLS and time.monotonic() < end:
            if watching.execute(GROWING).fetchone():
                site.kill_web_processes(2)
                killed += 1
                rest(4)
            rest(0.05)
        watching.execute(HURRY)
    site.notes.append(f"killed {killed} times in a transaction that adds to a pool")
    if killed < 2:
        raise NotTriedError("no process was in such a transaction")


def cut_broker(site: Site) -> None:
    site.servers.broker.go_away()
    rest()


def empty_broker(site: Site) -> None:
    """It comes back without what waited in it."""
    site.servers.broker.go_away()
    rest(5)
    if site.servers.redis:
        port = str(site.servers.redis[1])
        subprocess.run(["redis-cli", "-p", port, "flushall"], check=True, capture_output=True)


def hang_broker(site: Site) -> None:
    site.servers.broker.fall_silent()
    rest()


def return_broker(site: Site) -> None:
    site.servers.broker.come_back()


def restart_database(site: Site) -> None:
    site.servers.primary.stop("immediate")
    rest(3)
    site.servers.primary.start()


def cut_database(site: Site) -> None:
    site.servers.database.go_away()
    rest()


def return_database(site: Site) -> None:
    site.servers.database.come_back()


def hang_database(site: Site) -> None:
    site.servers.database.fall_silent()
    rest(min(20, AWAY_SECONDS))


def fail_over(site: Site) -> None:
    """The primary dies for good; its replica takes over at the same address.

    Replication is synchronous: what was acknowledged is on both.
    """
    servers = site.servers
    replica = servers.replica or servers.add_replica()
    servers.database.go_away()
    servers.primary.stop("immediate")
    rest(3)
    replica.promote()
    servers.primary, servers.replica = replica, None
    servers.database.come_back(servers.primary.address)


def take_store_away(site: Site) -> None:
    """As a file system that is no longer mounted: the folder is there, and empty."""
    store = site.var / "store"
    store.rename(site.var / "store-away")
    store.mkdir()
    rest(min(20, AWAY_SECONDS))


def bring_store_back(site: Site) -> None:
    """What was written since then is hidden below the file system that is mounted again."""
    shutil.rmtree(site.var / "store")
    (site.var / "store-away").rename(site.var / "store")


def cut_bucket(site: Site) -> None:
    if site.servers.store:
        site.servers.store.go_away()
    rest()


def return_bucket(site: Site) -> None:
    if site.servers.store:
        site.servers.store.come_back()


def fill_disk(site: Site) -> None:
    """``var`` is a small file system of its own: see ``make_small_disk``."""
    filler = site.var / "filler"
    with filler.open("wb", buffering=0) as stream:
        try:
            while stream.write(bytes(1 << 16)):
                continue
        except OSError:
            stream.flush()
    rest(min(20, AWAY_SECONDS))


def empty_disk(site: Site) -> None:
    (site.var / "filler").unlink()


def stop_worker_for_a_while(site: Site) -> None:
    """It stands still for longer than a dead one is waited for, then goes on."""
    group = site.workers["w1"].pid
    os.killpg(group, signal.SIGSTOP)
    rest(max(150, AWAY_SECONDS))
    os.killpg(group, signal.SIGCONT)


def jump(clock: str) -> Callable[[Site], None]:
    def begin(site: Site) -> None:
        for shift in ("7200", "-7200", "0"):
            site.clocks[clock].write_text(shift)
            rest(15)

    return begin


def jump_database(site: Site) -> None:
    """It is started again with a clock that can jump; and so in the end with the true one."""
    primary = site.servers.primary
    before = primary.before
    clock = [f"{name}={value}" for name, value in shift_clock(site.clocks["database"]).items()]
    primary.stop("fast")
    primary.before = (*before, "env", *clock)
    primary.start()
    jump("database")(site)
    primary.stop("fast")
    primary.before = before
    primary.start()


BREAKS = {
    "worker killed": Break(kill_worker),
    "web killed": Break(kill_web),
    "web killed as pools grow": Break(kill_web_as_pools_grow),
    "broker away": Break(cut_broker, return_broker),
    "broker emptied": Break(empty_broker, return_broker),
    "broker hangs": Break(hang_broker, return_broker),
    "database restarted": Break(restart_database),
    "database away": Break(cut_database, return_database),
    "database hangs": Break(hang_database, return_database),
    "store away": Break(take_store_away, bring_store_back),
    "bucket away": Break(cut_bucket, return_bucket),
    "disk full": Break(fill_disk, empty_disk),
    "worker stands still": Break(stop_worker_for_a_while),
    "clock of web": Break(jump("web"), clock="web"),
    "clock of worker": Break(jump("worker"), clock="worker"),
    "clock of database": Break(jump_database),
    "database failed over": Break(fail_over),
}
