"""The list of measures and a page per measure, from the cards. Public, without an account."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.core.cards import Card, Parameter
from campaigns.views.helpers import Crumbs
from campaigns.views.pages import render_page
from common.charts.chart import Chart
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.groups import GROUPS, MeasureGroup
from evaluation.core.measures.lookup import (
    LONGEST,
    accepted_spellings,
    default_measures,
    explain_unknown_measure,
    families_by_group,
    find_family,
    variant_names,
)
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from evaluation.core.measures.values import KINDS
from evaluation.core.profiles import POOLBENCH
from evaluation.core.users.measures import USER_MEASURES
from evaluation.core.worked_examples import Grade, WorkedScore, WorkedStep, work_card_example
from evaluation.forms.tryout import (
    TryoutDocument,
    TryoutForm,
    default_query,
    example_query,
    is_sampled,
)
from evaluation.views.cells import format_score, format_signed
from evaluation.views.charts.steps import build_steps_chart


class SymbolRow(NamedTuple):
    sign: str
    meaning: str


NOTATION = {
    r"\bR\b": SymbolRow("R", "relevant documents in the judgments"),
    r"\bN\b": SymbolRow("N", "judged non-relevant documents"),
    r"\bn\(r\)": SymbolRow("n(r)", "judged non-relevant documents above rank r"),
    r"\blevel\b": SymbolRow("level", "the lowest relevant grade"),
}
AVERAGED = {
    "mean": "the mean over topics",
    "sum": "the sum over topics",
    "geometric": "the geometric mean over topics",
}
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
class ParameterRow:
    name: str
    meaning: list[CardText]
    values: str
    default: str
    names: tuple[str, ...]


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


class FamilyRow(NamedTuple):
    family: MeasureFamily
    names: Sequence[str]


class FamilyGroup(NamedTuple):
    group: MeasureGroup
    families: list[FamilyRow]


class NamedMeasures(NamedTuple):
    name: str
    names: Sequence[str]


class OtherValue(NamedTuple):
    name: str
    url: str
    value: str


@dataclass(frozen=True)
class MeasuresPage:
    """The measures that match ``query``. ``matches`` of ``count``: without a query these are the
    families with parameters only.
    """

    query: str
    groups: list[FamilyGroup]
    user_measures: list[Card]
    matches: int
    count: int
    sets: list[NamedMeasures]


@dataclass(frozen=True)
class UnknownMeasurePage:
    query: str
    reason: str
    similar: Sequence[str]


@dataclass(frozen=True)
class MeasurePage:
    """The card of a measure family, with computed examples."""

    crumbs: Crumbs
    family: MeasureFamily
    card: Card
    group: MeasureGroup
    related: Sequence[MeasureFamily]
    formula: list[CardText]
    notation: list[SymbolRow]
    edge_cases: list[list[CardText]]
    undefined: list[CardText]
    source: list[CardText]
    example: list[CardText]
    averaged: str
    names: Sequence[str]
    defaults: Sequence[str]
    own_rows: list[ParameterRow]
    common_rows: list[ParameterRow]
    examples: list[ExampleRow]


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


@login_not_required
@require_safe
def measures_view(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\0", "")[:LONGEST].strip()
    matching = {name: family for name, family in FAMILIES.items() if matches_search(family, query)}
    user_measures = [card for card in USER_MEASURES if matches_card(card, query)]
    if not matching and not user_measures:
        return render_unknown_measure(request, query)
    about = {group.title: group for group in GROUPS.values()}
    page = MeasuresPage(
        query=query,
        groups=[
            FamilyGroup(
                about[title], [FamilyRow(each, accepted_spellings(each)) for each in families]
            )
            for title, families in families_by_group(matching).items()
        ],
        user_measures=user_measures,
        matches=len(matching) + (len(user_measures) if query else 0),
        count=len(FAMILIES) + (len(USER_MEASURES) if query else 0),
        sets=[NamedMeasures(name, names(POOLBENCH)) for name, names in SETS.items()],
    )
    return render_page(request, "evaluation/measures.html", page)


def render_unknown_measure(request: HttpRequest, name: str, status: int = 200) -> HttpResponse:
    """The page for an unknown measure: the reason, and similar names."""
    reason, similar = explain_unknown_measure(name)
    page = UnknownMeasurePage(name[:LONGEST], reason, similar)
    return render_page(request, "evaluation/measure_unknown.html", page, status=status)


def matches_search(family: MeasureFamily, query: str) -> bool:
    """Whether the card has every word of ``query``, or it names a measure of the family."""
    matches = matches_card(family.card, query, accepted_spellings(family))
    return matches or family is find_family(query)[0]


def matches_card(card: Card, query: str, names: Iterable[str] = ()) -> bool:
    text = " ".join([card.name, card.title, card.reading, *names]).lower()
    return all(word in text for word in query.lower().split())


@login_not_required
@require_safe
def measure_view(request: HttpRequest, name: str) -> HttpResponse:
    """The page of a measure family; names of its measures redirect to it."""
    if name not in FAMILIES:
        family, parameters = find_family(name)
        if family is None and name in {card.name for card in USER_MEASURES}:
            return redirect(f"{reverse('measures')}#{name}")
        if family is None:
            return render_unknown_measure(request, name, status=404)
        query = urlencode(parameters | request.GET.dict())
        return redirect(reverse("measure", args=[family.name]) + (f"?{query}" if query else ""))
    family = FAMILIES[name]
    page, tryout = measure_page(family), tryout_part(request, family)
    return render_page(request, "evaluation/measure.html", page, tryout)


def measure_page(family: MeasureFamily) -> MeasurePage:
    card = family.card
    group = GROUPS[family.group]
    return MeasurePage(
        crumbs=[("Measures", reverse("measures")), (family.name, "")],
        family=family,
        card=card,
        group=group,
        related=families_by_group(FAMILIES)[group.title],
        formula=list(formula_pieces(card.formula)),
        notation=list_notation(family),
        edge_cases=[list(split_code_pieces(case)) for case in card.edge_cases],
        undefined=list(split_code_pieces(card.undefined)),
        source=list(split_code_pieces(card.source)),
        example=list(split_code_pieces(card.example)),
        averaged="not aggregated (text)" if family.text else AVERAGED[family.aggregate],
        names=accepted_spellings(family),
        defaults=default_measures(family),
        own_rows=[parameter_row(family, parameter) for parameter in card.parameters],
        common_rows=[
            parameter_row(family, parameter)
            for name, parameter in family.parameters().items()
            if name in family.modifiers
        ],
        examples=[example_row(family, example) for example in family.examples],
    )


def list_notation(family: MeasureFamily) -> list[SymbolRow]:
    """The common symbols in the formula; measures of sampled pools have their own."""
    if is_sampled(family):
        return []
    return [
        SymbolRow(*entry)
        for sign, entry in NOTATION.items()
        if re.search(sign, family.card.formula)
    ]


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


def parameter_row(family: MeasureFamily, parameter: Parameter) -> ParameterRow:
    values = ", ".join(parameter.choices) or KINDS[parameter.kind].description
    default = parameter.default or ("" if parameter.name == family.suffix and family.bare else "–")
    return ParameterRow(
        parameter.name,
        list(split_code_pieces(parameter.meaning)),
        values,
        default,
        variant_names(family, parameter),
    )


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
