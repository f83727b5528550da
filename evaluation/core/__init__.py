"""The judgments' verdict on runs, as a library without Django:

``from evaluation.core import Options, evaluate, read_qrels, read_run``
"""

from __future__ import annotations

from campaigns.core.opening import read_bytes
from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from evaluation.core.batch import Judged
from evaluation.core.evaluate import ScoredRun, evaluate
from evaluation.core.options import Options

__all__ = [
    "Judged",
    "Options",
    "ScoredRun",
    "evaluate",
    "read_bytes",
    "read_qrels",
    "read_run",
]
