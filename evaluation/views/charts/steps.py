"""Geometry of the chart of a score by rank.

Each document is a box with its grade; a bar above it shows its contribution to the score.
All lengths are in viewBox units, from the left and from the top.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.core.worked_examples import WorkedScore, WorkedStep
from evaluation.views.charts.topics import Tick, round_up_nice, tick_label

WIDTH, HEIGHT = 680.0, 170.0
LEFT, RIGHT, TOP = 46.0, 6.0, 18.0
NARROW, BROAD = 24.0, 68.0
"""The minimum and the maximum width of a document."""
LABELLED = 46.0
"""The minimum width with room for numbers."""
LEGIBLE = 480.0
BOX, BAR = 26.0, 0.6


@dataclass(frozen=True)
class StepMark:
    """One rank. ``bar`` is (top, height), None if the score does not change."""

    step: WorkedStep
    description: str
    x: float
    middle: float
    bar_x: float
    bar: tuple[float, float] | None
    kind: str
    label: str
    label_y: float


@dataclass(frozen=True)
class StepsChart:
    """``line`` is the path of the score over the ranks."""

    width: float
    height: float
    slot: float
    box_y: float
    zero: float
    ticks: tuple[Tick, ...]
    marks: tuple[StepMark, ...]
    line: str
    left: float = LEFT
    box: float = BOX
    bar_width: float = 0.0

    @property
    def is_wide(self) -> bool:
        """Whether it is illegible at the width of a phone."""
        return self.width > LEGIBLE

    @property
    def right(self) -> float:
        return self.width - RIGHT


@dataclass(frozen=True)
class StepScale:
    low: float
    high: float

    def y(self, value: float) -> float:
        return round(TOP + HEIGHT * (self.high - value) / (self.high - self.low), 2)

    def ticks(self) -> tuple[Tick, ...]:
        step = (self.high - self.low) / 4
        values = [round(self.low + step * number, 9) for number in range(5)]
        return tuple(Tick(self.y(value), tick_label(value, False)) for value in values)


def build_steps_chart(worked: WorkedScore) -> StepsChart:
    scale, slot = steps_scale(worked), column_width(len(worked.steps))
    box_y = TOP + HEIGHT + 12
    return StepsChart(
        width=round(LEFT + RIGHT + slot * len(worked.steps), 2),
        height=box_y + BOX + 24,
        slot=slot,
        box_y=box_y,
        zero=scale.y(0.0),
        ticks=scale.ticks(),
        marks=tuple(step_mark(step, scale, slot) for step in worked.steps),
        line=" ".join(step_path(worked, scale, slot)),
        bar_width=round(slot * BAR, 2),
    )


def column_width(count: int) -> float:
    return round(min(max((WIDTH - LEFT - RIGHT) / max(count, 1), NARROW), BROAD), 2)


def steps_scale(worked: WorkedScore) -> StepScale:
    """From 0, or from below the lowest value, to a round number above all values."""
    values = [step.value for step in worked.steps if step.value is not None]
    values += [0.0 if worked.start is None else worked.start]
    high, low = max(values), min(values)
    return StepScale(
        -round_up_nice(-low) if low < 0 else 0.0,
        round_up_nice(high) if high > 0 else 0.0 if low else 1.0,
    )


def step_mark(step: WorkedStep, scale: StepScale, slot: float) -> StepMark:
    x = round(LEFT + slot * (step.rank - 1), 2)
    adds = step.adds or 0.0
    bar, label_y = None, 0.0
    if step.value is not None and abs(adds) > 1e-12:
        top, bottom = sorted((scale.y(step.value), scale.y(step.value - adds)))
        bar, label_y = (top, round(max(bottom - top, 1.0), 2)), round(top - 4, 2)
    return StepMark(
        step=step,
        description=describe_step(step),
        x=x,
        middle=round(x + slot / 2, 2),
        bar_x=round(x + slot * (1 - BAR) / 2, 2),
        bar=bar,
        kind="own" if adds > 0 else "other",
        label=f"{adds:+.3g}".replace("-", "−") if bar and slot >= LABELLED else "",
        label_y=label_y,
    )


def describe_step(step: WorkedStep) -> str:
    grade = "unjudged" if step.grade is None else f"grade {step.grade}"
    if step.value is None:
        return f"Rank {step.rank}, {grade}: undefined up to here"
    return f"Rank {step.rank}, {grade}: {step.value:.4f} up to here, {step.adds or 0.0:+.4f}"


def step_path(worked: WorkedScore, scale: StepScale, slot: float) -> Iterator[str]:
    """Horizontal across each document, vertical between; interrupted where undefined."""
    drawn = False
    for step in worked.steps:
        if step.value is None:
            drawn = False
            continue
        y, x = scale.y(step.value), round(LEFT + slot * (step.rank - 1), 2)
        yield f"V{y}" if drawn else f"M{x} {y}"
        yield f"H{round(x + slot, 2)}"
        drawn = True
