"""Worked examples of a measure, and the form to try it on a ranking of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from common.charts.chart import Chart
from evaluation.core.charts.steps import build_steps_chart
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.worked_examples import Grade, WorkedScore, WorkedStep, work_card_example
from evaluation.forms.tryout import TryoutDocument, TryoutForm, default_query, example_query
from evaluation.views.cells import format_score, format_signed

VARIABLE = re.compile(r"(?<![\w-])([A-Zb-z])(?![\w-])")
RAISED = re.compile(r"\^(\([^()]*\)|[\w.]+)")
SIMPLE = 1000
"""Fractions are shown up to this denominator."""


@dataclass(frozen=True)
class CardText:
    """A piece of a card's text. ``kind``: text, code, var (a letter of a formula) or sup."""

    kind: str
    text: str


@dataclass(frozen=True)
class DocumentCell:
    """A document in a strip, with the letter of its stratum if it has one."""

    mark: str
    label: str
    is_relevant: bool
    grade: Grade


@dataclass(frozen=True)
class ExampleRow:
    """A worked example: value by hand, computed value, and the link to try it out."""

    worked: WorkedScore
    ranked: list[DocumentCell]
    missed: list[DocumentCell]
    working: list[CardText]
    by_hand: str
    value: str
    agrees: bool
    url: str


@dataclass(frozen=True)
class StepRow:
    step: WorkedStep
    cell: DocumentCell
    adds: str
    value: str


class OtherValue(NamedTuple):
    name: str
    url: str
    value: str


@dataclass(frozen=True)
class TryoutPart:
    """The form, filled from the query or the first example."""

    form: TryoutForm


@dataclass(frozen=True)
class TryoutResult(TryoutPart):
    worked: WorkedScore
    value: str
    fraction: str
    rows: list[StepRow]
    missed: list[DocumentCell]
    chart: Chart | None
    others: list[OtherValue]


def tryout_part(request: HttpRequest, family: MeasureFamily) -> TryoutPart:
    data = default_query(family) | request.GET.dict()
    form = TryoutForm(data, family=family)
    if not form.is_valid():
        return TryoutPart(form)
    worked = form.result()
    return TryoutResult(
        form=form,
        worked=worked,
        value=worked.text or format_score(worked.value, whole=family.whole),
        fraction=format_fraction(worked.value),
        rows=[step_row(step, whole=family.whole) for step in worked.steps],
        missed=not_retrieved_cells(worked),
        chart=build_steps_chart(worked) if worked.has_visible_steps else None,
        others=other_values(form),
    )


def other_values(form: TryoutForm) -> list[OtherValue]:
    """The default measures on the same ranking."""
    documents = {name: form.cleaned_data[name] for name in ("ranking", "missed")}
    plain = {
        name: " ".join(TryoutDocument(each.grade).mark for each in group)
        for name, group in documents.items()
    }
    query = urlencode(plain)
    defaults = [
        measure for measure in parse_measures(DEFAULT_NAMES) if not measure.family.summary_only
    ]
    return [
        OtherValue(
            measure.name,
            f"{reverse('measure', args=[measure.name])}?{query}#try",
            format_score(form.result_by(measure).value, whole=measure.family.whole),
        )
        for measure in defaults
        if measure != form.cleaned_data["measure"]
    ]


def split_code_pieces(text: str) -> Iterator[CardText]:
    """Text between backticks is code."""
    for place, part in enumerate(text.split("`")):
        if part:
            yield CardText("code" if place % 2 else "text", part)


def formula_pieces(text: str) -> Iterator[CardText]:
    """Single letters are variables; an exponent follows ^."""
    for place, part in enumerate(RAISED.split(text.replace("log2", "log₂"))):
        if place % 2:
            yield CardText("sup", part.strip("()"))
            continue
        for at, letter in enumerate(VARIABLE.split(part)):
            if letter:
                yield CardText("var" if at % 2 else "text", letter)


def example_row(family: MeasureFamily, example: WorkedExample) -> ExampleRow:
    worked = work_card_example(family, example)
    query = urlencode(example_query(family, example))
    return ExampleRow(
        worked=worked,
        ranked=[document_cell(step.grade, step.stratum, step.is_relevant) for step in worked.steps],
        missed=not_retrieved_cells(worked),
        working=list(formula_pieces(example.working)),
        by_hand=format_score(example.value, whole=family.whole),
        value=format_score(worked.value, whole=family.whole),
        agrees=worked.value is not None and abs(worked.value - example.value) < 1e-9,
        url=f"?{query}#try",
    )


def not_retrieved_cells(worked: WorkedScore) -> list[DocumentCell]:
    letters = worked.strata[len(worked.steps) :] or " " * len(worked.missed)
    pairs = zip(worked.missed, letters, strict=True)
    return [document_cell(grade, letter.strip(), is_relevant=False) for grade, letter in pairs]


def document_cell(grade: Grade, stratum: str, is_relevant: bool) -> DocumentCell:
    label = "unjudged" if grade is None else f"grade {grade}"
    label += f", stratum {stratum}" if stratum else ""
    mark = "·" if grade is None else f"{grade}{stratum}".replace("-", "−")
    return DocumentCell(mark, f"{label}, relevant" if is_relevant else label, is_relevant, grade)


def step_row(step: WorkedStep, *, whole: bool) -> StepRow:
    return StepRow(
        step=step,
        cell=document_cell(step.grade, step.stratum, step.is_relevant),
        adds="–"
        if step.adds is None
        else format_signed(step.adds)
        if abs(step.adds) > 1e-12
        else "",
        value=format_score(step.value, whole=whole),
    )


def format_fraction(value: float | None) -> str:
    """``5/9`` if the value is a simple fraction up to rounding, else ''."""
    if value is None or value == int(value):
        return ""
    near = Fraction(value).limit_denominator(SIMPLE)
    return str(near) if abs(float(near) - value) < 1e-14 else ""
