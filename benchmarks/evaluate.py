"""Measure scoring of runs against trec_eval and other programs.

    python benchmarks/evaluate.py [MODE...] [--rounds N]

Modes: ``text``, ``jobs``, ``large``, ``peers``, ``store``, ``warm``; default: all. Whole
processes score map, bpref and ndcg on generated collections (benchmarks/generate.py) in
alternating pairs: trec_eval, then the program, N times. The ratio is trec_eval's time divided by
the program's, as the median of all pairs.

``TREC_EVAL`` is the path of trec_eval (default: on the PATH), ``BENCH_DIR`` the folder of the
collections, ``PEER_PYTHON`` a Python with the other programs. Missing programs are skipped.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from generate import passages, trec8

ROOT = Path(__file__).resolve().parent.parent
PEERS = Path(__file__).with_name("peers.py")
KEEP = Path(__file__).with_name("keep.py")
FOLDER = Path(os.environ.get("BENCH_DIR") or Path(tempfile.gettempdir()) / "poolbench-bench")
PEER_PYTHON = os.environ.get("PEER_PYTHON", sys.executable)
MEASURES = ("-m", "map", "-m", "bpref", "-m", "ndcg")
EVERY = 3
"""Peers score every third run only, since they are slow."""

Commands = Sequence[Sequence[str]]


class Cost(NamedTuple):
    """Seconds and megabytes of consecutive processes, and their output."""

    wall: float
    cpu: float
    peak: float
    printed: str


def cost(commands: Commands) -> Cost:
    cpu, peak, printed = 0.0, 0.0, []
    begin = time.perf_counter()
    for command in commands:
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, cwd=ROOT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            printed.append(out.read().decode())
        if process.returncode:
            raise SystemExit(f"{' '.join(command)[:200]} exited with {process.returncode}")
        cpu += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss / 1024)
    return Cost(time.perf_counter() - begin, cpu, peak, "".join(printed))


def trec_eval(qrels: Path, runs: Sequence[Path]) -> Commands:
    program = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    return [[program, *MEASURES, str(qrels), str(run)] for run in runs] if program else []


def ours(qrels: Path, runs: Sequence[Path], *options: str) -> Commands:
    files = [str(path) for path in (qrels, *runs)]
    return [[sys.executable, "-m", "poolbench", "evaluate", *files, *MEASURES, *options]]


def means(printed: str) -> list[list[str]]:
    """The lines of means, split at white space, without run names."""
    lines = [line.split() for line in printed.splitlines()]
    return [fields for fields in lines if fields[0] != "runid"]


def compare(name: str, base: Commands, program: Commands, rounds: int) -> None:
    """Run both in turn and print the comparison."""
    if not base:
        result = cost(program)
        print(f"{name:<34} {result.wall:7.2f} s  peak {result.peak:5.0f} MB  (no trec_eval)")
        return
    pairs = [(cost(base), cost(program)) for _ in range(rounds)]
    wall = median(slow.wall / fast.wall for slow, fast in pairs)
    cpu = median(slow.cpu / fast.cpu for slow, fast in pairs)
    slow, fast = (median(pair[side].wall for pair in pairs) for side in (0, 1))
    peak = max(pair[1].peak for pair in pairs)
    same = means(pairs[0][0].printed) == means(pairs[0][1].printed)
    print(
        f"{name:<34} {slow:7.2f} s {fast:7.2f} s  ratio {wall:6.2f}  CPU {cpu:6.2f}"
        f"  peak {peak:5.0f} MB  {'same means' if same else 'DIFFERENT MEANS'}",
        flush=True,
    )


def text(rounds: int) -> None:
    files = trec8(FOLDER / "trec8")
    compare("129 runs, text, one process", trec_eval(*files), ours(*files, "--jobs", "1"), rounds)


def jobs(rounds: int) -> None:
    files = trec8(FOLDER / "trec8")
    compare("129 runs, text, two processes", trec_eval(*files), ours(*files, "--jobs", "2"), rounds)


def large(rounds: int) -> None:
    qrels, run = passages(FOLDER / "passages")
    files = qrels, [run]
    compare("7 million lines, one process", trec_eval(*files), ours(*files, "--jobs", "1"), rounds)


def peers(rounds: int) -> None:
    qrels, runs = trec8(FOLDER / "trec8")
    some = runs[::EVERY]
    base = trec_eval(qrels, some)
    compare(
        f"every {EVERY}rd run: evaluate --jobs 1", base, ours(qrels, some, "--jobs", "1"), rounds
    )
    for name in ("pytrec_eval", "ir_measures", "ranx"):
        probe = subprocess.run(
            [PEER_PYTHON, "-c", f"import {name}"], capture_output=True, check=False
        )
        if probe.returncode:
            print(f"{name}: not installed")
            continue
        command = [PEER_PYTHON, str(PEERS), name, str(qrels)]
        # ir_measures is a command for one run; the others are libraries for many.
        parts = [[run] for run in some] if name == "ir_measures" else [some]
        compare(
            f"every {EVERY}rd run: {name}", base, [[*command, *map(str, p)] for p in parts], rounds
        )


def store(rounds: int) -> None:
    qrels, runs = trec8(FOLDER / "trec8")
    base = trec_eval(qrels, runs)
    compare("129 runs from the store", base, [keep("score", run_store(runs), qrels)], rounds)


def warm(rounds: int) -> None:
    qrels, runs = trec8(FOLDER / "trec8")
    again, topic = map(float, cost([keep("warm", run_store(runs), qrels)]).printed.split())
    print(f"{'129 runs in memory, scored again':<34} {again:7.3f} s")
    print(f"{'one judgment: its topic, 129 runs':<34} {topic:7.4f} s")
    if base := trec_eval(qrels, runs):
        seconds = median(cost(base).wall for _ in range(rounds))
        print(f"{'129 processes of trec_eval':<34} {seconds:7.2f} s  ratio {seconds / again:6.1f}")


def keep(command: str, *paths: Path) -> list[str]:
    return [sys.executable, str(KEEP), command, *map(str, paths)]


def run_store(runs: Sequence[Path]) -> Path:
    """The store of ``runs``, written unless it exists."""
    folder = FOLDER / "store"
    if not folder.exists():
        subprocess.run(keep("write", folder, *runs), check=True)
    return folder


MODES: dict[str, Callable[[int], None]] = {
    mode.__name__: mode for mode in (text, jobs, large, peers, store, warm)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modes", nargs="*", metavar="MODE", help=", ".join(MODES))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for mode in options.modes or MODES:
        MODES[mode](options.rounds)


if __name__ == "__main__":
    main()
