"""The form to try out a measure on a small ranking."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from poolbench.cards import Parameter
from poolbench.evaluation.measures.family import Measure, MeasureFamily, WorkedExample
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measure
from poolbench.evaluation.measures.values import KINDS
from poolbench.evaluation.worked_examples import (
    Grade,
    WorkedScore,
    judged_not_retrieved,
    work_example,
)

MAX_RANKED, MAX_MISSED, MAX_GRADE = 50, 100, 99
UNJUDGED = (".", "·")
GRADE, STRATA = re.compile(r"(-[12]|[0-9]{1,2})()"), re.compile(r"(-[12]|[0-9]{1,2})([a-z]?)")
ONE_STRATUM = "a"
"""With a sampled pool, documents without a letter are in this stratum."""
TOPIC_MODIFIER = "mean"
"""A modifier without effect on a single topic."""


@dataclass(frozen=True)
class TryoutDocument:
    """A document as typed; ``stratum`` is a letter if the pool was sampled."""

    grade: Grade
    stratum: str = ""

    @property
    def mark(self) -> str:
        return UNJUDGED[0] if self.grade is None else f"{self.grade}{self.stratum}"


def parse_documents_field(
    text: str, *, most: int, allow_unjudged: bool, in_strata: bool
) -> tuple[TryoutDocument, ...]:
    """Space-separated grades.

    ``allow_unjudged``: a dot is an unjudged document. ``in_strata``: a letter may follow a
    grade. Raises ``ValidationError`` with the document's position.
    """
    marks = text.replace(",", " ").split()
    if len(marks) > most:
        raise ValidationError(f"{len(marks)} documents entered; at most {most} are allowed.")
    pattern, expected = (STRATA if in_strata else GRADE), f"integers from -2 to {MAX_GRADE}"
    expected += ", each with the letter of its stratum" if in_strata else ""
    expected += ", and . for an unjudged document" if allow_unjudged else ""
    documents = []
    for place, mark in enumerate(marks, start=1):
        if allow_unjudged and mark in UNJUDGED:
            documents.append(TryoutDocument(None))
        elif (match := pattern.fullmatch(mark)) is not None:
            documents.append(TryoutDocument(int(match[1]), match[2]))
        else:
            raise ValidationError(f"Document {place}: invalid grade {mark[:20]}. Use {expected}.")
    return tuple(documents)


class TryoutForm(forms.Form):
    """A ranking, the judged documents it lacks, and the parameters of ``family``.

    ``result()`` scores the ranking; call it only on a valid form.
    """

    ranking = forms.CharField(
        max_length=500,
        help_text="Space-separated grades from rank 1; a dot is an unjudged document.",
    )
    missed = forms.CharField(
        max_length=500,
        required=False,
        label="Judged, not retrieved",
        help_text="Grades of judged documents that are not in the ranking.",
    )

    def __init__(self, data: Mapping[str, Any], *, family: MeasureFamily) -> None:
        super().__init__(data)
        self.family = family
        if is_sampled(family):
            self.fields["ranking"].help_text += " A letter after a grade is its stratum: 1a."
        for parameter in tryout_parameters(family):
            self.fields[parameter.name] = parameter_field(family, parameter)

    def clean_ranking(self) -> tuple[TryoutDocument, ...]:
        return self.parse_field("ranking", most=MAX_RANKED, allow_unjudged=True)

    def clean_missed(self) -> tuple[TryoutDocument, ...]:
        return self.parse_field("missed", most=MAX_MISSED, allow_unjudged=False)

    def parse_field(
        self, name: str, *, most: int, allow_unjudged: bool
    ) -> tuple[TryoutDocument, ...]:
        text, in_strata = self.cleaned_data[name], is_sampled(self.family)
        return parse_documents_field(
            text, most=most, allow_unjudged=allow_unjudged, in_strata=in_strata
        )

    def clean(self) -> dict[str, Any]:
        values = {p.name: self.cleaned_data.get(p.name) for p in tryout_parameters(self.family)}
        inside = ", ".join(f"{name}={value}" for name, value in values.items() if value)
        if not self.errors:
            try:
                (self.cleaned_data["measure"],) = parse_measure(f"{self.family.name}({inside})")
            except UnknownMeasureError as error:
                self.add_error(None, str(error))
        return self.cleaned_data

    def own(self) -> list[forms.BoundField]:
        """The fields of the family's own parameters."""
        return [field for field in self if field.name in self.own_names()]

    def common(self) -> list[forms.BoundField]:
        """The fields of the parameters that all measures of a ranking take."""
        other_names = {"ranking", "missed", *self.own_names()}
        return [field for field in self if field.name not in other_names]

    def own_names(self) -> set[str]:
        return {parameter.name for parameter in self.family.parameters}

    def has_changed_common(self) -> bool:
        """Whether a common parameter is invalid or differs from its default."""
        parameters = self.family.all_parameters()
        return any(f.errors or f.value() != parameters[f.name].default for f in self.common())

    def result(self) -> WorkedScore:
        return self.result_by(self.cleaned_data["measure"])

    def result_by(self, measure: Measure) -> WorkedScore:
        """The ranking, scored by any measure."""
        ranked = self.cleaned_data["ranking"]
        missed = sorted(self.cleaned_data["missed"], key=lambda document: -document.grade)
        letters = [document.stratum or ONE_STRATUM for document in (*ranked, *missed)]
        strata = "".join(letters) if is_sampled(self.family) else ""
        return work_example(
            measure, [each.grade for each in ranked], [each.grade for each in missed], strata
        )


def is_sampled(family: MeasureFamily) -> bool:
    """Whether the family is for judgments of a sampled pool."""
    return family.group == "sampled"


def tryout_parameters(family: MeasureFamily) -> list[Parameter]:
    return [
        parameter for name, parameter in family.all_parameters().items() if name != TOPIC_MODIFIER
    ]


def parameter_field(family: MeasureFamily, parameter: Parameter) -> forms.Field:
    """A choice or short text field; required if the bare name stands for several measures."""
    name = parameter.name
    if parameter.choices:
        choices = [(choice, choice) for choice in parameter.choices]
        return forms.ChoiceField(choices=choices, required=False, label=name)
    required = name == family.suffix and bool(family.bare)
    return forms.CharField(
        max_length=60, required=required, validators=[parameter_validator(parameter)], label=name
    )


def parameter_validator(parameter: Parameter) -> Callable[[str], None]:
    """A validator of values of ``parameter``."""
    kind = KINDS[parameter.kind]

    def check(value: str) -> None:
        try:
            kind.read(value)
        except ValueError:
            raise ValidationError(f"{parameter.name} must be {kind.description}.") from None

    return check


def default_query(family: MeasureFamily) -> dict[str, str]:
    """The form's initial data: the first worked example."""
    if family.examples:
        return example_query(family, family.examples[0])
    return {"ranking": "1 0 . 2 1", "missed": "2 1 0"} | format_parameters(Measure(family))


def example_query(family: MeasureFamily, example: WorkedExample) -> dict[str, str]:
    """The form's data for ``example``."""
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
    """The parameters of ``measure`` as form data, with defaults for the others."""
    parameters = measure.family.all_parameters()
    defaults = {p.name: p.default for p in tryout_parameters(measure.family)}
    values = {name: KINDS[parameters[name].kind].show(value) for name, value in measure.params}
    return defaults | values
