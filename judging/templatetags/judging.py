"""Formatting of texts, grades, reasons and numbers for assessors."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from django import template
from django.template import Context
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext as _

from campaigns.models import Grade
from judging.rules import FLAGS, KEY_HELP, SKIP_REASONS
from poolbench.texts.text_pages import split_blocks

register = template.Library()


@dataclass(frozen=True)
class TopicTextBlock:
    text: str
    verbatim: bool = False


@register.filter
def text_blocks(text: str) -> Iterator[TopicTextBlock]:
    """Paragraphs of a topic: hard-wrapped lines are joined, except in code and tables."""
    for block in split_blocks(text.replace("\r\n", "\n")):
        if block.kind == "verbatim":
            yield TopicTextBlock(textwrap.dedent(block.text), verbatim=True)
        else:
            joint = " " if block.kind == "wrapped" else "\n"
            yield TopicTextBlock(joint.join(line.strip() for line in block.text.split("\n")))


@register.filter
def skip_reason(name: str) -> str:
    return str(SKIP_REASONS.get(name, name))


@register.filter
def flag_label(name: str) -> str:
    return str(FLAGS.get(name, name))


@register.simple_tag
def grade_badge(grades: dict[int, Grade], value: int) -> str:
    """A grade as value, label and color; ``grades`` is the scale by value."""
    label = grades[value].label if value in grades else ""
    return format_html(
        '<span class="grade" data-grade="{}"><b>{}</b> {}</span>', value, value, label
    )


@register.simple_tag(takes_context=True)
def screen_key(context: Context, key: str) -> str:
    """A key of the judging screen; struck out if a grade of the campaign uses it."""
    grades = context.get("grades") or {}
    if key not in {grade.key.lower() for grade in grades.values()}:
        return format_html("<kbd>{}</kbd>", key)
    return format_html(
        '<kbd class="taken" title="{}"><s>{}</s></kbd>', _("This key assigns a grade."), key
    )


@register.simple_tag(takes_context=True)
def key_help_rows(context: Context) -> list[tuple[tuple[str, ...], str]]:
    """The rows of the keyboard help that are about the screen at hand: training has neither undo
    nor skip, flags and passages; passages are highlighted where a plan wants them.
    """
    hidden = {"u", "s", "f", "p"} if context.get("training") else set()
    if getattr(context.get("screen"), "rationale", "no") == "no":
        hidden.add("p")
    if not context.get("flags"):
        hidden.add("f")
    return [(keys, str(text)) for keys, text in KEY_HELP.items() if keys[0] not in hidden]


@register.filter
def format_hours(value: float | None) -> str:
    """``7.5`` as ``7.5 h``, less than one hour in minutes (at least 1), None as a dash."""
    if value is None:
        return "–"
    if value >= 1:
        return _("%(hours)s h") % {"hours": number_format(value, 1, force_grouping=True)}
    return _("%(minutes)s min") % {"minutes": max(int(value > 0), round(60 * value))}
