"""Parse measure names.

Accepted are trec_eval's names (``map``, ``P_10``, ``P.5,10``, ``ndcg.1=3,2=9``) and those of
ir_measures (``AP``, ``nDCG@10``, ``P(rel=2)@10``), with parameters in parentheses.
"""

import re
from collections.abc import Iterable, Mapping

from poolbench.cards import Parameter
from poolbench.evaluation.measures.family import Measure, MeasureFamily
from poolbench.evaluation.measures.registry import ELSEWHERE, FAMILIES, FOREIGN, OF_PROGRAMS, SETS
from poolbench.evaluation.measures.values import KINDS, Value
from poolbench.evaluation.profiles import POOLBENCH, Profile

_NAME = re.compile(r"(?P<base>[^()@]+?)(?:\((?P<params>[^()]*)\))?(?:@(?P<cut>[^()@\s]+))?")
_REJECTED = {
    r"bpref_\d+": "trec_eval 8 had another measure bpref_10 (10 relevant, 10 non-relevant), so the "
    "name with an underscore is not accepted. Write bpref-10 with a hyphen.",
    "runid": "not a measure but the run tag, which is always printed.",
}
Pair = tuple[str, str]
"""A parameter and its value as typed."""

_BY_NAME = {n: f for f in FAMILIES.values() for n in (f.name, *f.spellings)}
_BY_CUT = {n: f for f in FAMILIES.values() if f.suffix for n in (f.name, *f.cut_spellings)}


class UnknownMeasureError(ValueError):
    """An unknown measure or parameter, or an invalid value."""


def parse_measures(names: Iterable[str], profile: Profile = POOLBENCH) -> tuple[Measure, ...]:
    """The measures of all ``names``, without duplicates, in print order.

    A name may denote a set of measures, which can depend on ``profile``. Raises
    ``UnknownMeasureError`` with the errors of all names.
    """
    measures: dict[bool, set[Measure]] = {False: set(), True: set()}
    faults: list[str] = []
    for name, of_set in _expand_sets(names, profile):
        try:
            measures[of_set].update(parse_measure(name))
        except UnknownMeasureError as fault:
            faults.append(str(fault))
    if faults:
        raise UnknownMeasureError("\n".join(faults))
    named, of_sets = measures[False], measures[True]
    if profile.parameters_replace:
        families = {measure.family.name for measure in named}
        of_sets = {measure for measure in of_sets if measure.family.name not in families}
    return tuple(sorted(named | of_sets, key=_print_order))


def _expand_sets(names: Iterable[str], profile: Profile) -> Iterable[tuple[str, bool]]:
    """``(name, whether it belongs to a requested set)``."""
    for name in names:
        known = SETS.get(name.strip())
        yield from ((own, True) for own in known(profile)) if known else ((name, False),)


def parse_measure(name: str) -> tuple[Measure, ...]:
    """The measures of one name: several if it lists cut-offs or lacks a required one."""
    text = name.strip()
    for pattern, why in _REJECTED.items():
        if re.fullmatch(pattern, text):
            raise UnknownMeasureError(f"{text}: {why}")
    if (matched := _NAME.fullmatch(text)) is None:
        raise UnknownMeasureError(f"{text or '(empty)'}: not a measure name. {_malformed(text)}")
    base, params, cut = matched["base"].strip(), matched["params"], matched["cut"]
    family, suffixes = _cut_at(text, base, cut) if cut else _split(text, base)
    family, pairs = _resolve_family(family, _assignments(params or ""))
    pairs += _fixed_by_program(base, cut, family, pairs)
    chosen = _parameters(text, family, pairs)
    if family.suffix in chosen:
        if cut or base not in _BY_NAME:
            raise UnknownMeasureError(f"{text}: {family.suffix} is given twice.")
        suffixes = [{}]
    return tuple(_measure(text, family, {**chosen, **suffix}) for suffix in suffixes)


def find_measures(name: str) -> tuple[Measure, ...]:
    """As ``parse_measure``; none for an unknown name."""
    try:
        return parse_measure(name)
    except UnknownMeasureError:
        return ()


def _measure(text: str, family: MeasureFamily, params: Mapping[str, Value]) -> Measure:
    if family.conflict and (conflict := family.conflict(params)):
        raise UnknownMeasureError(f"{text}: {conflict}")
    return Measure(family, tuple(sorted(params.items())))


def _split(text: str, base: str) -> tuple[MeasureFamily, list[dict[str, Value]]]:
    """A name without @: complete, with trec_eval's parameters, or bare."""
    if (family := _BY_NAME.get(base)) is not None:
        return family, [{family.suffix: value} for value in family.bare] or [{}]
    joined = re.fullmatch(r"(.*[A-Za-z])(\d+)", base)
    if joined and find_measures(meant := "_".join(joined.groups())):
        raise UnknownMeasureError(f"{text}: unknown measure. Did you mean {meant}?")
    for at, name in sorted(_stems(base), reverse=True):
        family, rest = FAMILIES[name], base[at + 1 :]
        if not family.suffix:
            raise UnknownMeasureError(f"{text}: {_cutoff_error(name, rest)}")
        parts = [rest] if family.together or base[at] == "_" else rest.split(",")
        return family, [_suffix(text, family, part) for part in parts]
    if (family := _BY_CUT.get(base)) is not None:
        raise UnknownMeasureError(
            f"{text}: {family.suffix} is required, for example {base}@{_default_value(family)}."
        )
    raise UnknownMeasureError(f"{text}: unknown measure. {_suggestion(base)}")


def _cutoff_error(name: str, cut: str) -> str:
    """The error for ``name`` with a cut-off that it does not have, and what to write instead."""
    if (family := _BY_CUT.get(name)) is not None:
        return f"{name} has no cut-off. Write {name} or {family.name}_{cut}."
    parameters = FAMILIES[name].all_parameters().values() if name in FAMILIES else ()
    if "." in cut and (named := [each.name for each in parameters if each.kind == "share"]):
        return f"{name} has no cut-off. Write {name}({named[0]}={cut})."
    ranked = f", and truncate the rankings with -M {cut}" if cut.isdecimal() else ""
    return f"{name} has no cut-off. Write {name}{ranked}."


def _default_value(family: MeasureFamily) -> str:
    kind = KINDS[family.all_parameters()[family.suffix].kind]
    return kind.show(family.bare[:2][-1]) if family.bare else "10"


def _stems(base: str) -> list[tuple[int, str]]:
    """``(place, family)`` of each . or _ in ``base`` that follows the name of a family."""
    places = (at for at, sign in enumerate(base) if sign in "._")
    return [(at, base[:at]) for at in places if base[:at] in FAMILIES and base[at + 1 :]]


def _cut_at(text: str, base: str, cut: str) -> tuple[MeasureFamily, list[dict[str, Value]]]:
    if (family := _BY_CUT.get(base)) is not None:
        if re.fullmatch(r"[\d.]+(,[\d.]+)+", cut) and not family.together:
            listed = text.replace(base, f"{family.name}.{cut}", 1).replace(f"@{cut}", "")
            raise UnknownMeasureError(f"{text}: @ takes one cut-off. Write {listed}.")
        return family, [_suffix(text, family, cut)]
    if base in _BY_NAME:
        raise UnknownMeasureError(f"{text}: {_cutoff_error(base, cut)}")
    raise UnknownMeasureError(f"{text}: unknown measure. {_suggestion(base, f'@{cut}')}")


def _suffix(text: str, family: MeasureFamily, typed: str) -> dict[str, Value]:
    parameter, cut = family.all_parameters()[family.suffix], _BY_CUT.get(family.name, family)
    if cut is not family and typed.isdecimal():
        raise UnknownMeasureError(f"{text}: {_cutoff_error(family.name, typed)}")
    value = _value(text, parameter, typed)
    return {} if not family.bare and _is_default(parameter, value) else {family.suffix: value}


def _resolve_family(family: MeasureFamily, pairs: list[Pair]) -> tuple[MeasureFamily, list[Pair]]:
    """The family and the remaining parameters, where a parameter selects another family."""
    remaining: list[Pair] = []
    for name, value in pairs:
        other_family = ELSEWHERE.get((family.name, name, value))
        family = FAMILIES[other_family or ELSEWHERE.get((family.name, name, ""), family.name)]
        remaining += [] if other_family else [(name, value)]
    return family, remaining


def _fixed_by_program(
    base: str, cut: str | None, family: MeasureFamily, pairs: list[Pair]
) -> list[Pair]:
    """The parameter that the program fixes whose name for the measure ``base`` is."""
    fixed = OF_PROGRAMS.get(base) or (OF_PROGRAMS.get(f"{base}@") if cut else None)
    stated = {*dict(pairs), *([family.suffix] if cut else [])}
    return [fixed] if fixed and fixed[0] not in stated else []


def _parameters(text: str, family: MeasureFamily, pairs: list[Pair]) -> dict[str, Value]:
    """The parameters in parentheses that differ from their defaults."""
    parameters, chosen, seen = family.all_parameters(), {}, set[str]()
    for pair in pairs:
        name, typed = FOREIGN.get(pair, pair)
        if name in seen:
            raise UnknownMeasureError(f"{text}: {name} is given twice.")
        seen.add(name)
        if name not in parameters or not typed:
            raise UnknownMeasureError(f"{text}: {_no_parameter(family, name, parameters)}")
        value = _value(text, parameters[name], typed)
        if (name == family.suffix and family.bare) or not _is_default(parameters[name], value):
            chosen[name] = value
    return chosen


def _assignments(params: str) -> list[Pair]:
    """``name=value`` pairs; a part without a name belongs to the value before it."""
    pairs: list[Pair] = []
    for part in filter(None, (part.strip() for part in params.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if pairs and (not equals or name.isdigit()):
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{part}")
        else:
            pairs.append((name, value.strip("'\"")))
    return pairs


def _value(text: str, parameter: Parameter, typed: str) -> Value:
    if parameter.choices and typed not in parameter.choices:
        choices = ", ".join(parameter.choices)
        raise UnknownMeasureError(f"{text}: {parameter.name} must be one of {choices}.")
    kind = KINDS[parameter.kind]
    try:
        return kind.read(typed)
    except ValueError:
        what = "a cut-off" if parameter.kind == "rank" else parameter.name
        raise UnknownMeasureError(f"{text}: {what} must be {kind.description}.") from None


def _is_default(parameter: Parameter, value: Value) -> bool:
    return bool(parameter.default) and KINDS[parameter.kind].read(parameter.default) == value


def _no_parameter(family: MeasureFamily, name: str, parameters: Mapping[str, object]) -> str:
    has = f"Known parameters: {', '.join(parameters)}." if parameters else "It has no parameters."
    return f"{family.name} has no parameter {name}. {has}"


def _malformed(text: str) -> str:
    opened, closed = text.count("("), text.count(")")
    if opened != closed:
        return f"A parenthesis is not {'closed' if opened > closed else 'opened'}."
    return _suggestion(text)


def suggest_names(text: str, cut: str = "") -> tuple[str, ...]:
    """Names spelled similarly to ``text``, the closest first; with ``cut`` those that take one,
    in the spelling before it: ``nDCG@10``."""
    from difflib import get_close_matches  # slow to load, and for unknown names only

    if cut:
        close = get_close_matches(text.lower(), {name.lower() for name in _BY_CUT})
        alike = ([name for name in _BY_CUT if name.lower() == each] for each in close)
        own = [get_close_matches(text, spellings, 1, cutoff=0.0)[0] for spellings in alike]
        return tuple(name + cut for name in own) or suggest_names(text)
    names = {name.lower(): name for name in (*_BY_CUT, *_BY_NAME, *FAMILIES)}
    stem = re.split(r"[_@.(]\d*$", text.lower())[0]
    close = get_close_matches(text.lower(), names, cutoff=0.6) or get_close_matches(stem, names)
    return tuple(dict.fromkeys(names[name] for name in close))


def _suggestion(text: str, cut: str = "") -> str:
    if names := suggest_names(text, cut):
        return f"Did you mean {' or '.join(names)}?"
    return f"Known measures: {', '.join(FAMILIES)}."


def _print_order(measure: Measure) -> tuple[int, list[tuple[str, float, str]]]:
    params = [(n, v if isinstance(v, int | float) else 0, str(v)) for n, v in measure.params]
    return list(FAMILIES).index(measure.family.name), params
