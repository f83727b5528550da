"""docs/agreement.md, made from the cards: ``python -m judging.core.agreement.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown
from judging.core.agreement.coefficient import AgreementCoefficient, Rows
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.policies import FORMS, RULES
from judging.core.quality.report import CARDS

HEAD = """# Agreement and policies

This page is made from the cards in `judging/core/`
(`python -m judging.core.agreement.page > docs/agreement.md`); a test compares the two and
computes every example.

## Agreement between assessors

One coefficient is never enough: the same judgments read "slight" by one and "moderate" by
another. All of them are shown, with n and with each assessor's prevalence, the share of judged
pairs that are relevant.

- A pair is a topic and a document. Grades below 0 mean "not judged".
- Every coefficient is computed for every two assessors over the pairs that both judged; the mean
  over pairs of assessors is not weighted, and leaves undefined ones out.
- All but Cohen's and Scott's are also computed over all assessors at once.
- The same is told topic by topic; the mean over topics leaves undefined ones out too.
- Weights use the grades' own values (0 and 3 are three apart), but for ordinal ones.
- n is the number of pairs that a value is over; prevalence the share of the compared judgments
  that is relevant.
- Grades may be cut at the relevance level first (`--binary`): then all of them are of two grades.
- Undefined is null with a reason, never 0 or 1.

Each value has a 95 % interval: topics are drawn with replacement (1,000 times, from a fixed seed)
and the middle 95 % of the values are told. Pairs of one topic hang together, so topics are drawn
and not pairs; two assessors are resampled over the topics that they share. There is no interval,
and the reason is told, for one topic, where more than 5 % of the resamples are undefined, where
all are alike, and for each two of more than 500 pairs of assessors. With fewer than ten topics
take an interval as a hint.

`manage.py agreement QRELS QRELS...` takes one qrels file an assessor; the file's name without
its ending is the assessor's name. A pair twice in a file is a fault, told with its line.
`manage.py agreement --campaign SLUG` takes the judgments of a campaign, and with them their order,
times, blind repeats and automatic assessors.

## The coefficients
"""

QUALITY_HEAD = """## Assessors one by one

What a coefficient cannot tell: who differs from the others, in which direction, since when, and
whether an assessor would say the same again. The judgments are those of people; automatic
assessors are compared with people and never counted among them.
"""

POLICY_HEAD = """## From judgments to qrels

A release names the policy that turns the judgments of a pair into one grade. Grades below 0 are
no judgments; a pair with no other one gets -1, "pooled, not judged".
"""


def render_agreement_docs() -> str:
    """The whole page as Markdown."""
    coefficients = [_section(coefficient) for coefficient in COEFFICIENTS.values()]
    cards = [rule.card for rule in RULES.values()] + list(FORMS.values())
    policies = [render_card_markdown(card) for card in cards]
    quality = [render_card_markdown(card) for card in CARDS.values()]
    return "\n".join([HEAD, *coefficients, QUALITY_HEAD, *quality, POLICY_HEAD, *policies])


def _section(coefficient: AgreementCoefficient) -> str:
    return "\n".join(
        [render_card_markdown(coefficient.card), *map(_example, coefficient.examples), ""]
    )


def _example(example: tuple[Rows, float]) -> str:
    rows, value = example
    lines = [" ".join("·" if grade is None else str(grade) for grade in row) for row in rows]
    shown = "\n".join(f"    {line}" for line in lines)
    return f"Example, one line an assessor and one column a pair: {value:.4f} for\n\n{shown}"


if __name__ == "__main__":
    sys.stdout.write(render_agreement_docs())
