"""A ``?`` after a word, codes that lead to their explanation, and the help for a page."""

from collections import Counter
from typing import Any

from django import template
from django.forms import BoundField
from django.template import Context
from django.urls import reverse

from campaigns.help.guide import PAGE_HELP, build_place_url, get_help_for
from campaigns.queries.help import list_code_anchors, load_glossary

register = template.Library()


@register.inclusion_tag("partials/help_word.html", name="help", takes_context=True)
def show_word_help(context: Context, word: str, at: str = "") -> dict[str, Any]:
    """``{% help "pool depth" %}``: a ``?`` that opens what the glossary says about the word.

    Without popovers it is a link to the glossary. ``at`` makes the ID unique where there is no
    request, as in forms. A word that the glossary lacks shows nothing; a test finds it.
    """
    entry = load_glossary().get(word.lower())
    if not entry:
        return {}
    place = at or _count_use(context, entry.anchor)
    return {"entry": entry, "id": f"help-{entry.anchor}{place}"}


@register.inclusion_tag("partials/help_word.html", name="help_field", takes_context=True)
def show_field_help(context: Context, field: BoundField) -> dict[str, Any]:
    """The ``?`` after the label of a field that the form names in its ``help_words``."""
    word = getattr(field.form, "help_words", {}).get(field.name, "")
    return show_word_help(context, word, f"-{field.auto_id}")


@register.simple_tag(name="help_url")
def build_help_url(place: str) -> str:
    """The address of ``organizer#pool`` in the help."""
    return build_place_url(reverse("help"), place)


@register.simple_tag(name="page_help_url", takes_context=True)
def find_page_help(context: Context) -> str:
    """The address of the help for this page; empty for a page without."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    place = PAGE_HELP.get(match.url_name or "", "") if match else ""
    place = get_help_for(place, getattr(request, "campaign_roles", None), context.get("denied"))
    return place and build_place_url(reverse("help"), place)


@register.inclusion_tag("partials/help_code.html", name="fault_code")
def link_fault_code(code: str) -> dict[str, Any]:
    """A code of a fault as a link to its explanation; alone if the page of formats lacks it."""
    known = code in list_code_anchors()
    return {
        "code": code,
        "url": build_place_url(reverse("help"), f"formats#{code}") if known else "",
    }


def _count_use(context: Context, anchor: str) -> str:
    """Nothing at the first use of a word on a page, then -2, -3 …"""
    request = context.get("request")
    if request is None:
        return ""
    if not hasattr(request, "help_words"):
        request.help_words = Counter()
    request.help_words[anchor] += 1
    number = request.help_words[anchor]
    return f"-{number}" if number > 1 else ""
