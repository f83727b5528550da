"""Measure names as pages show them."""

from __future__ import annotations

from django import template

from evaluation.core.measures.registry import FAMILIES
from evaluation.core.measures.titles import format_measure_hint, format_measure_title

register = template.Library()

FORMS = {
    family.name: parameter.default
    for family in FAMILIES.values()
    for parameter in family.card.parameters
    if parameter.name == "form"
}


register.filter("measure_title", format_measure_title)
register.filter("measure_hint", format_measure_hint)


@register.filter
def measure_display_name(name: str) -> str:
    """The title with its default form, since ``bpref`` alone has several definitions."""
    return _add_form(format_measure_title(name), name)


@register.filter("mean_title")
def format_mean_title(name: str) -> str:
    """The title of the mean over topics, MAP for ``map``, with its default form."""
    return _add_form(format_measure_title(name, over_topics=True), name)


def _add_form(title: str, name: str) -> str:
    return f"{title} ({FORMS[name]})" if name in FORMS else title
