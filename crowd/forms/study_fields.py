"""The fields of a study, by section of its form."""

from __future__ import annotations

from django import forms

from judging.core.aggregation.registry import MODELS

NUMBER = forms.NumberInput({"step": "any"})


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

    unit_size = forms.IntegerField(
        min_value=1,
        max_value=200,
        label="Documents per unit",
        help_text="Gold and repeats come on top.",
    )
    one_topic = forms.BooleanField(
        required=False,
        label="One topic per unit",
        help_text="Less to read for workers; the last unit of a topic may be small.",
    )
    unit_minutes = forms.IntegerField(
        min_value=1,
        max_value=1_440,
        label="Minutes per unit",
        help_text="Then it closes: what is done is paid, the other documents are free again.",
    )
    units_per_worker = forms.IntegerField(
        min_value=1, max_value=1_000, label="Units per worker, at most"
    )
    max_units = forms.IntegerField(
        min_value=1,
        required=False,
        label="Units in all, at most",
        help_text="A quota. Empty: until all judgments are there.",
    )
    extra_budget = forms.IntegerField(
        min_value=0,
        label="Extra judgments, at most",
        help_text="For documents whose grade is unsure; see “at most, where the grade is unsure”.",
    )


class QualityFields(forms.Form):
    """Practice, gold, repeats, and the rules on them."""

    help_words = {"gold_per_unit": "gold", "repeats_per_unit": "blind repeat"}

    gold_per_unit = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Gold per unit",
        help_text="Documents with a known grade, mixed in without notice.",
    )
    repeats_per_unit = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Repeats per unit",
        help_text="Documents that the worker has judged before.",
    )
    practice_pass = forms.IntegerField(
        min_value=0,
        max_value=500,
        label="Pass mark of practice",
        help_text="Right answers needed. 0: practice is shown, but everybody passes.",
    )
    stop_after = forms.IntegerField(
        min_value=3,
        max_value=500,
        label="Stop a worker after",
        help_text="Gold documents, at least.",
    )
    stop_below = forms.FloatField(
        min_value=0,
        max_value=0.99,
        label="… if accuracy is below",
        widget=NUMBER,
        help_text="Share of right answers, 0 to 1; compared with the upper end of the 95 %"
        " Wilson interval. 0: never.",
    )
    floor_seconds = forms.FloatField(
        min_value=0, max_value=600, label="Time floor, seconds", widget=NUMBER
    )
    floor_per_1000 = forms.FloatField(
        min_value=0,
        max_value=600,
        label="… plus seconds per 1,000 characters",
        widget=NUMBER,
        help_text="A faster judgment is an alarm on the page Workers.",
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

    max_units = forms.IntegerField(min_value=1, required=False, label="Units in all, at most")
    units_per_worker = forms.IntegerField(
        min_value=1, max_value=1_000, label="Units per worker, at most"
    )
    redundancy = forms.IntegerField(min_value=1, max_value=20, label="Judgments per document")
    extra_budget = forms.IntegerField(min_value=0, label="Extra judgments, at most")
    retention_until = forms.DateField(
        required=False,
        label="Keep the provider's IDs until",
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text="Workers have consented to the earlier date: tell them, and write a new consent"
        " text.",
    )
