"""The form with which readers try a measure on a small ranking of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns.core.cards import Parameter
from evaluation.core.measures.family import Measure, MeasureFamily, WorkedExample
from evaluation.core.measures.names import UnknownMeasureError, parse_measure
from evaluation.core.measures.values import KINDS
from evaluation.core.worked_examples import Grade, WorkedScore, judged_not_retrieved, work_example

MAX_RANKED, MAX_MISSED, MAX_GRADE = 50, 100, 99
UNJUDGED = (".", "·")
GRADE, STRATA = re.compile(r"(-[12]|[0-9]{1,2})()"), re.compile(r"(-[12]|[0-9]{1,2})([a-z]?)")
ONE_STRATUM = "a"
"""Where the pool was sampled, documents without a letter are of this stratum."""
OF_TOPICS = "mean"
"""A modifier that says nothing about one topic."""


@dataclass(frozen=True)
class TryoutDocument:
    """What was typed of one document; ``stratum`` is a letter where the pool was sampled."""

    grade: Grade
    stratum: str = ""

    @property
    def mark(self) -> str:
        return UNJUDGED[0] if self.grade is None else f"{self.grade}{self.stratum}"


def parse_documents_field(
    text: str, *, most: int, may_lack: bool, in_strata: bool
) -> tuple[TryoutDocument, ...]:
    """Grades with blanks between them.

    ``may_lack``: a dot is a document without a judgment. ``in_strata``: a letter may follow
    a grade. Raises ``ValidationError`` that names the document.
    """
    marks = text.replace(",", " ").split()
    if len(marks) > most:
        raise ValidationError(f"{len(marks)} documents are given, {most} at most.")
    read, wanted = (STRATA if in_strata else GRADE), f"whole numbers from -2 to {MAX_GRADE}"
    wanted += ", each with the letter of its stratum" if in_strata else ""
    wanted += ", and . for a document without a judgment" if may_lack else ""
    found = []
    for place, mark in enumerate(marks, start=1):
        if may_lack and mark in UNJUDGED:
            found.append(TryoutDocument(None))
        elif (known := read.fullmatch(mark)) is not None:
            found.append(TryoutDocument(int(known[1]), known[2]))
        else:
            raise ValidationError(f"Document {place}: {mark[:20]} is no grade. Write {wanted}.")
    return tuple(found)


class TryoutForm(forms.Form):
    """A ranking, what it lacks, and the parameters of ``family``.

    ``result()`` scores what was given; call it when the form is valid.
    """

    ranking = forms.CharField(
        max_length=500,
        help_text="Grades from rank 1 on, with blanks between them; a dot is unjudged.",
    )
    missed = forms.CharField(
        max_length=500,
        required=False,
        label="Judged, not retrieved",
        help_text="Grades of the judged documents that the ranking lacks.",
    )

    def __init__(self, data: Mapping[str, Any], *, family: MeasureFamily) -> None:
        super().__init__(data)
        self.family = family
        if is_sampled(family):
            self.fields["ranking"].help_text += " A letter after a grade is its stratum: 1a."
        for parameter in tryout_parameters(family):
            self.fields[parameter.name] = parameter_field(family, parameter)

    def clean_ranking(self) -> tuple[TryoutDocument, ...]:
        return self.read("ranking", most=MAX_RANKED, may_lack=True)

    def clean_missed(self) -> tuple[TryoutDocument, ...]:
        return self.read("missed", most=MAX_MISSED, may_lack=False)

    def read(self, name: str, *, most: int, may_lack: bool) -> tuple[TryoutDocument, ...]:
        text, in_strata = self.cleaned_data[name], is_sampled(self.family)
        return parse_documents_field(text, most=most, may_lack=may_lack, in_strata=in_strata)

    def clean(self) -> dict[str, Any]:
        written = {p.name: self.cleaned_data.get(p.name) for p in tryout_parameters(self.family)}
        inside = ", ".join(f"{name}={value}" for name, value in written.items() if value)
        if not self.errors:
            try:
                (self.cleaned_data["measure"],) = parse_measure(f"{self.family.name}({inside})")
            except UnknownMeasureError as fault:
                self.add_error(None, str(fault))
        return self.cleaned_data

    def own(self) -> list[forms.BoundField]:
        """The fields of the family's own parameters."""
        return [field for field in self if field.name in self.own_names()]

    def common(self) -> list[forms.BoundField]:
        """The fields of the parameters that all measures of a ranking take."""
        given = {"ranking", "missed", *self.own_names()}
        return [field for field in self if field.name not in given]

    def own_names(self) -> set[str]:
        return {parameter.name for parameter in self.family.card.parameters}

    def common_chosen(self) -> bool:
        """Whether any of the common parameters is given otherwise than by default, or wrong."""
        known = self.family.parameters()
        return any(f.errors or f.value() != known[f.name].default for f in self.common())

    def result(self) -> WorkedScore:
        return self.result_by(self.cleaned_data["measure"])

    def result_by(self, measure: Measure) -> WorkedScore:
        """What was given, scored by any measure."""
        ranked = self.cleaned_data["ranking"]
        missed = sorted(self.cleaned_data["missed"], key=lambda it: -it.grade)
        letters = [it.stratum or ONE_STRATUM for it in (*ranked, *missed)]
        strata = "".join(letters) if is_sampled(self.family) else ""
        return work_example(
            measure, [it.grade for it in ranked], [it.grade for it in missed], strata
        )


def is_sampled(family: MeasureFamily) -> bool:
    """Whether the family is for judgments of a sampled pool."""
    return family.group == "sampled"


def tryout_parameters(family: MeasureFamily) -> list[Parameter]:
    return [known for name, known in family.parameters().items() if name != OF_TOPICS]


def parameter_field(family: MeasureFamily, parameter: Parameter) -> forms.Field:
    """A choice or a short text; a name that alone stands for several measures needs a value."""
    name = parameter.name
    if parameter.choices:
        choices = [(choice, choice) for choice in parameter.choices]
        return forms.ChoiceField(choices=choices, required=False, label=name)
    needed = name == family.suffix and bool(family.bare)
    return forms.CharField(
        max_length=60, required=needed, validators=[parameter_validator(parameter)], label=name
    )


def parameter_validator(parameter: Parameter) -> Callable[[str], None]:
    """A validator: values of ``parameter`` only."""
    kind = KINDS[parameter.kind]

    def check(value: str) -> None:
        try:
            kind.read(value)
        except ValueError:
            raise ValidationError(f"{parameter.name} must be {kind.description}.") from None

    return check


def default_query(family: MeasureFamily) -> dict[str, str]:
    """What the form is given without a word from the reader: the first example."""
    if family.examples:
        return example_query(family, family.examples[0])
    return {"ranking": "1 0 . 2 1", "missed": "2 1 0"} | format_parameters(Measure(family))


def example_query(family: MeasureFamily, example: WorkedExample) -> dict[str, str]:
    """What the form is given to show ``example``."""
    (measure,) = parse_measure(example.measure or family.name)
    missed = judged_not_retrieved(example.ranked, example.judged)
    letters = example.strata or " " * (len(example.ranked) + len(missed))
    marks = [
        TryoutDocument(grade, letter.strip()).mark
        for grade, letter in zip((*example.ranked, *missed), letters, strict=True)
    ]
    count = len(example.ranked)
    ranking = {"ranking": " ".join(marks[:count]), "missed": " ".join(marks[count:])}
    return ranking | format_parameters(measure)


def format_parameters(measure: Measure) -> dict[str, str]:
    """The parameters of ``measure`` as the form takes them, defaults where it has others."""
    known = measure.family.parameters()
    usual = {p.name: p.default for p in tryout_parameters(measure.family)}
    chosen = {name: KINDS[known[name].kind].show(value) for name, value in measure.params}
    return usual | chosen
