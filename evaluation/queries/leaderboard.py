"""A score set as one reader may see it: which runs, under which names.

A ``Leaderboard`` contains nothing that its reader may not see, so pages, downloads and the
API may show all of it.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.models import RunScores, ScoreSet
from evaluation.queries.score_sets import ScoreReader
from poolbench.estimation.report import RunEstimate
from poolbench.evaluation.evaluate import ScoredRun, undefined_reason
from poolbench.evaluation.measures.family import Better, Measure
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.spread import BestMedianWorst, best_median_worst
from poolbench.statistics.estimate import nan_to_none

Floats = NDArray[np.float64]
LOW_JUDGED = 0.8
"""Below this judged@10, the other scores of a run are unreliable."""


@dataclass(frozen=True, eq=False)
class LeaderboardEntry:
    """One run as the reader may see it. ``run`` and ``scores`` are IDs; ``opens``: the reader
    may open its own page; ``table`` is topics × measures; ``kind``: automatic or manual, empty
    where the reader sees a pseudonym; ``estimates`` by measure, if the scores are estimates.
    """

    run: int
    scores: int
    tag: str
    team: str
    own: bool
    withdrawn_at: datetime | None
    after_release: bool
    opens: bool
    means: Mapping[str, float | None]
    table: Floats
    kind: str = ""
    estimates: Mapping[str, RunEstimate] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """A score set for one reader. ``tables`` is runs × topics × measures, for all ``runs``; of
    estimates ``difference_errors`` is runs × measures × runs, ``estimates`` by run and measure.
    """

    score_set: ScoreSet
    reader: ScoreReader
    entries: Sequence[LeaderboardEntry]
    runs: Sequence[int]
    tables: Floats
    means: Sequence[Mapping[str, float | None]]
    estimates: Sequence[Mapping[str, RunEstimate]] = ()
    difference_errors: Floats = field(default_factory=lambda: np.empty((0, 0, 0)))

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """In the order of the tables, which may differ from today's order of printing."""
        return tuple(measure for name in self.score_set.measures for measure in parse_measure(name))

    @property
    def topics(self) -> list[str]:
        return list(self.score_set.topics)

    def column(self, name: str) -> int:
        """The index of the measure ``name`` in the tables."""
        return list(self.score_set.measures).index(name)

    def measure(self, name: str) -> Measure:
        return self.measures[self.column(name)]

    def best_median_worst(self, name: str) -> BestMedianWorst:
        """Of the mean scores of all runs by the measure ``name``."""
        return best_median_worst((mean[name] for mean in self.means), self.better(name))

    def best_median_worst_by_topic(self, name: str) -> list[BestMedianWorst]:
        """Of the scores of all runs by the measure ``name``, for each topic."""
        columns = self.tables[:, :, self.column(name)].T
        better = self.better(name)
        return [best_median_worst(map(nan_to_none, column.tolist()), better) for column in columns]

    def better(self, name: str) -> Better:
        """Whether higher or lower values of the measure ``name`` are better, if either."""
        return self.measure(name).family.better

    def lower_is_better(self, name: str) -> bool:
        return self.better(name) == "lower"

    def values(self, entry: LeaderboardEntry, name: str) -> list[float | None]:
        """The entry's scores by the measure ``name``, for each topic."""
        return list(map(nan_to_none, entry.table[:, self.column(name)].tolist()))

    def find(self, run: int) -> LeaderboardEntry | None:
        return next((entry for entry in self.entries if entry.run == run), None)

    def find_by_name(self, name: str) -> LeaderboardEntry | None:
        """By visible tag, or by ID for runs that the reader may open.

        IDs follow the order of submission, so they could reveal the run behind a pseudonym.
        """
        matches = (e for e in self.entries if e.tag == name or (e.opens and str(e.run) == name))
        return next(matches, None)

    def find_place(self, entry: LeaderboardEntry, name: str) -> int | None:
        """Among all runs, other teams' pseudonyms or not; equal scores share the better place.
        None for who is shown own scores only: a place says how many runs are better. The place of
        an estimate may be by a value drawn in.
        """
        own = entry.means[name]
        if own is None or not self.reader.sees_all_runs:
            return None
        if entry.estimates:
            return entry.estimates[name].place
        ordered = self._ordered_means[name]
        if self.lower_is_better(name):
            return 1 + bisect_left(ordered, own)
        return 1 + len(ordered) - bisect_right(ordered, own)

    @cached_property
    def _ordered_means(self) -> dict[str, list[float]]:
        """By measure, the means of all runs that have one, lowest first."""
        columns = {name: [means[name] for means in self.means] for name in self.score_set.measures}
        return {name: sorted(v for v in row if v is not None) for name, row in columns.items()}

    def as_scored_run(self, entry: LeaderboardEntry) -> ScoredRun:
        """The entry as ``evaluate`` returned it, for the output formats."""
        columns = zip(self.measures, entry.table.T, strict=True)
        reasons = [(measure.name, undefined_reason(measure, column)) for measure, column in columns]
        return ScoredRun(
            tag=entry.tag,
            topics=tuple(self.score_set.topics),
            measures=self.measures,
            values=entry.table,
            overall=tuple(entry.means[measure.name] for measure in self.measures),
            reasons={name: reason for name, reason in reasons if reason},
            conditions=self.score_set.provenance,
            answered=np.ones(len(self.score_set.topics), np.bool_),
        )


def rank_entries(
    leaderboard: Leaderboard, name: str
) -> tuple[list[LeaderboardEntry], list[LeaderboardEntry]]:
    """The entries with a value by the measure ``name``, best first, and those without; estimates
    by their place.
    """
    if leaderboard.score_set.is_estimate:
        return sorted(leaderboard.entries, key=lambda entry: entry.estimates[name].place), []
    sign = 1 if leaderboard.lower_is_better(name) else -1
    defined = [entry for entry in leaderboard.entries if entry.means[name] is not None]
    defined.sort(key=lambda entry: (sign * (entry.means[name] or 0.0), entry.tag))
    return defined, [entry for entry in leaderboard.entries if entry.means[name] is None]


def get_leaderboard(score_set: ScoreSet, reader: ScoreReader) -> Leaderboard:
    """The score set as ``reader`` may see it. One query."""
    rows = list(
        RunScores.objects.filter(score_set=score_set).select_related("run__team").order_by("run")
    )
    shape = (len(score_set.topics), len(score_set.measures))
    tables = [np.frombuffer(bytes(row.packed), dtype="<f8").reshape(shape) for row in rows]
    names = visible_run_names(rows, reader, score_set.campaign.seed)
    for row in rows:
        row.score_set = score_set
    estimates = [row.estimates for row in rows]
    entries = [
        LeaderboardEntry(
            run=row.run_id,
            scores=row.pk,
            tag=names[row.run_id][0],
            team=names[row.run_id][1],
            own=reader.owns(row.run.team_id),
            withdrawn_at=row.run.withdrawn_at,
            after_release=row.run.after_release,
            opens=reader.is_organizer or reader.owns(row.run.team_id),
            means=row.means,
            table=table,
            kind=row.run.kind if reader.sees_names or reader.owns(row.run.team_id) else "",
            estimates=estimated,
        )
        for row, table, estimated in zip(rows, tables, estimates, strict=True)
        if reader.sees_all_runs or reader.owns(row.run.team_id)
    ]
    # By visible tag: the order of the true tags would reveal the teams.
    entries.sort(key=lambda entry: (entry.tag.lower(), entry.tag))
    stacked = np.stack(tables) if tables else np.empty((0, *shape))
    runs = [row.run_id for row in rows]
    means = [row.means for row in rows]
    if not score_set.is_estimate:
        return Leaderboard(score_set, reader, entries, runs, stacked, means)
    errors = np.frombuffer(b"".join(bytes(row.difference_errors) for row in rows), dtype="<f8")
    errors = errors.reshape(len(rows), shape[1], len(rows))
    return Leaderboard(score_set, reader, entries, runs, stacked, means, estimates, errors)


def visible_run_names(
    rows: Sequence[RunScores], reader: ScoreReader, seed: int
) -> dict[int, tuple[str, str]]:
    """Visible tag and team of each run: the true ones, or pseudonyms for runs of other teams.

    Pseudonyms are numbered by a seeded hash: they do not reveal the order of names, scores
    or submission, and are the same on every page.
    """
    if reader.sees_names:
        return {row.run_id: (row.run.tag, row.run.team.name) for row in rows}
    teams = sorted(
        {row.run.team_id for row in rows}, key=lambda team: pseudonym_hash(seed, "team", team)
    )
    names: dict[int, tuple[str, str]] = {}
    for row in sorted(rows, key=lambda row: pseudonym_hash(seed, "run", row.run_id)):
        team = teams.index(row.run.team_id) + 1
        number = sum(name[1] == f"Team {team}" for name in names.values()) + 1
        names[row.run_id] = (f"team{team}-run{number}", f"Team {team}")
    for row in rows:
        if reader.owns(row.run.team_id):
            names[row.run_id] = (row.run.tag, row.run.team.name)
    return names


def pseudonym_hash(seed: int, kind: str, key: int) -> str:
    return hashlib.sha256(f"{seed} {kind} {key}".encode()).hexdigest()
