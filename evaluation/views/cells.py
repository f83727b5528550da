"""Scores as table cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from evaluation.queries.leaderboard import LOW_JUDGED, Leaderboard, LeaderboardEntry, rank_entries
from evaluation.queries.scoring_inputs import SHOWN_MEASURES
from poolbench.estimation.report import RunEstimate
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.spread import BestMedianWorst
from poolbench.number_formats import format_score
from poolbench.statistics.estimate import Estimate

DEFAULT_MEASURES = SHOWN_MEASURES
TRUST = "judged_10"
TEXT_COLUMNS = ("run", "team", "kind")
MEASURES_THAT_FIT = 6
"""Columns of scores in a window of 1,280 px, beside run, team and run type."""


@dataclass(frozen=True)
class ScoreColumn:
    """A measure as a table column."""

    name: str
    title: str
    reading: str
    undefined: str
    whole: bool
    ranked: bool = True
    sort: str = ""

    @property
    def next_sort(self) -> str:
        """The sort order that a click on the column head requests."""
        return f"-{self.name}" if self.sort == "descending" else self.name


@dataclass(frozen=True)
class ScoreCell:
    """``interval`` is that of an estimate, or why there is none; ``title`` says the rest of it."""

    text: str
    value: float | None
    bar: float | None = None
    best: bool = False
    low: bool = False
    interval: str = ""
    title: str = ""


@dataclass(frozen=True)
class LeaderboardRow:
    entry: LeaderboardEntry
    place: int | None
    best: bool
    cells: tuple[ScoreCell, ...]


def build_column(measure: Measure, sort: str = "") -> ScoreColumn:
    family, cut = measure.family, dict(measure.params).get("k")
    stem = measure.title.removesuffix(" at cut-off k")
    order = ""
    if sort.removeprefix("-") == measure.name:
        order = "ascending" if sort.startswith("-") else "descending"
    return ScoreColumn(
        name=measure.name,
        title=f"{stem} at cut-off {cut}" if cut else measure.title,
        reading=family.card.reading,
        undefined=family.card.undefined,
        whole=family.whole,
        ranked=family.better != "neither",
        sort=order,
    )


def compared_measures(leaderboard: Leaderboard) -> list[str]:
    """Measures for comparing runs by topic: those that rank runs and are averaged over topics
    by the arithmetic mean.
    """
    return [m.name for m in leaderboard.measures if m.compares]


def select_visible_measures(leaderboard: Leaderboard, requested: Sequence[str]) -> list[str]:
    """The measures to show: those requested, or the campaign's in its order, or the default
    ones; judged_10 last.
    """
    names = leaderboard.score_set.measures
    own = leaderboard.score_set.campaign.measures
    visible = [name for name in names if name in requested]
    visible = visible or [name for name in own if name in names and name != TRUST]
    defaults = [name for name in DEFAULT_MEASURES if name in names]
    # A score set evaluated with other than the default measures shows its own.
    visible = visible or (defaults if len(defaults) == len(DEFAULT_MEASURES) else names[:7])
    return [*(name for name in visible if name != TRUST), *([TRUST] if TRUST in names else [])]


def list_fitting_measures(leaderboard: Leaderboard) -> list[str]:
    """The measures that a leaderboard starts with: as many as fit, judged_10 among them."""
    visible = select_visible_measures(leaderboard, ())
    trust = [name for name in visible if name == TRUST]
    others = [name for name in visible if name != TRUST]
    return [*others[: MEASURES_THAT_FIT - len(trust)], *trust]


def get_sort(leaderboard: Leaderboard, visible: Sequence[str], requested: str) -> str:
    """The sort column: a measure or text column, with - for the opposite direction."""
    names = [*leaderboard.score_set.measures, *TEXT_COLUMNS]
    if requested.removeprefix("-") in names:
        return requested
    return visible[0] if visible else TEXT_COLUMNS[0]


def sorted_entries(leaderboard: Leaderboard, sort: str) -> list[LeaderboardEntry]:
    """Best first (text from a), or reversed; entries without a value always last."""
    name, is_reversed = sort.removeprefix("-"), sort.startswith("-")
    if name in TEXT_COLUMNS:
        key = {
            "run": lambda e: e.tag.lower(),
            "team": lambda e: (e.team.lower(), e.tag.lower()),
            "kind": lambda e: (e.kind, e.tag.lower()),
        }
        return sorted(leaderboard.entries, key=key[name], reverse=is_reversed)
    defined, undefined = rank_entries(leaderboard, name)
    return [*(reversed(defined) if is_reversed else defined), *undefined]


def leaderboard_rows(
    leaderboard: Leaderboard, columns: Sequence[ScoreColumn], sort: str, kind: str = ""
) -> list[LeaderboardRow]:
    """The table's rows, those of one ``kind`` if given. The sort column has bars; best is over all
    runs, if the measure ranks.
    """
    name = sort.removeprefix("-")
    spreads = {column.name: leaderboard.best_median_worst(column.name) for column in columns}
    rows = []
    for at, entry in enumerate(sorted_entries(leaderboard, sort), start=1):
        if kind and entry.kind != kind:
            continue
        cells = tuple(build_cell(entry, column, spreads[column.name], name) for column in columns)
        leads = name in spreads and spreads[name].is_best(entry.means[name])
        place = None if name in TEXT_COLUMNS else leaderboard.find_place(entry, name)
        if place is None and leaderboard.reader.sees_all_runs:
            place = at
        rows.append(LeaderboardRow(entry, place, leads, cells))
    return rows


def bar_length(value: float | None, spread: BestMedianWorst) -> float | None:
    """The length of a bar in percent of the longest; None below 0."""
    if value is None or value < 0:
        return None
    return 100.0 * value / max(1.0, spread.best or 0.0, spread.worst or 0.0)


def build_cell(
    entry: LeaderboardEntry, column: ScoreColumn, spread: BestMedianWorst, sort: str
) -> ScoreCell:
    value, estimate = entry.means[column.name], entry.estimates.get(column.name)
    return ScoreCell(
        text=format_score(value, whole=column.whole),
        value=value,
        bar=bar_length(value, spread) if column.name == sort else None,
        best=spread.is_best(value),
        low=column.name == TRUST and value is not None and value < LOW_JUDGED,
        interval=format_run_interval(estimate.estimate) if estimate else "",
        title=describe_run_estimate(estimate) if estimate else "",
    )


def format_run_interval(estimate: Estimate) -> str:
    """``0.312 to 0.368``, or that there is none."""
    if estimate.low is None or estimate.high is None:
        return _("no interval")
    return f"{format_score(estimate.low)} {_('to')} {format_score(estimate.high)}"


def describe_run_estimate(estimate: RunEstimate) -> str:
    """The interval over topics, and by what the run has its place."""
    parts = [f"over topics: {format_run_interval(estimate.over_topics)}"]
    if estimate.estimate.why:
        parts.insert(0, f"no interval: {estimate.estimate.why}")
    if estimate.drawn_in is not None:
        parts.append(f"place {estimate.place} by {format_score(estimate.drawn_in)}, drawn in")
    return "; ".join(parts)


def best_median_worst_rows(
    leaderboard: Leaderboard, columns: Sequence[ScoreColumn]
) -> dict[str, list[str]]:
    """Best, median and worst of all runs for each column; only the median of unranked ones."""
    spreads = [leaderboard.best_median_worst(column.name).as_dict() for column in columns]
    return {
        word.capitalize(): [
            format_score(spread[word], column.whole)
            for spread, column in zip(spreads, columns, strict=True)
        ]
        for word in ("best", "median", "worst")
    }
