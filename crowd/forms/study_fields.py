"""The fields of a study, by section of its form."""

from __future__ import annotations

from django import forms

from judging.forms.plans import count_field, share_field
from poolbench.judging.aggregation.registry import MODELS


def amount_field(label: str, help_text: str) -> forms.DecimalField:
    return forms.DecimalField(
        min_value=0, max_digits=8, decimal_places=2, label=label, help_text=help_text
    )


class TextFields(forms.Form):
    """What workers read, and until when their IDs are kept."""

    title = forms.CharField(max_length=120, label="Title", help_text="Workers see it.")
    summary = forms.CharField(
        required=False,
        max_length=2_000,
        label="Summary",
        widget=forms.Textarea({"rows": 2}),
        help_text="One or two sentences for the preview: what to do, for what. Markdown.",
    )
    instructions = forms.CharField(
        required=False,
        max_length=20_000,
        label="Instructions",
        widget=forms.Textarea({"rows": 10}),
        help_text="How to judge, with examples. Short and plain; Markdown.",
    )
    consent = forms.CharField(
        max_length=20_000,
        label="Consent text",
        widget=forms.Textarea({"rows": 14}),
        help_text="What workers agree to before they start. Markdown; words in braces, such as"
        " {pay}, are filled in when you save. A changed text is a new version.",
    )
    contact = forms.CharField(
        required=False,
        max_length=200,
        label="Contact",
        help_text="Name and e-mail address for questions and complaints.",
    )
    retention_until = forms.DateField(
        required=False,
        label="Keep the provider's IDs until",
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text="Afterwards the key to them is destroyed. Judgments and payments stay, under"
        " pseudonyms.",
    )


class UnitFields(forms.Form):
    """The size and number of units."""

    unit_size = count_field(1, 200, "Documents per unit", "Gold and repeats come on top.")
    one_topic = forms.BooleanField(
        required=False,
        label="One topic per unit",
        help_text="Less to read for workers; the last unit of a topic may be small.",
    )
    unit_minutes = count_field(
        1,
        1_440,
        "Minutes per unit",
        "Then it closes: what is done is paid, the other documents are free again.",
    )
    units_per_worker = count_field(1, 1_000, "Units per worker, at most")
    max_units = count_field(
        1,
        None,
        "Units in all, at most",
        "A quota. Empty: until all judgments are there.",
        required=False,
    )
    extra_budget = count_field(
        0,
        None,
        "Extra judgments, at most",
        "For documents whose grade is unsure; see “at most, where the grade is unsure”.",
    )


class QualityFields(forms.Form):
    """Practice, gold, repeats, and the rules on them."""

    help_words = {"gold_per_unit": "gold", "repeats_per_unit": "blind repeat"}

    gold_per_unit = count_field(
        0, 100, "Gold per unit", "Documents with a known grade, mixed in without notice."
    )
    repeats_per_unit = count_field(
        0, 100, "Repeats per unit", "Documents that the worker has judged before."
    )
    practice_pass = count_field(
        0,
        500,
        "Pass mark of practice",
        "Right answers needed. 0: practice is shown, but everybody passes.",
    )
    stop_after = count_field(3, 500, "Stop a worker after", "Gold documents, at least.")
    stop_below = share_field(
        0,
        0.99,
        "… if accuracy is below",
        "Share of right answers, 0 to 1; compared with the upper end of the 95 %"
        " Wilson interval. 0: never.",
    )
    floor_seconds = share_field(0, 600, "Time floor, seconds")
    floor_per_1000 = share_field(
        0,
        600,
        "… plus seconds per 1,000 characters",
        "A faster judgment is an alarm on the page Workers.",
    )
    aggregation = forms.ChoiceField(
        choices=[(name, model.card.title) for name, model in MODELS.items()],
        label="Aggregation",
        help_text="The model that makes one grade of several judgments.",
    )


class PayFields(forms.Form):
    """What is paid, and what is promised."""

    currency = forms.CharField(min_length=3, max_length=3, label="Currency", help_text="EUR, USD …")
    pay_per_unit = amount_field("Pay per unit", "What a worker gets for a complete unit.")
    screen_out_pay = amount_field("Pay for failed practice", "For the time that it takes.")
    hourly_minimum = amount_field(
        "Hourly minimum",
        "What you promise for an hour at the usual speed: at least the minimum wage where the"
        " workers live.",
    )


class ExtensionFields(forms.Form):
    """Limits that can be raised while a study runs."""

    max_units = count_field(1, None, "Units in all, at most", required=False)
    units_per_worker = count_field(1, 1_000, "Units per worker, at most")
    redundancy = count_field(1, 20, "Judgments per document")
    extra_budget = count_field(0, None, "Extra judgments, at most")
    retention_until = forms.DateField(
        required=False,
        label="Keep the provider's IDs until",
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text="Workers have consented to the earlier date: tell them, and write a new consent"
        " text.",
    )
