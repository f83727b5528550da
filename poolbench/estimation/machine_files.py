"""Machines as researchers have them: grades or chances, in files, dicts and frames."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from poolbench.estimation.chances_file import (
    TOLERANCE,
    ChancesTable,
    find_fault_of_chances,
    read_chances,
)
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.machines import NONE, MachineInput, match_chances, place_pair_grades
from poolbench.files.faults import FaultReport
from poolbench.files.streams import read_bytes
from poolbench.runs.inputs import QrelsSource, is_parquet, read_qrels_table, source_name
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable

MachineTable: TypeAlias = "QrelsTable | ChancesTable"
MachineSource: TypeAlias = (
    "QrelsSource | ChancesTable | Mapping[str, Mapping[str, Sequence[float]]]"
)
MachinesLike: TypeAlias = "MachineSource | Mapping[str, MachineSource] | None"
QRELS_COLUMNS = 4
ONE = "machine"
"""The name of a machine that has none."""


def name_machines(machines: MachinesLike) -> dict[str, MachineSource]:
    """One machine, or several by name: a dict of one is by topic, of documents with numbers."""
    if machines is None:
        return {}
    if isinstance(machines, Mapping) and not is_by_topic(machines):
        return dict(machines)
    return {ONE: machines}


def is_by_topic(machine: Mapping[str, Any]) -> bool:
    values = [*machine.values()]
    inner = [one for value in values if isinstance(value, Mapping) for one in value.values()]
    has_dicts = all(isinstance(value, Mapping) for value in values)
    return bool(values) and has_dicts and not any(isinstance(one, Mapping) for one in inner)


def read_machine(source: MachineSource, top: int | None = None) -> MachineTable:
    """Grades or chances; ``top``: the highest grade of the scale, if it is known.

    Raises ``InvalidFile`` with all faults of a file, else ``ValueError``.
    """
    if isinstance(source, ChancesTable):
        return source
    if isinstance(source, str | os.PathLike | bytes) and not is_parquet(source):
        return read_machine_file(read_bytes(source), file=source_name(source), top=top)
    if is_chances_dict(source):
        return build_chances(source)
    return read_qrels_table(source)


def read_machine_file(
    data: bytes, *, file: str = "", report: FaultReport | None = None, top: int | None = None
) -> MachineTable:
    """Qrels, or lines of topic, docno and the chance of each grade from 0, by the first line."""
    lines = (line for line in data.splitlines() if line.strip() and not line.startswith(b"#"))
    fields = next(lines, b"").split()
    if not is_chances_line(fields):
        return read_qrels(data, file=file, report=report)
    return read_chances(data, len(fields) - 3 if top is None else top, file=file, report=report)


def is_chances_line(fields: Sequence[bytes]) -> bool:
    """Whether a line has chances: more fields than qrels, or, on a scale of two grades, as many,
    the last two of which are numbers with the sum 1.
    """
    if len(fields) != QRELS_COLUMNS or fields[1] == b"0":
        return len(fields) > QRELS_COLUMNS
    try:
        return abs(float(fields[2]) + float(fields[3]) - 1) <= TOLERANCE
    except ValueError:
        return False


def is_chances_dict(source: object) -> TypeGuard[Mapping[str, Mapping[str, Sequence[float]]]]:
    return isinstance(source, Mapping) and any(
        not isinstance(value, int | float | np.number)
        for documents in source.values()
        if isinstance(documents, Mapping)
        for value in documents.values()
    )


def build_chances(source: Mapping[str, Mapping[str, Sequence[float]]]) -> ChancesTable:
    """Chances by topic and docno; raises ``ValueError`` for the first pair that has none."""
    rows = [(topic, docno, own) for topic, docs in source.items() for docno, own in docs.items()]
    top = len(rows[0][2]) - 1
    for topic, docno, own in rows:
        if fault := find_fault_of_chances(own, top):
            raise ValueError(f"topic {topic}, document {docno}: {fault[1]} {fault[2]}")
    chances = np.array([own for *_, own in rows], np.float64)
    return ChancesTable(
        [topic for topic, *_ in rows],
        [docno for _, docno, _ in rows],
        chances / chances.sum(axis=1, keepdims=True),
        range(1, len(rows) + 1),
    )


def find_top_grade(table: MachineTable) -> int:
    """The highest grade that a machine has, or gives a chance."""
    if isinstance(table, ChancesTable):
        return len(table.chances[0]) - 1
    return max(table.grades.tolist(), default=NONE)


def list_machine_grades(table: MachineTable) -> list[tuple[str, str, int]]:
    """Topic, docno and grade; of chances the likeliest grade."""
    if isinstance(table, ChancesTable):
        return [row[:3] for row in table.iter_rows()]
    return [(topic, docno, grade) for (topic, docno), grade in table.by_pair().items()]


def build_machine_input(name: str, table: MachineTable, frame: PoolFrame) -> MachineInput:
    """What a machine says of the pairs of ``frame``. Raises ``ValueError`` if that is nothing."""
    grades = place_pair_grades(frame, list_machine_grades(table))
    if (grades == NONE).all():
        raise ValueError(
            f"{name} has no grade of any pair of the sample: use the same topic IDs and docnos"
        )
    if not isinstance(table, ChancesTable):
        return MachineInput(name, grades)
    return MachineInput(name, grades, match_chances(frame, [*table.iter_rows()]))
