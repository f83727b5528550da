"""What a team may put into a paper: its own runs beside best, median and worst of all runs.

Nothing here names a run or a team of others: a reader of ``PaperResults`` may see all of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from poolbench.evaluation.measures.family import Better
from poolbench.evaluation.spread import BestMedianWorst
from poolbench.statistics.box_plot import BoxPlot
from poolbench.statistics.estimate import Estimate

MOST_MEASURES = 8
"""Columns that fit on a page of a paper."""


@dataclass(frozen=True)
class PaperMeasure:
    """``title`` is that of a topic's value, ``mean_title`` that of the mean over topics."""

    name: str
    title: str
    mean_title: str
    better: Better

    def lead(self, value: float | None, other: float | None) -> float | None:
        """By how much ``value`` is better; negative if it is worse."""
        if value is None or other is None:
            return None
        return other - value if self.better == "lower" else value - other


@dataclass(frozen=True)
class PaperRun:
    """An own run: ``means``, ``places`` among all runs and ``marks`` are by measure; a place is
    None for who may see own scores only. ``intervals`` by measure, if the scores are estimates.
    """

    tag: str
    means: tuple[float | None, ...]
    places: tuple[int | None, ...]
    marks: tuple[str, ...]
    is_withdrawn: bool = False
    is_after_release: bool = False
    intervals: tuple[Estimate, ...] = ()


@dataclass(frozen=True)
class PaperTopic:
    """The value of the best own run beside all runs; ``box`` is None if their distribution is not
    for participants, or undefined.
    """

    number: str
    title: str
    value: float | None
    spread: BestMedianWorst
    lead: float | None
    box: BoxPlot | None = None


@dataclass(frozen=True)
class SignificantPairs:
    """How many of ``others`` runs are significantly worse and better than the best own run."""

    others: int
    worse: int
    better: int


@dataclass(frozen=True)
class PaperConditions:
    """How the scores were computed. ``provenance`` is that of the score set; ``citation`` the one
    that the organizers prefer, BibTeX or text. ``late``: of all runs, how many were submitted
    after a release; best, median and worst are over these too. ``task``: its name, or empty.
    ``reading``: the sentence about scores from a sample, or empty.
    """

    campaign: str
    slug: str
    qrels: int
    qrels_sha256: str
    label: str
    topics: int
    judged: float | None
    pool: str
    test: str
    evaluated: date
    provenance: Mapping[str, Any]
    website: str = ""
    citation: str = ""
    late: int = 0
    task: str = ""
    reading: str = ""

    @property
    def product(self) -> str:
        return str(self.provenance.get("product", "Poolbench"))

    @property
    def title(self) -> str:
        """The campaign, and its task if it has several."""
        return f"{self.campaign}, {self.task}" if self.task else self.campaign

    @property
    def residual(self) -> str:
        """What earlier rounds have judged and was left out; empty if nothing."""
        removed = self.provenance.get("removed")
        if not removed:
            return ""
        return (
            f"Residual evaluation: the {removed['judged_pairs']:,} documents judged in qrels"
            f" {removed['qrels_version']} (sha256 {removed['sha256'][:12]}) were removed from the"
            f" rankings ({removed['documents']:,} ranked documents of all runs) and from the qrels."
        )

    def list_lines(self) -> list[str]:
        """For figures: what was evaluated, by what, when."""
        label = f", {self.label}" if self.label else ""
        qrels = f"qrels {self.qrels} (sha256 {self.qrels_sha256[:12]}){label}"
        return [
            f"{self.title}, {qrels}, {self.topics} topics",
            f"{self.product}, {self.evaluated:%Y-%m-%d}",
        ]


@dataclass(frozen=True)
class PaperResults:
    """``runs`` are the team's, best first by the first measure; ``topics`` those of the first run,
    by lead over the median, largest first. ``spreads`` are by measure, over all ``count`` runs.
    ``notes`` say what the marks mean. ``pairs`` is None where other runs are not shown.
    """

    team: str
    measures: tuple[PaperMeasure, ...]
    runs: tuple[PaperRun, ...]
    spreads: tuple[BestMedianWorst, ...]
    count: int
    topics: tuple[PaperTopic, ...]
    conditions: PaperConditions
    notes: tuple[str, ...] = ()
    pairs: SignificantPairs | None = None

    @property
    def main(self) -> PaperMeasure:
        return self.measures[0]

    @property
    def lead_run(self) -> PaperRun | None:
        """The best own run with a score by the first measure."""
        first = self.runs[0] if self.runs else None
        return first if first is not None and first.means[0] is not None else None

    @property
    def is_estimate(self) -> bool:
        """Whether the scores are estimates: values of single topics then have no intervals."""
        return any(run.intervals for run in self.runs)

    @property
    def late_tags(self) -> list[str]:
        """Of the team's runs that were submitted after a release."""
        return [run.tag for run in self.runs if run.is_after_release]

    def list_leads(self) -> list[PaperTopic]:
        """The topics with a lead, largest first."""
        return [topic for topic in self.topics if topic.lead is not None]


def sort_by_lead(topics: Sequence[PaperTopic]) -> tuple[PaperTopic, ...]:
    """By lead, largest first; equal ones as they were, undefined ones last."""
    return tuple(sorted(topics, key=lambda topic: (topic.lead is None, -(topic.lead or 0.0))))
