"""Placeholders of consent texts."""

import pytest

from poolbench.crowd.consent import (
    DEFAULT_CONSENT,
    PLACEHOLDERS,
    fill_placeholders,
    has_amount,
    list_old_values,
    list_unknown_placeholders,
)


def test_known_placeholders_are_filled_and_others_stay():
    text = "{pay} for {documents} texts, {pay} again, {wage}, {Not} {}"
    assert (
        fill_placeholders(text, {"pay": "1.50 EUR", "documents": "24"})
        == "1.50 EUR for 24 texts, 1.50 EUR again, {wage}, {Not} {}"
    )
    assert list_unknown_placeholders(text) == ["wage"]


def test_a_value_is_not_filled_again():
    assert fill_placeholders("{title}", {"title": "{pay}", "pay": "1"}) == "{pay}"


def test_the_default_text_uses_known_placeholders_and_says_the_essentials():
    assert list_unknown_placeholders(DEFAULT_CONSENT) == []
    for name in ("pay", "minutes", "hourly", "screen_out_pay", "retention", "contact"):
        assert name in PLACEHOLDERS
        assert "{" + name + "}" in DEFAULT_CONSENT


VALUES = {
    "pay": "1.50 EUR", "screen_out_pay": "0.20 EUR", "hourly": "12.00 EUR", "minutes": "8",
    "unit_minutes": "60", "retention": "2 March 2027",
    "title": "T", "documents": "20", "units_per_worker": "2", "contact": "c@example.org",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "old"),
    [("pay", "0.50 EUR", "1.50 EUR"), ("screen_out_pay", "0.30 EUR", "0.20 EUR"),
     ("hourly", "2.00 EUR", "12.00 EUR"), ("pay", "1.50 USD", "1.50 EUR"),
     ("minutes", "18", "8 minutes"), ("unit_minutes", "6", "60 minutes"),
     ("retention", "12 March 2027", "2 March 2027")],
)  # fmt: skip
def test_a_value_that_changed_after_the_text_was_saved_is_old(name, value, old):
    text = fill_placeholders(DEFAULT_CONSENT, VALUES)
    assert list_old_values(text, VALUES) == []
    assert list_old_values(text, VALUES | {name: value}) == [old]


def test_an_amount_is_named_as_a_whole():
    assert has_amount("You get 1.50 EUR.", "1.50 EUR")
    assert not has_amount("You get 11.50 EUR.", "1.50 EUR")
    assert list_old_values("Thank you.", VALUES) == []
