"""docs/disagreement.md, made from the cards: ``python -m evaluation.core.disagreement.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown
from evaluation.core.disagreement.cards import CARDS

HEAD = """# What disagreement does

This page is made from the cards in `evaluation/core/disagreement/`
(`python -m evaluation.core.disagreement.page > docs/disagreement.md`); a test compares the two.

Assessors disagree; what matters to a shared task is whether the ranking of the runs would have
been another with other assessors, and which documents are worth another look. *What
disagreement does*, beside *Agreement*, answers both for organizers, by any measure of the
campaign that says which run is better and by any policy, from the judgments given so far.

`manage.py disagreement CAMPAIGN` prints the same, and `manage.py disagreement --runs RUN...
--qrels QRELS...` from files, one qrels file an assessor; `--reference QRELS` compares with other
qrels than the policy's, for example published ones. `--format json` has everything, `csv` the
runs, `pairs-csv` the pairs.

- A pair is a topic and a document; in dispute is one that people gave different grades and that
  no adjudication has settled. Grades below 0 are no judgments.
- Means are over all topics that the qrels judge; of two qrels to be compared over the same ones.
- All qrels share one scale: the gains of the campaign, or from files the grades that occur in
  any of them (err and the like depend on the highest).
- The numbers are those of `evaluate` on qrels files of the same grades; tests hold them together.
- Undefined is null with a reason, never 0 or 1.

"""


def render_disagreement_docs() -> str:
    """The page as Markdown."""
    return HEAD + "\n".join(render_card_markdown(card, level=2) for card in CARDS)


if __name__ == "__main__":
    sys.stdout.write(render_disagreement_docs())
