"""Forms of crowd studies: create, edit, extend, and the settings of providers."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone

from campaigns.models import Campaign
from crowd.models import Study
from crowd.rules import FIXED
from judging.forms.plans import PoolField, count_field, share_field, split_topic_numbers
from poolbench.crowd.consent import DEFAULT_CONSENT, PLACEHOLDERS, list_unknown_placeholders
from poolbench.crowd.options import StudyExtension, StudyOptions
from poolbench.crowd.providers.base import Provider, ProviderSetting, find_setting_faults
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.judging.aggregation.registry import MODELS
from poolbench.judging.repeats import SOONEST
from pooling.models import Pool

RETENTION = timedelta(days=180)
DEFAULT_INSTRUCTIONS = """\
Read the question first, then the text. Ask yourself: **does this text answer the question?**

- Judge only what the text says, not how well it is written.
- You need not agree with the text.

**Example.** Question: *How high is Mont Blanc?*

| text | grade | why |
|---|---|---|
| “Its summit is 4,806 metres above sea level.” | highest | gives the answer |
| “Mont Blanc is the highest mountain of the Alps.” | lowest | on the topic, but no height |
"""


def build_setting_field(setting: ProviderSetting) -> forms.Field:
    """The field of one setting of a provider. What is required is checked for the chosen one."""
    field_class = forms.BooleanField if setting.kind == "switch" else forms.CharField
    more: dict[str, Any] = {"initial": setting.default}
    if setting.kind == "switch":
        more["initial"] = setting.default in ("on", "yes", "true", "1")
    else:
        more["max_length"] = 5_000 if setting.kind == "long" else 1_000
    if setting.kind == "long":
        more["widget"] = forms.Textarea({"rows": 3, "spellcheck": "false"})
    if setting.kind == "secret":
        more["widget"] = forms.PasswordInput({"autocomplete": "off"})
    return field_class(label=setting.label, help_text=setting.help, required=False, **more)


def setting_field_name(provider: str, setting: str) -> str:
    return f"{provider}-{setting}"


def amount_field(label: str, help_text: str) -> forms.DecimalField:
    return forms.DecimalField(
        min_value=0, max_digits=8, decimal_places=2, label=label, help_text=help_text
    )


def text_field(
    label: str, rows: int, most: int, help_text: str, *, required: bool = False
) -> forms.CharField:
    return forms.CharField(
        required=required, max_length=most, label=label, help_text=help_text,
        widget=forms.Textarea({"rows": rows}),
    )  # fmt: skip


def retention_field(help_text: str) -> forms.DateField:
    return forms.DateField(
        required=False, label="Keep the provider's IDs until", help_text=help_text,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )  # fmt: skip


def screened_field() -> forms.IntegerField:
    return count_field(
        0,
        None,
        "Paid for practice alone, at most",
        "Then no new workers are admitted. Empty: no limit.",
        required=False,
    )


class StudyForm(forms.Form):
    """Everything of a study except pool, topics and redundancy.

    ``settings`` are the stored ones of the chosen provider: a secret that is left empty stays.
    """

    help_words = {"gold_per_unit": "gold", "repeats_per_unit": "blind repeat"}

    # What workers read.
    title = forms.CharField(max_length=120, label="Title", help_text="Workers see it.")
    summary = text_field(
        "Summary", 2, 2_000, "One or two sentences for the preview: what to do, for what. Markdown."
    )
    instructions = text_field(
        "Instructions", 10, 20_000, "How to judge, with examples. Short and plain; Markdown."
    )
    consent = text_field(
        "Consent text",
        14,
        20_000,
        "What workers agree to before they start. Markdown; words in braces, such as {pay}, are"
        " filled in from the study. A text that reads differently is a new version.",
        required=True,
    )
    contact = forms.CharField(
        required=False,
        max_length=200,
        label="Contact",
        help_text="Name and e-mail address for questions and complaints.",
    )
    retention_until = retention_field(
        "Afterwards the key to them is destroyed. Judgments and payments stay, under pseudonyms."
    )

    # The size and number of units.
    unit_size = count_field(1, 200, "Documents per unit", "Gold and repeats come on top.")
    one_topic = forms.BooleanField(
        required=False,
        label="One topic per unit",
        help_text="Less to read for workers; the last unit of a topic may be small. Without it,"
        " the documents of a topic follow one another.",
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
    max_screened = screened_field()
    extra_budget = count_field(
        0,
        None,
        "Extra judgments, at most",
        "For documents whose grade is unsure; see “at most, where the grade is unsure”.",
    )

    # Practice, gold, repeats, and the rules on them.
    gold_per_unit = count_field(
        0, 100, "Gold per unit", "Documents with a known grade, mixed in without notice."
    )
    repeats_per_unit = count_field(
        0,
        100,
        "Repeats per unit",
        f"Documents that the worker has judged at least {SOONEST} positions before: a first"
        " unit that is too small for it has fewer.",
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

    # What is paid, and what is promised.
    currency = forms.CharField(min_length=3, max_length=3, label="Currency", help_text="EUR, USD …")
    pay_per_unit = amount_field("Pay per unit", "What a worker gets for a complete unit.")
    screen_out_pay = amount_field(
        "Pay for practice, at most",
        "It is paid by its time at the hourly minimum, passed or not, on top of a first unit.",
    )
    hourly_minimum = amount_field(
        "Hourly minimum",
        "What you promise for an hour at the usual speed: at least the minimum wage where the"
        " workers live.",
    )

    provider = forms.ChoiceField(
        label="Provider",
        choices=[(name, provider.title) for name, provider in PROVIDERS.items()],
        help_text="How workers arrive and return.",
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        initial: Mapping[str, Any],
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.stored_settings = settings or {}
        super().__init__(data, initial=dict(initial))
        chosen = initial.get("provider")
        for name, provider in PROVIDERS.items():
            for setting in provider.settings:
                field = build_setting_field(setting)
                if name == chosen and setting.name in self.stored_settings:
                    field.initial = self.stored_settings[setting.name]
                self.fields[setting_field_name(name, setting.name)] = field

    def provider_groups(self) -> list[dict[str, object]]:
        """Every provider that has settings, with their bound fields."""
        return [
            {
                "provider": provider,
                "fields": [self[setting_field_name(name, each.name)] for each in provider.settings],
            }
            for name, provider in PROVIDERS.items()
            if provider.settings
        ]

    def clean_consent(self) -> str:
        text: str = self.cleaned_data["consent"]
        if unknown := list_unknown_placeholders(text):
            names = ", ".join("{" + name + "}" for name in unknown)
            known = ", ".join("{" + name + "}" for name in PLACEHOLDERS)
            raise forms.ValidationError(f"Unknown placeholders: {names}. Known are {known}.")
        return text

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).upper()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        provider = PROVIDERS.get(cleaned.get("provider", ""))
        if provider is not None:
            faults = find_setting_faults(provider, self.read_settings(provider))
            for name, message in faults.items():
                # What is missing does not hinder a draft; the start checks it again.
                if cleaned.get(setting_field_name(provider.name, name)):
                    self.add_error(setting_field_name(provider.name, name), message)
        return cleaned

    def read_settings(self, provider: Provider) -> dict[str, Any]:
        """The settings of ``provider`` as they were entered, without empty ones."""
        settings: dict[str, Any] = {}
        for setting in provider.settings:
            value = self.cleaned_data.get(setting_field_name(provider.name, setting.name))
            if setting.kind == "secret" and not value:
                value = self.stored_settings.get(setting.name)
            if value not in (None, "", False):
                settings[setting.name] = value
        return settings

    def options(self) -> StudyOptions:
        """After validation."""
        values = {
            field.name: self.cleaned_data[field.name]
            for field in fields(StudyOptions)
            if field.name != "provider_settings"
        }
        provider = PROVIDERS[self.cleaned_data["provider"]]
        return StudyOptions(**values, provider_settings=self.read_settings(provider))


class StudyNewForm(StudyForm):
    """A new study: with its pool, topics and redundancy."""

    pool = PoolField(queryset=Pool.objects.none(), empty_label=None, label="Pool")
    topics = forms.CharField(
        required=False,
        label="Topics",
        help_text="Topic numbers, separated by spaces. Empty: all topics of the pool.",
    )
    redundancy = count_field(
        1, 20, "Judgments per document", "Redundancy: how many workers judge each document."
    )
    max_redundancy = count_field(
        1,
        20,
        "At most, where the grade is unsure",
        "One more judgment is requested at a time, until the extra budget is spent. Empty: never.",
        required=False,
    )

    def __init__(
        self,
        campaign: Campaign,
        data: QueryDict | None = None,
        *,
        copied: Study | None = None,
        consent: str = "",
    ) -> None:
        """``copied``: the study from which the fields are filled, with its ``consent`` text."""
        self.campaign = campaign
        until = timezone.now().date() + RETENTION
        start = {
            **vars(StudyOptions(title="", provider=next(iter(PROVIDERS)))),
            "instructions": DEFAULT_INSTRUCTIONS,
            "redundancy": 3,
        }
        if copied is not None:
            start = vars(copied.options) | {"title": f"{copied.title[:113]} (copy)"}
            start["redundancy"] = copied.plan.overlap
            start["max_redundancy"] = copied.plan.max_overlap
        start |= {"pool": campaign.pools.first(), "consent": consent or DEFAULT_CONSENT}
        if start["retention_until"] is None or start["retention_until"] < timezone.now().date():
            start["retention_until"] = until
        settings = copied.provider_settings if copied else None
        super().__init__(data, initial=start, settings=settings)
        self.fields["pool"].queryset = campaign.pools.all()  # type: ignore[attr-defined]

    def clean_topics(self) -> list[str] | None:
        """Numbers of the campaign's topics; None for all."""
        return split_topic_numbers(self.campaign, self.cleaned_data["topics"]) or None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        least, most = cleaned.get("redundancy"), cleaned.get("max_redundancy")
        if least and most and most < least:
            self.add_error("max_redundancy", f"Enter at least {least}, or nothing.")
        return cleaned


def build_edit_form(study: Study, consent: str, data: QueryDict | None = None) -> StudyForm:
    """The form of an existing study; ``consent`` is the latest text."""
    form = StudyForm(
        data,
        initial=vars(study.options) | {"consent": consent or DEFAULT_CONSENT},
        settings=study.provider_settings,
    )
    if study.state != Study.State.DRAFT:
        for name in FIXED:
            form.fields[name].disabled = True
    return form


class StudyExtendForm(forms.Form):
    """Higher limits of a study; fields left as they are change nothing."""

    max_units = count_field(1, None, "Units in all, at most", required=False)
    max_screened = screened_field()
    units_per_worker = count_field(1, 1_000, "Units per worker, at most")
    redundancy = count_field(1, 20, "Judgments per document")
    extra_budget = count_field(0, None, "Extra judgments, at most")
    retention_until = retention_field(
        "Workers have consented to the earlier date: tell them, and write a new consent text."
    )

    def __init__(self, study: Study, data: QueryDict | None = None) -> None:
        super().__init__(
            data,
            initial={
                "max_units": study.max_units,
                "max_screened": study.max_screened,
                "units_per_worker": study.units_per_worker,
                "redundancy": study.plan.overlap,
                "extra_budget": study.extra_budget,
                "retention_until": study.retention_until,
            },
        )

    def extension(self) -> StudyExtension:
        """After validation: only what differs from the study."""
        return StudyExtension(**{name: self.cleaned_data[name] for name in self.changed_data})
