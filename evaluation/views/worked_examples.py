"""Worked examples of a measure, and the form to try it on a ranking of one's own."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from evaluation.forms.tryout import TryoutDocument, TryoutForm, default_query, example_query
from poolbench.evaluation.charts.steps import build_steps_chart
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.measures.registry import DEFAULT_NAMES
from poolbench.evaluation.worked_examples import WorkedScore, work_card_example
from poolbench.number_formats import format_score

SIMPLE = 1000
"""Fractions are shown up to this denominator."""


class ExampleRow(NamedTuple):
    """A worked example with the computed value, and the link to try it out."""

    example: WorkedExample
    worked: WorkedScore
    url: str

    @property
    def agrees(self) -> bool:
        value = self.worked.value
        return value is not None and abs(value - self.example.value) < 1e-9


def tryout_part(request: HttpRequest, family: MeasureFamily) -> dict[str, object]:
    """The form, filled from the query or the first example, and its result if it is valid."""
    form = TryoutForm(default_query(family) | request.GET.dict(), family=family)
    if not form.is_valid():
        return {"form": form}
    worked = form.result()
    return {
        "form": form,
        "worked": worked,
        "fraction": format_fraction(worked.value),
        "chart": build_steps_chart(worked) if worked.has_visible_steps else None,
        "others": other_values(form),
    }


def other_values(form: TryoutForm) -> list[tuple[str, str, str]]:
    """The default measures on the same ranking: name, address and value."""
    documents = {name: form.cleaned_data[name] for name in ("ranking", "missed")}
    plain = {
        name: " ".join(TryoutDocument(each.grade).mark for each in group)
        for name, group in documents.items()
    }
    query = urlencode(plain)
    return [
        (
            measure.name,
            f"{reverse('measure', args=[measure.name])}?{query}#try",
            format_score(form.result_by(measure).value, whole=measure.family.whole),
        )
        for measure in parse_measures(DEFAULT_NAMES)
        if not measure.family.summary_only and measure != form.cleaned_data["measure"]
    ]


def example_row(family: MeasureFamily, example: WorkedExample) -> ExampleRow:
    url = f"?{urlencode(example_query(family, example))}#try"
    return ExampleRow(example, work_card_example(family, example), url)


def format_fraction(value: float | None) -> str:
    """``5/9`` if the value is a simple fraction up to rounding, else ''."""
    if value is None or value == int(value):
        return ""
    near = Fraction(value).limit_denominator(SIMPLE)
    return str(near) if abs(float(near) - value) < 1e-14 else ""
