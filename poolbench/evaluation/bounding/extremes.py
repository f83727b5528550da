"""Minimum and maximum values of measures over selected completions of a batch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.completions import CompletionRankings, Grades
from poolbench.evaluation.judgments import Floats, Ints, Mask

ROWS = 1 << 21
"""Documents scored at a time."""
EVERY = 5_000
"""Maximum number of completions of one topic for which all are tried."""


@dataclass(frozen=True)
class CompletionSide:
    """Completions to try. ``all``: all open documents have the grade. ``top`` and ``bottom``:
    for each m, the first or the last m open documents have it, the others 0. ``every``: all
    completions with grades up to it."""

    placement: Literal["all", "top", "bottom", "every"]
    grade: int


@dataclass(frozen=True, eq=False)
class Extremes:
    """``low`` and ``high`` by segment, NaN if no completion has a value; ``partly``: some
    completion has none; ``tried``: completions were tried, or need not be.

    ``exact``: all are attained by a completion. ``overall``: those of the value over all topics,
    if they do not follow from the segments'. ``reason`` says why there are none.
    """

    low: Floats
    high: Floats
    partly: Mask
    tried: Mask
    exact: bool = True
    overall: tuple[float | None, float | None] | None = None
    reason: str = ""

    @classmethod
    def from_bounds(cls, low: Floats, high: Floats) -> "Extremes":
        """Extremes of a measure that has a value in every completion."""
        return cls(low, high, np.zeros(len(low), np.bool_), np.ones(len(low), np.bool_))

    @classmethod
    def none(cls, size: int) -> "Extremes":
        nothing = np.full((2, size), np.nan), np.zeros((2, size), np.bool_)
        return cls(*nothing[0], *nothing[1])

    def add(self, segments: Ints, values: Floats) -> None:
        """Include values of completions of ``segments``."""
        np.fmin.at(self.low, segments, values)
        np.fmax.at(self.high, segments, values)
        self.partly[segments[np.isnan(values)]] = True
        self.tried[segments] = True


def compute_extremes(
    rankings: CompletionRankings,
    sides: Sequence[CompletionSide],
    measures: Sequence[Callable[[ScoringBatch], Floats]],
) -> list[Extremes]:
    """The extremes of each measure over all completions of ``sides``."""
    extremes = [Extremes.none(len(rankings.batch)) for _ in measures]
    for side in sides:
        for segments, batch in _batches(rankings, side):
            for measure, extreme in zip(measures, extremes, strict=True):
                extreme.add(segments, measure(batch))
    return [replace(extreme, exact=bool(extreme.tried.all())) for extreme in extremes]


def _batches(
    rankings: CompletionRankings, side: CompletionSide
) -> Iterator[tuple[Ints, ScoringBatch]]:
    """Batches of completions, each of about ``ROWS`` documents or of a single completion."""
    pieces: list[tuple[Ints, Grades]] = []

    def join() -> tuple[Ints, ScoringBatch]:
        segments, ranked = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        return segments, rankings.complete(segments, ranked)

    rows = 0
    for segment, ranked in _pieces(rankings, side):
        pieces.append((np.full(len(ranked), segment), ranked.ravel()))
        rows += ranked.size
        if rows >= ROWS:
            yield join()
            pieces, rows = [], 0
    if pieces:
        yield join()


def _pieces(rankings: CompletionRankings, side: CompletionSide) -> Iterator[tuple[int, Grades]]:
    """Completions of one segment each, completions × ranks."""
    for segment in range(len(rankings.batch)):
        ranking, at = rankings.ranking(segment), rankings.open_ranks(segment)
        size = max(1, ROWS // (len(ranking) + 1))
        for chosen in CHOICES[side.placement](len(at), size, side.grade):
            ranked = np.tile(ranking, (len(chosen), 1))
            ranked[:, at] = chosen
            yield segment, ranked


def _all(count: int, _: int, grade: int) -> Iterator[Grades]:
    yield np.full((1, count), grade, np.int32)


def _top(count: int, size: int, grade: int) -> Iterator[Grades]:
    for start in range(0, count + 1, size):
        many = np.arange(start, min(start + size, count + 1))
        yield np.where(np.arange(count) < many[:, None], grade, 0).astype(np.int32)


def _bottom(count: int, size: int, grade: int) -> Iterator[Grades]:
    yield from (chosen[:, ::-1] for chosen in _top(count, size, grade))


def _every(count: int, _: int, grade: int) -> Iterator[Grades]:
    if count * np.log(grade + 1) <= np.log(EVERY):
        combined = list(product(range(grade + 1), repeat=count))
        yield np.array(combined, np.int32).reshape(len(combined), count)


CHOICES: dict[str, Callable[[int, int, int], Iterator[Grades]]] = {
    "all": _all,
    "top": _top,
    "bottom": _bottom,
    "every": _every,
}
"""Grades of the open documents of one topic, completions × documents, given their number, the
chunk size, and the grade of the side."""
