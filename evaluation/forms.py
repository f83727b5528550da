"""What organizers fill in: which qrels to evaluate under, a round by value, a simulation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from campaigns.core.faults import InvalidFile
from campaigns.core.name_lists import split_names
from campaigns.models import Campaign, User
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.simulation.report import MEASURES, SEEDS, SHARES
from evaluation.core.simulation.simulator import parse_ranking_measures
from evaluation.rules import check_measures
from evaluation.services import SimulationRequest
from judging.core.stopping import StoppingCriteria
from judging.models import Qrels, StoppingRule
from judging.queries.adjudication import list_adjudicators
from pooling.core.spec import PoolSpec, depth_spec
from pooling.core.spec_file import LONGEST, read_spec
from pooling.forms import iter_spec_faults, read_uploaded_spec
from pooling.services.adaptive_pools import frozen_spec

MOST_SPECS, MOST_SEEDS, MOST_BUDGETS, LONGEST_NAME = 20, 50, 50, 60
SO_FAR = "so-far"
NUMBER = re.compile("[1-9][0-9]{0,8}")


class EvaluateForm(forms.Form):
    qrels = forms.ModelChoiceField(Qrels.objects.none())
    measures = forms.CharField(required=False)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = Qrels.objects.filter(campaign=campaign)
        self.fields["qrels"] = forms.ModelChoiceField(releases, empty_label=None)
        usual = " ".join(campaign.measures or DEFAULT_NAMES)
        self.fields["measures"].help_text = f"By names with blanks between them. Empty: {usual}"

    def clean_measures(self) -> list[str]:
        names = split_names(str(self.cleaned_data["measures"]))
        check_measures(names)
        return [measure.name for measure in parse_measures(names)]


class RoundByValueForm(forms.Form):
    """How many of the most valuable pairs, and who settles them."""

    most = forms.IntegerField(min_value=1, max_value=10_000, initial=20, label="Pairs")
    adjudicators = forms.ModelMultipleChoiceField(User.objects.none())
    blind = forms.BooleanField(required=False, initial=True)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["adjudicators"] = forms.ModelMultipleChoiceField(
            list_adjudicators(campaign), widget=forms.CheckboxSelectMultiple
        )


class StoppingForm(forms.Form):
    """When a topic ends; what is left empty never ends one."""

    documents = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="Judged documents"
    )
    relevant = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="Relevant documents found"
    )
    no_relevant_in = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="In a row without a relevant one"
    )

    @classmethod
    def of(cls, row: StoppingRule | None) -> StoppingForm:
        return cls(initial=vars(row.rule) if row else {})

    @property
    def rule(self) -> StoppingCriteria:
        return StoppingCriteria(**self.cleaned_data)


@dataclass
class SpecText:
    """A spec as it was typed or brought as a file, and what is wrong with it."""

    name: str
    content: str
    errors: list[str] = field(default_factory=list)

    def read(self) -> PoolSpec | None:
        """The spec; None where something is wrong with it, which is told then."""
        if self.errors:
            return None
        if not self.name.isprintable() or len(self.name) > LONGEST_NAME:
            self.errors.append(f"A name has at most {LONGEST_NAME} characters that can be seen.")
        if len(self.content) > LONGEST:
            self.errors.append(f"A spec has at most {LONGEST:,} characters.")
            return None
        try:
            return read_spec(self.content)
        except InvalidFile as bad:
            self.errors += iter_spec_faults(bad)
        return None


class SimulationForm(forms.Form):
    """``texts`` are the specs that were typed, in the fields ``name`` and ``text``, of which there
    are as many as one likes, and those of ``files``. ``cleaned_data["wanted"]`` is everything.
    """

    depths = forms.CharField(
        label="Depths", required=False, initial="10", help_text="Of depth-k pools, such as 10, 20."
    )
    pools = forms.MultipleChoiceField(
        label="Frozen pools",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Their steps, budgets and seeds.",
    )
    qrels = forms.ChoiceField(label="Judged by")
    fed_by = forms.ChoiceField(label="Runs that may feed the pools")
    measures = forms.CharField(
        label="Rank runs by",
        required=False,
        initial=" ".join(MEASURES),
        help_text="Measures by names, with blanks between them.",
    )
    seeds = forms.IntegerField(
        min_value=1,
        max_value=MOST_SEEDS,
        initial=SEEDS,
        help_text="How often each spec is played, with another seed each time.",
    )
    budgets = forms.CharField(
        required=False,
        help_text="Judgments in all, such as 500, 1000. Empty: "
        f"{', '.join(map(str, SHARES))} % of what the deepest spec judges.",
    )

    def __init__(
        self, *args: Any, campaign: Campaign, texts: Sequence[SpecText] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.texts = list(texts)
        self.frozen = {f"{pool.version}": pool for pool in campaign.pools.all()}
        self.releases = {f"{qrels.version}": qrels for qrels in campaign.qrels.all()}
        choices: Any = {name: self.fields[name] for name in ("pools", "qrels", "fed_by")}
        pools = [(v, f"{pool}: {pool.method}") for v, pool in self.frozen.items()]
        choices["pools"].choices = pools
        choices["qrels"].choices = [(v, str(qrels)) for v, qrels in self.releases.items()]
        if campaign.judgments.exists():
            choices["qrels"].choices += [(SO_FAR, "the judgments so far")]
        newest = [("pool", f"those of {pool}") for pool in [*self.frozen.values()][:1]]
        choices["fed_by"].choices = [*newest, ("all", "all accepted runs")]
        if not self.frozen:
            del self.fields["pools"]

    def clean_measures(self) -> list[str]:
        names = split_names(self.cleaned_data["measures"]) or MEASURES
        try:
            return [measure.name for measure in parse_ranking_measures(names)]
        except ValueError as wrong:
            raise forms.ValidationError(str(wrong).splitlines()) from wrong

    def clean_depths(self) -> list[int]:
        return parse_integer_list(self.cleaned_data["depths"], MOST_SPECS)

    def clean_budgets(self) -> list[int]:
        return parse_integer_list(self.cleaned_data["budgets"], MOST_BUDGETS)

    def clean(self) -> dict[str, Any]:
        asked = super().clean() or {}
        specs = [*self.named(asked)]
        self.refuse_too_many([name for name, _ in specs])
        if any(text.errors for text in self.texts):
            self.add_error(None, [f"{t.name}: {error}" for t in self.texts for error in t.errors])
        if not self.errors:
            asked["wanted"] = SimulationRequest(
                specs={name: spec for name, spec in specs if spec},
                qrels=self.releases.get(asked["qrels"]),
                measures=asked["measures"],
                seeds=asked["seeds"],
                budgets=asked["budgets"],
                all_runs=asked["fed_by"] == "all",
            )
        return asked

    def named(self, asked: dict[str, Any]) -> Iterator[tuple[str, PoolSpec | None]]:
        """The specs by name; None for those with which something is wrong."""
        for depth in asked.get("depths", ()):
            yield f"depth {depth}", depth_spec(depth)
        for version in asked.get("pools", ()):
            yield str(self.frozen[version]), frozen_spec(self.frozen[version])
        for text in self.texts[:MOST_SPECS]:
            yield text.name, text.read()

    def refuse_too_many(self, names: Sequence[str]) -> None:
        if again := sorted({name for name in names if names.count(name) > 1}):
            self.add_error(None, f"Two specs have the same name: {', '.join(again)}. Rename one.")
        if len(names) > MOST_SPECS or len(self.texts) > MOST_SPECS:
            self.add_error(None, f"A simulation is of at most {MOST_SPECS} specs.")
        if sum(len(text.content) for text in self.texts) > 2 * LONGEST:
            self.add_error(None, f"All specs together have at most {2 * LONGEST:,} characters.")
        if not names and not self.errors:
            self.add_error(None, "Write a spec, give a depth or tick a pool.")


def parse_integer_list(text: str, most: int) -> list[int]:
    """Whole numbers from 1 with commas or blanks between them, each once, in order."""
    parts = text.replace(",", " ").split()
    if strange := [part for part in parts if not NUMBER.fullmatch(part)]:
        told = f"{strange[0][:20]!r} is no whole number from 1 to 999,999,999."
        raise forms.ValidationError(told)
    if len(parts) > most:
        raise forms.ValidationError(f"Give at most {most} numbers.")
    return sorted({*map(int, parts)})


def collect_typed_specs(data: QueryDict) -> list[SpecText]:
    """The specs typed in the fields ``name`` and ``text``; empty ones are left out."""
    pairs = zip(data.getlist("name"), data.getlist("text"), strict=False)
    return [
        SpecText(name.strip() or f"spec {at}", content)
        for at, (name, content) in enumerate(pairs, 1)
        if content.strip()
    ]


def collect_uploaded_specs(files: Sequence[UploadedFile[Any]]) -> list[SpecText]:
    """The specs in files, named by them."""
    return [read_spec_upload(PurePath(file.name or "").stem, file) for file in files]


def read_spec_upload(name: str, file: UploadedFile[Any]) -> SpecText:
    try:
        return SpecText(name, read_uploaded_spec(file))
    except forms.ValidationError as no:
        return SpecText(name, "", [str(no.message)])


def collect_specs(data: QueryDict, files: Sequence[UploadedFile[Any]]) -> list[SpecText]:
    """Both; a file takes the place of what was typed under its name."""
    new = collect_uploaded_specs(files)
    names = {text.name for text in new}
    return [*(text for text in collect_typed_specs(data) if text.name not in names), *new]
