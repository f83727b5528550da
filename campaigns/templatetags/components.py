"""The components of docs/interface.md.

``content`` is what a template has between the tags, escaped where it holds values.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from html import unescape
from typing import Any

from django import template
from django.forms import Form
from django.template import Context
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _

from campaigns.templatetags.help import show_word_help
from poolbench.cards import Card

register = template.Library()


@register.simple_block_tag(name="empty_state")
def show_empty_state(
    content: str, title: str, action: str = "", page: str = "", *args: object, url: str = "",
    place: str = "",
) -> str:  # fmt: skip
    """What is missing, why, and the button ``action`` to the page of that name, or to ``url``;
    ``place`` of the help, such as ``organizer#pool``.
    """
    url = reverse(page, args=args) if page else url
    values = {"title": title, "text": content, "action": action, "url": url, "place": place}
    return render_to_string("partials/empty.html", values)


@register.simple_block_tag(name="title")
def show_page_title(content: str, name: str, anchor: str = "") -> str:
    """The ``h1`` of a page, with a line of facts below it."""
    facts = format_html("<p>{}</p>", content) if content.strip() else ""
    return format_html("<div><h1{}>{}</h1>{}</div>", write_id(anchor), name, facts)


@register.simple_block_tag(name="fact", takes_context=True)
def show_fact(context: Context, content: str, term: str, word: str = "") -> str:
    """A row of ``<dl class="facts">``; the glossary explains ``word`` beside its term."""
    return format_html("<dt>{}{}</dt><dd>{}</dd>", term, write_word_help(context, word), content)


@register.simple_block_tag(name="stat", takes_context=True)
def show_stat(context: Context, content: str, term: str, word: str = "") -> str:
    """A number of ``<dl class="stats">``; what it is of follows it in ``<small>``."""
    return format_html("<div>{}</div>", show_fact(context, content, term, word))


@register.inclusion_tag("partials/select.html", name="select", takes_context=True)
def show_select(
    context: Context, name: str, label: str, options: Iterable[Any], selected: object = "",
    none: str = "", lang: str = "", word: str = "",
) -> dict[str, object]:  # fmt: skip
    """A choice of a form that asks by GET; the glossary explains ``word`` beside the label.

    ``options`` are cards, pairs of value and text, or texts; ``none`` is the text of the empty
    value, which comes first; ``lang`` that of the texts.
    """
    rows = [("", none)] * bool(none) + [read_option(option) for option in options]
    return {
        "name": name,
        "label": label,
        "options": [(value, text, str(value) == str(selected)) for value, text in rows],
        "lang": lang,
        "help": write_word_help(context, word),
    }


def read_option(option: Any) -> tuple[object, object]:
    if isinstance(option, Card):
        return option.name, option.title
    return option if isinstance(option, tuple) else (option, option)


@register.simple_tag(name="button")
def show_button(
    label: str, page: str = "", *args: object, href: str = "", query: str = "", kind: str = "",
    current: str = "",
) -> str:  # fmt: skip
    """A link that looks like a button: to the page of that name, or to ``href``; ``kind`` adds
    classes of css/app.css. In a row of pages it is marked where ``current`` is its page.
    """
    url = reverse(page, args=args) if page else href
    return format_html(
        '<a class="{}" href="{}{}"{}>{}</a>',
        f"button {kind}".strip(), url, f"?{query}" if query else "",
        format_html(' aria-current="{}"', "page") if current and current == page else "", label,
    )  # fmt: skip


@register.simple_tag(name="post_button", takes_context=True)
def show_post_button(
    context: Context, label: str, page: str = "", *args: object, kind: str = "", field: str = "",
    value: object = "", aria: str = "", **hidden: object,
) -> str:  # fmt: skip
    """A form of one button, which posts ``field`` and the ``hidden`` fields to the page of that
    name, or to this one; ``aria`` is the label for those who do not see the row it stands in.
    """
    return format_html(
        '<form method="post"{}>{}<button class="{}"{}{}>{}</button></form>',
        format_html(' action="{}"', reverse(page, args=args)) if page else "",
        show_hidden_fields(csrfmiddlewaretoken=context.get("csrf_token"), **hidden),
        f"button {kind}".strip(),
        format_html(' name="{}" value="{}"', field, value) if field else "",
        format_html(' aria-label="{}"', aria) if aria else "", label,
    )  # fmt: skip


@register.simple_tag(name="post_form", takes_context=True)
def show_post_form(
    context: Context, form: Form, label: str, *, css: str = "", action: str = "", **hidden: object
) -> str:
    """A form that posts the fields of ``form`` and the ``hidden`` ones, with its one button;
    ``css`` is the class of the form.
    """
    return format_html(
        '<form method="post"{}{}>{}{}<button class="button primary">{}</button></form>',
        format_html(' class="{}"', css) if css else "",
        format_html(' action="{}"', action) if action else "",
        show_hidden_fields(csrfmiddlewaretoken=context.get("csrf_token"), **hidden), form, label,
    )  # fmt: skip


@register.simple_tag(name="page_query", takes_context=True)
def write_page_query(context: Context, number: int, parameter: str = "") -> str:
    """The address of the page ``number`` of a table; one of several has its anchor as
    ``parameter``.
    """
    query = context["request"].GET.copy()
    query[parameter or "page"] = str(number)
    return f"?{query.urlencode()}{parameter and '#'}{parameter}"


@register.simple_tag(name="hidden")
def show_hidden_fields(**values: object) -> str:
    """Fields of a form without a widget, by name; None is an empty one."""
    fields = ""
    for name, value in values.items():
        text = "" if value is None else value
        fields = format_html('{}<input type="hidden" name="{}" value="{}">', fields, name, text)
    return fields


@register.simple_tag(name="moment")
def show_moment(at: datetime) -> str:
    """A time in UTC; ``js/app.js`` says beside it which one that is for the reader."""
    return format_html(
        '<time datetime="{}" data-local="{}">{}&nbsp;UTC</time>',
        at.isoformat(), _("{moment}, your time"), date_format(at, "SHORT_DATETIME_FORMAT"),
    )  # fmt: skip


@register.simple_block_tag(name="table")
def show_table(
    content: str, label: str, anchor: str = "", kind: str = "", matrix: bool = False
) -> str:
    """A table in the box in which it pans; ``kind`` adds classes of css/pages.css. What follows its
    heads is its body: HTML needs no ``<tbody>`` there.
    """
    return format_html(
        '<div class="table"{} role="region" aria-label="{}">'
        '<table class="data{}"{}>{}</table></div>',
        " data-matrix" if matrix else "", label, f" {kind}" if kind else "", write_id(anchor),
        content,
    )  # fmt: skip


@register.simple_block_tag(name="heads", takes_context=True)
def show_table_heads(context: Context, content: str) -> str:
    """``Run :text | Team :text opt | Score :num sort``: columns between bars, their marks last.

    With ``help`` the glossary explains the column's name; a text in quotes after the marks is shown
    where the pointer rests.
    """
    # Names of columns are text: unescaped here, since the partial escapes them.
    line = re.sub(r"[ \n]+", " ", unescape(content))
    columns = [read_head(column) for column in line.split(" | ")]
    values = {"columns": columns, "request": context.get("request")}
    return render_to_string("partials/heads.html", values)


def read_head(column: str) -> dict[str, object]:
    """``sort``: text or number; empty for a column that cannot be sorted."""
    name, _, rest = column.strip().partition(" :")
    words, _, hint = rest.removesuffix('"').partition(' "')
    marks = words.split()
    classes = " ".join(mark for mark in marks if mark in ("num", "opt", "mono", "what"))
    sort = "text" if "text" in marks else "number" if "sort" in marks else ""
    return {"name": name, "classes": classes, "sort": sort, "marks": marks, "hint": hint}


def write_word_help(context: Context, word: str) -> str:
    values = show_word_help(context, word) if word else {}
    return format_html(" {}", render_to_string("partials/help_word.html", values)) if values else ""


def write_id(anchor: str) -> str:
    return format_html(' id="{}"', anchor) if anchor else ""
