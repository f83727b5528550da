"""CPU time and memory of groups of processes, read from /proc while they work."""

import os
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

TICKS = os.sysconf("SC_CLK_TCK")
MEMORY = {"RssAnon:": "anon", "VmHWM:": "peak"}


class Sampler:
    """Watches the processes below each root, by the name of its group, until it is stopped.

    A group has the CPU seconds of all its processes, living and dead, and the most memory that
    one of them had: ``peak`` (resident, with mapped files) and ``anon`` (what it cannot give back).
    ``add_match`` adds every process whose command line has a text, such as those of PostgreSQL.
    """

    def __init__(self, every: float = 0.25) -> None:
        self.roots: dict[int, str] = {}
        self.matches: dict[str, str] = {}
        self.cpu: dict[tuple[str, int], float] = {}
        self.memory: dict[str, dict[str, int]] = defaultdict(lambda: {"anon": 0, "peak": 0})
        self.over, self.every = Event(), every
        self.thread = Thread(target=self.watch, daemon=True)
        self.thread.start()

    def add(self, pid: int, group: str) -> None:
        self.roots[pid] = group

    def add_match(self, text: str, group: str) -> None:
        self.matches[text] = group

    def watch(self) -> None:
        while not self.over.wait(self.every):
            self.look()

    def look(self) -> None:
        parents = {int(path.name): read_parent(path) for path in Path("/proc").glob("[0-9]*")}
        for pid in parents:
            group = self.find_group(pid, parents)
            if group:
                with suppress(OSError, ValueError, IndexError):
                    self.note(pid, group)

    def find_group(self, pid: int, parents: dict[int, int]) -> str:
        if self.matches:
            with suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
                if found := next((g for t, g in self.matches.items() if t in command), ""):
                    return found if command.startswith("postgres") else ""
        at = pid
        while at and at not in self.roots:
            at = parents.get(at, 0)
        return self.roots.get(at, "")

    def note(self, pid: int, group: str) -> None:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        self.cpu[group, pid] = (int(fields[11]) + int(fields[12])) / TICKS
        most = self.memory[group]
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, rest = line.partition("\t")
            if name in MEMORY:
                key = MEMORY[name]
                most[key] = max(most[key], int(rest.split()[0]) * 1024)

    def take(self) -> dict[str, dict[str, float]]:
        """What each group has used since the last call; the peak of a process that lives on stays
        the one of its whole life, as the kernel counts it.
        """
        self.look()
        taken: dict[str, dict[str, float]] = {}
        for (group, _), seconds in self.cpu.items():
            taken.setdefault(group, {"cpu": 0.0})["cpu"] += seconds
        for group, most in self.memory.items():
            taken.setdefault(group, {"cpu": 0.0}).update(most)
        self.memory.clear()
        return taken

    def stop(self) -> None:
        self.over.set()
        self.thread.join()


def read_parent(path: Path) -> int:
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
