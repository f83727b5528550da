"""Whole processes measured in alternating pairs, so that a slow machine is not taken for slow code.

A benchmark with ``--against FOLDER`` runs what it measures in turn with the code of another
checkout and with its own, N times, and prints the times of both and the median of the ratios.
"""

import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

Commands = Sequence[Sequence[str]]


class Cost(NamedTuple):
    """Seconds and megabytes of consecutive processes, and their output."""

    wall: float
    cpu: float
    peak: float
    printed: str


def cost(commands: Commands, root: Path = ROOT) -> Cost:
    """What ``commands`` cost with the code of the checkout ``root``, where they are run."""
    cpu, peak, printed = 0.0, 0.0, []
    # Compiled code is kept, as that of an installed program is.
    own = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env = own | {"PYTHONPATH": str(root)}
    begin = time.perf_counter()
    for command in commands:
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(
                command, stdout=out, stderr=subprocess.DEVNULL, cwd=root, env=env
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            printed.append(out.read().decode())
        if process.returncode:
            raise SystemExit(f"{' '.join(command)[:200]} exited with {process.returncode}")
        cpu += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss / 1024)
    return Cost(time.perf_counter() - begin, cpu, peak, "".join(printed))


class PairedCosts(NamedTuple):
    """Costs of a base and of a program, by round."""

    pairs: list[tuple[Cost, Cost]]

    def ratio(self, name: str) -> float:
        """The median of the base's ``wall`` or ``cpu`` divided by the program's."""
        return median(getattr(slow, name) / getattr(fast, name) for slow, fast in self.pairs)

    def describe(self) -> str:
        """Wall times, ratios of wall and CPU time, and the program's peak of memory."""
        slow, fast = (median(pair[side].wall for pair in self.pairs) for side in (0, 1))
        spent, used = (median(pair[side].cpu for pair in self.pairs) for side in (0, 1))
        peak = max(pair[1].peak for pair in self.pairs)
        return (
            f"{slow:7.2f} s {fast:7.2f} s  ratio {self.ratio('wall'):6.2f}"
            f"  CPU {spent:7.2f} s {used:7.2f} s  ratio {self.ratio('cpu'):6.2f}"
            f"  peak {peak:5.0f} MB"
        )


def measure_pairs(
    base: Commands, program: Commands, rounds: int, *, base_root: Path = ROOT
) -> PairedCosts:
    """Run both in turn, ``rounds`` times."""
    return PairedCosts([(cost(base, base_root), cost(program)) for _ in range(rounds)])


def add_against(parser: ArgumentParser) -> None:
    """The option ``--against``."""
    parser.add_argument(
        "--against",
        metavar="FOLDER",
        type=Path,
        help="another checkout, measured in turn with this one",
    )


def compare_checkouts(against: Path, script: str, modes: Iterable[str], rounds: int) -> None:
    """Print what each mode of benchmarks/``script`` costs as a whole process in both checkouts.

    The first process of each, which may write collections, is not counted.
    """
    for mode in modes:
        command = [[sys.executable, f"benchmarks/{script}", mode, "--rounds", "1"]]
        cost(command, against), cost(command)
        costs = measure_pairs(command, command, rounds, base_root=against)
        print(f"{script} {mode:<20} {costs.describe()}", flush=True)
