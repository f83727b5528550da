"""Real labels of crowds, read by the product's own reader."""

from __future__ import annotations

from pathlib import Path

from campaigns.core.faults import FaultReport
from judging.cli.agreement import combine_judged_files
from judging.core.aggregation.base import LabelMatrix
from judging.core.aggregation.inputs import build_matrix_from_labels
from judging.core.agreement.labels import LabelTable
from judging.core.exchange.label_tables import LabelOptions, read_label_table

NYT_LABELS = {"not_relevant": "0", "relevant": "1", "highly_relevant": "2"}


def read_crowd_labels(path: Path) -> LabelTable:
    """All judgments of a file of ``nyt-crowd``."""
    ballots = read_label_table(
        path.read_bytes(),
        file=path.name,
        report=FaultReport(),
        options=LabelOptions(NYT_LABELS),
        assessor="",
    )
    return combine_judged_files({path.name: ballots})


def read_nyt_crowd(path: Path) -> LabelMatrix:
    return build_matrix_from_labels(read_crowd_labels(path))
