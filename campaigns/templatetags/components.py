"""The components of docs/interface.md; every template has them without ``{% load %}``.

``content`` is what a template has between the tags, escaped where it holds values.
"""

from __future__ import annotations

import re
from html import unescape

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.html import format_html

register = template.Library()


@register.simple_block_tag(name="empty_state")
def show_empty_state(
    content: str, title: str, action: str = "", url: str = "", place: str = ""
) -> str:
    """What is missing, why, and the button; ``place`` of the help, such as ``organizer#pool``."""
    values = {"title": title, "text": content, "action": action, "url": url, "place": place}
    return render_to_string("partials/empty.html", values)


@register.simple_block_tag(name="title")
def show_page_title(content: str, name: str, anchor: str = "") -> str:
    """The ``h1`` of a page, with a line of facts below it."""
    facts = format_html("<p>{}</p>", content) if content.strip() else ""
    return format_html("<div><h1{}>{}</h1>{}</div>", write_id(anchor), name, facts)


@register.simple_block_tag(name="fact")
def show_fact(content: str, term: str) -> str:
    """A row of ``<dl class="facts">``."""
    return format_html("<dt>{}</dt><dd>{}</dd>", term, content)


@register.simple_block_tag(name="stat")
def show_stat(content: str, term: str) -> str:
    """A number of ``<dl class="stats">``; what it is of follows it in ``<small>``."""
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", term, content)


@register.simple_block_tag(name="table")
def show_table(
    content: str, label: str, anchor: str = "", kind: str = "", matrix: bool = False
) -> str:
    """A table in the box in which it pans; ``kind`` adds classes of css/pages.css."""
    return format_html(
        '<div class="table"{} role="region" aria-label="{}">'
        '<table class="data{}"{}>{}</table></div>',
        " data-matrix" if matrix else "", label, f" {kind}" if kind else "", write_id(anchor),
        content,
    )  # fmt: skip


@register.simple_block_tag(name="heads", takes_context=True)
def show_table_heads(context: Context, content: str) -> str:
    """``Run :text | Team :text opt | Score :num sort``: columns between bars, their marks last.

    With ``help`` the glossary explains the column's name.
    """
    # Names of columns are text: unescaped here, since the partial escapes them.
    columns = [read_head(column) for column in re.split(r"\s\|\s", unescape(content.strip()))]
    values = {"columns": columns, "request": context.get("request")}
    return render_to_string("partials/heads.html", values)


def read_head(column: str) -> dict[str, object]:
    """``sort``: text or number; empty for a column that cannot be sorted."""
    name, _, words = column.strip().partition(" :")
    marks = words.split()
    classes = " ".join(mark for mark in marks if mark in ("num", "opt", "mono"))
    sort = "text" if "text" in marks else "number" if "sort" in marks else ""
    return {"name": name, "classes": classes, "sort": sort, "marks": marks}


def write_id(anchor: str) -> str:
    return format_html(' id="{}"', anchor) if anchor else ""
