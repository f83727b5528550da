"""Geometry of the rank-band chart: each run's rank, its band, and other ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.views.charts.caterpillar import LABEL, RIGHT, ROW, TOP, WIDTH

MOST_TICKS = 12


@dataclass(frozen=True)
class RankedRun:
    """One run to draw; ``others`` are (name, rank) of further rankings."""

    tag: str
    rank: int | None
    low: int | None
    high: int | None
    others: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class RankBandLine:
    """One run: positions from the left, and from the top."""

    label: str
    description: str
    y: float
    rank: float | None
    low: float | None
    high: float | None
    others: tuple[float, ...]


@dataclass(frozen=True)
class RankBandChart:
    lines: tuple[RankBandLine, ...]
    ticks: tuple[tuple[float, int], ...]
    height: float
    width: float = WIDTH
    label: float = LABEL - 10
    top: float = TOP

    @property
    def bottom(self) -> float:
        return self.height - 6


def build_rank_bands(runs: Sequence[RankedRun], last: int = 0) -> RankBandChart:
    """Runs from the top, in the order of ``runs``; rank 1 is at the left.

    ``last`` is the last rank, if not all runs are drawn.
    """
    last = max(2, len(runs), last)

    def x(rank: int | None) -> float | None:
        share = None if rank is None else (rank - 1) / (last - 1)
        return None if share is None else round(LABEL + (WIDTH - LABEL - RIGHT) * share, 2)

    lines = tuple(
        RankBandLine(
            label=run.tag,
            description=describe_rank_band(run),
            y=TOP + ROW * (at + 0.5),
            rank=x(run.rank),
            low=x(run.low),
            high=x(run.high),
            others=tuple(place for rank in distinct_ranks(run) if (place := x(rank)) is not None),
        )
        for at, run in enumerate(runs)
    )
    ticks = tuple((x(rank) or 0.0, rank) for rank in choose_rank_ticks(last))
    return RankBandChart(lines, ticks, TOP + ROW * len(lines) + 8)


def distinct_ranks(run: RankedRun) -> list[int]:
    """The distinct other ranks, ascending."""
    return sorted({rank for _, rank in run.others if rank is not None})


def choose_rank_ticks(last: int) -> list[int]:
    """Rank 1 and the multiples of a round number."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**9) if last / step <= MOST_TICKS)
    return [1, *range(step, last + 1, step)] if step > 1 else [*range(1, last + 1)]


def describe_rank_band(run: RankedRun) -> str:
    """The line in words, for tooltips and screen readers."""
    rank = "no rank" if run.rank is None else f"rank {run.rank}"
    band = "" if run.low is None else f", 95 % band {run.low} to {run.high}"
    others = ", ".join(f"{name} {rank}" for name, rank in run.others if rank is not None)
    return f"{run.tag}: {rank}{band}" + (f"; {others}" if others else "")
