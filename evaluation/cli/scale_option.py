"""``--max-rel``: the highest grade of the scale, for commands that score files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.cli.command import Output
from evaluation.core.measures.family import Measure
from evaluation.core.options import ScoringOptions
from evaluation.core.stated_scale import list_scale_remarks, state_highest_grade


def add_max_rel(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--max-rel",
        metavar="GRADE",
        type=int,
        help="highest grade of the scale, for measures that need it, such as err, sdcg and inst "
        "(default: the highest grade in the qrels, with a note)",
    )


def build_scoring_options(options: Mapping[str, Any]) -> ScoringOptions:
    """From ``-l`` and ``--max-rel``. Raises ``ValueError`` for an invalid value."""
    return ScoringOptions(level=options["level"], max_rel=options["max_rel"])


def state_scale(
    out: Output,
    options: Mapping[str, Any],
    measures: Sequence[Measure],
    grades: NDArray[np.int32],
) -> tuple[Measure, ...]:
    """``measures`` with the highest grade stated, after the notes about it are printed."""
    scoring = build_scoring_options(options)
    for remark in list_scale_remarks(measures, scoring, grades) if options["verbosity"] else ():
        out.note(remark)
    return state_highest_grade(measures, scoring, grades)
