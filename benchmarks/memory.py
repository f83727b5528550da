"""Peak memory and CPU of coding runs by pairs, each step in a process of its own.

    python benchmarks/memory.py [STEP...] [--against FOLDER] [--runs 150] [--topics 600]

Prepares, once below ``BENCH_DIR``, an installation with a campaign of runs × topics × 1,000
documents (150 × 600: 25.4 million pairs), then prints for each step CPU seconds and the peak of
anonymous memory (RssAnon) and of all memory (VmHWM), which counts pages of mapped files too.
``none`` is the process without work: what Django and the libraries take. ``--against`` runs each
step with another checkout as well, on a copy of the same installation.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(os.environ.get("BENCH_DIR") or Path(tempfile.gettempdir()) / "poolbench-bench")
SLUG, DEPTH, NEW, JUDGED = "memory", 1_000, 278, 500
LINES = 600_000
POLL = 0.01

Ints = NDArray[np.int64]
Chosen = list[Ints]


class Peak(NamedTuple):
    """Megabytes and CPU seconds of a process; what it printed."""

    anonymous: float
    whole: float
    cpu: float
    printed: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--against", type=Path, metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--topics", type=int, default=600)
    args = parser.parse_args()
    here = Path(__file__).resolve().parents[1]
    made = FOLDER / f"memory-{args.runs}-{args.topics}"
    if not made.exists():
        part = made.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        run_step("prepare", here, part, args)
        part.rename(made)
    print(
        f"{'step':<10}{'checkout':<22}{'anonymous':>10}{'peak':>9}{'CPU s':>8}  of which the step"
    )
    for step in args.steps or STEPS:
        for checkout in filter(None, (args.against, here)):
            with tempfile.TemporaryDirectory(dir=FOLDER) as copy:
                var = link_installation(made, Path(copy), checkout.name)
                peak = run_step(step, checkout.resolve(), var, args)
            print(
                f"{step:<10}{checkout.name:<22}{peak.anonymous:7.0f} MB{peak.whole:6.0f} MB"
                f"{peak.cpu:8.2f}  {peak.printed.strip()}",
                flush=True,
            )


def link_installation(made: Path, copy: Path, checkout: str) -> Path:
    """A copy of the installation whose files in the store are links, with the cache that this
    checkout has made of it before.
    """
    shutil.copytree(made / "store", copy / "store", copy_function=os.link)
    shutil.copy(made / "poolbench.sqlite3", copy)
    cache = made / f"cache-{checkout}"
    cache.mkdir(exist_ok=True)
    (copy / "cache").symlink_to(cache)
    return copy


def run_step(step: str, checkout: Path, var: Path, args: argparse.Namespace) -> Peak:
    """The step in a process of ``checkout`` on the installation ``var``."""
    environ = os.environ | {"POOLBENCH_VAR": str(var), "PYTHONPATH": str(checkout)}
    environ |= {"DJANGO_SETTINGS_MODULE": "workbench.settings", "POOLBENCH_STEP": step}
    command = [sys.executable, __file__, "--runs", str(args.runs), "--topics", str(args.topics)]
    process = subprocess.Popen(command, env=environ, cwd=checkout, stdout=subprocess.PIPE)
    status, anonymous, whole = Path(f"/proc/{process.pid}/status"), 0.0, 0.0
    while True:
        pid, code, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        anonymous = max(anonymous, read_megabytes(fields.get("RssAnon")))
        whole = max(whole, read_megabytes(fields.get("VmHWM")))
        time.sleep(POLL)
    process.returncode = os.waitstatus_to_exitcode(code)
    assert process.stdout is not None  # noqa: S101
    printed = process.stdout.read().decode()
    if process.returncode:
        sys.exit(f"{step} failed")
    cpu = usage.ru_utime + usage.ru_stime
    return Peak(anonymous, whole, cpu, printed)


def read_megabytes(field: str | None) -> float:
    return int(field.split()[0]) / 1024 if field else 0.0


# What follows runs in the process of a step.


def name_documents(topic: int, documents: Ints) -> NDArray[np.uint8]:
    """The docnos, all of 25 bytes, one row each."""
    number = topic * 50_000 + documents
    text = np.full((len(number), 25), ord("-"), np.uint8)
    text[:, :12] = np.frombuffer(b"clueweb22-en", np.uint8)
    columns = (12, 13, 14, 15, 17, 18, 20, 21, 22, 23, 24)
    for power, column in enumerate(reversed(columns)):
        text[:, column] = ord("0") + number // 10**power % 10
    return text


def make_pairs(kind: Any, chosen: Chosen, **columns: Any) -> Any:
    """A table of ``kind`` with the documents ``chosen``, by topic."""
    from poolbench.reading.reader import DocnoArray
    from poolbench.runs.tables import group_starts

    data = b"".join(name_documents(at, documents).tobytes() for at, documents in enumerate(chosen))
    sizes = [len(documents) for documents in chosen]
    starts = np.arange(sum(sizes)) * 25
    docnos = DocnoArray(data, starts, np.full(len(starts), 25))
    topics = tuple(f"{at:04d}" for at in range(len(chosen)))
    return kind(topics=topics, starts=group_starts(sizes), docnos=docnos, **columns)


def choose_documents(run: int, topics: int) -> tuple[Chosen, Chosen]:
    """By topic: all documents of the run in the order of its ranking, and those that are new."""
    rng = np.random.default_rng(run)
    if run == 0:
        return [rng.permutation(DEPTH) for _ in range(topics)], [np.arange(DEPTH)] * topics
    seen = DEPTH + NEW * (run - 1)
    new = np.arange(seen, seen + NEW)
    old = [rng.choice(seen, DEPTH - NEW, replace=False, shuffle=False) for _ in range(topics)]
    return [rng.permutation(np.concatenate([each, new])) for each in old], [new] * topics


def prepare(args: argparse.Namespace) -> None:
    """The chunks and matrices of all runs."""
    from django.core.management import call_command

    from campaigns import store
    from campaigns.models import Campaign, PairChunk, User
    from poolbench.runs.run_matrix import PairArray, RunMatrix, write_matrix, write_pairs

    call_command("migrate", "-v", "0")
    owner = User.objects.create(username="organizer")
    campaign = Campaign.objects.create(slug=SLUG, title="Memory", created_by=owner)
    codes = np.empty((args.topics, DEPTH + NEW * args.runs), np.int32)
    start, names = 0, []
    for run in range(args.runs):
        chosen, new = choose_documents(run, args.topics)
        count, first = args.topics * len(new[0]), int(new[0][0])
        blocks = np.arange(start, start + count).reshape(args.topics, -1)
        codes[:, first : first + len(new[0])] = blocks
        path = store.put_blob(write_pairs(make_pairs(PairArray, new)), ".columns", synced=False)
        PairChunk.objects.create(campaign=campaign, start=start, count=count, path=path)
        start += count
        pairs = np.concatenate([codes[at, each] for at, each in enumerate(chosen)])
        matrix = RunMatrix(
            tuple(f"{at:04d}" for at in range(args.topics)),
            np.arange(args.topics + 1) * DEPTH,
            pairs,
            np.tile(np.arange(DEPTH, 0, -1.0), args.topics),
        )
        names.append(store.put_blob(write_matrix(matrix), ".columns", synced=False))
    Path(os.environ["POOLBENCH_VAR"], "store", "runs.txt").write_text("\n".join(names))


def load() -> tuple[Any, list[Any]]:
    """The campaign and its runs."""
    from campaigns.models import Campaign, Run

    names = Path(os.environ["POOLBENCH_VAR"], "store", "runs.txt").read_text().split()
    campaign = Campaign.objects.get(slug=SLUG)
    tags = (f"run{at:03d}" for at in range(len(names)))
    return campaign, [
        Run(campaign=campaign, tag=tag, matrix=name, lines=LINES)
        for tag, name in zip(tags, names, strict=True)
    ]


def do_nothing(_: argparse.Namespace) -> str:
    from campaigns.services import matrices  # noqa: F401

    load()
    return ""


def encode(args: argparse.Namespace) -> str:
    """A further run is coded and stored; then again, as another with the same documents."""
    from campaigns.services import matrices
    from poolbench.runs.tables import RunTable

    campaign, runs = load()
    chosen, _ = choose_documents(len(runs), args.topics)
    scores = np.tile(np.arange(DEPTH, 0, -1.0), args.topics)
    table = make_pairs(RunTable, chosen, tag="new", scores=scores)
    table.docnos.loaded()
    first = measure_cpu(lambda: matrices.store_run_matrix(campaign, table))
    return f"first {first}, again {measure_cpu(lambda: matrices.store_run_matrix(campaign, table))}"


def decode(_: argparse.Namespace) -> str:
    from campaigns.services import matrices

    _, runs = load()
    took = [
        measure_cpu(lambda run=run: matrices.load_run_table(run).docnos.ranks())
        for run in runs[-2:]
    ]
    return f"first {took[0]}, another {took[1]}"


def place(args: argparse.Namespace) -> str:
    """What a page with scores needs: the judgments among the pairs, and the rows of ten runs."""
    from campaigns.services import matrices
    from poolbench.runs.tables import QrelsTable

    campaign, runs = load()
    rng = np.random.default_rng(0)
    seen = DEPTH + NEW * (len(runs) - 1)
    chosen = [np.sort(rng.choice(seen, JUDGED, replace=False)) for _ in range(args.topics)]
    grades = np.zeros(JUDGED * args.topics, np.int32)
    table = make_pairs(QrelsTable, chosen, grades=grades)

    def look() -> None:
        places = matrices.get_pair_dictionary(campaign).places(table)
        take = getattr(places, "take", None) or places.__getitem__
        found = sum(
            int((take(matrices.load_run_matrix(run).pairs) >= 0).sum()) for run in runs[:10]
        )
        assert found  # noqa: S101

    return f"first {measure_cpu(look)}, again {measure_cpu(look)}"


def pool(args: argparse.Namespace) -> str:
    from pooling.queries.inputs import load_listing

    campaign, runs = load()
    topics = [f"{at:04d}" for at in range(args.topics)]
    inputs = {"cutoff": 100, "seed": 1, "topics": topics}
    return measure_cpu(lambda: load_listing(campaign, runs, inputs))


def code_lines(_: argparse.Namespace) -> str:
    """Two runs of 2,000 topics in a campaign without any; half of the second's pairs are new."""
    from campaigns.models import Campaign, User
    from campaigns.services import matrices
    from poolbench.runs.tables import RunTable

    owner = User.objects.get(username="organizer")
    campaign = Campaign.objects.create(slug="lines", title="Lines", created_by=owner)
    scores = np.tile(np.arange(DEPTH, 0, -1.0), 2_000)
    took = []
    for first in (0, DEPTH // 2):
        rng = np.random.default_rng(first)
        chosen = [first + rng.permutation(DEPTH) for _ in range(2_000)]
        table = make_pairs(RunTable, chosen, tag="lines", scores=scores)
        table.docnos.loaded()
        took.append(measure_cpu(lambda table=table: matrices.store_run_matrix(campaign, table)))
    return f"first {took[0]}, second {took[1]}"


def measure_cpu(work: Callable[[], object]) -> str:
    begin = time.process_time()
    work()
    return f"{time.process_time() - begin:.2f} s"


STEPS: dict[str, Callable[[argparse.Namespace], str]] = {
    "none": do_nothing, "encode": encode, "decode": decode, "place": place, "pool": pool,
    "lines": code_lines,
}  # fmt: skip


def perform(step: str) -> None:
    import django

    sys.path.insert(0, os.environ["PYTHONPATH"])
    django.setup()
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int)
    parser.add_argument("--topics", type=int)
    args = parser.parse_args()
    print(prepare(args) or "" if step == "prepare" else STEPS[step](args))


if __name__ == "__main__":
    step = os.environ.get("POOLBENCH_STEP")
    perform(step) if step else main()
