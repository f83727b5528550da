"""docs/disagreement.md, made from the cards: ``python -m reliability.core.disagreement.docs``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown, resolve_card_links
from reliability.core.disagreement.cards import CARDS

HEAD = """# Effect of assessor disagreement

Would other assessors have ranked the runs differently, and which disagreements should be
adjudicated first? Organizers find both answers under *Agreement → Effect of disagreement*, for
every measure of the campaign that ranks runs and every qrels policy, computed from the judgments
so far.

| question | section |
|---|---|
| How does each assessor rank the runs? | [own judgments](#own), [filled](#filled), [union and \
intersection](#union) |
| How similar are these rankings to the official one? | [correlations](#correlations) |
| How uncertain are a run's score and rank? | [bootstrap over assessors](#bootstrap) |
| What if each topic had one assessor? | [random assessors](#random-swaps) |
| Which pairs should be adjudicated first? | [rank-swap value](#rank-swap) |
| Could two runs still change places? | [between two runs](#between) |

If the correlations are high and the bands of the leading runs do not overlap, the ranking does not
depend on the assessors. Otherwise adjudicate the pairs with the highest rank-swap value first.

`manage.py disagreement CAMPAIGN` prints the same, and `manage.py disagreement --runs RUN...
--qrels QRELS...` from files, one qrels file per assessor; `--reference QRELS` compares with other
qrels than the policy's, for example published ones. `--format json` has everything, `csv` the
runs, `pairs-csv` the pairs.

- A pair is a topic and a document. A disagreement is a pair with different grades by assessors and
  without an adjudication. Grades below 0 are not judgments.
- Means are over all topics that the qrels judge; two qrels are compared over the same topics.
- All qrels share one scale: the gains of the campaign, or from files the grades that occur in
  any of them (err and similar measures depend on the highest).
- Scores are those of `evaluate` on qrels files with the same grades; tests check this.
- Undefined values are null with a reason, never 0 or 1.

"""
NOTE = """
---

Generated from the cards in `reliability/core/disagreement/`
(`python -m reliability.core.disagreement.docs > docs/disagreement.md`); a test compares the two.
Terms: [glossary](glossary.md).
"""


def render_disagreement_docs() -> str:
    """The page as Markdown."""
    return (
        resolve_card_links(HEAD, CARDS)
        + "\n".join(render_card_markdown(card, level=2) for card in CARDS)
        + NOTE
    )


if __name__ == "__main__":
    sys.stdout.write(render_disagreement_docs())
