"""From the names that users type to measures.

Taken are trec_eval's names (``map``, ``P_10``, ``P.5,10``, ``ndcg_cut.5,10``) and those of
ir_measures (``AP``, ``nDCG@10``), each with parameters in brackets where it has any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from evaluation.core.measures.family import Family, Measure, Value
from evaluation.core.measures.registry import FAMILIES

MAX_CUTOFF = 1_000_000_000
_NAME = re.compile(r"(?P<base>[^()@\s]+)(?:\((?P<params>[^()]*)\))?(?:@(?P<k>\d+))?")
_CUT = re.compile(r"(?P<base>.+?)(?:_(?P<one>\d+)|\.(?P<many>\d+(?:,\d+)*))")
_PLAIN = {n: f for f in FAMILIES.values() for n in (f.name, *f.spellings)}
_CUTTABLE = {n: f for f in FAMILIES.values() if f.cutoffs for n in (f.name, *f.cut_spellings)}


class UnknownMeasureError(ValueError):
    """A name that is no measure, or a parameter that the measure does not have."""


def parse_measures(names: Iterable[str]) -> tuple[Measure, ...]:
    """The measures of all ``names``, each once, in the order of printing.

    Raises ``UnknownMeasureError`` listing everything that is wrong with any name.
    """
    found: set[Measure] = set()
    faults: list[str] = []
    for name in names:
        try:
            found.update(parse_measure(name))
        except UnknownMeasureError as fault:
            faults.append(str(fault))
    if faults:
        raise UnknownMeasureError("\n".join(faults))
    return tuple(sorted(found, key=_print_order))


def parse_measure(name: str) -> tuple[Measure, ...]:
    """One name; several measures when it lists cut-offs, or none where one is needed."""
    text = name.strip()
    if re.fullmatch(r"bpref_\d+", text):
        raise UnknownMeasureError(
            f"{text}: trec_eval 8 had a measure bpref_10 (10 relevant, 10 non-relevant) that is "
            "not bpref-10, so the underscore is not taken. Write bpref-10 with a hyphen."
        )
    if (matched := _NAME.fullmatch(text)) is None:
        raise UnknownMeasureError(f"{text or '(empty)'}: not a measure name. {_near(text)}")
    base, params, k = matched["base"], matched["params"], matched["k"]
    family, cutoffs = _cut_at(text, base, int(k)) if k else _split(text, base)
    chosen = _parameters(text, family, params)
    return tuple(Measure(family, _sorted({**chosen, **cut})) for cut in cutoffs)


def _split(text: str, base: str) -> tuple[Family, list[dict[str, Value]]]:
    """A name without @: whole, with trec_eval's cut-offs, or a bare name of many cut-offs."""
    if (family := _PLAIN.get(base)) is not None:
        return family, [{"k": k} for k in family.cutoffs] or [{}]
    if (cut := _CUT.fullmatch(base)) and (family := FAMILIES.get(cut["base"])):
        if not family.cutoffs:
            raise UnknownMeasureError(f"{text}: {family.name} has no cut-off. Write {family.name}.")
        ranks = (cut["one"] or cut["many"]).split(",")
        return family, [{"k": _rank(text, int(rank))} for rank in ranks]
    if base in _CUTTABLE:
        raise UnknownMeasureError(f"{text}: say at which rank, for example {base}@10.")
    raise UnknownMeasureError(f"{text}: no such measure. {_near(base)}")


def _cut_at(text: str, base: str, k: int) -> tuple[Family, list[dict[str, Value]]]:
    if (family := _CUTTABLE.get(base)) is not None:
        return family, [{"k": _rank(text, k)}]
    if base in _PLAIN:
        raise UnknownMeasureError(f"{text}: {base} has no cut-off. Write {base}.")
    raise UnknownMeasureError(f"{text}: no such measure. {_near(base)}")


def _rank(text: str, k: int) -> int:
    if not 1 <= k <= MAX_CUTOFF:
        raise UnknownMeasureError(f"{text}: a cut-off is a rank from 1 to {MAX_CUTOFF:,}.")
    return k


def _parameters(text: str, family: Family, params: str | None) -> dict[str, Value]:
    """The named parameters in brackets, defaults filled in; cut-offs are not among them."""
    known = {p.name: p for p in family.card.parameters if p.name != "k"}
    chosen: dict[str, Value] = {name: p.default for name, p in known.items()}
    for part in filter(None, (part.strip() for part in (params or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in known or not equals:
            raise UnknownMeasureError(f"{text}: {_no_parameter(family, name, known)}")
        if value not in known[name].choices:
            choices = ", ".join(known[name].choices)
            raise UnknownMeasureError(f"{text}: {name} is one of {choices}.")
        chosen[name] = value
    return chosen


def _no_parameter(family: Family, name: str, known: Mapping[str, object]) -> str:
    if name == "rel":
        return "the relevance level is the same for all measures: leave (rel=…) out and use -l."
    has = f"It has {', '.join(known)}." if known else "It has none."
    return f"{family.name} has no parameter {name}. {has}"


def _near(text: str) -> str:
    names = {name.lower(): name for name in (*_CUTTABLE, *_PLAIN, *FAMILIES)}
    stem = re.split(r"[_@.(]\d*$", text.lower())[0]
    near = get_close_matches(text.lower(), names, cutoff=0.6) or get_close_matches(stem, names)
    if near:
        return f"Did you mean {' or '.join(dict.fromkeys(names[n] for n in near))}?"
    return f"Known are {', '.join(FAMILIES)}."


def _sorted(params: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(params.items()))


def _print_order(measure: Measure) -> tuple[int, list[tuple[str, int, str]]]:
    params = [(n, v if isinstance(v, int) else 0, str(v)) for n, v in measure.params]
    return list(FAMILIES).index(measure.family.name), params
