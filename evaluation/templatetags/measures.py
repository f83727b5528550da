"""Measure names as pages show them."""

from __future__ import annotations

from django import template

from evaluation.core.measures.registry import FAMILIES

register = template.Library()

FORMS = {
    family.name: parameter.default
    for family in FAMILIES.values()
    for parameter in family.card.parameters
    if parameter.name == "form"
}


@register.filter
def measure_form(name: str) -> str:
    """The default form of a measure with several forms, if its name gives none; else empty."""
    return FORMS.get(name, "")


@register.filter
def measure_display_name(name: str) -> str:
    """The name with its default form, since ``bpref`` alone has several definitions."""
    return f"{name} ({FORMS[name]})" if name in FORMS else name
