"""Names of measures as pages show them."""

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
    """The form of a measure that has several and whose name says none; else nothing."""
    return FORMS.get(name, "")


@register.filter
def measure_display_name(name: str) -> str:
    """``bpref`` alone could mean several definitions, so the default form is said too."""
    return f"{name} ({FORMS[name]})" if name in FORMS else name
