"""docs/measures.md, made from the cards: ``python -m evaluation.core.measures.docs``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from campaigns.core.cards import card_anchor, heading_anchor, render_card_markdown
from evaluation.core.measures.family import RANKED, MeasureFamily, WorkedExample
from evaluation.core.measures.groups import GROUPS
from evaluation.core.measures.lookup import accepted_spellings, default_measures, families_by_group
from evaluation.core.measures.modifiers import MODIFIERS
from evaluation.core.measures.registry import DEFAULT_NAMES, FAMILIES, SETS
from evaluation.core.profiles import PROFILES
from evaluation.core.worked_examples import work_card_example

HEAD = """# Measures

Definitions of all measures of `manage.py evaluate`, the leaderboard and the API: formula, range,
edge cases, source and a worked example of each.
"""
COMMON = """## Common properties

- **Notation.** Per topic: R documents are relevant (grade ≥ level), N are judged non-relevant
  (0 ≤ grade < level), n(r) is the number of judged non-relevant documents above rank r.
- **Order.** Score descending as a 64-bit number, then docno descending by code point, which is
  trec_eval's rule. The rank column is not used.
- **Grades below 0** are neither relevant nor judged non-relevant: -1 is "pooled, not judged",
  -2 and below "to be ignored".
- **Means** are over all topics of the qrels, as with trec_eval's `-c`; a topic that the run does
  not answer counts as 0 and is printed. `--topics common` averages over topics in run and qrels.
- **Topics without a relevant document** count as 0; the result states their number.
- **Undefined** values are null with a reason, and are left out of the mean.
- **Level** `-l n`: relevant is grade ≥ n. ndcg does not use it.
- **`-M n`** cuts every ranking at n after sorting, before anything else, and changes neither R
  nor the ideal ranking. **`-J`** then drops the documents without a judgment.
- **Gains** are the grades unless a gain table is given.
- **Highest grade.** err, nerr, sdcg, insq, inst, cwl and the graded rbp are relative to the highest
  grade of the scale, whether or not a document got it. In a campaign it is that of its scale; for
  files state it with `--max-rel` (`max_rel` in Python), or for one measure as `err_20(max_rel=3)`.
  Without either the highest grade in the qrels is assumed: a note says so. For files the printed
  name always has it; the conditions have it as `highest_grade`, with where it is from.
"""
NAMES = """## Names

`P_10`, `P.5,10` and `P@10` name measures of one family; a bare `P` stands for trec_eval's usual
cut-offs. The names of ir_measures (`AP`, `RR`, `nDCG@10`, `R@100`, `Judged@10`, `P(rel=2)@10`)
are accepted; output always uses the first name of each section below. A variant is written with
its parameters in parentheses, `bpref(form=textbook)`, and printed so. Every measure of a ranking
takes these parameters unless its section says otherwise:
"""
ALL_NAMES = "Names of sets of measures:\n"
BPREF = """## bpref variants

bpref (Buckley and Voorhees, SIGIR 2004) counts how often relevant documents are ranked above
judged non-relevant documents, and ignores unjudged documents. It was designed for incomplete
judgments. Programs and textbooks use different divisors under the same name, so Poolbench always
states the variant.

### Definitions

R documents of the topic are relevant, N are judged non-relevant, and n(r) is the number of judged
non-relevant documents above the relevant document at rank r. c is 0 for bpref and 10 for
bpref-10. All variants are

    1/R · Σ over the retrieved relevant documents of (1 − min(n(r), R + c) / divisor)

where a term with n(r) = 0 is 1. They differ in the divisor:

| name | full name | divisor | source |
|---|---|---|---|
| `bpref` | bpref (trec_eval: divisor min(N, R)) | min(N, R) | trec_eval 8, 9 and 10; \
pytrec_eval; ir_measures |
| `bpref(form=textbook)` | bpref (textbook: divisor R) | R | Modern Information Retrieval, \
chapter 4 |
| `bpref(form=2004)` | bpref (2004: divisor min(N retrieved, R)) | min(N retrieved, R) | the \
program of the 2004 paper; `old_bpref` in trec_eval 8 |
| `bpref-10` | bpref-10 (trec_eval: divisor min(N, R + 10)) | min(N, R + 10) | \
`bpref_top10pRnonrel` in trec_eval 8 |
| `bpref-10(form=textbook)` | bpref-10 (textbook: divisor R + 10) | R + 10 | Modern Information \
Retrieval, chapter 4 |
| `bpref-10(form=2004)` | bpref-10 (2004: divisor min(N retrieved, R + 10)) | min(N retrieved, R \
+ 10) | `old_bpref_top10pRnonrel` in trec_eval 8, the values of the 2004 paper |

`N retrieved` counts only the judged non-relevant documents that the run itself retrieved.
`gm_bpref` is the geometric mean of the chosen variant.

### Which variant to use

To compare with published values, use trec_eval's variant, which is the default. For bpref-10
state the variant, since no current program prints it. More judgments settle the question: once
every topic has R + 10 judged non-relevant documents, the textbook and trec_eval agree.

### History

- **2004.** The paper proposes bpref, and bpref-10 for topics with so few relevant documents that R
  comparisons would be too few. The program behind its values divided by the judged non-relevant
  documents *retrieved*: a run was penalized for retrieving few of them.
- **2005.** trec_eval 8 corrects this and divides by min(N, R), with N of the whole topic. It keeps
  the earlier measures as `old_bpref` and `old_bpref_top10pRnonrel`, and has bpref-10 as
  `bpref_top10pRnonrel`. Its `bpref_10` is *another* measure: the first 10 relevant documents
  against the first 10 non-relevant ones. That is why `bpref_10` with an underscore is rejected
  here.
- **trec_eval 9 and 10** keep `bpref` and drop all others; no other program ships bpref-10.
- **The textbook** divides by R and R + 10, as the formula of the paper reads.

### Differences

- trec_eval's variant and the textbook's differ only in topics with N < R + c, and there the
  textbook's is never the lower one. For bpref this is rare with good pools; for bpref-10 it is
  common in small and unfinished campaigns.
- The 2004 variant differs from trec_eval's where the run retrieves fewer than min(N, R + c) judged
  non-relevant documents, and there it is never the higher one.
- **N = 0**: each relevant document retrieved adds 1, so bpref is recall and says nothing about the
  order. Collections that list relevant documents only, such as Cranfield or CISI, have N = 0:
  bpref is not informative there. Poolbench says so beside the scores.
- **R = 0** counts as 0 in the mean, as in trec_eval, and the result states the number of such
  topics.

In these examples, worked by hand and computed by a test, the ranking goes from left to right: R
relevant, N judged non-relevant, `.` not judged.

| | ranking | R | N | bpref textbook | bpref trec_eval | bpref 2004 | bpref-10 textbook | \
bpref-10 trec_eval | bpref-10 2004 |
|---|---|---|---|---|---|---|---|---|---|
| E1 | `R N R N R` | 3 | 3 | 2/3 | 2/3 | 1/2 | 12/13 | 2/3 | 1/2 |
| E2 | `N R R N . R` | 4 | 2 | 1/2 | 1/4 | 1/4 | 19/28 | 1/4 | 1/4 |
| E3 | `N R R R R` | 6 | 4 | 5/9 | 1/2 | 0 | 5/8 | 1/2 | 0 |
| E4 | `N N N R` | 2 | 3 | 0 | 0 | 0 | 3/8 | 0 | 0 |
| E5 | `. R . N . N R N N N R` | 3 | 10 | 4/9 | 4/9 | 4/9 | 32/39 | 23/30 | 8/15 |
| E6 | `R R R` | 3 | 0 | 1 | 1 | 1 | 1 | 1 | 1 |
| E7 | `N R` | 1 | 1 | 0 | 0 | 0 | 10/11 | 0 | 0 |
| E8 | `N R` | 1 | 5 | 0 | 0 | 0 | 10/11 | 4/5 | 0 |
| E9 | `N N N N N R R` | 2 | 20 | 0 | 0 | 0 | 7/12 | 7/12 | 0 |
| E10 | `. .` | 3 | 5 | 0 | 0 | 0 | 0 | 0 | 0 |
| E11 | `N N N N N N N N N N N N R` | 2 | 40 | 0 | 0 | 0 | 0 | 0 | 0 |
| E12 | `R N` | 5 | 1 | 1/5 | 1/5 | 1/5 | 1/5 | 1/5 | 1/5 |
| E13 | `N R N R N N R R N R` | 5 | 5 | 9/25 | 9/25 | 9/25 | 59/75 | 9/25 | 9/25 |

E2 in full: R = 4 and N = 2; 1, 1 and 2 judged non-relevant documents are above the three relevant
documents retrieved. Textbook: (3/4 + 3/4 + 2/4) / 4 = 1/2. trec_eval, min(N, R) = 2:
(1/2 + 1/2 + 0) / 4 = 1/4. bpref-10 of the textbook: (13/14 + 13/14 + 12/14) / 4 = 19/28.
"""
NOTE = """---

Generated from the cards in `evaluation/core/measures/`
(`python -m evaluation.core.measures.docs > docs/measures.md`); tests compare the page with the
cards, and every worked example with the value that the engine computes. Each installation shows
the same at `/measures/`, with examples to edit and try. Terms: [glossary](glossary.md).
"""


def render_measures_docs() -> str:
    """The whole page as Markdown."""
    groups = families_by_group(FAMILIES)
    about = {group.title: group.about for group in GROUPS.values()}
    sections: list[str] = []
    for title, families in groups.items():
        sections += [f"## {title}", "", about[title], "", *map(render_family, families)]
    return "\n".join([HEAD, *_contents(groups, about), COMMON, *_profiles(), NAMES, *_modifiers(),
                      *_sets(), *sections, BPREF, NOTE])  # fmt: skip


def _contents(groups: dict[str, list[MeasureFamily]], about: dict[str, str]) -> Iterator[str]:
    yield "| family | what it measures | measures |\n|---|---|---|"
    for title, families in groups.items():
        links = ", ".join(f"[`{family.name}`](#{family_anchor(family)})" for family in families)
        yield f"| [{title}](#{heading_anchor(title)}) | {about[title].rstrip('.')} | {links} |"
    yield "\nThe variants of bpref have a [section of their own](#bpref-variants).\n"


def _profiles() -> Iterator[str]:
    yield "## Compatibility profiles\n"
    yield "Programs differ in details. `--profile` selects whose rules apply; every result names"
    yield "its profile; [trec_eval compatibility](trec_eval.md) lists the differences.\n"
    yield from (f"- `{profile.name}`: {profile.meaning}" for profile in PROFILES.values())
    yield ""


def _modifiers() -> Iterator[str]:
    for modifier in MODIFIERS.values():
        known = modifier.parameter
        choices = f" One of {_codes(known.choices)}; default `{known.default}`."
        yield f"- `{known.name}`: {known.meaning}{choices if known.choices else ''}"
    yield ""


def _sets() -> Iterator[str]:
    yield ALL_NAMES
    yield f"- `default`, computed without `-m`: {_codes(DEFAULT_NAMES)}"
    for name, names in SETS.items():
        if name != "default":
            yield f"- `{name}`: {_codes(names(PROFILES['poolbench-1']))}"
    yield ""


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


if __name__ == "__main__":
    sys.stdout.write(render_measures_docs())
