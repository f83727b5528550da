"""The content store in a folder and in a bucket: what putting and reading files costs.

    python benchmarks/store.py [--files 40] [--size 1_000_000]

The bucket is that of a local server (moto) in a process of its own, which is not counted. A real
object store adds its own time to answer, once for each request.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

KEYS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
SERVER = """
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(*server.get_host_and_port(), flush=True)
input()
"""


def time_act(act: Callable[[], Any]) -> float:
    """CPU seconds of this process."""

    def read_clock() -> float:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    start = read_clock()
    act()
    return read_clock() - start


def count_received(act: Callable[[], Any]) -> int:
    """Bytes that this machine's loopback device has carried during the act."""

    def read_counter() -> int:
        line = re.search(r"lo:\s*(\d+)", Path("/proc/net/dev").read_text())
        return int(line[1]) if line else 0

    start = read_counter()
    act()
    return read_counter() - start


def time_store(files: int, size: int) -> dict[str, float]:
    from campaigns import store

    contents = [os.urandom(size) for _ in range(files)]
    names: list[str] = []

    def put() -> None:
        names.extend(store.put_blob(data, ".columns") for data in contents)

    def get() -> None:
        for name in names:
            store.get_blob(name)

    found = {"put_blob": time_act(put), "get_blob, first": time_act(get)}
    found["get_blob, again"] = time_act(get)
    found["put_blob of what is there"] = time_act(put)

    def read_end() -> None:
        with store.open_blob(large) as stream:
            stream.seek(-64_000, 2)
            stream.read()

    large = store.put_blob(b"".join(contents))
    found["last 64 kB of all in one file"] = time_act(read_end)
    found["bytes carried for that"] = count_received(read_end)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--size", type=int, default=1_000_000, help="bytes of each")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    command = [sys.executable, "-c", SERVER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, text=True, **pipes) as server,  # type: ignore[call-overload]
    ):
        host, port = server.stdout.readline().split()
        os.environ.update(KEYS, AWS_ENDPOINT_URL=f"http://{host}:{port}", POOLBENCH_VAR=folder)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
        results = compare_stores(Path(folder), options.files, options.size)
        server.stdin.close()
    print(f"| {options.files} files of {options.size:,} bytes, CPU s | folder | bucket |")
    print("|---|---|---|")
    for name, (folder_figure, bucket_figure) in results.items():
        form = ",.0f" if "bytes" in name else ".3f"
        print(f"| {name} | {folder_figure:{form}} | {bucket_figure:{form}} |")


def compare_stores(folder: Path, files: int, size: int) -> dict[str, tuple[float, float]]:
    import boto3
    import django

    django.setup()
    from django.conf import settings
    from django.test import override_settings

    from workbench.store_settings import build_store_settings

    boto3.client("s3").create_bucket(Bucket="bench")
    in_folder = time_store(files, size)
    storages = settings.STORAGES | {"store": build_store_settings("s3://bench/a")}
    with override_settings(STORAGES=storages, STORE_CACHE_DIR=folder / "copies"):
        in_bucket = time_store(files, size)
    return {name: (in_folder[name], in_bucket[name]) for name in in_folder}


if __name__ == "__main__":
    main()
