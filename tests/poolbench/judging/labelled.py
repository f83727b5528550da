"""Labels for tests: one row an assessor, None where not judged."""

from pathlib import Path

import numpy as np

from poolbench.files.streams import read_bytes
from poolbench.judging.agreement.coefficient import (
    AgreementCoefficient,
    Rows,
    count_all_assessors,
    count_two_assessors,
    iter_confusion_tables,
)
from poolbench.judging.agreement.labels import MISSING, LabelTable, labels_from_qrels
from poolbench.judging.agreement.panel import _build_coefficients
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.runs.qrels import read_qrels
from poolbench.statistics.estimate import Estimate, nan_to_none

__all__ = ["Rows", "labels", "of", "read_folder", "value"]


def labels(
    *rows: tuple[int | None, ...],
    scale: tuple[int, ...] = (),
    topics: tuple[str, ...] = (),
    names: str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
) -> LabelTable:
    grades = [[MISSING if grade is None else grade for grade in row] for row in rows]
    of_topics = topics or ("1",) * len(rows[0])
    pairs = tuple((topic, f"d{i:03}") for i, topic in enumerate(of_topics))
    return LabelTable(tuple(names[: len(rows)]), pairs, np.array(grades, np.int32), scale)


def compute_coefficient(
    agreement: AgreementCoefficient, labels: LabelTable, level: int
) -> Estimate:
    """One coefficient without an interval; a pairwise one compares the first two assessors."""
    if agreement.pairwise:
        counts = count_two_assessors(
            np.stack(list(iter_confusion_tables(labels.select_assessors(0, 1)))),
            labels.scale,
            level,
        )
    else:
        counts = count_all_assessors(labels, level)
    whole = counts.summed()
    (value,) = agreement.compute(whole)
    topics = int(np.count_nonzero(agreement.n(counts)))
    estimate = Estimate(nan_to_none(value), topics)
    (coefficient,) = _build_coefficients(agreement, whole, [estimate])
    return coefficient


def of(
    name: str, *rows: tuple[int | None, ...], level: int = 1, scale: tuple[int, ...] = ()
) -> Estimate:
    return compute_coefficient(COEFFICIENTS[name], labels(*rows, scale=scale), level)


def value(name: str, *rows: tuple[int | None, ...], level: int = 1) -> float | None:
    return of(name, *rows, level=level).value


def read_folder(folder: Path) -> LabelTable:
    """One qrels file an assessor."""
    paths = sorted(folder.iterdir())
    read = {path.name.split("-qrels")[0]: read_qrels(read_bytes(path)) for path in paths}
    return labels_from_qrels(read)
