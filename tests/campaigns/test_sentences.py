"""Sentences laid out over several lines of a template."""

from __future__ import annotations

from django.template import Context, Template

LAID_OUT = """{% load sentences %}<p>{% sentence %}
  {{ file }}
  {% if lines %}
    , {{ lines }}
  {% endif %}
  {% if more %}
    and <b>more</b>{% endif %}
  .
{% endsentence %}</p>"""


def test_a_sentence_has_no_blanks_of_its_layout_and_keeps_those_of_its_values():
    sentence = Template(LAID_OUT)
    assert sentence.render(Context({"file": " a  .txt", "lines": ". 3"})) == "<p> a  .txt, . 3.</p>"
    rendered = sentence.render(Context({"file": "<i>", "more": True}))
    assert rendered == "<p>&lt;i&gt; and <b>more</b>.</p>"
