"""What docs, pages and the API tell of a family beside its card: how its names are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from campaigns.core.cards import Parameter
from evaluation.core.measures.family import Measure, MeasureFamily
from evaluation.core.measures.groups import GROUPS
from evaluation.core.measures.names import UnknownMeasureError, parse_measure, suggest_names
from evaluation.core.measures.registry import SETS
from evaluation.core.measures.values import KINDS, Value

SAMPLES = {
    "level": "0.50",
    "levels": "0.25,0.5,0.75",
    "coefficients": "2,-1,0,0",
    "gains": "1=1,2=3",
    "stand-in": "nonrelevant",
}
"""Values to show how a parameter is written, by kind; of the others the first that reads."""
LONGEST = 100
NUMBERS = ("2", "0.5", "3")


def families_by_group(families: Mapping[str, MeasureFamily]) -> dict[str, list[MeasureFamily]]:
    """The families under the title of their group, groups in the order of pages."""
    found: dict[str, list[MeasureFamily]] = {group.title: [] for group in GROUPS.values()}
    for family in families.values():
        found[GROUPS[family.group].title].append(family)
    return {title: members for title, members in found.items() if members}


def find_family(name: str) -> tuple[MeasureFamily | None, dict[str, str]]:
    """The family that ``name`` is of, and as written the parameters that it gives.

    A name that stands for several measures gives none; one of none, or one of more than
    100 characters, has no family.
    """
    found = _parsed(name) if len(name) <= LONGEST else ()
    if not found:
        return None, {}
    known, params = found[0].family.parameters(), found[0].params if len(found) == 1 else ()
    return found[0].family, {key: KINDS[known[key].kind].show(value) for key, value in params}


def explain_unknown_measure(name: str) -> tuple[str, tuple[str, ...]]:
    """Why ``name`` is no measure, in the words of the command, and measures perhaps meant.

    The list of all names, which ends the words where nothing is near, is left out.
    """
    name = name[:LONGEST]
    if name in SETS:
        return f"{name} stands for several measures.", ()
    try:
        parse_measure(name)
    except UnknownMeasureError as unknown:
        why = str(unknown).partition(" Known are ")[0]
        return why, tuple(it for it in suggest_names(name) if _parsed(it))
    return "", ()


def default_measures(family: MeasureFamily) -> tuple[str, ...]:
    """The measures that the bare name stands for; empty where it has no suffix to leave out."""
    if not family.bare:
        return ()
    return tuple(measure.name for measure in parse_measure(family.name))


def accepted_spellings(family: MeasureFamily) -> tuple[str, ...]:
    """Names that are taken for measures of the family, the printed one first."""
    return tuple(dict.fromkeys(_only_names(_forms(family), family)))


def variant_names(family: MeasureFamily, parameter: Parameter) -> tuple[str, ...]:
    """Printed names of measures that differ from the ordinary one in ``parameter``."""
    values = [choice for choice in parameter.choices if choice != parameter.default]
    values = values or ([SAMPLES[parameter.kind]] if parameter.kind in SAMPLES else [*NUMBERS])
    suffix = _suffix(family)
    if parameter.name == family.suffix:
        return (f"{family.name}_{suffix}",) if suffix else ()
    stem = f"{family.name}_{suffix}" if family.bare else family.name
    known = [_parsed(f"{stem}({parameter.name}={value})") for value in values]
    names = tuple(m[0].name for m in known if m and parameter.name in dict(m[0].params))
    return names if parameter.choices else names[:1]


def _forms(family: MeasureFamily) -> Iterator[str]:
    suffix = _suffix(family)
    if not suffix:
        yield from (family.name, *family.spellings)
        return
    yield from ([] if family.bare else [family.name, *family.spellings])
    yield f"{family.name}_{suffix}"
    yield f"{family.name}.{suffix}"
    yield from (f"{name}@{suffix}" for name in (family.name, *family.cut_spellings))


def _suffix(family: MeasureFamily) -> str:
    """A value of the parameter after the name, as it is written: the second usual, or that
    of an example; empty where the family has none."""
    if not family.suffix:
        return ""
    kind = KINDS[family.parameters()[family.suffix].kind]
    named = (m for e in family.examples for m in _parsed(e.measure or family.name))
    values: Iterable[Value] = [*family.bare[1:2], *_given_parameters(named, family.suffix)]
    usual = "5" if kind is KINDS["rank"] else ""
    return next((kind.show(value) for value in values), usual)


def _given_parameters(measures: Iterable[Measure], name: str) -> Iterator[Value]:
    return (value for measure in measures for key, value in measure.params if key == name)


def _only_names(forms: Iterable[str], family: MeasureFamily) -> Iterator[str]:
    for form in forms:
        if any(measure.family is family for measure in _parsed(form)):
            yield form


def _parsed(name: str) -> tuple[Measure, ...]:
    try:
        return parse_measure(name)
    except UnknownMeasureError:
        return ()
