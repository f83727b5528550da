"""Components: sentences and heads of tables over several lines, forms of one button."""

import re

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


def test_a_head_of_a_table_has_its_marks_and_says_more_in_quotes():
    heads = Template(
        '{% heads %}Run :text | {{ name }} :num\n  sort "{{ more }}" | p{% endheads %}'
    )
    page = heads.render(Context({"name": "a < b", "more": 'the "share" of\xa0b'}))
    head = (
        '<th scope="col" class="num" data-sort title="the &quot;share&quot; of\xa0b" > a &lt; b <'
    )
    assert head in re.sub(r"[ \n]+", " ", page)
    assert page.count("title=") == 1


def test_a_button_that_posts_has_the_token_its_field_and_the_hidden_ones_and_escapes_all():
    button = Template(
        '{% post_button "Retire" "token-revoke" 7 kind="slim" field="act" value=n aria=n k=n %}'
    )
    assert button.render(Context({"n": "<'", "csrf_token": "t"})) == (
        '<form method="post" action="/account/token/7/revoke/">'
        '<input type="hidden" name="csrfmiddlewaretoken" value="t">'
        '<input type="hidden" name="k" value="&lt;&#x27;">'
        '<button class="button slim" name="act" value="&lt;&#x27;" aria-label="&lt;&#x27;">Retire'
        "</button></form>"
    )
    here = Template('{% post_button "Go" %}').render(Context({"csrf_token": "t"}))
    assert here.startswith('<form method="post"><input')
    assert here.endswith('<button class="button">Go</button></form>')
