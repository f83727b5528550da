"""Measure names as pages show them."""

from __future__ import annotations

from django import template

from evaluation.core.measures.titles import (
    format_full_title,
    format_measure_hint,
    format_measure_title,
    get_default_form,
)

register = template.Library()
register.filter("measure_title", format_measure_title)
register.filter("measure_hint", format_measure_hint)
register.filter("measure_form", get_default_form)
register.filter("measure_display_name", format_full_title)


@register.filter("mean_title")
def format_mean_title(name: str) -> str:
    """The title of the mean over topics, MAP for ``map``, with its default form."""
    return format_full_title(name, over_topics=True)


@register.filter("mean_title_alone")
def format_mean_title_alone(name: str) -> str:
    """The title of the mean over topics without a form, where the page says the form elsewhere."""
    return format_measure_title(name, over_topics=True)
