"""Reading the golden outputs of trec_eval that lie with the real data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from campaigns.core.opening import read_bytes
from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.core.tables import RunTable
from evaluation.core.batch import Judged
from evaluation.core.options import Options

OPTION_SETS = {
    "q": Options(topics="common"),
    "qc": Options(),
    "qcl2": Options(level=2),
    "qJ": Options(topics="common", judged_only=True),
    "qcJ": Options(judged_only=True),
    "qcM10": Options(max_per_topic=10),
    "qcM100l2": Options(max_per_topic=100, level=2),
}
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
COUNTS = ["num_q", "num_ret", "num_rel", "num_rel_ret"]
TREC_EVAL = [
    *COUNTS,
    *("map", "Rprec", "bpref", "recip_rank", "ndcg"),
    *(f"{name}_{k}" for name in ("P", "recall", "ndcg_cut") for k in CUTOFFS),
]


class Case(NamedTuple):
    """One run of one golden folder."""

    folder: Path
    name: str

    def output(self, program: str, tag: str) -> Path:
        return self.folder / f"{self.name}.{program}.{tag}.out"

    def run(self) -> RunTable:
        return _run(self.folder / f"{self.name}.run")

    def judged(self) -> Judged:
        return _judged(self.folder / "qrels")


def cases(data: Path, pattern: str = "[01]*") -> list[Case]:
    """All runs of well-formed golden folders; 15_comments is for another reader."""
    folders = sorted((data / "trec_eval-golden").glob(pattern))
    return [
        Case(folder, path.stem)
        for folder in folders
        if (folder / "qrels").exists() and not folder.name.startswith("15")
        for path in sorted(folder.glob("*.run"))
    ]


@cache
def _run(path: Path) -> RunTable:
    return read_run(read_bytes(path), lenient=True)


@cache
def _judged(path: Path) -> Judged:
    return Judged.from_table(read_qrels(read_bytes(path)))


def lines_of(path: Path, names: set[str]) -> list[str]:
    """The lines of trec_eval's output about the measures ``names``."""
    # Docnos and topics may hold Unicode line separators: split on newlines only.
    text = path.read_bytes().decode()
    return [line for line in text.split("\n") if line.split("\t")[0].strip() in names]
