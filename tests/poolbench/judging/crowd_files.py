"""Real labels of crowds, read by the product's own reader."""

from pathlib import Path

from poolbench.commands.agreement import combine_judged_files
from poolbench.files.faults import FaultReport
from poolbench.judging.aggregation.base import LabelMatrix, build_matrix_from_labels
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.exchange.import_resolution import ImportChoices
from poolbench.judging.exchange.label_tables import read_label_table

NYT_LABELS = {"not_relevant": "0", "relevant": "1", "highly_relevant": "2"}


def read_crowd_labels(path: Path) -> LabelTable:
    """All judgments of a file of ``nyt-crowd``."""
    ballots = read_label_table(
        path.read_bytes(),
        file=path.name,
        report=FaultReport(),
        options=ImportChoices(labels=NYT_LABELS),
        assessor="",
    )
    return combine_judged_files({path.name: ballots})


def read_nyt_crowd(path: Path) -> LabelMatrix:
    return build_matrix_from_labels(read_crowd_labels(path))
