"""The list of measures and a page per measure, from the cards, with worked examples and a form to
try it on a ranking of one's own. Public, without an account.
"""

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.views.pages import render_page
from evaluation.forms.tryout import (
    TryoutDocument,
    TryoutForm,
    default_query,
    example_query,
    is_sampled,
)
from poolbench.cards import Card, Parameter
from poolbench.evaluation.charts.steps import build_steps_chart
from poolbench.evaluation.measures.family import GROUPS, MeasureFamily, WorkedExample
from poolbench.evaluation.measures.lookup import (
    LONGEST,
    accepted_spellings,
    default_measures,
    explain_unknown_measure,
    families_by_group,
    find_family,
    variant_names,
)
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from poolbench.evaluation.measures.values import KINDS
from poolbench.evaluation.profiles import POOLBENCH
from poolbench.evaluation.users.measures import USER_MEASURES
from poolbench.evaluation.worked_examples import WorkedScore, work_card_example
from poolbench.number_formats import format_score

NOTATION = {
    r"\bR\b": ("R", "relevant documents in the judgments"),
    r"\bN\b": ("N", "judged non-relevant documents"),
    r"\bn\(r\)": ("n(r)", "judged non-relevant documents above rank r"),
    r"\blevel\b": ("level", "the lowest relevant grade"),
}
SIMPLE = 1000
"""Fractions are shown up to this denominator."""
AVERAGED = {
    "mean": "the mean over topics",
    "sum": "the sum over topics",
    "geometric": "the geometric mean over topics",
}


@login_not_required
@require_safe
def measures_view(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\0", "")[:LONGEST].strip()
    matching = {name: family for name, family in FAMILIES.items() if matches_search(family, query)}
    user_measures = [card for card in USER_MEASURES if matches_card(card, query)]
    if not matching and not user_measures:
        return render_unknown_measure(request, query)
    about = {group.title: group for group in GROUPS.values()}
    # The measures that match ``query``. ``matches`` of ``count``: without a query these are
    # the families with parameters only.
    page = {
        "query": query,
        "groups": [
            (about[title], families) for title, families in families_by_group(matching).items()
        ],
        "user_measures": user_measures,
        "matches": len(matching) + (len(user_measures) if query else 0),
        "count": len(FAMILIES) + (len(USER_MEASURES) if query else 0),
        "sets": {name: names(POOLBENCH) for name, names in SETS.items()},
    }
    return render_page(request, "evaluation/measures.html", page)


def render_unknown_measure(request: HttpRequest, name: str, status: int = 200) -> HttpResponse:
    """The page for an unknown measure: the reason, and similar names."""
    reason, similar = explain_unknown_measure(name)
    page = {"query": name[:LONGEST], "reason": reason, "similar": similar}
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
    card, group = family.card, GROUPS[family.group]
    page = {
        "family": family,
        "card": card,
        "group": group,
        "related": families_by_group(FAMILIES)[group.title],
        "notation": list_notation(family),
        "averaged": "not aggregated (text)" if family.text else AVERAGED[family.aggregate],
        "defaults": default_measures(family),
        "own_rows": [parameter_row(family, parameter) for parameter in card.parameters],
        "common_rows": [
            parameter_row(family, parameter)
            for name, parameter in family.all_parameters().items()
            if name in family.modifiers
        ],
        "examples": [example_row(family, example) for example in family.examples],
    }
    return render_page(request, "evaluation/measure.html", page, tryout_part(request, family))


def list_notation(family: MeasureFamily) -> list[tuple[str, str]]:
    """The common symbols in the formula; measures of sampled pools have their own."""
    if is_sampled(family):
        return []
    return [entry for sign, entry in NOTATION.items() if re.search(sign, family.formula)]


def parameter_row(family: MeasureFamily, parameter: Parameter) -> dict[str, object]:
    values = ", ".join(parameter.choices) or KINDS[parameter.kind].description
    default = parameter.default or ("" if parameter.name == family.suffix and family.bare else "–")
    names = variant_names(family, parameter)
    return {"parameter": parameter, "values": values, "default": default, "names": names}


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
