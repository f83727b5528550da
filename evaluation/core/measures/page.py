"""docs/measures.md, made from the cards: ``python -m evaluation.core.measures.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import card_section
from evaluation.core.measures.family import Example, Family
from evaluation.core.measures.registry import DEFAULT_NAMES, FAMILIES

HEAD = """# Measures

This page is made from the cards in `evaluation/core/measures/`
(`python -m evaluation.core.measures.page > docs/measures.md`); a test compares the two and
computes every example.

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

The profile of these rules is called `poolbench-1` and is told with every result.

## Names

`P_10`, `P.5,10` and `P@10` name the same thing; a bare `P` stands for trec_eval's usual cut-offs.
ir_measures' spellings (`AP`, `RR`, `nDCG@10`, `R@100`, `Judged@10`) are understood; output always
uses the name below. A variant is written with its parameter, `bpref(form=textbook)`.
"""


def page() -> str:
    """The whole page as Markdown."""
    default = "Without `-m`: " + ", ".join(f"`{name}`" for name in DEFAULT_NAMES) + ".\n"
    sections = [family_section(family) for family in FAMILIES.values()]
    return "\n".join([HEAD, default, "## The measures", "", *sections])


def family_section(family: Family) -> str:
    spellings = [*family.spellings, *(f"{name}@k" for name in family.cut_spellings)]
    also = (
        [f"Also written {', '.join(f'`{name}`' for name in spellings)}.", ""] if spellings else []
    )
    examples = [_example(family, example) for example in family.examples]
    return "\n".join([card_section(family.card), *also, *examples, ""])


def _example(family: Family, example: Example) -> str:
    ranked = " ".join("·" if grade is None else str(grade) for grade in example.ranked)
    judged = ", ".join(map(str, example.judged))
    name = example.measure or family.name
    value = f"{example.value:.4f}".rstrip("0").rstrip(".")
    return f"Example: ranking `{ranked}`, judged {judged}: {name} = {example.working} = {value}."


if __name__ == "__main__":
    sys.stdout.write(page())
