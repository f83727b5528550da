"""docs/agreement.md, made from the cards: ``python -m judging.core.agreement.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import card_section
from judging.core.agreement.labels import Agreement
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.policies import POLICIES

HEAD = """# Agreement and policies

This page is made from the cards in `judging/core/`
(`python -m judging.core.agreement.page > docs/agreement.md`); a test compares the two and
computes every example.

## Agreement between assessors

One coefficient is never enough: the same judgments read "slight" by one and "moderate" by
another. All of them are shown, with n and with each assessor's prevalence, the share of judged
pairs that are relevant.

- A pair is a topic and a document. Grades below 0 mean "not judged".
- Coefficients of two assessors are computed for every two of them; the mean over pairs of
  assessors is not weighted, and leaves undefined ones out.
- Overlap and alpha are also computed over all assessors at once.
- Weights use the grades' own values: 0 and 3 are three apart.
- Undefined is null with a reason, never 0 or 1.

`manage.py agreement QRELS QRELS...` takes one qrels file an assessor; the file's name without
its ending is the assessor's name. A pair twice in a file is a fault, told with its line.

## The coefficients
"""

POLICY_HEAD = """## From judgments to qrels

A release names the policy that turns the judgments of a pair into one grade. Grades below 0 are
no judgments; a pair with no other one gets -1, "pooled, not judged".
"""


def page() -> str:
    """The whole page as Markdown."""
    coefficients = [_section(coefficient) for coefficient in COEFFICIENTS.values()]
    policies = [card_section(policy.card) for policy in POLICIES.values()]
    return "\n".join([HEAD, *coefficients, POLICY_HEAD, *policies])


def _section(coefficient: Agreement) -> str:
    return "\n".join([card_section(coefficient.card), *map(_example, coefficient.examples), ""])


def _example(example: tuple[tuple[tuple[int | None, ...], ...], float]) -> str:
    rows, value = example
    lines = [" ".join("·" if grade is None else str(grade) for grade in row) for row in rows]
    shown = "\n".join(f"    {line}" for line in lines)
    return f"Example, one line an assessor and one column a pair: {value:.4f} for\n\n{shown}"


if __name__ == "__main__":
    sys.stdout.write(page())
