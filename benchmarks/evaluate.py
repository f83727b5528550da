"""Measure scoring of runs against trec_eval and other programs.

    python benchmarks/evaluate.py [MODE...] [--rounds N] [--against FOLDER]

Modes: ``text``, ``jobs``, ``large``, ``peers``, ``store``, ``warm``; default: all. Whole
processes score map, bpref and ndcg on generated collections (benchmarks/generate.py) in
alternating pairs: trec_eval, then the program, N times. The ratio is trec_eval's time divided by
the program's, as the median of all pairs. With ``--against`` the time of another checkout takes the
place of trec_eval's.

``TREC_EVAL`` is the path of trec_eval (default: on the PATH), ``BENCH_DIR`` the folder of the
collections, ``PEER_PYTHON`` a Python with the other programs. Missing programs are skipped.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from generate import passages, trec8
from pairs import ROOT, Commands, add_against, cost, measure_pairs

FOLDER = Path(os.environ.get("BENCH_DIR") or Path(tempfile.gettempdir()) / "poolbench-bench")
PEER_PYTHON = os.environ.get("PEER_PYTHON", sys.executable)
MEASURES = ("-m", "map", "-m", "bpref", "-m", "ndcg")
PEERS, KEEP = "benchmarks/peers.py", "benchmarks/keep.py"
EVERY = 3
"""Peers score every third run only, since they are slow."""


class Plan(NamedTuple):
    """How often to measure, and the other checkout, if one is measured instead of trec_eval."""

    rounds: int
    against: Path | None = None


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


def compare(
    name: str, base: Commands, program: Commands, plan: Plan, former: Commands | None = None
) -> None:
    """Run both in turn and print the comparison. ``former``: the commands of the other checkout, if
    they are not those of ``program``.
    """
    root = plan.against or ROOT
    base = (former or program) if plan.against else base
    if not base:
        result = cost(program)
        print(f"{name:<34} {result.wall:7.2f} s  peak {result.peak:5.0f} MB  (no trec_eval)")
        return
    costs = measure_pairs(base, program, plan.rounds, base_root=root)
    first, second = costs.pairs[0]
    same = means(first.printed) == means(second.printed)
    print(f"{name:<34} {costs.describe()}  {'same' if same else 'DIFFERENT'} means", flush=True)


def text(plan: Plan) -> None:
    files = trec8(FOLDER / "trec8")
    compare("129 runs, text, one process", trec_eval(*files), ours(*files, "--jobs", "1"), plan)


def jobs(plan: Plan) -> None:
    files = trec8(FOLDER / "trec8")
    compare("129 runs, text, two processes", trec_eval(*files), ours(*files, "--jobs", "2"), plan)


def large(plan: Plan) -> None:
    qrels, run = passages(FOLDER / "passages")
    files = qrels, [run]
    for count, words in ((1, "one process"), (2, "two processes")):
        fast = ours(*files, "--jobs", str(count))
        compare(f"7 million lines, {words}", trec_eval(*files), fast, plan)


def peers(plan: Plan) -> None:
    qrels, runs = trec8(FOLDER / "trec8")
    some = runs[::EVERY]
    base = trec_eval(qrels, some)
    compare(f"every {EVERY}rd run: evaluate --jobs 1", base, ours(qrels, some, "--jobs", "1"), plan)
    for name in () if plan.against else ("pytrec_eval", "ir_measures", "ranx"):
        probe = subprocess.run(
            [PEER_PYTHON, "-c", f"import {name}"], capture_output=True, check=False
        )
        if probe.returncode:
            print(f"{name}: not installed")
            continue
        command = [PEER_PYTHON, PEERS, name, str(qrels)]
        # ir_measures is a command for one run; the others are libraries for many.
        parts = [[run] for run in some] if name == "ir_measures" else [some]
        peer = [[*command, *map(str, part)] for part in parts]
        compare(f"every {EVERY}rd run: {name}", base, peer, plan)


def store(plan: Plan) -> None:
    qrels, runs = trec8(FOLDER / "trec8")
    base = trec_eval(qrels, runs)
    former = plan.against and [keep("score", run_store(runs, plan.against), qrels)]
    program = [keep("score", run_store(runs), qrels)]
    compare("129 runs from the store", base, program, plan, former)


def warm(plan: Plan) -> None:
    qrels, runs = trec8(FOLDER / "trec8")
    for root in (plan.against, ROOT) if plan.against else (ROOT,):
        printed = cost([keep("warm", run_store(runs, root), qrels)], root).printed
        again, topic = map(float, printed.split())
        print(f"{'129 runs in memory, scored again':<34} {again:7.3f} s  {root}")
        print(f"{'one judgment: its topic, 129 runs':<34} {topic:7.4f} s")
    if base := trec_eval(qrels, runs):
        seconds = median(cost(base).wall for _ in range(plan.rounds))
        print(f"{'129 processes of trec_eval':<34} {seconds:7.2f} s  ratio {seconds / again:6.1f}")


def keep(command: str, *paths: Path) -> list[str]:
    return [sys.executable, KEEP, command, *map(str, paths)]


def run_store(runs: Sequence[Path], root: Path = ROOT) -> Path:
    """The store of ``runs`` as the checkout ``root`` writes it, written unless it exists."""
    folder = FOLDER / ("store" if root == ROOT else f"store-{root.name}")
    if not folder.exists():
        cost([keep("write", folder, *runs)], root)
    return folder


MODES: dict[str, Callable[[Plan], None]] = {
    mode.__name__: mode for mode in (text, jobs, large, peers, store, warm)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modes", nargs="*", metavar="MODE", help=", ".join(MODES))
    parser.add_argument("--rounds", type=int, default=5)
    add_against(parser)
    options = parser.parse_args()
    for mode in options.modes or MODES:
        MODES[mode](Plan(options.rounds, options.against))


if __name__ == "__main__":
    main()
