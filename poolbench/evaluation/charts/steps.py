"""The chart of a score by rank.

Each document is a box with its grade; a bar above it shows its contribution to the score.
"""

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from poolbench.charts.axes import NameAxis, parts_axis, round_down_nice, round_up_nice
from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.marks import (
    BarMark,
    Drawable,
    MarkGroup,
    MarkNumber,
    RuleMark,
    StepMark,
    TextMark,
)
from poolbench.charts.plot import Plot
from poolbench.charts.svg import add_element
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.evaluation.worked_examples import WorkedScore, WorkedStep

WIDTH, HEIGHT = 628.0, 170.0
NARROW, BROAD = 24.0, 68.0
"""The minimum and the maximum width of a document."""
LABELLED = 46.0
"""The minimum width with room for numbers."""
BOX, ROOM = 26.0, 42.0
"""The side of a box, and the room for boxes between the plot and the ranks."""
VISIBLE = 1e-12


@dataclass(frozen=True)
class DocumentMark:
    """A document as a box with its grade under the plot, underlined if it is relevant."""

    step: WorkedStep

    def draw(self, plot: Plot, parent: Element) -> None:
        x, y, grade = plot.x(self.step.rank - 1), plot.bottom + 12, self.step.grade
        css = "unjudged" if grade is None or grade < 0 else ""
        box = add_element(parent, "g", class_=css, data_grade=grade)
        add_element(box, "rect", class_="box", x=x - BOX / 2, y=y, width=BOX, height=BOX)
        add_element(box, "text", self.step.mark, class_="middle", x=x, y=y + 18)
        if self.step.is_relevant:
            add_element(parent, "path", class_="hit", d=f"M{x - BOX / 2:g} {y + 30:g}h{BOX:g}")

    def numbers(self) -> tuple[MarkNumber, ...]:
        """The grade of the document."""
        return (MarkNumber(self.step.rank - 1, self.step.grade, css="grade"),)


def build_steps_chart(worked: WorkedScore) -> Chart:
    values = [step.value for step in worked.steps if step.value is not None]
    values += [0.0 if worked.start is None else worked.start]
    high, low = max(values), min(values)
    band = round(min(max(WIDTH / max(len(worked.steps), 1), NARROW), BROAD), 2)
    return Chart(
        "steps",
        f"{format_measure_title(worked.name)} by rank",
        "One box per document with its grade; the bar above it is its contribution to the score.",
        across=NameAxis([str(step.rank) for step in worked.steps], band, "rank", ROOM),
        up=parts_axis(
            format_measure_title(worked.name),
            round_down_nice(low),
            round_up_nice(high) if high > 0 else 0.0 if low else 1.0,
            4,
        ),
        marks=[
            *(step_mark(step, band) for step in worked.steps),
            StepMark([step.value for step in worked.steps]),
            RuleMark(0.0),
        ],
        legend=[
            LegendItem("adds to the value", "bar-own"),
            LegendItem("subtracts from it", "bar-other"),
            LegendItem("value up to the rank", "line", "line"),
            LegendItem("relevant", "hit", "line"),
            LegendItem("unjudged", "unjudged", "box"),
        ],
        caption="What each document adds: the value of the ranking up to this rank, minus the "
        "value up to the previous rank.",
        size=(0.0, HEIGHT),
        is_fixed=True,
    )


def step_mark(step: WorkedStep, band: float) -> MarkGroup:
    marks: list[Drawable] = [DocumentMark(step)]
    adds = step.adds or 0.0
    if step.value is not None and abs(adds) > VISIBLE:
        base, at = step.value - adds, step.rank - 1
        css = "bar-own" if adds > 0 else "bar-other"
        marks.append(BarMark(at, step.value, base, css, least=1.0))
        if band >= LABELLED:
            text = f"{adds:+.3g}".replace("-", "−")
            marks.append(TextMark(at, max(step.value, base), text, dy=-4))
    return MarkGroup(marks, describe_step(step))


def describe_step(step: WorkedStep) -> str:
    grade = "unjudged" if step.grade is None else f"grade {step.grade}"
    if step.value is None:
        return f"Rank {step.rank}, {grade}: undefined up to here"
    return f"Rank {step.rank}, {grade}: {step.value:.4f} up to here, {step.adds or 0.0:+.4f}"
