"""docs/measures.md, made from the cards: ``python -m evaluation.core.measures.page``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from campaigns.core.cards import render_card_markdown
from evaluation.core.measures.family import RANKED, MeasureFamily, WorkedExample
from evaluation.core.measures.groups import GROUPS
from evaluation.core.measures.lookup import accepted_spellings, default_measures, families_by_group
from evaluation.core.measures.modifiers import MODIFIERS
from evaluation.core.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from evaluation.core.profiles import PROFILES
from evaluation.core.worked_examples import work_card_example

HEAD = """# Measures

This page is made from the cards in `evaluation/core/measures/`
(`python -m evaluation.core.measures.page > docs/measures.md`); a test compares the two. The
values of the examples are what the engine computes; a test compares them with the values that
we found by hand. Every installation shows the same at `/measures/`, where examples can be
changed and tried.

## What holds for all of them

- **Notation.** By topic: R documents are relevant (grade ≥ level), N are judged non-relevant
  (0 ≤ grade < level), n(r) is the number of judged non-relevant documents above rank r.
- **Order.** Score descending as a 64-bit number, then docno descending by code point, which is
  trec_eval's rule. The rank column is not used.
- **Grades below 0** are neither relevant nor judged non-relevant: -1 is "pooled, not judged",
  -2 and below "to be ignored".
- **Means** are over all topics of the qrels, as with trec_eval's `-c`; a topic that the run does
  not answer counts as 0 and is printed. `--topics common` averages over topics in run and qrels.
- **Topics without a relevant document** count as 0; their number is told beside the result.
- **Undefined** values are null with a reason, and are left out of the mean.
- **Level** `-l n`: relevant is grade ≥ n. ndcg does not use it.
- **`-M n`** cuts every ranking at n after sorting, before anything else, and changes neither R
  nor the ideal. **`-J`** then drops the documents without a judgment.
- **Gains** are the grades unless a gain table is given.
"""
NAMES = """## Names

`P_10`, `P.5,10` and `P@10` name measures of one family; a bare `P` stands for trec_eval's usual
cut-offs. ir_measures' spellings (`AP`, `RR`, `nDCG@10`, `R@100`, `Judged@10`, `P(rel=2)@10`) are
understood; output always uses the name printed first below. A variant is written with its
parameters in brackets, `bpref(form=textbook)`, and printed so. These parameters are taken by
every measure of a ranking unless its section says otherwise:
"""
ALL_NAMES = "Names that stand for several measures:\n"


def render_measures_docs() -> str:
    """The whole page as Markdown."""
    groups = families_by_group(FAMILIES)
    about = {group.title: group.about for group in GROUPS.values()}
    sections: list[str] = []
    for title, families in groups.items():
        sections += [f"## {title}", "", about[title], "", *map(render_family, families)]
    return "\n".join([HEAD, *_profiles(), NAMES, *_modifiers(), *_sets(), *_contents(groups),
                      *sections])  # fmt: skip


def _profiles() -> Iterator[str]:
    yield "## Profiles\n"
    yield "Programs differ in details; `--profile` chooses, and every result tells whose hold:\n"
    yield from (f"- `{profile.name}`: {profile.meaning}" for profile in PROFILES.values())
    yield ""


def _modifiers() -> Iterator[str]:
    for modifier in MODIFIERS.values():
        known = modifier.parameter
        choices = f" One of {_codes(known.choices)}; else `{known.default}`."
        yield f"- `{known.name}`: {known.meaning}{choices if known.choices else ''}"
    yield ""


def _sets() -> Iterator[str]:
    yield ALL_NAMES
    for name, names in SETS.items():
        told = f"what is computed without `-m`: {_codes(DEFAULT_NAMES)}."
        yield f"- `{name}`: {told if name == 'default' else _codes(names(PROFILES['poolbench-1']))}"
    yield ""


def _contents(groups: dict[str, list[MeasureFamily]]) -> Iterator[str]:
    yield "## Contents\n"
    for title, families in groups.items():
        links = ", ".join(f"[`{it.name}`](#{family_anchor(it)})" for it in families)
        yield f"- [{title}](#{_slug(title)}): {links}"
    yield ""


def family_anchor(family: MeasureFamily) -> str:
    """Where the section of the family is found."""
    return _slug(f"{family.name}: {family.card.title}")


def _slug(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def render_family(family: MeasureFamily) -> str:
    return "\n".join([render_card_markdown(family.card), *_facts(family), ""])


def _facts(family: MeasureFamily) -> Iterator[str]:
    yield f"Written {_codes(accepted_spellings(family))}."
    if names := default_measures(family):
        yield f"`{family.name}` alone stands for {_codes(names)}."
    if family.modifiers != RANKED:
        yield f"Of the parameters above it takes {_codes(family.modifiers) or 'none'}."
    yield ""
    for example in family.examples:
        yield render_example(family, example) + "\n"


def render_example(family: MeasureFamily, example: WorkedExample) -> str:
    """An example with the value that the engine gives now."""
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


if __name__ == "__main__":
    sys.stdout.write(render_measures_docs())
