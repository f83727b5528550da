"""Evaluation as a Python library, without Django:

``from poolbench.evaluation import ScoringOptions, as_judged, evaluate``
"""

from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.inputs import read_qrels as as_judged
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.options import ScoringOptions
from poolbench.files.streams import read_bytes
from poolbench.runs.inputs import read_qrels_table as as_qrels
from poolbench.runs.inputs import read_run as as_run
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run

Judged, Options = JudgmentTable, ScoringOptions
"""Their former names, still supported."""

__all__ = [
    "JudgmentTable",
    "ScoredRun",
    "ScoringOptions",
    "as_judged",
    "as_qrels",
    "as_run",
    "evaluate",
    "read_bytes",
    "read_qrels",
    "read_run",
]
