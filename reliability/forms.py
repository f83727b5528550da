"""Forms of organizers: adjudication rounds by value, stopping rules, simulation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from campaigns.models import Campaign, User
from judging.models import StoppingRule
from judging.queries.adjudication import list_adjudicators
from poolbench.files.faults import InvalidFile
from poolbench.files.name_lists import split_names
from poolbench.judging.stopping import StoppingCriteria
from poolbench.pooling.spec import PoolSpec, depth_spec
from poolbench.pooling.spec_file import MAX_SPEC_LENGTH, read_spec
from poolbench.reliability.disagreement.report import parse_ranking_measures
from poolbench.reliability.simulation.report import MEASURES, SEEDS, SHARES
from pooling.forms import iter_spec_faults, read_uploaded_spec
from pooling.queries.frozen_pools import frozen_spec
from reliability.services.simulation import SimulationRequest

MOST_SPECS, MOST_SEEDS, MOST_BUDGETS, LONGEST_NAME = 20, 50, 50, 60
CURRENT = "so-far"
NUMBER = re.compile("[1-9][0-9]{0,8}")


class RoundByValueForm(forms.Form):
    """The number of pairs with the highest rank-swap values, and who adjudicates them."""

    most = forms.IntegerField(min_value=1, max_value=10_000, initial=20, label="Pairs")
    adjudicators = forms.ModelMultipleChoiceField(User.objects.none())
    blind = forms.BooleanField(required=False, initial=True)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["adjudicators"] = forms.ModelMultipleChoiceField(
            list_adjudicators(campaign), widget=forms.CheckboxSelectMultiple
        )


class StoppingForm(forms.Form):
    """When a topic is complete; empty fields are not part of the rule."""

    documents = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="Judged documents"
    )
    relevant = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="Relevant documents"
    )
    no_relevant_in = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="Consecutive non-relevant documents"
    )

    @classmethod
    def from_row(cls, row: StoppingRule | None) -> StoppingForm:
        return cls(initial=vars(row.rule) if row else {})

    @property
    def rule(self) -> StoppingCriteria:
        return StoppingCriteria(**self.cleaned_data)


@dataclass
class SpecText:
    """A spec as typed or uploaded, and its errors."""

    name: str
    content: str
    errors: list[str] = field(default_factory=list)

    def parse(self) -> PoolSpec | None:
        """The spec; None if it is invalid: then ``errors`` says why."""
        if self.errors:
            return None
        if not self.name.isprintable() or len(self.name) > LONGEST_NAME:
            self.errors.append(f"A name must have at most {LONGEST_NAME} printable characters.")
        if len(self.content) > MAX_SPEC_LENGTH:
            self.errors.append(f"A spec must have at most {MAX_SPEC_LENGTH:,} characters.")
            return None
        try:
            return read_spec(self.content)
        except InvalidFile as invalid:
            self.errors += iter_spec_faults(invalid)
        return None


class SimulationForm(forms.Form):
    """``texts`` are the specs typed in the repeated fields ``name`` and ``text``, and those
    uploaded as ``files``. ``cleaned_data["request"]`` is the ``SimulationRequest``.
    """

    help_words = {"depths": "pool depth", "seeds": "seed", "budgets": "budget"}

    depths = forms.CharField(
        label="Depths", required=False, initial="10", help_text="Depth-k pools, such as 10, 20."
    )
    pools = forms.MultipleChoiceField(
        label="Frozen pools",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Simulated with their steps, budgets and seeds.",
    )
    qrels = forms.ChoiceField(label="Judgments")
    fed_by = forms.ChoiceField(label="Contributing runs")
    measures = forms.CharField(
        label="Rank runs by",
        required=False,
        initial=" ".join(MEASURES),
        help_text="Space-separated measure names.",
    )
    seeds = forms.IntegerField(
        min_value=1,
        max_value=MOST_SEEDS,
        initial=SEEDS,
        help_text="Replays per spec, each with its own seed.",
    )
    budgets = forms.CharField(
        required=False,
        help_text="Total judgments, such as 500, 1000. Default: "
        f"{', '.join(map(str, SHARES))} % of the judgments of the deepest spec.",
    )

    def __init__(
        self, *args: Any, campaign: Campaign, texts: Sequence[SpecText] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.texts = list(texts)
        self.frozen = {f"{pool.version}": pool for pool in campaign.pools.all()}
        self.qrels_versions = {f"{qrels.version}": qrels for qrels in campaign.qrels.all()}
        choices: Any = {name: self.fields[name] for name in ("pools", "qrels", "fed_by")}
        pools = [(v, f"{pool}: {pool.method}") for v, pool in self.frozen.items()]
        choices["pools"].choices = pools
        choices["qrels"].choices = [(v, str(qrels)) for v, qrels in self.qrels_versions.items()]
        if campaign.judgments.exists():
            choices["qrels"].choices += [(CURRENT, "current judgments")]
        newest = [("pool", f"runs of {pool}") for pool in [*self.frozen.values()][:1]]
        choices["fed_by"].choices = [*newest, ("all", "all accepted runs")]
        if not self.frozen:
            del self.fields["pools"]

    def clean_measures(self) -> list[str]:
        names = split_names(self.cleaned_data["measures"]) or MEASURES
        try:
            return [measure.name for measure in parse_ranking_measures(names)]
        except ValueError as error:
            raise forms.ValidationError(str(error).splitlines()) from error

    def clean_depths(self) -> list[int]:
        return parse_integer_list(self.cleaned_data["depths"], MOST_SPECS)

    def clean_budgets(self) -> list[int]:
        return parse_integer_list(self.cleaned_data["budgets"], MOST_BUDGETS)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        specs = [*self.iter_named_specs(cleaned)]
        self.check_limits([name for name, _ in specs])
        if any(text.errors for text in self.texts):
            self.add_error(None, [f"{t.name}: {error}" for t in self.texts for error in t.errors])
        if not self.errors:
            cleaned["request"] = SimulationRequest(
                specs={name: spec for name, spec in specs if spec},
                qrels=self.qrels_versions.get(cleaned["qrels"]),
                measures=cleaned["measures"],
                seeds=cleaned["seeds"],
                budgets=cleaned["budgets"],
                all_runs=cleaned["fed_by"] == "all",
            )
        return cleaned

    def iter_named_specs(self, cleaned: dict[str, Any]) -> Iterator[tuple[str, PoolSpec | None]]:
        """The specs by name; None for invalid ones."""
        for depth in cleaned.get("depths", ()):
            yield f"depth {depth}", depth_spec(depth)
        for version in cleaned.get("pools", ()):
            yield str(self.frozen[version]), frozen_spec(self.frozen[version])
        for text in self.texts[:MOST_SPECS]:
            yield text.name, text.parse()

    def check_limits(self, names: Sequence[str]) -> None:
        if duplicates := sorted({name for name in names if names.count(name) > 1}):
            self.add_error(
                None, f"Duplicate spec names: {', '.join(duplicates)}. Rename the specs."
            )
        if len(names) > MOST_SPECS or len(self.texts) > MOST_SPECS:
            self.add_error(None, f"A simulation must have at most {MOST_SPECS} specs.")
        if sum(len(text.content) for text in self.texts) > 2 * MAX_SPEC_LENGTH:
            self.add_error(
                None, f"All specs together must have at most {2 * MAX_SPEC_LENGTH:,} characters."
            )
        if not names and not self.errors:
            self.add_error(None, "Enter a spec or a depth, or select a pool.")


def parse_integer_list(text: str, most: int) -> list[int]:
    """Comma- or space-separated integers ≥ 1, without duplicates, in ascending order."""
    parts = text.replace(",", " ").split()
    if invalid := [part for part in parts if not NUMBER.fullmatch(part)]:
        message = f"{invalid[0][:20]!r} must be an integer between 1 and 999,999,999."
        raise forms.ValidationError(message)
    if len(parts) > most:
        raise forms.ValidationError(f"Enter at most {most} numbers.")
    return sorted({*map(int, parts)})


def collect_specs(data: QueryDict, files: Sequence[UploadedFile[Any]]) -> list[SpecText]:
    """Those typed in the fields ``name`` and ``text``, without empty ones, and those in files,
    named after the files; a file replaces the typed spec of the same name.
    """
    uploaded = [read_spec_upload(PurePath(file.name or "").stem, file) for file in files]
    pairs = zip(data.getlist("name"), data.getlist("text"), strict=False)
    typed = [
        SpecText(name.strip() or f"spec {at}", content)
        for at, (name, content) in enumerate(pairs, 1)
        if content.strip()
    ]
    names = {text.name for text in uploaded}
    return [*(text for text in typed if text.name not in names), *uploaded]


def read_spec_upload(name: str, file: UploadedFile[Any]) -> SpecText:
    try:
        return SpecText(name, read_uploaded_spec(file))
    except forms.ValidationError as error:
        return SpecText(name, "", [str(error.message)])
