"""Labels for tests: one row an assessor, None where not judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from campaigns.core.qrels import read_qrels
from campaigns.core.streams import read_bytes
from judging.core.agreement.coefficient import CoefficientValue, Rows
from judging.core.agreement.labels import MISSING, LabelTable, labels_from_qrels
from judging.core.agreement.panel import compute_coefficient
from judging.core.agreement.registry import COEFFICIENTS

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


def of(
    name: str, *rows: tuple[int | None, ...], level: int = 1, scale: tuple[int, ...] = ()
) -> CoefficientValue:
    return compute_coefficient(COEFFICIENTS[name], labels(*rows, scale=scale), level)


def value(name: str, *rows: tuple[int | None, ...], level: int = 1) -> float | None:
    return of(name, *rows, level=level).value


def read_folder(folder: Path) -> LabelTable:
    """One qrels file an assessor."""
    paths = sorted(folder.iterdir())
    read = {path.name.split("-qrels")[0]: read_qrels(read_bytes(path)) for path in paths}
    return labels_from_qrels(read)
