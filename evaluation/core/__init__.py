"""Evaluation as a Python library, without Django:

``from evaluation.core import ScoringOptions, as_judged, evaluate``
"""

from __future__ import annotations

from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.core.streams import read_bytes
from evaluation.core.evaluate import ScoredRun, evaluate
from evaluation.core.inputs import as_judged, as_qrels, as_run
from evaluation.core.judgments import JudgmentTable
from evaluation.core.options import ScoringOptions

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
