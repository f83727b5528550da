"""Measure names and scores as pages show them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django import template
from django.utils.html import format_html

from campaigns.templatetags.figures import BAR, format_plain_number
from poolbench.estimation.remarks import describe_remark
from poolbench.evaluation.measures.lookup import accepted_spellings
from poolbench.evaluation.measures.titles import (
    format_full_title,
    format_measure_hint,
    format_measure_title,
    get_default_form,
)
from poolbench.number_formats import format_p, format_score, format_signed

VARIABLE = re.compile(r"(?<![\w-])([A-Zb-z])(?![\w-])")
INTERVAL = ' <span class="interval small quiet" title="{}" lang="en">{}</span>'
LOW = '<span class="tag late">{}</span>'
RAISED = re.compile(r"\^(\([^()]*\)|[\w.]+)")

register = template.Library()
register.filter("accepted_names", accepted_spellings)
register.filter("score", format_score)
register.filter("signed", format_signed)
register.filter("p_value", format_p)
register.filter("measure_title", format_measure_title)
register.filter("measure_hint", format_measure_hint)
register.filter("measure_form", get_default_form)
register.filter("measure_display_name", format_full_title)


@register.filter("remark_reading")
def describe_stored_remark(remark: Mapping[str, Any]) -> str:
    """The sentence of a remark about estimates, which the manifest has with its count alone."""
    return describe_remark(remark["code"], remark["count"])


@register.filter("measure_options")
def list_measure_options(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, format_full_title(name)) for name in names]


@register.filter("contribution")
def format_contribution(adds: float | None) -> str:
    """What a rank adds to the value; nothing for nothing but a rounding error."""
    return "" if adds is not None and abs(adds) <= 1e-12 else format_signed(adds)


@register.filter("mean_title")
def format_mean_title(name: str) -> str:
    """The title of the mean over topics, MAP for ``map``, with its default form."""
    return format_full_title(name, over_topics=True)


@register.filter("mean_title_alone")
def format_mean_title_alone(name: str) -> str:
    """The title of the mean over topics without a form, where the page says the form elsewhere."""
    return format_measure_title(name, over_topics=True)


@register.simple_tag(name="places_moved")
def show_places_moved(move: Any) -> str:
    """Places gained or lost; ``before`` is None of a run that had no place before."""
    if move.before is None or not move.moved:
        return format_html('<span class="quiet">{}</span>', "new" if move.before is None else "–")
    return f"▲ {move.moved}" if move.moved > 0 else f"▼ {-move.moved}"


@register.simple_tag(name="score_cells")
def show_score_cells(cells: Iterable[Any], hides_low: bool) -> str:
    """The cells of a row, of which a narrow window shows the first; low ones have a tag unless
    ``hides_low``. A table has a thousand of them, for which nodes of a template take ten times as
    long; each value that is escaped has its price too.
    """
    html, values = "", list[object]()
    for at, cell in enumerate(cells):
        html += f'<td class="num{" best" * cell.best}{" opt" * bool(at)}" data-value="{{}}">'
        html += LOW if cell.low and not hides_low else "{}"
        values += format_plain_number(cell.value), cell.text
        if cell.interval:
            html += INTERVAL
            values += cell.title, cell.interval
        if cell.bar is not None:
            html += BAR
            values.append(f"{cell.bar:.1f}")
        html += "</td>"
    return format_html(html, *values)


@register.simple_tag(name="interval")
def show_interval(text: str, title: str) -> str:
    """That of an estimate, below its value; nothing where there is none."""
    return format_html(INTERVAL, title, text) if text else ""


class CardText(NamedTuple):
    """A piece of a card's text. ``kind``: text, code, var (a letter of a formula) or sup."""

    kind: str
    text: str


@register.filter("code_pieces")
def split_code_pieces(text: str) -> Iterator[CardText]:
    """Text between backticks is code."""
    for place, part in enumerate(text.split("`")):
        if part:
            yield CardText("code" if place % 2 else "text", part)


@register.filter
def formula_pieces(text: str) -> Iterator[CardText]:
    """Single letters are variables; an exponent follows ^."""
    for place, part in enumerate(RAISED.split(text.replace("log2", "log₂"))):
        if place % 2:
            yield CardText("sup", part.strip("()"))
            continue
        for at, letter in enumerate(VARIABLE.split(part)):
            if letter:
                yield CardText("var" if at % 2 else "text", letter)
