"""Forms of crowd studies: create, edit, extend, and the settings of providers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone

from campaigns.models import Campaign
from crowd.forms.study_fields import (
    ExtensionFields,
    PayFields,
    QualityFields,
    TextFields,
    UnitFields,
)
from crowd.models import Study
from crowd.rules import FIXED
from judging.forms.plans import PoolField, count_field
from poolbench.crowd.consent import DEFAULT_CONSENT, PLACEHOLDERS, list_unknown_placeholders
from poolbench.crowd.options import StudyExtension, StudyOptions
from poolbench.crowd.providers.base import Provider, ProviderSetting, find_setting_faults
from poolbench.crowd.providers.registry import PROVIDERS
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


class StudyForm(TextFields, UnitFields, QualityFields, PayFields):
    """Everything of a study except pool, topics and redundancy.

    ``settings`` are the stored ones of the chosen provider: a secret that is left empty stays.
    """

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

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        self.campaign = campaign
        until = timezone.now().date() + RETENTION
        start = StudyOptions(title="", provider=next(iter(PROVIDERS)), retention_until=until)
        super().__init__(
            data,
            initial=vars(start)
            | {
                "pool": campaign.pools.first(),
                "redundancy": 3,
                "consent": DEFAULT_CONSENT,
                "instructions": DEFAULT_INSTRUCTIONS,
            },
        )
        field = self.fields["pool"]
        if isinstance(field, PoolField):
            field.queryset = campaign.pools.all()

    def clean_topics(self) -> list[str] | None:
        """Numbers of the campaign's topics; None for all."""
        numbers = list(dict.fromkeys(self.cleaned_data["topics"].replace(",", " ").split()))
        known = set(
            self.campaign.topics.filter(number__in=numbers).values_list("number", flat=True)
        )
        if unknown := [number for number in numbers if number not in known]:
            raise forms.ValidationError(f"Unknown topics: {', '.join(unknown)}.")
        return numbers or None

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


class StudyExtendForm(ExtensionFields):
    """Higher limits of a study; fields left as they are change nothing."""

    def __init__(self, study: Study, data: QueryDict | None = None) -> None:
        super().__init__(
            data,
            initial={
                "max_units": study.max_units,
                "units_per_worker": study.units_per_worker,
                "redundancy": study.plan.overlap,
                "extra_budget": study.extra_budget,
                "retention_until": study.retention_until,
            },
        )

    def extension(self) -> StudyExtension:
        """After validation: only what differs from the study."""
        return StudyExtension(**{name: self.cleaned_data[name] for name in self.changed_data})
