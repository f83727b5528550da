"""docs/collection.md, made from the cards: ``python -m evaluation.core.collection.page``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown
from evaluation.core.collection import (
    condensed_lists,
    contributors,
    correction,
    depths,
    extrapolation,
    leave_one_group_out,
    reduced_judgments,
    stability,
)

CARDS = (
    contributors.CARD,
    leave_one_group_out.CARD,
    depths.CARD,
    extrapolation.CARD,
    stability.CARD,
    reduced_judgments.CARD,
    condensed_lists.CARD,
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

Organizers have it made of a release, or of the judgments so far, on the page *Is the collection
good?*, to which the page of a release leads.

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
  away: tables and pictures, light and dark, without a script or anything to load. `csv` has every
  value of `json` by its names, one a line: `table,row,column,value`. Rows count from 1; row `2.3`
  of `leave_team_out.runs` is the third that belongs to row `2` of `leave_team_out`.
- Topics are those of the qrels, told in the campaign's order, from files as people count (`2`
  before `10`); a run that does not answer one has 0 there. Ranks are those of trec_eval's order.
- The same files, seed and options give the same report, in whatever order runs and lines come,
  and in however many processes (`--jobs`).
- 129 generated runs of 1,000 documents for 50 topics, 71 of them pooled to depth 100: half a
  minute on two busy cores, nearly all of it for the 170 sets of fewer judgments
  (`benchmarks/keep.py trust`).
- From Python: `collection_of` in `evaluation.core.collection.laid` and `report_of` in
  `evaluation.core.collection.report`.
- Undefined is null, mostly with a reason, never 0 or 1.

"""

REAL = """
## On a real campaign

TREC-COVID round 1: 143 runs of 56 teams, of which one run a team was pooled, 30 topics, 8,691
judgments, 2,352 of them relevant; runs cut at 50 documents, seed 0. The depth of the pool, 7, is
found in the judgments: of its 6,959 documents 6 are not judged. A test holds these numbers.

- Nearly half of the relevant documents (1,068, or 45 %) were brought by one team alone; no team
  has more of them than xj4wang, with 57 relevant among 79. Another 401 stand in no pooled run down
  to depth 7. 8 of 30 topics have more than one relevant document in three judged.
- At rank 7 still 18 % of the new documents are relevant (42 % at rank 1): the pool was not deep
  enough to have found most of them. It is too shallow for the extrapolation.
- 59 of the 143 runs have less than 90 % of their first 5 documents judged, 122 of their first 10.
- A team left out costs its pooled run 18.5 % of its MAP on average, 24.6 % of P_10, 13.0 % of
  ndcg, but 6.3 % of bpref and 6.7 % of bpref-10. tau of the rankings is 0.946, 0.892, 0.959,
  0.975 and 0.975; beside that the largest drops: xj4wang_run1 from rank 7 to 32 by MAP, and from
  3 to 33 by P_10. A new system like it would not have been seen for what it is.
- With 10 % of the judgments tau to the full ranking is 0.836 for bpref-10, 0.834 for bpref, 0.817
  for ndcg, 0.742 for P_10 and 0.721 for MAP; with 50 % 0.939, 0.940, 0.935, 0.899 and 0.913. To
  the full MAP ranking bpref is nearer than MAP itself up to 40 %, and MAP is from 50 % on.
  At 10 % the mean MAP is 0.033 instead of 0.104, the mean bpref 0.160 instead of 0.156, and the
  mean bpref-10 0.170 instead of 0.159.
- Condensed rankings raise P_10 by 0.109 for runs that were not pooled and by 0.061 for pooled
  ones: the pool is biased against the former. The correction adds 0.064.

So these judgments rank the runs that made them; a system unlike them should be scored by a
measure that skips what is not judged, with its judged@k beside it.
"""


def render_collection_docs() -> str:
    """The page as Markdown."""
    return HEAD + "\n".join(render_card_markdown(card, level=2) for card in CARDS) + REAL


if __name__ == "__main__":
    sys.stdout.write(render_collection_docs())
