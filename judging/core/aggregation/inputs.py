"""Label matrices from tables of judgments, and answers to gold from known grades."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from judging.core.aggregation.base import GoldCounts, LabelMatrix, Pair
from judging.core.agreement.labels import LabelTable


def build_matrix_from_labels(table: LabelTable) -> LabelMatrix:
    """The labels of ``table``; items and workers sorted by name."""
    items = sorted(range(len(table.pairs)), key=table.pairs.__getitem__)
    workers = sorted(range(len(table.assessors)), key=table.assessors.__getitem__)
    positions = table.positions[np.ix_(workers, items)].T
    rows, columns = np.nonzero(positions < len(table.scale))
    return LabelMatrix(
        tuple(table.pairs[at] for at in items),
        tuple(table.assessors[at] for at in workers),
        table.scale,
        rows.astype(np.int64),
        columns.astype(np.int64),
        positions[rows, columns],
    )


def count_gold_from_matrix(matrix: LabelMatrix, gold: Mapping[Pair, int]) -> GoldCounts:
    """By worker, the numbers of labels on pairs of ``gold`` that are correct, and of all."""
    counts: dict[str, tuple[int, int]] = {}
    codes = (matrix.item_codes, matrix.worker_codes, matrix.label_codes)
    for item, worker, label in zip(*(column.tolist() for column in codes), strict=True):
        correct = gold.get(matrix.items[item])
        if correct is not None:
            name = matrix.workers[worker]
            right, answered = counts.get(name, (0, 0))
            counts[name] = right + (matrix.scale[label] == correct), answered + 1
    return counts
