"""docs/collection.md, made from the cards: ``python -m reliability.core.collection.docs``."""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown, resolve_card_links
from reliability.core.collection import (
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

HEAD = """# Reusability and reliability

Can runs that were not pooled be scored fairly with this collection, and would the ranking of the
runs hold with fewer or other judgments? The report answers from the judgments, the runs and the
pool:

```
manage.py collection_report QRELS RUN... --teams TEAMS --pooled TAGS --depth K --format html
```

Organizers create it on *Reusability*, linked from each qrels version, from a qrels version or from
the judgments so far.

## Reading the report

| look at | good | otherwise |
|---|---|---|
| [judged@k](#stability) at the cut-off of the reported measure | 0.9 or more for every run | \
judge deeper for the runs below it, or report a measure that ignores unjudged documents, such as \
bpref, with judged@k beside it |
| [loss of a team left out](#leave-out) | a few percent, tau-b near 1, and no run with a large \
drop | score later runs with the measure that loses least; mention the loss when the collection \
is published |
| [relevant share of new documents](#by-depth) at the pool depth | close to 0 | pool deeper; the \
[extrapolation](#extrapolation) estimates what is missing |
| [density](#stability) of a topic: relevant among judged | at most 1/3 | judge more documents \
of the topic, or leave it out of the means |
| [tau-b with a part of the judgments](#reduced-judgments) | high already at half of the \
judgments | prefer the measure that is stable |
| [gap of condensed lists](#condensed) | the same for pooled and unpooled runs | the pool is \
biased against unpooled runs; the [correction](#correction) estimates by how much |

Thresholds are 0.9 and 1/3 as the report marks them; for the rest, compare with collections that
you trust: no value is good by itself.

## Input and output

- `--teams` names a file of `run team` lines; without it every run is a team of its own, and
  results per team are results per run.
- `--pooled` names the contributing runs, as a [list](commands.md) of tags or a file of tags; the
  default is all runs.
- `--depth` is the number of documents judged from each contributing run. Without it, the depth is
  estimated: the deepest rank, at most 100, down to which at least 90 % of the documents that are
  new at each rank are judged. The report says whether the depth was given or estimated.
- Measures are `map`, `P_10`, `bpref`, `bpref-10` and `ndcg`
  ([variants of bpref](measures.md#bpref-variants)), or those of `-m` that rank runs, higher being
  better; `-l` is the lowest relevant grade. The gain of a document is its grade.
- `table` is a summary, `json` has everything with its settings; `html`, `markdown` and `latex` are
  as [all reports](formats.md#reports). `csv` has every
  value of `json` under its name, one per line, `table,row,column,value`, after the facts as its
  [conditions](formats.md#csv-files). Rows count from 1; row
  `2.3` of `leave_team_out.runs` is the third that belongs to row `2` of `leave_team_out`.
- Topics are those of the qrels, in the order of the campaign; from files in natural order (`2`
  before `10`). A run that does not answer a topic scores 0 there. Ranks are those of trec_eval's
  order.
- The same files, seed and options give the same report, in any order of runs and lines, and with
  any number of processes (`--jobs`).
- 129 generated runs of 1,000 documents for 50 topics, 71 of them pooled to depth 100: half a
  minute on two busy cores, nearly all of it for the 170 sets of fewer judgments
  (`benchmarks/keep.py trust`).
- In Python: `build_collection` in `reliability.core.collection.inputs` and
  `build_reusability_report` in `reliability.core.collection.report`.
- Undefined values are null, mostly with a reason, never 0 or 1.

"""

REAL = """
## Example: TREC-COVID round 1

143 runs of 56 teams, with one contributing run per team, 30 topics, 8,691 judgments, 2,352 of
them relevant; runs cut at 50 documents, seed 0. The pool depth, 7, is estimated from the
judgments: of the 6,959 documents of the pool 6 are not judged. A test checks these numbers.

- Nearly half of the relevant documents (1,068, or 45 %) are unique to one team; no team has more
  of them than xj4wang, with 57 relevant among 79. Another 401 are in no contributing run down to
  depth 7. 8 of 30 topics have more than one relevant document in three judged.
- At rank 7 still 18 % of the new documents are relevant (42 % at rank 1): the pool was not deep
  enough to find most of them. It is too shallow for the extrapolation.
- 59 of the 143 runs have less than 90 % of their first 5 documents judged, 122 of their first 10.
- Leaving a team out costs its contributing run 18.5 % of its MAP on average, 24.6 % of P_10,
  13.0 % of ndcg, but 6.3 % of bpref and 6.7 % of bpref-10. tau of the rankings is 0.946, 0.892,
  0.959, 0.975 and 0.975; the largest drops are large all the same: xj4wang_run1 from rank 7 to 32
  by MAP, and from 3 to 33 by P_10. A new system like it would have been underrated.
- With 10 % of the judgments tau to the full ranking is 0.836 for bpref-10, 0.834 for bpref, 0.817
  for ndcg, 0.742 for P_10 and 0.721 for MAP; with 50 % 0.939, 0.940, 0.935, 0.899 and 0.913. Up to
  40 % bpref is closer to the full MAP ranking than MAP itself, from 50 % on MAP is closer.
  At 10 % the mean MAP is 0.033 instead of 0.104, the mean bpref 0.160 instead of 0.156, and the
  mean bpref-10 0.170 instead of 0.159.
- Condensed lists raise P_10 by 0.109 for runs that were not pooled and by 0.061 for pooled ones:
  the pool is biased against the former. The correction adds 0.064.

So these judgments rank the contributing runs well; a different system should be scored with a
measure that ignores unjudged documents, and its judged@k reported.
"""
NOTE = """
---

Generated from the cards in `reliability/core/collection/`
(`python -m reliability.core.collection.docs > docs/collection.md`); a test compares the two.
Terms: [glossary](glossary.md).
"""


def render_collection_docs() -> str:
    """The page as Markdown."""
    return (
        resolve_card_links(HEAD, CARDS)
        + "\n".join(render_card_markdown(card, level=2) for card in CARDS)
        + REAL
        + NOTE
    )


if __name__ == "__main__":
    sys.stdout.write(render_collection_docs())
