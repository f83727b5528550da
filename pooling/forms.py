"""Forms: the runs and the spec of a pool, and a quick choice of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

import yaml
from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from campaigns.core.faults import Fault, InvalidFile
from campaigns.models import Campaign, Run
from pooling.core.pool_builder import PoolBudget
from pooling.core.registry import LISTED, METHODS
from pooling.core.session import PoolStep
from pooling.core.spec import CUTOFF, PoolSpec, RunChoice
from pooling.core.spec_file import LONGEST, default_parameters, read_spec
from pooling.queries import find_unknown_names, list_poolable_runs, measured_pace

SECONDS = 30
DEPTH = 10


class SelectionRuleInput(forms.NumberInput):
    """Sent with the form of the pool, so that ticking by rule forgets nothing typed there."""

    def __init__(self) -> None:
        super().__init__({"form": "pool-form", "data-enter": "tick"})


class QuickSelectionForm(forms.Form):
    """Chooses runs by rule; both fields empty: all."""

    priority = forms.IntegerField(
        label="Priority up to", min_value=0, required=False, widget=SelectionRuleInput
    )
    per_team = forms.IntegerField(
        label="Runs a team", min_value=0, required=False, widget=SelectionRuleInput
    )


class RunsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Numbers beyond 64 bits are no runs, rather than an error of the database."""

    def clean(self, value: Any) -> Any:
        return super().clean([number if len(number) < 19 else "-" for number in value or ()])


def fill_up_choices() -> list[tuple[str, str]]:
    """The methods that need neither texts nor parameters which have no default."""
    ready = [m for m in LISTED if not m.reads and all(p.default for p in m.card.parameters)]
    told = {True: "{}, by judgments", False: "{}"}
    return [
        ("", "nothing more"),
        *((m.name, told[bool(m.player)].format(m.card.title)) for m in ready),
    ]


class PoolForm(forms.Form):
    """``run`` is a column of check boxes in the table of runs. A ``text`` is the whole spec, and
    then ``depth``, ``then``, ``documents`` and ``total`` say nothing.

    ``cleaned_data`` has the ``spec`` and the chosen runs as ``run``.
    """

    run = RunsField(
        queryset=Run.objects.none(),
        label="Runs",
        required=False,
        error_messages={
            "invalid_choice": "A chosen run is not an accepted run of this campaign any more.",
        },
    )
    depth = forms.IntegerField(
        min_value=1,
        initial=DEPTH,
        required=False,
        help_text="Documents taken from each run and topic.",
    )
    then = forms.ChoiceField(label="Then fill up by", choices=fill_up_choices, required=False)
    documents = forms.IntegerField(
        label="Documents a topic", min_value=1, required=False, help_text="Together, at most."
    )
    total = forms.IntegerField(
        label="Documents in all", min_value=1, required=False, help_text="Shared among the topics."
    )
    text = forms.CharField(
        label="Spec",
        max_length=LONGEST,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false"}),
    )
    file = forms.FileField(
        label="Or bring it as a file", required=False, help_text="It takes the place of the text."
    )
    seconds = forms.FloatField(label="Seconds a document", min_value=1, max_value=3600)

    @classmethod
    def posted(cls, request: HttpRequest, campaign: Campaign) -> Self:
        """The form as it came; what a file brings is there as the text, to be seen and changed."""
        data, fault = request.POST.copy(), ""
        if (file := request.FILES.get("file")) is not None:
            try:
                data["text"] = read_uploaded_spec(file)
            except forms.ValidationError as no:
                fault = str(no.message)
        form = cls(data, campaign=campaign)
        form.fault = fault
        return form

    fault = ""

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        self.fields["run"].queryset = list_poolable_runs(campaign)  # type: ignore[attr-defined]
        pace = measured_pace(campaign)
        self.fields["seconds"].initial = max(1, round(pace)) if pace else SECONDS
        self.fields["seconds"].help_text = (
            "Measured: the median of the judgments so far."
            if pace
            else "An assumption, for the estimate of hours only."
        )

    def clean(self) -> dict[str, Any]:
        asked = super().clean() or {}
        if self.fault:
            self.add_error("file", self.fault)
        if self.errors:
            return asked
        spec = self.spec_written(asked) if asked["text"].strip() else self.spec_built(asked)
        if spec is None:
            return asked
        asked["spec"] = spec
        if spec.runs != RunChoice():
            runs = list(list_poolable_runs(self.campaign))
            lost = find_unknown_names(spec, runs)
            if lost:
                self.add_error("text", f"No accepted run has what it names: {', '.join(lost)}.")
                return asked
            chosen = spec.runs.choose(runs, lambda run: run.team.name)
            asked["run"] = self.checked_choice(asked["run"], chosen)
        if not asked["run"]:
            self.add_error("run", "Choose at least one run.")
        return asked

    def checked_choice(self, ticked: Iterable[Run], chosen: list[Run]) -> list[Run]:  # noqa: ARG002 -- for FreezeForm
        """What the spec has ``chosen``, whatever was ticked."""
        return chosen

    def spec_written(self, asked: dict[str, Any]) -> PoolSpec | None:
        try:
            return read_spec(asked["text"])
        except InvalidFile as bad:
            self.add_error("text", list(iter_spec_faults(bad)))
        return None

    def spec_built(self, asked: dict[str, Any]) -> PoolSpec | None:
        if not asked["depth"] and not asked["then"]:
            self.add_error("depth", "Give a depth, a method to fill up by, or a spec.")
            return None
        if asked["documents"] and asked["total"]:
            self.add_error("total", "Limit the documents of each topic or of all, not both.")
            return None
        if asked["then"] and not asked["documents"] and not asked["total"]:
            self.add_error("documents", "Say how many: without a limit everything is pooled.")
            return None
        steps = [PoolStep(METHODS["depth"], {"k": asked["depth"]})] if asked["depth"] else []
        if asked["then"]:
            method = METHODS[asked["then"]]
            steps.append(PoolStep(method, default_parameters(method)))
        budget = PoolBudget(total=asked["total"], per_topic=asked["documents"])
        deepest = asked["depth"] or 0
        if asked["then"]:
            deepest = max(deepest, min(CUTOFF, self.campaign.max_docs_per_topic))
        return PoolSpec(tuple(steps), budget, deepest)


def read_uploaded_spec(file: UploadedFile[Any]) -> str:
    """The spec in an uploaded file; raises ``ValidationError`` if it can be none."""
    if (file.size or 0) > 4 * LONGEST:
        raise forms.ValidationError(f"The file is larger than {4 * LONGEST:,} bytes.")
    try:
        return str(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise forms.ValidationError("The file is not UTF-8. Save it as UTF-8.") from None


class FreezeForm(PoolForm):
    """``after`` is the newest version when the preview was made, ``run`` the runs it showed."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def checked_choice(self, ticked: Iterable[Run], chosen: list[Run]) -> list[Run]:
        shown = {run.pk for run in ticked}
        if shown and shown != {run.pk for run in chosen}:
            self.add_error("run", "The spec chooses other runs by now. Look at the preview again.")
        return chosen


def iter_spec_faults(bad: InvalidFile) -> Iterator[str]:
    """Each fault of a spec with its place, in the order of the text."""
    for fault in sorted(bad.report.faults, key=lambda f: (f.line or 0, f.column or 0)):
        yield f"{fault_position(fault)}{fault.message} {fault.fix}"


def fault_position(fault: Fault) -> str:
    column = f", column {fault.column}" if fault.column else ""
    return f"Line {fault.line}{column}: " if fault.line else ""


def spec_to_yaml(spec: PoolSpec) -> str:
    """The spec as people write it."""
    return yaml.safe_dump(spec.as_dict(), sort_keys=False, allow_unicode=True)
