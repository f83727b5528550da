"""Read chances per grade, as a machine gives them: ``topic docno p0 p1 … pG``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from poolbench.evaluation.judgments import Floats, Ints
from poolbench.files.columns import ColumnFile, ColumnLayout
from poolbench.files.faults import FaultReport, escape_excerpt

TOPIC, DOCNO, FIRST = 0, 1, 2
TOLERANCE = 0.01
"""So far from 1 may the sum of a pair be: chances are printed with few digits."""
BAD_CHANCE = "A chance is not a number from 0 to 1: {}."
FIX_CHANCE = "Write each chance as a number from 0 to 1, e.g. 0.25."
BAD_SUM = "The chances have the sum {:.4g} instead of 1."
FIX_SUM = "Write the chances of all grades, in order of the grades, with the sum 1."


@dataclass(frozen=True, eq=False)
class ChancesTable:
    """``chances``, (pairs, G + 1): the chance of each grade from 0, with the sum 1 by row.
    ``lines`` of the file, from 1.
    """

    topics: Sequence[str]
    docnos: Sequence[str]
    chances: Floats
    lines: Sequence[int]

    @property
    def grades(self) -> Ints:
        """The most likely grade by pair, the lower one of two that are equally likely."""
        return np.asarray(self.chances.argmax(axis=1), np.int64)

    def iter_rows(self) -> Iterator[tuple[str, str, int, list[float]]]:
        """Topic, docno, most likely grade and chances of each pair."""
        return zip(
            self.topics, self.docnos, self.grades.tolist(), self.chances.tolist(), strict=True
        )


def read_chances(
    data: bytes, top: int, *, file: str = "", report: FaultReport | None = None
) -> ChancesTable:
    """The chances in ``data`` of the grades 0 to ``top``, in the order of the lines.

    Warnings go to ``report`` when one is given. Raises ``InvalidFile`` with every fault: EH01 not
    text, EH02 other columns, EH03 no lines, EH04 no chance, EH05 another sum, EH06 a pair again.
    """
    report = FaultReport(file) if report is None else report
    names = ("topic", "docno", *(f"p{grade}" for grade in range(top + 1)))
    layout = ColumnLayout(
        columns=names, not_text="EH01", wrong_columns="EH02", empty="EH03", bom="WH01"
    )
    source = ColumnFile(data, layout, report)
    first_lines = dict[tuple[str, str], int]()
    rows = list[list[float]]()
    for block in source.blocks():
        columns = [block.column(at).texts(slice(None)) for at in range(len(names))]
        for line, fields in zip(block.lines, zip(*columns, strict=True), strict=True):
            pair = fields[TOPIC].decode(), fields[DOCNO].decode()
            if (first := first_lines.setdefault(pair, int(line))) != int(line):
                message = f"Duplicate document in topic {pair[0]}, first on line {first}."
                fix = "Keep one line per topic and document."
                source.add_fault("EH06", message, fix, line=int(line), field=DOCNO)
            rows.append(_read_line(source, int(line), fields[FIRST:]))
    report.raise_errors()
    chances = np.array(rows, np.float64)
    return ChancesTable(
        [topic for topic, _ in first_lines],
        [docno for _, docno in first_lines],
        chances / chances.sum(axis=1, keepdims=True),
        list(first_lines.values()),
    )


def find_fault_of_chances(chances: Sequence[float], top: int) -> tuple[str, str, str] | None:
    """Code, message and fix, if these are not the chances of the grades 0 to ``top``."""
    if len(chances) != top + 1:
        return "EH02", f"There are {len(chances)} chances instead of {top + 1}.", FIX_SUM
    for chance in chances:
        if not (isfinite(chance) and 0 <= chance <= 1):
            return "EH04", BAD_CHANCE.format(chance), FIX_CHANCE
    if abs(sum(chances) - 1) > TOLERANCE + 1e-9:
        return "EH05", BAD_SUM.format(sum(chances)), FIX_SUM
    return None


def _read_line(source: ColumnFile, line: int, fields: Sequence[bytes]) -> list[float]:
    """The chances of a line; a faulty line is added to the report."""
    chances = list[float]()
    for at, text in enumerate(fields, FIRST):
        try:
            chances.append(float(text))
        except ValueError:
            message = BAD_CHANCE.format(escape_excerpt(text, 20))
            source.add_fault("EH04", message, FIX_CHANCE, line=line, field=at)
            return []
    if fault := find_fault_of_chances(chances, len(fields) - 1):
        source.add_fault(*fault, line=line, field=FIRST)
    return chances
