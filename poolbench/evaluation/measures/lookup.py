"""How the names of a family are written: spellings, variants and unknown names, for docs, pages and
the API."""

from collections.abc import Iterator, Mapping

from poolbench.cards import Parameter
from poolbench.evaluation.measures.family import GROUPS, MeasureFamily
from poolbench.evaluation.measures.names import (
    UnknownMeasureError,
    find_measures,
    parse_measure,
    suggest_names,
)
from poolbench.evaluation.measures.registry import OF_PROGRAMS, SETS
from poolbench.evaluation.measures.values import KINDS

SAMPLES = {
    "level": "0.50",
    "levels": "0.25,0.5,0.75",
    "coefficients": "2,-1,0,0",
    "gains": "1=1,2=3",
    "stand-in": "nonrelevant",
}
"""Sample values of parameters by kind; for other kinds the first valid one of ``NUMBERS``."""
LONGEST = 100
NUMBERS = ("2", "0.5", "3")


def families_by_group(families: Mapping[str, MeasureFamily]) -> dict[str, list[MeasureFamily]]:
    """The families by the title of their group, groups in display order."""
    groups: dict[str, list[MeasureFamily]] = {group.title: [] for group in GROUPS.values()}
    for family in families.values():
        groups[GROUPS[family.group].title].append(family)
    return {title: members for title, members in groups.items() if members}


def find_family(name: str) -> tuple[MeasureFamily | None, dict[str, str]]:
    """The family of the measure ``name``, and the parameters in it as written.

    A name that denotes several measures has no parameters; an unknown name, or one of more than 100
    characters, has no family.
    """
    measures = find_measures(name) if len(name) <= LONGEST else ()
    if not measures:
        return None, {}
    known, params = (
        measures[0].family.all_parameters(),
        measures[0].params if len(measures) == 1 else (),
    )
    return measures[0].family, {key: KINDS[known[key].kind].show(value) for key, value in params}


def explain_unknown_measure(name: str) -> tuple[str, tuple[str, ...]]:
    """Why ``name`` is not a measure, worded as in the command, and suggested measures.

    The list of all names at the end of a message without suggestions is left out.
    """
    name = name[:LONGEST]
    if name in SETS:
        return f"{name} denotes several measures.", ()
    try:
        parse_measure(name)
    except UnknownMeasureError as unknown:
        why = str(unknown).partition(" Known measures: ")[0]
        return why, tuple(
            suggestion for suggestion in suggest_names(name) if find_measures(suggestion)
        )
    return "", ()


def default_measures(family: MeasureFamily) -> tuple[str, ...]:
    """The measures that the bare name denotes; empty if there is no suffix to leave out."""
    if not family.bare:
        return ()
    return tuple(measure.name for measure in parse_measure(family.name))


def accepted_spellings(family: MeasureFamily) -> tuple[str, ...]:
    """Accepted names of measures of the family, the printed one first; without names of other
    programs that fix a parameter, which the card explains."""
    forms = (form for form in _forms(family) if not _fixes_parameter(form, family))
    own = (form for form in forms if any(m.family is family for m in find_measures(form)))
    return tuple(dict.fromkeys(own))


def variant_names(family: MeasureFamily, parameter: Parameter) -> tuple[str, ...]:
    """Printed names of measures that differ from the default one in ``parameter``."""
    values = [choice for choice in parameter.choices if choice != parameter.default]
    values = values or ([SAMPLES[parameter.kind]] if parameter.kind in SAMPLES else [*NUMBERS])
    suffix = _suffix(family)
    if parameter.name == family.suffix:
        return (f"{family.name}_{suffix}",) if suffix else ()
    stem = f"{family.name}_{suffix}" if family.bare else family.name
    known = [find_measures(f"{stem}({parameter.name}={value})") for value in values]
    names = tuple(m[0].name for m in known if m and parameter.name in dict(m[0].params))
    return names if parameter.choices else names[:1]


def _fixes_parameter(form: str, family: MeasureFamily) -> bool:
    base, at, _ = form.partition("@")
    fixed = OF_PROGRAMS.get(base) or OF_PROGRAMS.get(base + at)
    return fixed is not None and not (at and fixed[0] == family.suffix)


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
    """A sample value of the suffix parameter as written: the second default, or that of an example;
    empty if the family has none."""
    if not family.suffix:
        return ""
    kind = KINDS[family.all_parameters()[family.suffix].kind]
    named = (m for e in family.examples for m in find_measures(e.measure or family.name))
    of_examples = (value for m in named for key, value in m.params if key == family.suffix)
    usual = "5" if kind is KINDS["rank"] else ""
    return next((kind.show(value) for value in (*family.bare[1:2], *of_examples)), usual)
