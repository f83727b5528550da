"""Measures of every family, with each choice of each parameter, for tests of what all share."""

from collections.abc import Iterable, Iterator

from poolbench.evaluation.measures.family import Measure, MeasureFamily
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measure
from poolbench.evaluation.measures.registry import FAMILIES
from tests.examples import take_families

SAMPLES = {
    "k": (1, 3), "p": (0.5,), "T": (2,), "beta": (2,), "b": (3,), "max_rel": (2, 4),
    "gains": ("1=2,2=3", "1=3,2=1"), "recall": (0.5, 1), "multiple": (0.6, 2),
    "levels": ("0.2,0.9",), "coefficients": ("2,-1,-3,0", "-1,2,3,1"),
}  # fmt: skip
"""Values to try for parameters that have no choices."""
MODIFIERS = ("rel=2", "list=condensed", "mean=median")


def measures_of(family: MeasureFamily) -> tuple[Measure, ...]:
    """Measures of the family, all of them different."""
    names = [example.measure or family.name for example in family.examples]
    start = "k=3, " if family.suffix == "k" and family.bare else ""
    for parameter in family.card.parameters:
        choices = parameter.choices or SAMPLES.get(parameter.name, ())
        names += [f"{family.name}({start}{parameter.name}={value})" for value in choices]
    if any(parameter.name == "k" for parameter in family.card.parameters):
        names.append(f"{family.name}(k=3)")
    found = [_parsed(family.name)[:2], *map(_parsed, names)]
    return tuple(dict.fromkeys(measure for measures in found for measure in measures))


TRIED = tuple(take_families(FAMILIES.values()))
"""In ``make test`` not all of them."""


def everything(families: Iterable[MeasureFamily] = TRIED) -> tuple[Measure, ...]:
    return tuple(measure for family in families for measure in measures_of(family))


def with_modifiers(families: Iterable[MeasureFamily] = TRIED) -> tuple[Measure, ...]:
    """One measure of each family with each modifier that it takes."""
    return tuple(dict.fromkeys(_modified(families)))


def _modified(families: Iterable[MeasureFamily]) -> Iterator[Measure]:
    for family in families:
        example = measures_of(family)[0].name
        for modifier in MODIFIERS:
            inside = f"{example[:-1]}, {modifier})" if "(" in example else f"{example}({modifier})"
            yield from _parsed(inside)


def _parsed(name: str) -> tuple[Measure, ...]:
    try:
        return parse_measure(name)
    except UnknownMeasureError:
        return ()
