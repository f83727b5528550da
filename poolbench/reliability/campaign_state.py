"""A campaign at one moment of its judging: what its reports are computed from.

Whatever a page compares, it compares as of the row of the log that its report names, so that one
figure never has two values on a page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.reliability.disagreement.ballots import BallotTable, Grades
from poolbench.reliability.disagreement.panel import DisagreementPanel

DRAWS, LEAST_DRAWS = 500, 40
MOST_ROWS = 150_000_000
"""Rows to score for the draws of one verdict, beyond which they are fewer: half a minute."""
Means = Sequence[Sequence[float | None]]
"""Of each run, one for each measure; None where undefined."""


@dataclass(frozen=True)
class CampaignRun:
    """``run`` is its ID; ``pooled``: it contributed to the latest pool."""

    run: int
    tag: str
    team: str
    pooled: bool


@dataclass(frozen=True, eq=False)
class RankingHistory:
    """The runs by a measure and judged@k, by one grade per pair under ``policy``: ``means`` by the
    first so many judgments, all of them first.
    """

    policy: str
    measure: Measure
    runs: Sequence[CampaignRun]
    means: Mapping[int, Means]

    @property
    def sign(self) -> float:
        """-1 where lower scores are better."""
        return -1.0 if self.measure.family.better == "lower" else 1.0

    def score_runs(self, judgments: int, column: int = 0) -> dict[str, float]:
        """By tag, NaN if undefined."""
        pairs = zip(self.runs, self.means[judgments], strict=True)
        return {run.tag: np.nan if (v := means[column]) is None else v for run, means in pairs}


@dataclass(frozen=True, eq=False)
class CampaignState:
    """As of the row ``last`` of the judgment log. ``panel`` has the runs over the judged pairs,
    and unjudged ones of the pool where a report draws grades for them, with the grades by the
    default policy; ``history`` has ``judgments`` and what a report looks back to. The measure is
    the first of the campaign that ranks runs, ``cut`` the k of its judged@k.
    """

    last: int
    seed: int
    judgments: int
    cut: int
    panel: DisagreementPanel
    history: RankingHistory
    seconds_each: float | None

    @property
    def runs(self) -> Sequence[CampaignRun]:
        return self.history.runs

    @property
    def ballots(self) -> BallotTable:
        return self.panel.ballots

    @property
    def title(self) -> str:
        """The measure in the writing of the field."""
        return format_measure_title(self.panel.measure.name, over_topics=True)

    @property
    def grades(self) -> list[Grades]:
        """By topic, ``ABSENT`` where unjudged or undecided."""
        ballots = self.ballots
        return [ballots.policy_grades[ballots.rows(at)] for at in range(len(ballots.topics))]

    def count_draws(self, most: int = DRAWS, least: int = LEAST_DRAWS) -> int:
        """How many draws, by the work of one."""
        rows = sum(self.panel.work(at) for at in range(len(self.ballots.topics)))
        return int(np.clip(MOST_ROWS // max(rows, 1), least, most))

    def stack_scores(self, *judgments: int) -> Floats:
        """Moments × runs, higher being better."""
        scores = [[means[0] for means in self.history.means[each]] for each in judgments]
        return self.history.sign * np.array(scores, np.float64)
