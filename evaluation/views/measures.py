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
from evaluation.charts.steps import steps_chart
from evaluation.core.measures.family import Example, Family
from evaluation.core.measures.groups import GROUPS
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from evaluation.core.measures.telling import (
    LONGEST,
    by_group,
    family_named,
    spellings,
    usual,
    variants,
    why_unknown,
)
from evaluation.core.measures.values import KINDS
from evaluation.core.profiles import POOLBENCH
from evaluation.core.users.measures import USER_MEASURES
from evaluation.core.worked import Grade, Step, Worked, example_of
from evaluation.tryout import Document, TryForm, as_query, is_sampled, usual_query
from evaluation.views.cells import figure, signed

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
class Piece:
    """A piece of a card's text. ``kind``: text, code, var (a letter of a formula) or sup."""

    kind: str
    text: str


@dataclass(frozen=True)
class ParameterRow:
    name: str
    meaning: list[Piece]
    values: str
    default: str
    written: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """A document as a strip shows it, with the letter of its stratum where it has one."""

    mark: str
    said: str
    is_relevant: bool
    grade: Grade


@dataclass(frozen=True)
class ExampleRow:
    """An example: what it is by hand, what the engine gives now, and where to try it."""

    worked: Worked
    ranked: list[Cell]
    missed: list[Cell]
    working: list[Piece]
    by_hand: str
    value: str
    agrees: bool
    url: str


@dataclass(frozen=True)
class StepRow:
    step: Step
    cell: Cell
    adds: str
    value: str


@login_not_required
@require_safe
def measures(request: HttpRequest) -> HttpResponse:
    asked = request.GET.get("q", "").replace("\0", "")[:LONGEST].strip()
    found = {name: it for name, it in FAMILIES.items() if matches(it, asked)}
    of_users = [card for card in USER_MEASURES if speaks_of(card, asked)]
    if not found and not of_users:
        return unknown(request, asked)
    about = {group.title: group for group in GROUPS.values()}
    shown = {
        "asked": asked,
        "groups": [
            (about[title], [(family, spellings(family)) for family in families])
            for title, families in by_group(found).items()
        ],
        "of_users": of_users,
        # Without a search the page counts those that take parameters.
        "found": len(found) + (len(of_users) if asked else 0),
        "count": len(FAMILIES) + (len(USER_MEASURES) if asked else 0),
        "sets": [(name, names(POOLBENCH)) for name, names in SETS.items()],
    }
    return render(request, "evaluation/measures.html", shown)


def unknown(request: HttpRequest, name: str, status: int = 200) -> HttpResponse:
    """The page of a name that is no measure: why not, and which may be meant."""
    why, near = why_unknown(name)
    shown = {"asked": name[:LONGEST], "why": why, "near": near}
    return render(request, "evaluation/measure_unknown.html", shown, status=status)


def matches(family: Family, asked: str) -> bool:
    """Whether every word of ``asked`` is told of the family, or it is the name of a measure."""
    told = speaks_of(family.card, asked, spellings(family))
    return told or family is family_named(asked)[0]


def speaks_of(card: Card, asked: str, names: Iterable[str] = ()) -> bool:
    told = " ".join([card.name, card.title, card.reading, *names]).lower()
    return all(word in told for word in asked.lower().split())


@login_not_required
@require_safe
def measure(request: HttpRequest, name: str) -> HttpResponse:
    """The page of a family; the name of any of its measures leads there."""
    if name not in FAMILIES:
        family, given = family_named(name)
        if family is None and name in {card.name for card in USER_MEASURES}:
            return redirect(f"{reverse('measures')}#{name}")
        if family is None:
            return unknown(request, name, status=404)
        query = urlencode(given | request.GET.dict())
        return redirect(reverse("measure", args=[family.name]) + (f"?{query}" if query else ""))
    family = FAMILIES[name]
    return render(request, "evaluation/measure.html", told(family) | tried(request, family))


def told(family: Family) -> dict[str, Any]:
    """What the card says, and the examples as the engine computes them."""
    card = family.card
    group = GROUPS[family.group]
    return {
        "crumbs": [("Measures", reverse("measures")), (family.name, "")],
        "family": family,
        "card": card,
        "group": group,
        "beside": by_group(FAMILIES)[group.title],
        "formula": list(formula_pieces(card.formula)),
        "notation": notation(family),
        "edge_cases": [list(pieces(case)) for case in card.edge_cases],
        "undefined": list(pieces(card.undefined)),
        "source": list(pieces(card.source)),
        "example": list(pieces(card.example)),
        "averaged": "nothing: it is text" if family.text else AVERAGED[family.aggregate],
        "names": spellings(family),
        "usual": usual(family),
        "own_rows": [row_of(family, known) for known in card.parameters],
        "common_rows": [
            row_of(family, known)
            for name, known in family.parameters().items()
            if name in family.modifiers
        ],
        "examples": [example_row(family, example) for example in family.examples],
    }


def notation(family: Family) -> list[tuple[str, str]]:
    """The signs of the formula that mean the same everywhere; sampled pools have their own."""
    if is_sampled(family):
        return []
    return [told for sign, told in NOTATION.items() if re.search(sign, family.card.formula)]


def tried(request: HttpRequest, family: Family) -> dict[str, Any]:
    """The form, filled with what was asked for or the first example, and what comes of it."""
    data = usual_query(family) | request.GET.dict()
    form = TryForm(data, family=family)
    if not form.is_valid():
        return {"form": form}
    worked = form.result()
    return {
        "form": form,
        "worked": worked,
        "value": worked.text or figure(worked.value, whole=family.whole),
        "fraction": fraction(worked.value),
        "rows": [step_row(step, whole=family.whole) for step in worked.steps],
        "missed": missed_cells(worked),
        "chart": steps_chart(worked) if worked.tells else None,
        "others": other_values(form),
    }


def other_values(form: TryForm) -> list[tuple[str, str, str]]:
    """Name, address and value of the usual measures on the same ranking."""
    given = {name: form.cleaned_data[name] for name in ("ranking", "missed")}
    plain = {
        name: " ".join(Document(it.grade).mark for it in it_all) for name, it_all in given.items()
    }
    asked = urlencode(plain)
    known = [it for it in parse_measures(DEFAULT_NAMES) if not it.family.summary_only]
    return [
        (
            it.name,
            f"{reverse('measure', args=[it.name])}?{asked}#try",
            figure(form.result_by(it).value, whole=it.family.whole),
        )
        for it in known
        if it != form.cleaned_data["measure"]
    ]


def pieces(text: str) -> Iterator[Piece]:
    """Code stands between backticks."""
    for place, part in enumerate(text.split("`")):
        if part:
            yield Piece("code" if place % 2 else "text", part)


def formula_pieces(text: str) -> Iterator[Piece]:
    """Letters that stand alone are variables; what follows ^ is set above."""
    for place, part in enumerate(RAISED.split(text.replace("log2", "log₂"))):
        if place % 2:
            yield Piece("sup", part.strip("()"))
            continue
        for at, letter in enumerate(VARIABLE.split(part)):
            if letter:
                yield Piece("var" if at % 2 else "text", letter)


def row_of(family: Family, known: Parameter) -> ParameterRow:
    values = ", ".join(known.choices) or KINDS[known.kind].wanted
    default = known.default or ("" if known.name == family.suffix and family.bare else "–")
    return ParameterRow(
        known.name, list(pieces(known.meaning)), values, default, variants(family, known)
    )


def example_row(family: Family, example: Example) -> ExampleRow:
    worked = example_of(family, example)
    asked = urlencode(as_query(family, example))
    return ExampleRow(
        worked=worked,
        ranked=[cell_of(it.grade, it.stratum, it.is_relevant) for it in worked.steps],
        missed=missed_cells(worked),
        working=list(formula_pieces(example.working)),
        by_hand=figure(example.value, whole=family.whole),
        value=figure(worked.value, whole=family.whole),
        agrees=worked.value is not None and abs(worked.value - example.value) < 1e-9,
        url=f"?{asked}#try",
    )


def missed_cells(worked: Worked) -> list[Cell]:
    letters = worked.strata[len(worked.steps) :] or " " * len(worked.missed)
    pairs = zip(worked.missed, letters, strict=True)
    return [cell_of(grade, letter.strip(), is_relevant=False) for grade, letter in pairs]


def cell_of(grade: Grade, stratum: str, is_relevant: bool) -> Cell:
    said = "unjudged" if grade is None else f"grade {grade}"
    said += f", stratum {stratum}" if stratum else ""
    mark = "·" if grade is None else f"{grade}{stratum}".replace("-", "−")
    return Cell(mark, f"{said}, relevant" if is_relevant else said, is_relevant, grade)


def step_row(step: Step, *, whole: bool) -> StepRow:
    return StepRow(
        step=step,
        cell=cell_of(step.grade, step.stratum, step.is_relevant),
        adds="–" if step.adds is None else signed(step.adds) if abs(step.adds) > 1e-12 else "",
        value=figure(step.value, whole=whole),
    )


def fraction(value: float | None) -> str:
    """``5/9`` where the value is that of a simple fraction to the last digits, else ''."""
    if value is None or value == int(value):
        return ""
    near = Fraction(value).limit_denominator(SIMPLE)
    return str(near) if abs(float(near) - value) < 1e-14 else ""
