"""Figures as tables show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.measures.family import Measure
from evaluation.queries.leaderboard import (
    LOW_JUDGED,
    BestMedianWorst,
    Leaderboard,
    LeaderboardEntry,
)

USUAL = ("ndcg_cut_10", "map", "bpref", "bpref-10", "P_10", "recall_1000")
TRUST = "judged_10"
UNRANKED = (TRUST, "num_ret")
"""Measures of which more is not better."""
WORDS = ("run", "team")


@dataclass(frozen=True)
class ScoreColumn:
    """A measure at the head of a table."""

    name: str
    title: str
    reading: str
    undefined: str
    whole: bool
    sort: str = ""

    @property
    def next_sort(self) -> str:
        """What a click on the head asks for."""
        return f"-{self.name}" if self.sort == "descending" else self.name


@dataclass(frozen=True)
class ScoreCell:
    text: str
    value: float | None
    bar: float | None = None
    best: bool = False
    low: bool = False


@dataclass(frozen=True)
class LeaderboardRow:
    entry: LeaderboardEntry
    place: int
    best: bool
    cells: tuple[ScoreCell, ...]


def format_score(value: float | None, *, whole: bool = False) -> str:
    """As people compare it: four decimals, counts whole, an en dash for undefined."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if whole else f"{value:.4f}"


def format_signed(value: float) -> str:
    """With its sign, a true minus; what rounds to nothing has none."""
    shown = f"{value:+.4f}"
    return shown[1:] if float(shown) == 0 else shown.replace("-", "−")


def format_p(value: float | None) -> str:
    """A p value; very small ones only as that."""
    return "< 0.0001" if value is not None and 0 < value < 0.0001 else format_score(value)


def build_column(measure: Measure, sort: str = "") -> ScoreColumn:
    card, cut = measure.family.card, dict(measure.params).get("k")
    title = f"{measure.title.removesuffix(' at rank k')} at rank {cut}" if cut else measure.title
    order = ""
    if sort.removeprefix("-") == measure.name:
        order = "ascending" if sort.startswith("-") else "descending"
    return ScoreColumn(
        measure.name, title, card.reading, card.undefined, measure.family.whole, order
    )


def compared_measures(board: Leaderboard) -> list[str]:
    """Measures by which runs can be compared topic by topic: those that say what is better,
    and whose figure over all topics is the arithmetic mean.
    """
    return [m.name for m in board.measures if m.compares]


def select_visible_measures(board: Leaderboard, asked: Sequence[str]) -> list[str]:
    """The measures to show: those asked for, or the campaign's in its own order, or the
    usual ones; judged_10 last."""
    known = board.score_set.measures
    own = board.score_set.campaign.measures
    chosen = [name for name in known if name in asked]
    chosen = chosen or [name for name in own if name in known and name != TRUST]
    usual = [name for name in USUAL if name in known]
    # Who asked for other measures than the usual ones wants to see those.
    chosen = chosen or (usual if len(usual) == len(USUAL) else known[:7])
    return [*(name for name in chosen if name != TRUST), *([TRUST] if TRUST in known else [])]


def get_sort(board: Leaderboard, shown: Sequence[str], asked: str) -> str:
    """What the table is sorted by: a measure or a word, with - for the other direction."""
    known = [*board.score_set.measures, *WORDS]
    return asked if asked.removeprefix("-") in known else shown[0] if shown else WORDS[0]


def sorted_entries(board: Leaderboard, sort: str) -> list[LeaderboardEntry]:
    """Best first (names from a), or the other way round; without a value always last."""
    name, turned = sort.removeprefix("-"), sort.startswith("-")
    if name in WORDS:
        key = {"run": lambda e: e.tag.lower(), "team": lambda e: (e.team.lower(), e.tag.lower())}
        return sorted(board.entries, key=key[name], reverse=turned)
    have = [entry for entry in board.entries if entry.means[name] is not None]
    sign = 1 if board.lower_is_better(name) else -1
    have.sort(key=lambda e: (sign * (e.means[name] or 0.0), e.tag))
    rest = [entry for entry in board.entries if entry.means[name] is None]
    return [*(reversed(have) if turned else have), *rest]


def leaderboard_rows(
    board: Leaderboard, columns: Sequence[ScoreColumn], sort: str
) -> list[LeaderboardRow]:
    """The table's rows. A bar stands in the column that sorts, "best" over all runs."""
    name = sort.removeprefix("-")
    spreads = {column.name: board.spread(column.name) for column in columns}
    top = spreads[name].best if name in spreads else None
    rows = []
    for at, entry in enumerate(sorted_entries(board, sort), start=1):
        cells = tuple(
            build_cell(entry.means, column, spreads[column.name], name) for column in columns
        )
        leads = top is not None and entry.means[name] == top
        place = at if name in WORDS else entry_rank(board, entry, name) or at
        rows.append(LeaderboardRow(entry, place, leads, cells))
    return rows


def entry_rank(board: Leaderboard, entry: LeaderboardEntry, name: str) -> int | None:
    """The place of the run among all, seen or not; runs of the same mean share the best."""
    mine = entry.means[name]
    if mine is None:
        return None
    sign = -1.0 if board.lower_is_better(name) else 1.0
    others = (means[name] for means in board.means)
    return 1 + sum(value is not None and sign * value > sign * mine for value in others)


def bar_length(value: float | None, spread: BestMedianWorst) -> float | None:
    """The length of a bar in hundredths of the longest; none below 0."""
    if value is None or value < 0:
        return None
    return 100.0 * value / max(1.0, spread.best or 0.0, spread.worst or 0.0)


def build_cell(
    means: Mapping[str, float | None], column: ScoreColumn, spread: BestMedianWorst, sort: str
) -> ScoreCell:
    value = means[column.name]
    return ScoreCell(
        text=format_score(value, whole=column.whole),
        value=value,
        bar=bar_length(value, spread) if column.name == sort else None,
        best=value is not None and value == spread.best and column.name not in UNRANKED,
        low=column.name == TRUST and value is not None and value < LOW_JUDGED,
    )


def spread_rows(board: Leaderboard, columns: Sequence[ScoreColumn]) -> list[tuple[str, list[str]]]:
    """Best, median and worst of all runs under each column."""
    spreads = [board.spread(column.name) for column in columns]
    return [
        (
            word.capitalize(),
            [
                format_score(getattr(spread, word), whole=column.whole)
                for spread, column in zip(spreads, columns, strict=True)
            ],
        )
        for word in ("best", "median", "worst")
    ]
