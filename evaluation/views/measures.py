"""A page for each measure, made from its card, and the list of them. They are for everyone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.core.cards import Card, Parameter
from evaluation.charts.steps import build_steps_chart
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.groups import GROUPS
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
from evaluation.tryout import TryoutDocument, TryoutForm, default_query, example_query, is_sampled
from evaluation.views.cells import format_score, format_signed

NOTATION = {
    r"\bR\b": ("R", "relevant documents in the judgments"),
    r"\bN\b": ("N", "judged non-relevant documents"),
    r"\bn\(r\)": ("n(r)", "judged non-relevant documents above rank r"),
    r"\blevel\b": ("level", "the lowest relevant grade"),
}
AVERAGED = {
    "mean": "the mean over topics",
    "sum": "the sum over topics",
    "geometric": "the geometric mean over topics",
}
VARIABLE = re.compile(r"(?<![\w-])([A-Zb-z])(?![\w-])")
RAISED = re.compile(r"\^(\([^()]*\)|[\w.]+)")
SIMPLE = 1000
"""Denominators up to here are shown as a fraction."""


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
    written: tuple[str, ...]


@dataclass(frozen=True)
class DocumentCell:
    """A document as a strip shows it, with the letter of its stratum where it has one."""

    mark: str
    said: str
    is_relevant: bool
    grade: Grade


@dataclass(frozen=True)
class ExampleRow:
    """An example: what it is by hand, what the engine gives now, and where to try it."""

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


@login_not_required
@require_safe
def measures_view(request: HttpRequest) -> HttpResponse:
    asked = request.GET.get("q", "").replace("\0", "")[:LONGEST].strip()
    found = {name: it for name, it in FAMILIES.items() if matches_search(it, asked)}
    of_users = [card for card in USER_MEASURES if matches_card(card, asked)]
    if not found and not of_users:
        return render_unknown_measure(request, asked)
    about = {group.title: group for group in GROUPS.values()}
    shown = {
        "asked": asked,
        "groups": [
            (about[title], [(family, accepted_spellings(family)) for family in families])
            for title, families in families_by_group(found).items()
        ],
        "of_users": of_users,
        # Without a search the page counts those that take parameters.
        "found": len(found) + (len(of_users) if asked else 0),
        "count": len(FAMILIES) + (len(USER_MEASURES) if asked else 0),
        "sets": [(name, names(POOLBENCH)) for name, names in SETS.items()],
    }
    return render(request, "evaluation/measures.html", shown)


def render_unknown_measure(request: HttpRequest, name: str, status: int = 200) -> HttpResponse:
    """The page of a name that is no measure: why not, and which may be meant."""
    why, near = explain_unknown_measure(name)
    shown = {"asked": name[:LONGEST], "why": why, "near": near}
    return render(request, "evaluation/measure_unknown.html", shown, status=status)


def matches_search(family: MeasureFamily, asked: str) -> bool:
    """Whether every word of ``asked`` is told of the family, or it is the name of a measure."""
    told = matches_card(family.card, asked, accepted_spellings(family))
    return told or family is find_family(asked)[0]


def matches_card(card: Card, asked: str, names: Iterable[str] = ()) -> bool:
    told = " ".join([card.name, card.title, card.reading, *names]).lower()
    return all(word in told for word in asked.lower().split())


@login_not_required
@require_safe
def measure_view(request: HttpRequest, name: str) -> HttpResponse:
    """The page of a family; the name of any of its measures leads there."""
    if name not in FAMILIES:
        family, given = find_family(name)
        if family is None and name in {card.name for card in USER_MEASURES}:
            return redirect(f"{reverse('measures')}#{name}")
        if family is None:
            return render_unknown_measure(request, name, status=404)
        query = urlencode(given | request.GET.dict())
        return redirect(reverse("measure", args=[family.name]) + (f"?{query}" if query else ""))
    family = FAMILIES[name]
    return render(
        request, "evaluation/measure.html", card_context(family) | tryout_context(request, family)
    )


def card_context(family: MeasureFamily) -> dict[str, Any]:
    """What the card says, and the examples as the engine computes them."""
    card = family.card
    group = GROUPS[family.group]
    return {
        "crumbs": [("Measures", reverse("measures")), (family.name, "")],
        "family": family,
        "card": card,
        "group": group,
        "beside": families_by_group(FAMILIES)[group.title],
        "formula": list(formula_pieces(card.formula)),
        "notation": list_notation(family),
        "edge_cases": [list(split_code_pieces(case)) for case in card.edge_cases],
        "undefined": list(split_code_pieces(card.undefined)),
        "source": list(split_code_pieces(card.source)),
        "example": list(split_code_pieces(card.example)),
        "averaged": "nothing: it is text" if family.text else AVERAGED[family.aggregate],
        "names": accepted_spellings(family),
        "usual": default_measures(family),
        "own_rows": [parameter_row(family, known) for known in card.parameters],
        "common_rows": [
            parameter_row(family, known)
            for name, known in family.parameters().items()
            if name in family.modifiers
        ],
        "examples": [example_row(family, example) for example in family.examples],
    }


def list_notation(family: MeasureFamily) -> list[tuple[str, str]]:
    """The signs of the formula that mean the same everywhere; sampled pools have their own."""
    if is_sampled(family):
        return []
    return [told for sign, told in NOTATION.items() if re.search(sign, family.card.formula)]


def tryout_context(request: HttpRequest, family: MeasureFamily) -> dict[str, Any]:
    """The form, filled with what was asked for or the first example, and what comes of it."""
    data = default_query(family) | request.GET.dict()
    form = TryoutForm(data, family=family)
    if not form.is_valid():
        return {"form": form}
    worked = form.result()
    return {
        "form": form,
        "worked": worked,
        "value": worked.text or format_score(worked.value, whole=family.whole),
        "fraction": format_fraction(worked.value),
        "rows": [step_row(step, whole=family.whole) for step in worked.steps],
        "missed": not_retrieved_cells(worked),
        "chart": build_steps_chart(worked) if worked.has_visible_steps else None,
        "others": other_values(form),
    }


def other_values(form: TryoutForm) -> list[tuple[str, str, str]]:
    """Name, address and value of the usual measures on the same ranking."""
    given = {name: form.cleaned_data[name] for name in ("ranking", "missed")}
    plain = {
        name: " ".join(TryoutDocument(it.grade).mark for it in it_all)
        for name, it_all in given.items()
    }
    asked = urlencode(plain)
    known = [it for it in parse_measures(DEFAULT_NAMES) if not it.family.summary_only]
    return [
        (
            it.name,
            f"{reverse('measure', args=[it.name])}?{asked}#try",
            format_score(form.result_by(it).value, whole=it.family.whole),
        )
        for it in known
        if it != form.cleaned_data["measure"]
    ]


def split_code_pieces(text: str) -> Iterator[CardText]:
    """Code stands between backticks."""
    for place, part in enumerate(text.split("`")):
        if part:
            yield CardText("code" if place % 2 else "text", part)


def formula_pieces(text: str) -> Iterator[CardText]:
    """Letters that stand alone are variables; what follows ^ is set above."""
    for place, part in enumerate(RAISED.split(text.replace("log2", "log₂"))):
        if place % 2:
            yield CardText("sup", part.strip("()"))
            continue
        for at, letter in enumerate(VARIABLE.split(part)):
            if letter:
                yield CardText("var" if at % 2 else "text", letter)


def parameter_row(family: MeasureFamily, known: Parameter) -> ParameterRow:
    values = ", ".join(known.choices) or KINDS[known.kind].description
    default = known.default or ("" if known.name == family.suffix and family.bare else "–")
    return ParameterRow(
        known.name,
        list(split_code_pieces(known.meaning)),
        values,
        default,
        variant_names(family, known),
    )


def example_row(family: MeasureFamily, example: WorkedExample) -> ExampleRow:
    worked = work_card_example(family, example)
    asked = urlencode(example_query(family, example))
    return ExampleRow(
        worked=worked,
        ranked=[document_cell(it.grade, it.stratum, it.is_relevant) for it in worked.steps],
        missed=not_retrieved_cells(worked),
        working=list(formula_pieces(example.working)),
        by_hand=format_score(example.value, whole=family.whole),
        value=format_score(worked.value, whole=family.whole),
        agrees=worked.value is not None and abs(worked.value - example.value) < 1e-9,
        url=f"?{asked}#try",
    )


def not_retrieved_cells(worked: WorkedScore) -> list[DocumentCell]:
    letters = worked.strata[len(worked.steps) :] or " " * len(worked.missed)
    pairs = zip(worked.missed, letters, strict=True)
    return [document_cell(grade, letter.strip(), is_relevant=False) for grade, letter in pairs]


def document_cell(grade: Grade, stratum: str, is_relevant: bool) -> DocumentCell:
    said = "unjudged" if grade is None else f"grade {grade}"
    said += f", stratum {stratum}" if stratum else ""
    mark = "·" if grade is None else f"{grade}{stratum}".replace("-", "−")
    return DocumentCell(mark, f"{said}, relevant" if is_relevant else said, is_relevant, grade)


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
    """``5/9`` where the value is that of a simple fraction to the last digits, else ''."""
    if value is None or value == int(value):
        return ""
    near = Fraction(value).limit_denominator(SIMPLE)
    return str(near) if abs(float(near) - value) < 1e-14 else ""
