"""The blocks of docs/measures.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from campaigns.core.cards import card_anchor, heading_anchor, render_card_markdown
from evaluation.core.measures.family import RANKED, MeasureFamily, WorkedExample
from evaluation.core.measures.groups import GROUPS
from evaluation.core.measures.lookup import accepted_spellings, default_measures, families_by_group
from evaluation.core.measures.modifiers import MODIFIERS
from evaluation.core.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from evaluation.core.profiles import PROFILES
from evaluation.core.worked_examples import work_card_example

ABOUT = {group.title: group.about for group in GROUPS.values()}


def _contents() -> Iterator[str]:
    yield "| family | what it measures | measures |\n|---|---|---|"
    for title, families in families_by_group(FAMILIES).items():
        links = ", ".join(f"[`{family.name}`](#{family_anchor(family)})" for family in families)
        yield f"| [{title}](#{heading_anchor(title)}) | {ABOUT[title].rstrip('.')} | {links} |"


def _profiles() -> Iterator[str]:
    yield from (f"- `{profile.name}`: {profile.meaning}" for profile in PROFILES.values())


def _modifiers() -> Iterator[str]:
    for modifier in MODIFIERS.values():
        known = modifier.parameter
        choices = f" One of {_codes(known.choices)}; default `{known.default}`."
        yield f"- `{known.name}`: {known.meaning}{choices if known.choices else ''}"


def _sets() -> Iterator[str]:
    yield f"- `default`, computed without `-m`: {_codes(DEFAULT_NAMES)}"
    for name, names in SETS.items():
        if name != "default":
            yield f"- `{name}`: {_codes(names(PROFILES['poolbench-1']))}"


def _families() -> Iterator[str]:
    for title, families in families_by_group(FAMILIES).items():
        yield f"## {title}\n\n{ABOUT[title]}\n"
        yield from map(render_family, families)


def family_anchor(family: MeasureFamily) -> str:
    """The anchor of the family's section."""
    return card_anchor(family.card)


def render_family(family: MeasureFamily) -> str:
    return "\n".join([render_card_markdown(family.card), *_facts(family), ""])


def _facts(family: MeasureFamily) -> Iterator[str]:
    yield f"Names: {_codes(accepted_spellings(family))}."
    if family.better == "neither":
        yield "Neither higher nor lower values are better, so no run is marked as best."
    if names := default_measures(family):
        yield f"`{family.name}` alone stands for {_codes(names)}."
    if family.modifiers != RANKED:
        yield f"Common parameters: {_codes(family.modifiers) or 'none'}."
    yield ""
    for example in family.examples:
        yield render_example(family, example) + "\n"


def render_example(family: MeasureFamily, example: WorkedExample) -> str:
    """An example with the value that the engine computes."""
    worked = work_card_example(family, example)
    marks = ["·" if step.grade is None else f"{step.grade}{step.stratum}" for step in worked.steps]
    letters = worked.strata[len(marks) :] or [""] * len(worked.missed)
    missed = [f"{grade}{letter}" for grade, letter in zip(worked.missed, letters, strict=True)]
    beside = f", judged and not retrieved `{' '.join(missed)}`" if missed else ""
    value = "null" if worked.value is None else f"{worked.value:.4f}".rstrip("0").rstrip(".")
    return (
        f"Example: ranking `{' '.join(marks)}`{beside}: "
        f"{worked.name} = {example.working} = {value}."
    )


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


BLOCKS = {
    "measures.contents": lambda: "\n".join(_contents()),
    "measures.profiles": lambda: "\n".join(_profiles()),
    "measures.modifiers": lambda: "\n".join(_modifiers()),
    "measures.sets": lambda: "\n".join(_sets()),
    "measures.families": lambda: "\n".join(_families()),
}
