"""docs/collection.md, made from the cards: ``python -m evaluation.core.collection.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import card_section
from evaluation.core.collection import (
    by_depth,
    condensed,
    contributors,
    correction,
    extrapolation,
    leave_out,
    reduced,
    stability,
)

CARDS = (
    contributors.CARD,
    leave_out.CARD,
    by_depth.CARD,
    extrapolation.CARD,
    stability.CARD,
    reduced.CARD,
    condensed.CARD,
    correction.CARD,
)

HEAD = """# How far a collection can be trusted

This page is made from the cards in `evaluation/core/collection/`
(`python -m evaluation.core.collection.page > docs/collection.md`); a test compares the two.

Judgments are made of what some runs ranked high. Whether they are fair to those runs, and to
systems that come later, can be seen in the judgments, the runs and the pool themselves:

```
manage.py collection_report QRELS RUN... --teams TEAMS --pooled POOLED --depth K --format html
```

- `--teams` names a file of `run team` lines; without it every run is a team of its own, and what
  is told by team is told by run.
- `--pooled` names the runs that the pool was made of, as tags or as a file of one tag a line;
  without it all runs.
- `--depth` is how many documents of each pooled run were judged. Without it, it is found: the
  deepest rank, at most 100, down to which at least 90 % of the documents that come new at each
  rank are judged. The report says whether it was told or found.
- Measures are `map`, `P_10`, `bpref`, `bpref-10` and `ndcg` ([their forms](bpref.md)), or those of
  `-m` by which runs are ranked, higher being better; `-l` is the lowest relevant grade. The gain
  of a document is its grade.
- `table` is a summary, `json` has everything with its conditions, `html` is one file to take
  away: tables and pictures, light and dark, without a script or anything to load.
- Topics are those of the qrels; a run that does not answer one has 0 there. Ranks are those of
  trec_eval's order.
- The same files, seed and options give the same report, in whatever order runs and lines come,
  and in however many processes (`--jobs`).
- From Python: `collection_of` in `evaluation.core.collection.laid` and `report_of` in
  `evaluation.core.collection.report`.
- Undefined is null, mostly with a reason, never 0 or 1.

"""

REAL = """
## On a real campaign

TREC-COVID round 1: 143 runs of 56 teams, one pooled run a team, 30 topics, depth 7, 8,691
judgments of which 2,352 are relevant.

"""


def page() -> str:
    """The page as Markdown."""
    return HEAD + "\n".join(card_section(card, level=2) for card in CARDS) + REAL


if __name__ == "__main__":
    sys.stdout.write(page())
