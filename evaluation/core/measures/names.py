"""From the names that users type to measures.

Taken are trec_eval's names (``map``, ``P_10``, ``P.5,10``, ``ndcg.1=3,2=9``) and those of
ir_measures (``AP``, ``nDCG@10``, ``P(rel=2)@10``), with parameters in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from campaigns.core.cards import Parameter
from evaluation.core.measures.family import Measure, MeasureFamily
from evaluation.core.measures.registry import ELSEWHERE, FAMILIES, FOREIGN, SETS
from evaluation.core.measures.values import KINDS, Value
from evaluation.core.profiles import POOLBENCH, Profile

_NAME = re.compile(r"(?P<base>[^()@]+?)(?:\((?P<params>[^()]*)\))?(?:@(?P<cut>[^()@\s]+))?")
_MISTAKEN = {
    r"bpref_\d+": "trec_eval 8 had a measure bpref_10 (10 relevant, 10 non-relevant) that is "
    "not bpref-10, so the underscore is not taken. Write bpref-10 with a hyphen.",
    "runid": "not a measure but the name of the run, which is told without being asked for.",
}
Pair = tuple[str, str]
"""A parameter and its value as they were typed."""

_BY_NAME = {n: f for f in FAMILIES.values() for n in (f.name, *f.spellings)}
_BY_CUT = {n: f for f in FAMILIES.values() if f.suffix for n in (f.name, *f.cut_spellings)}


class UnknownMeasureError(ValueError):
    """A name that is no measure, or a parameter that the measure does not have."""


def parse_measures(names: Iterable[str], profile: Profile = POOLBENCH) -> tuple[Measure, ...]:
    """The measures of all ``names``, each once, in the order of printing.

    A name may stand for a set of measures, which ``profile`` may shape. Raises
    ``UnknownMeasureError`` listing everything that is wrong with any name.
    """
    found: dict[bool, set[Measure]] = {False: set(), True: set()}
    faults: list[str] = []
    for name, of_set in _spelt_out(names, profile):
        try:
            found[of_set].update(parse_measure(name))
        except UnknownMeasureError as fault:
            faults.append(str(fault))
    if faults:
        raise UnknownMeasureError("\n".join(faults))
    named, of_sets = found[False], found[True]
    if profile.parameters_replace:
        given = {measure.family.name for measure in named}
        of_sets = {measure for measure in of_sets if measure.family.name not in given}
    return tuple(sorted(named | of_sets, key=_print_order))


def _spelt_out(names: Iterable[str], profile: Profile) -> Iterable[tuple[str, bool]]:
    """``(name, whether it stands in a set that was asked for)``."""
    for name in names:
        known = SETS.get(name.strip())
        yield from ((own, True) for own in known(profile)) if known else ((name, False),)


def parse_measure(name: str) -> tuple[Measure, ...]:
    """One name; several measures when it lists cut-offs, or none where one is needed."""
    text = name.strip()
    for pattern, why in _MISTAKEN.items():
        if re.fullmatch(pattern, text):
            raise UnknownMeasureError(f"{text}: {why}")
    if (matched := _NAME.fullmatch(text)) is None:
        raise UnknownMeasureError(f"{text or '(empty)'}: not a measure name. {_malformed(text)}")
    base, params, cut = matched["base"].strip(), matched["params"], matched["cut"]
    family, suffixes = _cut_at(text, base, cut) if cut else _split(text, base)
    family, pairs = _at_home(family, _assignments(params or ""))
    chosen = _parameters(text, family, pairs)
    if family.suffix in chosen:
        if cut or base not in _BY_NAME:
            raise UnknownMeasureError(f"{text}: {family.suffix} is given twice.")
        suffixes = [{}]
    return tuple(_measure(text, family, {**chosen, **suffix}) for suffix in suffixes)


def _measure(text: str, family: MeasureFamily, params: Mapping[str, Value]) -> Measure:
    if family.conflict and (conflict := family.conflict(params)):
        raise UnknownMeasureError(f"{text}: {conflict}")
    return Measure(family, _sorted(params))


def _split(text: str, base: str) -> tuple[MeasureFamily, list[dict[str, Value]]]:
    """A name without @: whole, with trec_eval's parameters, or bare."""
    if (family := _BY_NAME.get(base)) is not None:
        return family, [{family.suffix: value} for value in family.bare] or [{}]
    for at, name in sorted(_stems(base), reverse=True):
        family, rest = FAMILIES[name], base[at + 1 :]
        if not family.suffix:
            raise UnknownMeasureError(f"{text}: {_uncut(name, rest)}")
        parts = [rest] if family.together or base[at] == "_" else rest.split(",")
        return family, [_suffix(text, family, part) for part in parts]
    if (family := _BY_CUT.get(base)) is not None:
        raise UnknownMeasureError(f"{text}: say at which, for example {base}@{_usual(family)}.")
    raise UnknownMeasureError(f"{text}: no such measure. {_near(base)}")


def _uncut(name: str, cut: str) -> str:
    """What to write instead of ``name`` with a cut-off that it does not have."""
    if (family := _BY_CUT.get(name)) is not None:
        return f"{name} has no cut-off. Write {name} or {family.name}_{cut}."
    ranked = f", and cut the rankings themselves with -M {cut}" if cut.isdecimal() else ""
    return f"{name} has no cut-off. Write {name}{ranked}."


def _usual(family: MeasureFamily) -> str:
    kind = KINDS[family.parameters()[family.suffix].kind]
    return kind.show(family.bare[1]) if family.bare else "10"


def _stems(base: str) -> list[tuple[int, str]]:
    """``(place, family)`` of every . or _ of ``base`` before which a family's name stands."""
    places = (at for at, sign in enumerate(base) if sign in "._")
    return [(at, base[:at]) for at in places if base[:at] in FAMILIES and base[at + 1 :]]


def _cut_at(text: str, base: str, cut: str) -> tuple[MeasureFamily, list[dict[str, Value]]]:
    if (family := _BY_CUT.get(base)) is not None:
        if re.fullmatch(r"[\d.]+(,[\d.]+)+", cut) and not family.together:
            listed = text.replace(base, f"{family.name}.{cut}", 1).replace(f"@{cut}", "")
            raise UnknownMeasureError(f"{text}: @ takes one cut-off. Write {listed}.")
        return family, [_suffix(text, family, cut)]
    if base in _BY_NAME:
        raise UnknownMeasureError(f"{text}: {_uncut(base, cut)}")
    raise UnknownMeasureError(f"{text}: no such measure. {_near(base)}")


def _suffix(text: str, family: MeasureFamily, written: str) -> dict[str, Value]:
    parameter, cut = family.parameters()[family.suffix], _BY_CUT.get(family.name, family)
    if cut is not family and written.isdecimal():
        raise UnknownMeasureError(f"{text}: {_uncut(family.name, written)}")
    value = _value(text, parameter, written)
    return {} if not family.bare and _is_default(parameter, value) else {family.suffix: value}


def _at_home(family: MeasureFamily, pairs: list[Pair]) -> tuple[MeasureFamily, list[Pair]]:
    """The family and parameters that are meant where a parameter makes another family of it."""
    kept: list[Pair] = []
    for name, value in pairs:
        said_so = ELSEWHERE.get((family.name, name, value))
        family = FAMILIES[said_so or ELSEWHERE.get((family.name, name, ""), family.name)]
        kept += [] if said_so else [(name, value)]
    return family, kept


def _parameters(text: str, family: MeasureFamily, pairs: list[Pair]) -> dict[str, Value]:
    """The parameters in brackets that are not at their defaults."""
    known, chosen, given = family.parameters(), {}, set[str]()
    for pair in pairs:
        name, written = FOREIGN.get(pair, pair)
        if name in given:
            raise UnknownMeasureError(f"{text}: {name} is given twice.")
        given.add(name)
        if name not in known or not written:
            raise UnknownMeasureError(f"{text}: {_no_parameter(family, name, known)}")
        value = _value(text, known[name], written)
        if (name == family.suffix and family.bare) or not _is_default(known[name], value):
            chosen[name] = value
    return chosen


def _assignments(params: str) -> list[Pair]:
    """``name=value`` pairs; a piece that names nothing belongs to the value before it."""
    pairs: list[Pair] = []
    for part in filter(None, (part.strip() for part in params.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if pairs and (not equals or name.isdigit()):
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{part}")
        else:
            pairs.append((name, value.strip("'\"")))
    return pairs


def _value(text: str, parameter: Parameter, written: str) -> Value:
    if parameter.choices and written not in parameter.choices:
        choices = ", ".join(parameter.choices)
        raise UnknownMeasureError(f"{text}: {parameter.name} is one of {choices}.")
    kind = KINDS[parameter.kind]
    try:
        return kind.read(written)
    except ValueError:
        what = "a cut-off" if parameter.kind == "rank" else parameter.name
        raise UnknownMeasureError(f"{text}: {what} is {kind.description}.") from None


def _is_default(parameter: Parameter, value: Value) -> bool:
    return bool(parameter.default) and KINDS[parameter.kind].read(parameter.default) == value


def _no_parameter(family: MeasureFamily, name: str, known: Mapping[str, object]) -> str:
    has = f"It has {', '.join(known)}." if known else "It has none."
    return f"{family.name} has no parameter {name}. {has}"


def _malformed(text: str) -> str:
    opened, closed = text.count("("), text.count(")")
    if opened != closed:
        return f"A bracket is not {'closed' if opened > closed else 'opened'}."
    return _near(text)


def suggest_names(text: str) -> tuple[str, ...]:
    """Names that are spelt nearly as ``text``, the nearest first."""
    names = {name.lower(): name for name in (*_BY_CUT, *_BY_NAME, *FAMILIES)}
    stem = re.split(r"[_@.(]\d*$", text.lower())[0]
    close = get_close_matches(text.lower(), names, cutoff=0.6) or get_close_matches(stem, names)
    return tuple(dict.fromkeys(names[name] for name in close))


def _near(text: str) -> str:
    if names := suggest_names(text):
        return f"Did you mean {' or '.join(names)}?"
    return f"Known are {', '.join(FAMILIES)}."


def _sorted(params: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(params.items()))


def _print_order(measure: Measure) -> tuple[int, list[tuple[str, float, str]]]:
    params = [(n, v if isinstance(v, int | float) else 0, str(v)) for n, v in measure.params]
    return list(FAMILIES).index(measure.family.name), params
