import re
from collections import Counter

import pytest
from django.conf import settings

from tests.translation.sources import compiled, forms_of, key_of, marked, messages

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
HOLDS = re.compile(r"%\(\w+\)[sd]|\{\w+\}|</?\w+[^>]*>")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_has_every_marked_text_and_no_other(language):
    told = marked()
    assert len(told) > 400
    held = {key_of(message) for message in messages(language)}
    assert {key: file for key, file in told.items() if key not in held} == {}
    assert held - set(told) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language):
    found = messages(language)
    assert [m.id for m in found if m.fuzzy] == []
    assert [m.id for m in found if not all(forms_of(m))] == []
    assert [m.id for m in found if m.pluralizable and len(forms_of(m)) != 2] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_values_and_markup(language):
    lost = []
    for message in messages(language):
        _, one, many = key_of(message)
        for source, form in zip((one, many or one), forms_of(message) * 2, strict=False):
            if Counter(HOLDS.findall(source)) != Counter(HOLDS.findall(form)):
                lost.append((source, form))
    assert lost == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_that_of_the_texts(language):
    wanted: dict[object, str] = {}
    for message in messages(language):
        context, one, _ = key_of(message)
        name = f"{context}\x04{one}" if context else one
        for at, form in enumerate(forms_of(message)):
            wanted[(name, at) if message.pluralizable else name] = form
    assert compiled(language) == wanted


def test_one_text_has_one_plural():
    """The compiled catalogue finds a text by its singular alone."""
    told = marked()
    alone = {(context, one) for context, one, many in told if not many}
    assert [key for key in told if key[2] and key[:2] in alone] == []
