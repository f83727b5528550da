"""PostgreSQL and Redis of their own, behind addresses that can be cut off."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.faults.forwarder import Address, Forwarder

QUICK = "-c fsync=off -c max_connections=60 -c wal_level=replica -c max_wal_senders=4"

SYNCHRONOUS = "ALTER SYSTEM SET synchronous_standby_names = '*'"


def find_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def find_postgres_program(name: str) -> str:
    """Debian keeps the server's programs off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name) or sys.exit(f"needs {name}")


class Cluster:
    """A PostgreSQL server in ``folder``. Root runs it as the user postgres: it refuses root."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, find_free_port()
        self.address: Address = ("127.0.0.1", self.port)
        self.before: tuple[str, ...] = ()  # of its programs: another user, another clock
        folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
            self.before = ("runuser", "-u", "postgres", "--")

    def call(self, name: str, *args: str, check: bool = True) -> None:
        command = [*self.before, find_postgres_program(name), *args]
        log = (self.folder.parent / "postgresql.log").open("ab")
        subprocess.run(command, check=check, stdout=log, stderr=log, cwd="/tmp")  # noqa: S108

    def make(self) -> None:
        self.call("initdb", "-D", str(self.folder), "-U", "poolbench", "-A", "trust", "-N")
        self.start()
        self.call("createdb", *self.connect_to("faults"))

    def connect_to(self, database: str) -> tuple[str, ...]:
        return ("-h", "127.0.0.1", "-p", str(self.port), "-U", "poolbench", database)

    def copy_from(self, primary: "Cluster") -> None:
        """A replica that follows ``primary`` by streaming, and answers reading statements."""
        source = f"host=127.0.0.1 port={primary.port} user=poolbench"
        self.call("pg_basebackup", "-D", str(self.folder), "-d", source, "-R", "-c", "fast")
        self.start()

    def start(self) -> None:
        socket_folder = f"-c unix_socket_directories={self.folder}"
        options = f"-p {self.port} -h 127.0.0.1 {socket_folder} {QUICK}"
        self.call("pg_ctl", "-D", str(self.folder), "-w", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self.call("pg_ctl", "-D", str(self.folder), "-m", mode, "stop", check=False)

    def promote(self) -> None:
        self.call("pg_ctl", "-D", str(self.folder), "-w", "promote")


class Servers:
    """A database, a broker and, with ``bucket``, an object store: each behind an address of its
    own. ``store_env`` is how the site finds the last.
    """

    def __init__(self, folder: Path, broker: str, *, bucket: bool = False) -> None:
        self.folder, self.primary = folder, Cluster(folder / "primary")
        self.replica: Cluster | None = None
        self.primary.make()
        self.database = Forwarder(self.primary.address)
        self.redis = start_redis(folder) if broker == "redis" else None
        port = self.redis[1] if self.redis else 5672
        self.broker = Forwarder(("127.0.0.1", port))
        scheme = "redis://127.0.0.1" if self.redis else "amqp://guest:guest@127.0.0.1"
        self.moto = start_moto() if bucket else None
        self.store = Forwarder(("127.0.0.1", self.moto[1])) if self.moto else None
        self.store_env = make_bucket(self.store.port) if self.store else {}
        self.broker_url = f"{scheme}:{self.broker.port}/{0 if self.redis else '/'}"

    @property
    def database_url(self) -> str:
        return f"postgres://poolbench@127.0.0.1:{self.database.port}/faults"

    def add_replica(self) -> Cluster:
        """One that follows synchronously: what is committed is on both."""
        self.replica = Cluster(self.folder / "replica")
        self.replica.copy_from(self.primary)
        self.primary.call("psql", *self.primary.connect_to("postgres"), "-c", SYNCHRONOUS)
        self.primary.call("pg_ctl", "-D", str(self.primary.folder), "reload")
        return self.replica

    def stop(self) -> None:
        self.database.go_away()
        self.broker.go_away()
        if self.store and self.moto:
            self.store.go_away()
            self.moto[0].terminate()
            self.moto[0].wait(20)
        for cluster in (self.primary, self.replica):
            if cluster is not None:
                cluster.stop("immediate")
        if self.redis:
            self.redis[0].terminate()
            self.redis[0].wait(20)


def start_redis(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    port = find_free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--dir", str(folder)]
    return start_server(command, port), port


def start_moto() -> tuple[subprocess.Popen[bytes], int]:
    """An object store in memory."""
    port = find_free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    return start_server(command, port), port


def make_bucket(port: int) -> dict[str, str]:
    """The environment of processes whose store is a new one of the server at ``port``."""
    import boto3

    keys = {
        "AWS_ACCESS_KEY_ID": "faults", "AWS_SECRET_ACCESS_KEY": "faults",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }  # fmt: skip
    os.environ.update(keys)
    boto3.client("s3").create_bucket(Bucket="faults")
    return keys | {"POOLBENCH_STORE": "s3://faults/site"}


def start_server(command: list[str], port: int) -> subprocess.Popen[bytes]:
    """It listens when this returns."""
    silent = subprocess.DEVNULL
    server = subprocess.Popen(command, stdout=silent, stderr=silent)
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            break
    return server
