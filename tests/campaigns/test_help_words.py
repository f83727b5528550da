"""The ``?`` after a word: each has an entry of the glossary, and IDs of its own."""

import re
from importlib import import_module

from django import forms
from django.template import Context, Template

from campaigns.help.glossary import list_cell_words, make_word_anchor, parse_glossary
from campaigns.queries.help import load_glossary, load_help_page
from tests.conftest import REPOSITORY
from tests.house import APPS

TABLE = """
| word | means | verb |
|---|---|---|
| pool depth (k), depth-k pool | Ranks of *each* [run](x.md). More `k`, more work. | |
| **freeze** | make immutable | |
"""


def list_forms() -> list[type[forms.BaseForm]]:
    paths = [path for app in APPS for path in (REPOSITORY / app).rglob("*.py")]
    modules = (path.relative_to(REPOSITORY).with_suffix("").parts for path in paths)
    names = sorted({".".join(parts) for parts in modules if "forms" in parts[1:]})
    values = [value for name in names for value in vars(import_module(name)).values()]
    return [each for each in values if isinstance(each, type) and issubclass(each, forms.BaseForm)]


def list_uses() -> set[str]:
    """Every word that a template, a form or a key figure asks for."""
    pages = "\n".join(path.read_text() for path in (REPOSITORY / "templates").rglob("*.html"))
    rules = "\n".join(path.read_text() for path in (REPOSITORY / "poolbench").rglob("*.py"))
    words = {word for form in list_forms() for word in getattr(form, "help_words", {}).values()}
    words |= set(re.findall(r'\bword="([^"]+)"', rules + pages))
    words |= set(re.findall(r"(?:\||heads %\})\s+([^|{}]+?) :[a-z ]*\bhelp\b", pages))
    return words | set(re.findall(r'\{% help "([^"]+)"', pages))


def test_a_glossary_lists_words_of_a_cell_with_plain_meanings():
    entries = parse_glossary(TABLE)
    assert set(entries) == {"pool depth", "depth-k pool", "freeze"}
    assert entries["pool depth"].meaning == "Ranks of each run. More k, more work."
    assert entries["pool depth"].anchor == "w-pool-depth"
    assert list_cell_words("judged@k, judged@10") == ["judged@k", "judged@10"]
    assert make_word_anchor("wins/losses") == "w-wins-losses"


def test_every_word_with_a_question_mark_is_in_the_glossary():
    words, page = list_uses(), load_help_page("glossary")
    assert len(words) >= 35
    for entry in (load_glossary()[word.lower()] for word in words):
        assert entry.anchor in page.anchors
        # A whole sentence, not a label: the reader has nothing else.
        assert entry.meaning.endswith("."), entry
        assert len(entry.meaning.split()) >= 8, entry


def test_a_field_of_a_form_that_is_named_exists():
    for form in list_forms():
        assert set(getattr(form, "help_words", {})) <= set(getattr(form, "base_fields", {})), form


def test_the_tag_is_a_popover_with_a_link_and_ids_of_its_own(rf):
    template = Template('{% load help %}{% help "prevalence" %} {% help "Prevalence" %}')
    html = template.render(Context({"request": rf.get("/")}))
    assert re.findall(r'popovertarget="([^"]+)"', html) == [
        "help-w-prevalence",
        "help-w-prevalence-2",
    ]
    assert re.findall(r'popover id="([^"]+)"', html) == re.findall(r'popovertarget="([^"]+)"', html)
    assert html.count('href="/help/glossary/#w-prevalence"') == 4
    assert load_glossary()["prevalence"].meaning in html


def test_a_word_without_an_entry_shows_nothing(rf):
    template = Template('{% load help %}a{% help "no such word" %}b')
    assert template.render(Context({"request": rf.get("/")})).split() == ["a", "b"]


def test_a_form_names_the_words_of_its_labels():
    class DepthForm(forms.Form):
        help_words = {"depth": "pool depth"}
        depth = forms.IntegerField()
        other = forms.IntegerField()

    html = DepthForm().as_div()
    assert html.count("popovertarget") == 1
    assert 'popovertarget="help-w-pool-depth-id_depth"' in html
