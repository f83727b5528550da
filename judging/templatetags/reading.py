"""Documents as an assessor reads them: paragraphs, with code and tables left as they are."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from django import template
from django.utils.html import format_html

from campaigns.models import Grade
from judging.rules import SKIP_REASONS

register = template.Library()
WRAPPED = 28
"""Lines at least this long on average were broken for width, not for meaning."""
INDENT = ("  ", "\t")
UNPARTED = 20
"""More characters a word than this on average: a script without blanks, or no prose."""
LISTED = re.compile(r"\s*([-*•·]|\d+[.)])\s")


@dataclass(frozen=True)
class Block:
    text: str
    verbatim: bool = False


@register.filter
def blocks(text: str) -> Iterator[Block]:
    """Paragraphs in order: hard-wrapped lines are joined, code and tables keep theirs."""
    for part in re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip("\n")):
        lines = part.split("\n")
        if is_verbatim(lines):
            yield Block(textwrap.dedent(part), verbatim=True)
        else:
            yield from map(joined, paragraphs(lines))


def is_verbatim(lines: list[str]) -> bool:
    """Mostly indented, or a session of an interpreter."""
    indented = sum(line.startswith(INDENT) for line in lines)
    return 2 * indented > len(lines) or any(line.startswith(">>>") for line in lines)


def paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """An indented line begins a new paragraph, as in a printed page."""
    begun: list[str] = []
    for line in lines:
        if begun and line.startswith(INDENT):
            yield begun
            begun = []
        if line.strip():
            begun.append(line.strip())
    if begun:
        yield begun


def joined(lines: list[str]) -> Block:
    is_list = sum(LISTED.match(line) is not None for line in lines) > 1
    if len(lines) < 2 or is_list or sum(map(len, lines[:-1])) < WRAPPED * (len(lines) - 1):
        return Block("\n".join(lines))
    return Block(" ".join(lines))


@register.filter
def reason(name: str) -> str:
    """A skip's reason in words."""
    return SKIP_REASONS.get(name, name)


@register.filter
def extent(text: str) -> str:
    """How long a document is: in words, or in characters where no blanks part the words."""
    words = len(text.split())
    if len(text) > UNPARTED * max(words, 1):
        return f"{len(text):,} characters"
    return f"{words:,} word" if words == 1 else f"{words:,} words"


@register.simple_tag
def given(grades: dict[int, Grade], value: int) -> str:
    """A grade as digit, word and colour; ``grades`` is the scale by value."""
    label = grades[value].label if value in grades else ""
    return format_html(
        '<span class="grade" data-grade="{}"><b>{}</b> {}</span>', value, value, label
    )


@register.filter
def hours(value: float | None) -> str:
    """``7.5`` as ``7.5 h``, less than one as minutes, None as a dash."""
    if value is None:
        return "–"
    return f"{value:,.1f} h" if value >= 1 else f"{max(1, round(60 * value))} min"
