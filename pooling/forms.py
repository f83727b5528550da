"""Forms: the runs and the spec of a pool, and a quick selection of runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import yaml
from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from campaigns.models import Campaign, Run
from poolbench.evaluation.options import ScoringOptions
from poolbench.files.faults import InvalidFile
from poolbench.pooling.methods.influence import list_estimated
from poolbench.pooling.pool_builder import PoolBudget
from poolbench.pooling.registry import LISTED, METHODS
from poolbench.pooling.session import PoolStep
from poolbench.pooling.spec import CUTOFF, PoolSpec, RunChoice
from poolbench.pooling.spec_file import MAX_SPEC_LENGTH, default_parameters, read_spec
from pooling.queries.inputs import find_unknown_names, list_poolable_runs, list_task_runs
from pooling.queries.pools import measured_pace

SECONDS = 30
DEPTH = 10


class SelectionRuleInput(forms.NumberInput):
    """Submitted with the pool form, so that selecting by rule keeps its input."""

    def __init__(self) -> None:
        super().__init__({"form": "pool-form", "data-enter": "tick"})


class QuickSelectionForm(forms.Form):
    """Selects runs by rule; both fields empty: all."""

    help_words = {"priority": "priority"}

    priority = forms.IntegerField(
        label="Priority up to", min_value=0, required=False, widget=SelectionRuleInput
    )
    per_team = forms.IntegerField(
        label="Runs per team", min_value=0, required=False, widget=SelectionRuleInput
    )


class RunsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Numbers beyond 64 bits are invalid runs instead of a database error."""

    def clean(self, value: Any) -> Any:
        return super().clean([number if len(number) < 19 else "-" for number in value or ()])


def fill_up_choices() -> list[tuple[str, str]]:
    """The methods that need neither texts nor parameters without a default."""
    ready = [m for m in LISTED if not m.reads and all(p.default for p in m.card.parameters)]
    label = {True: "{}, adaptive", False: "{}"}
    return [("", "None"), *((m.name, label[bool(m.player)].format(m.card.title)) for m in ready)]


class PoolForm(forms.Form):
    """``run`` is a column of check boxes in the table of runs. ``text`` is a whole spec and
    overrides all other fields of the spec, and a sample ``depth``, ``then``, ``documents`` and
    ``total``.

    ``cleaned_data`` has the ``spec``, and the selected runs as ``run``.
    """

    help_words = {
        "sample": "sample",
        "depth": "pool depth",
        "then": "fill-up method",
        "documents": "budget",
        "text": "pool spec",
    }

    run = RunsField(
        queryset=Run.objects.none(),
        label="Runs",
        required=False,
        error_messages={"invalid_choice": "A selected run is no longer accepted in this campaign."},
    )
    depth = forms.IntegerField(
        min_value=1, initial=DEPTH, required=False, help_text="Documents per run and topic."
    )
    then = forms.ChoiceField(label="Fill-up method", choices=fill_up_choices, required=False)
    documents = forms.IntegerField(
        label="Documents per topic",
        min_value=1,
        required=False,
        help_text="Maximum for depth and fill-up together.",
    )
    total = forms.IntegerField(
        label="Documents in total",
        min_value=1,
        required=False,
        help_text="Distributed over the topics.",
    )
    sample = forms.IntegerField(
        label="Judgments",
        min_value=1,
        required=False,
        help_text="In all topics together. Scores with intervals are estimated from them.",
    )
    hours = forms.FloatField(
        label="Or hours", min_value=0.1, max_value=100_000, required=False,
        widget=forms.NumberInput({"step": "any"}),
    )  # fmt: skip
    machine = forms.ChoiceField(
        label="Automatic assessor",
        required=False,
        help_text="Its grades say which pairs matter more. Poor ones leave intervals wide; they "
        "still hold.",
    )
    text = forms.CharField(
        label="Spec",
        max_length=MAX_SPEC_LENGTH,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false"}),
    )
    file = forms.FileField(
        label="Or upload a spec file", required=False, help_text="Overrides the text."
    )
    task = forms.SlugField(required=False, widget=forms.HiddenInput)
    seconds = forms.FloatField(label="Seconds per document", min_value=1, max_value=3600)

    @classmethod
    def from_request(cls, request: HttpRequest, campaign: Campaign) -> Self:
        """The submitted form; an uploaded file becomes the text, to be reviewed and changed."""
        data, fault = request.POST.copy(), ""
        if (file := request.FILES.get("file")) is not None:
            try:
                data["text"] = read_uploaded_spec(file)
            except forms.ValidationError as error:
                fault = str(error.message)
        form = cls(data, campaign=campaign)
        form.fault = fault
        return form

    fault = ""

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        self.fields["run"].queryset = list_poolable_runs(campaign)  # type: ignore[attr-defined]
        if not campaign.tasks.exists():
            del self.fields["task"]
        machines = campaign.automatic_assessors.values_list("name", flat=True)
        self.fields["machine"].choices = [  # type: ignore[attr-defined]
            ("", "None"),
            *((name, name) for name in machines),
        ]
        pace = measured_pace(campaign)
        self.fields["seconds"].initial = max(1, round(pace)) if pace else SECONDS
        self.fields["seconds"].help_text = (
            "Median time per judgment so far."
            if pace
            else "Assumed value, used only to estimate hours."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.fault:
            self.add_error("file", self.fault)
        if self.errors:
            return cleaned
        try:
            is_text = cleaned["text"].strip()
            spec = read_spec(cleaned["text"]) if is_text else self.build_spec_from_fields(cleaned)
        except InvalidFile as bad:
            self.add_error("text", list(iter_spec_faults(bad)))
            return cleaned
        if spec is None:
            return cleaned
        cleaned["spec"] = spec
        if spec.runs != RunChoice():
            runs = list(list_task_runs(self.campaign, cleaned.get("task", "")))
            missing = find_unknown_names(spec, runs)
            if missing:
                self.add_error("text", f"Not among the accepted runs: {', '.join(missing)}.")
                return cleaned
            cleaned["run"] = spec.runs.choose(runs, lambda run: run.team.name)
        if not cleaned["run"]:
            self.add_error("run", "Select at least one run.")
        return cleaned

    def build_spec_from_fields(self, cleaned: dict[str, Any]) -> PoolSpec | None:
        if cleaned["sample"] and cleaned["hours"]:
            self.add_error("hours", "Enter judgments or hours, not both.")
            return None
        if cleaned["sample"] or cleaned["hours"]:
            number = cleaned["sample"] or int(cleaned["hours"] * 3600 / cleaned["seconds"])
            return build_sample_spec(self.campaign, max(number, 1), cleaned["machine"])
        if not cleaned["depth"] and not cleaned["then"]:
            self.add_error("depth", "Enter a depth, a fill-up method, or a spec.")
            return None
        if cleaned["documents"] and cleaned["total"]:
            self.add_error("total", "Limit documents per topic or in total, not both.")
            return None
        if cleaned["then"] and not cleaned["documents"] and not cleaned["total"]:
            self.add_error("documents", "Set a limit; otherwise everything is pooled.")
            return None
        steps = [PoolStep(METHODS["depth"], {"k": cleaned["depth"]})] if cleaned["depth"] else []
        if cleaned["then"]:
            method = METHODS[cleaned["then"]]
            steps.append(PoolStep(method, default_parameters(method)))
        budget = PoolBudget(total=cleaned["total"], per_topic=cleaned["documents"])
        deepest = cleaned["depth"] or 0
        if cleaned["then"]:
            deepest = max(deepest, min(CUTOFF, self.campaign.max_docs_per_topic))
        return PoolSpec(tuple(steps), budget, deepest)


def build_sample_spec(campaign: Campaign, number: int, machine: str) -> PoolSpec:
    """A sample by influence for the campaign's measures that have estimates, by its level and
    scale.
    """
    method = METHODS["influence"]
    level = max(campaign.relevance_level, 1)
    top = max(level, *campaign.grades.values_list("value", flat=True))
    options = ScoringOptions(level=level)
    values = {
        "number": number,
        "measures": list_estimated(campaign.measures, options, top) or None,
        "level": level,
        "top": top,
        "machine": machine or None,
    }
    step = PoolStep(method, default_parameters(method) | values)
    return PoolSpec((step,), cutoff=min(CUTOFF, campaign.max_docs_per_topic))


def read_uploaded_spec(file: UploadedFile[Any]) -> str:
    """The spec in an uploaded file; raises ``ValidationError`` if it is too large or not UTF-8."""
    if (file.size or 0) > 4 * MAX_SPEC_LENGTH:
        raise forms.ValidationError(
            f"The file has {file.size:,} bytes; the limit is {4 * MAX_SPEC_LENGTH:,}."
        )
    try:
        return str(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise forms.ValidationError("The file is not UTF-8. Save it as UTF-8.") from None


class FreezeForm(PoolForm):
    """``after`` is the newest version as of the preview, ``run`` the runs it showed."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        """The runs that the spec selects must be those that the preview showed."""
        previewed = set(self.cleaned_data.get("run", ()))
        cleaned = super().clean()
        if previewed and previewed != set(cleaned.get("run", previewed)):
            self.add_error("run", "The spec now selects different runs. Preview the pool again.")
        return cleaned


def iter_spec_faults(bad: InvalidFile) -> Iterator[str]:
    """Each fault of a spec with its position, in the order of the text."""
    for fault in sorted(bad.report.faults, key=lambda f: (f.line or 0, f.column or 0)):
        column = f", column {fault.column}" if fault.column else ""
        place = f"Line {fault.line}{column}: " if fault.line else ""
        yield f"{place}{fault.message} {fault.fix}"


def spec_to_yaml(spec: PoolSpec) -> str:
    return yaml.safe_dump(spec.as_dict(), sort_keys=False, allow_unicode=True)
